//! Valid and invalid entries in every encoding.

use super::*;
use crate::intake::event::{GateRequest, HitlDecision, RawEntry, RejectCode, Rejection, StreamKind};
use crate::text::ids::Gate;
use crate::text::verdict::{Severity, Verdict};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The clock's time: as late as any time sent here.
const NOW: Timestamp = Timestamp::MAX;

fn entry(kind: StreamKind, fields: &[(&str, &str)]) -> RawEntry {
    RawEntry {
        stream: "asdlc:events".into(),
        kind,
        id: "1-0".into(),
        fields: fields.iter().map(|(n, v)| ((*n).to_owned(), v.as_bytes().to_vec())).collect(),
        gate_request: None,
        oversize: None,
    }
}

const FLAT: [(&str, &str); 5] = [
    ("decision_id", "d-1"),
    ("gate_id", "HITL-2"),
    ("decision", "APPROVED"),
    ("reviewer_id", "ann"),
    ("timestamp", "2026-01-12T10:00:00Z"),
];

fn flat(more: &[(&str, &str)]) -> RawEntry {
    let mut fields: Vec<_> = FLAT.iter().filter(|(n, _)| more.iter().all(|(m, _)| m != n)).copied().collect();
    fields.extend(more);
    entry(StreamKind::HitlDecisions, &fields)
}

fn event() -> Value {
    Value::Object(FLAT.iter().map(|(n, v)| ((*n).to_owned(), json!(v))).collect())
}

fn good(entry: &RawEntry) -> HitlDecision {
    match decode(entry, &DecodeLimits::default(), NOW) {
        Decoded::Decision(decision) => *decision,
        other => panic!("{other:?}"),
    }
}

fn bad(entry: &RawEntry) -> Rejection {
    match decode(entry, &DecodeLimits::default(), NOW) {
        Decoded::Rejected(rejection) => rejection,
        other => panic!("{other:?}"),
    }
}

fn code(entry: &RawEntry) -> (RejectCode, Option<String>) {
    let rejection = bad(entry);
    (rejection.code, rejection.field)
}

fn payload(name: &str, value: &Value) -> RawEntry {
    entry(StreamKind::HitlDecisions, &[(name, &value.to_string())])
}

#[test]
fn the_three_encodings_mean_the_same() {
    let flat = good(&flat(&[("tags", "a, b")]));
    let mut object = event();
    object["tags"] = json!(["a", "b"]);
    for name in ["data", "payload", "event", "json"] {
        assert_eq!(good(&payload(name, &object)), flat);
    }
    let coded = "eyJ4IjoxfQ==";
    for data in [json!({"data": object}), json!({"data": object.to_string()})] {
        let mut envelope = json!({"specversion": "1.0", "id": "e-1"});
        envelope["data"] = data["data"].clone();
        let mut decision = good(&payload("data", &envelope));
        assert_eq!(decision.extra.remove("cloudevent"), Some(json!({"specversion": "1.0", "id": "e-1"})));
        assert_eq!(decision, flat);
    }
    let envelope = json!({"specversion": "1.0", "data_base64": coded});
    assert_eq!(code(&payload("data", &envelope)), (RejectCode::MissingField, Some("decision_id".into())));
}

#[test]
fn placeholders_and_trimmed_entries() {
    let init = entry(StreamKind::HitlDecisions, &[("_init", "1")]);
    assert_eq!(decode(&init, &DecodeLimits::default(), NOW), Decoded::Ignored("placeholder"));
    assert_eq!(code(&entry(StreamKind::Dispatcher, &[])).0, RejectCode::EntryTrimmed);
}

#[test]
fn null_in_every_spelling() {
    let decision =
        good(&flat(&[("epic_id", ""), ("task_id", "null"), ("agent", "None"), ("agent_name", "coder"), ("x", "")]));
    assert_eq!((decision.epic_id, decision.task_id, decision.agent), (None, None, Some("coder".into())));
    assert!(decision.extra.is_empty());
    for name in FLAT.map(|(n, _)| n) {
        for null in ["", " ", "null", "None"] {
            assert_eq!(code(&flat(&[(name, null)])), (RejectCode::MissingField, Some(name.into())), "{name}={null:?}");
        }
    }
}

#[test]
fn verdicts_in_every_spelling() {
    for (text, verdict) in [
        ("approve", Verdict::Approved),
        ("Approved", Verdict::Approved),
        ("REJECT", Verdict::Rejected),
        ("rejected", Verdict::Rejected),
        ("approved_with_changes", Verdict::ApprovedWithChanges),
        ("approve-with-changes", Verdict::ApprovedWithChanges),
        ("APPROVED WITH CHANGES", Verdict::ApprovedWithChanges),
    ] {
        assert_eq!(good(&flat(&[("decision", text)])).verdict, verdict, "{text}");
    }
}

#[test]
fn times_with_and_without_offset() {
    for text in [
        "2026-01-12T10:00:00Z",
        "2026-01-12T12:00:00+02:00",
        "2026-01-12T10:00:00",
        "2026-01-12 10:00:00",
        "2026-01-12T10:00:00.000",
    ] {
        assert_eq!(good(&flat(&[("timestamp", text)])).timestamp.to_string(), "2026-01-12T10:00:00Z", "{text}");
    }
    for text in ["1768212000", "1768212000.5", "2026-01-12", "yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00"]
    {
        assert_eq!(code(&flat(&[("timestamp", text)])), (RejectCode::InvalidField, Some("timestamp".into())), "{text}");
    }
}

#[test]
fn optional_fields_never_lose_the_decision() {
    let decision = good(&flat(&[
        ("review_duration_seconds", "-3"),
        ("severity", "urgent"),
        ("consider_for_improvement", "maybe"),
        ("note", "n"),
    ]));
    assert_eq!(
        (decision.review_duration_seconds, decision.severity, decision.consider_for_improvement),
        (None, None, None)
    );
    let extra: Vec<_> = decision.extra.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(
        extra,
        ["consider_for_improvement=\"maybe\"", "note=\"n\"", "review_duration_seconds=\"-3\"", "severity=\"urgent\""]
    );
    let decision =
        good(&flat(&[("review_duration_seconds", "12.6"), ("severity", "HIGH"), ("consider_for_improvement", "True")]));
    assert_eq!(
        (decision.review_duration_seconds, decision.severity, decision.consider_for_improvement),
        (Some(13), Some(Severity::High), Some(true))
    );
    let mut object = event();
    object["tags"] = json!({"a": 1});
    object["mine"] = json!({"deep": [1, 2]});
    let decision = good(&payload("json", &object));
    assert_eq!(
        decision.extra,
        BTreeMap::from([("mine".into(), json!({"deep": [1, 2]})), ("tags".into(), json!({"a": 1}))])
    );
}

#[test]
fn bytes_that_are_no_text() {
    let mut entry = flat(&[]);
    entry.fields.push(("reviewer_comment".into(), b"caf\xe9".to_vec()));
    assert_eq!(good(&entry).reviewer_comment.as_deref(), Some("caf\u{fffd}"));
    entry.fields[3].1 = b"\xff\xfe".to_vec();
    insta::assert_snapshot!(bad(&entry).message, @"`reviewer_id` is not valid UTF-8; expected a non-empty text.");
}

#[test]
fn messages_say_what_is_wrong() {
    let message = |entry: &RawEntry| bad(entry).message;
    insta::assert_snapshot!(message(&flat(&[("gate_id", "gate\u{202e}\n7")])), @r#"`gate_id` is "gate\u{202e}\n7"; expected a gate such as HITL-2 or hitl_2_design."#);
    insta::assert_snapshot!(message(&flat(&[("decision", "maybe")])), @r#"`decision` is "maybe"; expected APPROVED, REJECTED or APPROVED_WITH_CHANGES."#);
    insta::assert_snapshot!(message(&flat(&[("timestamp", "1768212000")])), @r#"`timestamp` is the number or bare date "1768212000"; expected a date and time such as 2026-01-12T10:00:00Z (RFC 3339; without an offset it is UTC)."#);
    insta::assert_snapshot!(message(&payload("data", &json!([1]))), @"`data` is a JSON array; expected a JSON object.");
    insta::assert_snapshot!(message(&payload("data", &json!({"specversion": "2.0"}))), @r#"`specversion` is "2.0"; expected 1.0."#);
    insta::assert_snapshot!(message(&entry(StreamKind::HitlDecisions, &[("data", "{\"a\":1,\"a\":2}")])), @r#"`data` is "{"a":1,"a":2}", which is not valid JSON (the name "a" appears twice at line 1 column 13); expected a JSON object."#);
    let secret = flat(&[("decision", "ghp_FAKEspd0qy1qn3hw5efykh5tbd01srnjns22")]);
    assert!(!message(&secret).contains("FAKE"));
}

#[test]
fn hostile_sizes_and_shapes() {
    let limits = DecodeLimits { max_entry_bytes: 1000, ..DecodeLimits::default() };
    match decode(&flat(&[("reviewer_comment", &"x".repeat(1000))]), &limits, NOW) {
        Decoded::Rejected(r) => {
            assert_eq!((r.code, r.field.as_deref()), (RejectCode::TooLarge, Some("reviewer_comment")))
        }
        other => panic!("{other:?}"),
    }
    let bomb = "{\"a\":".repeat(50_000);
    assert_eq!(code(&entry(StreamKind::HitlDecisions, &[("data", &bomb)])).0, RejectCode::InvalidJson);
    let repeated = entry(StreamKind::HitlDecisions, &[&FLAT[..], &[("decision", "REJECTED")]].concat());
    assert_eq!(code(&repeated), (RejectCode::InvalidField, Some("decision".into())));
    assert_eq!(code(&flat(&[("decision_id", &"d".repeat(600))])).0, RejectCode::InvalidField);
}

#[test]
fn each_part_has_its_limit() {
    let limits = DecodeLimits {
        max_field_bytes: 100,
        max_nesting: 3,
        max_list_items: 5,
        max_tags: 2,
        max_agents: 2,
        ..DecodeLimits::default()
    };
    let event = |extra: &[(&str, Value)]| {
        let mut event: Map<String, Value> = FLAT.iter().map(|(n, v)| ((*n).to_owned(), json!(v))).collect();
        event.extend(extra.iter().map(|(n, v)| ((*n).to_owned(), v.clone())));
        Value::Object(event)
    };
    let refused = |extra: &[(&str, Value)]| {
        let as_json = entry(StreamKind::HitlDecisions, &[("data", &event(extra).to_string())]);
        let texts: Vec<(String, String)> = extra
            .iter()
            .map(|(n, v)| ((*n).to_owned(), v.as_str().map_or_else(|| v.to_string(), str::to_owned)))
            .collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let said = |entry: &RawEntry| match decode(entry, &limits, NOW) {
            Decoded::Rejected(r) => {
                assert_eq!(r.code, RejectCode::TooLarge, "{r:?}");
                Some(r.message)
            }
            _ => None,
        };
        // Both encodings have the same limits.
        let (json, flat) = (said(&as_json), said(&flat(&texts)));
        assert_eq!(json, flat);
        json.unwrap_or_default()
    };
    let within = [
        ("reviewer_comment", json!("x".repeat(100))),
        ("correction_diff", json!("+".repeat(1000))),
        ("notes", json!([[[1, 2, 3, 4, 5]]])),
        ("tags", json!(["a", "b"])),
    ];
    assert_eq!(refused(&within), "");
    let long = [("reviewer_comment", json!("x".repeat(101)))];
    insta::assert_snapshot!(refused(&long), @"`reviewer_comment` has 101 bytes; at most 100 are accepted (`intake.max_field_bytes`).");
    let deep = [("notes", json!([[[[]]]]))];
    insta::assert_snapshot!(refused(&deep), @"`notes` is nested more than 3 deep; at most 3 are accepted (`intake.max_nesting`).");
    insta::assert_snapshot!(refused(&[("notes", json!([1, 2, 3, 4, 5, 6]))]), @"`notes` has 6 items; at most 5 are accepted (`intake.max_list_items`).");
    insta::assert_snapshot!(refused(&[("tags", json!("a, b, c"))]), @"`tags` has 3 items; at most 2 are accepted (`intake.max_tags`).");
    let many = json!({"import": {"name": "n", "agents": ["a", "b", "c"]}}).to_string();
    let import = entry(StreamKind::MetaHitl, &[("data", &many)]);
    match decode(&import, &limits, NOW) {
        Decoded::Rejected(r) => assert!(r.message.contains("intake.max_agents"), "{r:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_the_own_tenant() {
    let limits = DecodeLimits { tenant: Some("acme".into()), ..DecodeLimits::default() };
    let of = |tenant: &str| decode(&flat(&[("tenant_id", tenant)]), &limits, NOW);
    assert!(matches!(of("acme"), Decoded::Decision(_)));
    assert!(matches!(of(""), Decoded::Decision(_)));
    assert!(matches!(of("other"), Decoded::Rejected(Rejection { code: RejectCode::TenantMismatch, .. })));
    assert!(good(&flat(&[("tenant_id", "other")])).tenant_id.is_some());
}

fn gate_event(event_type: &str, metadata: &Value) -> RawEntry {
    let mut entry = entry(
        StreamKind::Dispatcher,
        &[
            ("event_type", event_type),
            ("session_id", "s-1"),
            ("timestamp", "2026-01-12T10:00:00+01:00"),
            ("mode", "auto"),
            ("git_sha", "abc"),
            ("artifact_paths", "a.md,b.md"),
            ("metadata", &metadata.to_string()),
        ],
    );
    let request =
        [("gate_type", "hitl_2_design"), ("task_id", "T-9"), ("session_id", "s-0"), ("requested_by", "architect")];
    entry.gate_request = Some(GateRequest::Found(request.map(|(n, v)| (n.to_owned(), v.to_owned())).into()));
    entry
}

fn metadata() -> Value {
    json!({"request_id": "r-1", "decision_id": "d-1", "reviewer": "ann", "reason": "nice", "conditions": []})
}

#[test]
fn a_gate_event_is_joined_with_its_request() {
    let decision = good(&gate_event("gate_approved", &metadata()));
    assert_eq!((decision.gate_id.as_str(), decision.gate), ("hitl_2_design", Gate::new(2).unwrap()));
    assert_eq!((decision.verdict, decision.reviewer_id.as_str()), (Verdict::Approved, "ann"));
    assert_eq!((decision.agent.as_deref(), decision.task_id.as_deref()), (Some("architect"), Some("T-9")));
    assert_eq!((decision.session_id.as_deref(), decision.agent_output_sha.as_deref()), (Some("s-1"), Some("abc")));
    assert_eq!(decision.reviewer_comment.as_deref(), Some("nice"));
    assert_eq!(decision.timestamp.to_string(), "2026-01-12T09:00:00Z");
    assert_eq!(decision.extra["artifact_paths"], json!(["a.md", "b.md"]));
    assert_eq!((&decision.extra["mode"], &decision.extra["request_id"]), (&json!("auto"), &json!("r-1")));
}

#[test]
fn conditions_are_changes() {
    let mut meta = metadata();
    meta["conditions"] = json!(["add tests", "name an owner"]);
    let decision = good(&gate_event("gate_approved", &meta));
    assert_eq!(decision.verdict, Verdict::ApprovedWithChanges);
    assert_eq!(decision.correction_summary.as_deref(), Some("add tests; name an owner"));
    assert_eq!(good(&gate_event("gate_rejected", &meta)).verdict, Verdict::Rejected);
}

#[test]
fn a_gate_request_that_is_gone() {
    let mut gone = gate_event("gate_approved", &metadata());
    gone.gate_request = None;
    insta::assert_snapshot!(bad(&gone).message, @r#"The gate request "r-1" is gone, so the gate is unknown; check that asdlc:gate_request:r-1 exists and does not expire before its decision is processed."#);
    assert_eq!(bad(&gone).code, RejectCode::GateRequestMissing);
    gone.gate_request = Some(GateRequest::Found(BTreeMap::new()));
    assert_eq!(bad(&gone).code, RejectCode::GateRequestMissing);
    let mut meta = metadata();
    meta["gate_type"] = json!("hitl_3_plan");
    let mut named = gate_event("gate_approved", &meta);
    named.gate_request = None;
    assert_eq!(good(&named).gate, Gate::new(3).unwrap());
    // Whatever it contained, it must not count as empty.
    named.gate_request = Some(GateRequest::TooLarge { bytes: 70_000, most: 65_536 });
    assert_eq!(bad(&named).code, RejectCode::TooLarge);
    insta::assert_snapshot!(bad(&named).message, @"The gate request has 70000 bytes in the fields that are read; the limit is 65536.");
}

#[test]
fn other_events_are_dropped() {
    for fields in [&[("event_type", "task_started"), ("data", "not json")][..], &[("hello", "world")]] {
        let decoded = decode(&entry(StreamKind::Dispatcher, fields), &DecodeLimits::default(), NOW);
        assert!(matches!(decoded, Decoded::Ignored(_)), "{decoded:?}");
    }
    let broken =
        entry(StreamKind::Dispatcher, &[("event_type", "gate_approved"), ("session_id", "s"), ("metadata", "{")]);
    assert_eq!(code(&broken), (RejectCode::InvalidJson, Some("metadata".into())));
}

#[test]
fn lines_of_a_file() {
    let limits = DecodeLimits::default();
    let line = |value: &Value| from_json_line(&value.to_string(), 7, &limits);
    let decision = good(&line(&event()));
    assert_eq!((decision.source.stream.as_str(), decision.source.entry_id.as_str()), ("replay", "7"));
    let exported = json!({"stream": "tenant:a:asdlc:events:hitl_decisions", "id": "5-0", "fields": event()});
    assert_eq!(good(&line(&exported)), decision);
    let gate = json!({"event_type": "gate_rejected", "timestamp": "2026-01-12T10:00:00Z", "metadata": metadata(),
        "gate_request": {"gate_type": "hitl_1_backlog"}});
    assert_eq!(line(&gate).kind, StreamKind::Dispatcher);
    assert_eq!(good(&line(&gate)).verdict, Verdict::Rejected);
    assert_eq!(bad(&from_json_line("not json", 1, &limits)).code, RejectCode::InvalidJson);
    assert_eq!(bad(&from_json_line(&"x".repeat(2 << 20), 1, &limits)).code, RejectCode::TooLarge);
}

#[test]
fn the_same_decision_on_both_streams() {
    let mut first = good(&gate_event("gate_approved", &metadata()));
    let other = good(&flat(&[("epic_id", "E-1"), ("agent", "someone"), ("tags", "a"), ("mine", "x")]));
    let before = first.clone();
    fill_missing(&mut first, &other);
    assert_eq!((first.epic_id.as_deref(), first.tags.as_slice()), (Some("E-1"), &["a".to_owned()][..]));
    assert_eq!((&first.agent, &first.gate_id, &first.source), (&before.agent, &before.gate_id, &before.source));
    assert_eq!(first.extra["mine"], json!("x"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_entry_panics(
        dispatcher in any::<bool>(),
        fields in proptest::collection::vec((
            prop_oneof![Just("data"), Just("event_type"), Just("metadata"), Just("decision_id"), Just("gate_id"), Just("decision"),
                Just("reviewer_id"), Just("timestamp"), Just("tags"), Just("review_duration_seconds"), Just("x")],
            prop_oneof![any::<Vec<u8>>(), "\\PC{0,20}".prop_map(String::into_bytes), Just(b"{\"specversion\":1".to_vec()),
                Just(b"gate_approved".to_vec()), Just(b"HITL-1".to_vec()), Just(b"approve".to_vec()),
                Just(b"2026-01-12T10:00:00Z".to_vec()), "[\\[{\"a:1,}\\]]{0,12}".prop_map(String::into_bytes)],
        ), 0..10),
    ) {
        let kind = if dispatcher { StreamKind::Dispatcher } else { StreamKind::HitlDecisions };
        let fields = fields.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        let entry = RawEntry { fields, ..entry(kind, &[]) };
        if let Decoded::Rejected(rejection) = decode(&entry, &DecodeLimits::default(), NOW) {
            prop_assert!(rejection.message.len() < 1000 && !rejection.message.contains('\n'));
        }
    }

    #[test]
    fn filling_twice_is_filling_once(a in proptest::collection::vec(any::<bool>(), 5), b in proptest::collection::vec(any::<bool>(), 5)) {
        let with = |flags: &[bool], value: &str| {
            let names = ["epic_id", "tags", "severity", "mine", "reviewer_comment"];
            let value = |name: &str| if name == "severity" { "low".to_owned() } else { value.to_owned() };
            let pairs: Vec<_> = names.iter().zip(flags).filter(|(_, f)| **f).map(|(n, _)| (*n, value(n))).collect();
            good(&flat(&pairs.iter().map(|(n, v)| (*n, v.as_str())).collect::<Vec<_>>()))
        };
        let (mut first, other) = (with(&a, "one"), with(&b, "two"));
        fill_missing(&mut first, &other);
        let once = first.clone();
        fill_missing(&mut first, &other);
        prop_assert_eq!(first, once);
    }
}
