//! Submissions of every kind, good and bad.

use super::*;
use crate::domain::intake::event::{RawEntry, RejectCode, Rejection, StreamKind};
use crate::domain::intake::submission::{ImportedRule, InjectedRule, Resolution, Review, ReviewAction, Submission};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const SECRET: &str = "ghp_FAKEspd0qy1qn3hw5efykh5tbd01srnjns22";

fn entry(fields: &[(&str, &[u8])]) -> RawEntry {
    RawEntry {
        stream: "asdlc:events:meta_hitl_decisions".into(),
        kind: StreamKind::MetaHitl,
        id: "1-0".into(),
        fields: fields.iter().map(|(n, v)| ((*n).to_owned(), v.to_vec())).collect(),
        gate_request: None,
    }
}

fn payload(event: &Value) -> RawEntry {
    entry(&[("data", event.to_string().as_bytes())])
}

fn flat(event: &Value) -> RawEntry {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
    let fields: Vec<_> = event.as_object().unwrap().iter().map(|(n, v)| (n.as_str(), text(v))).collect();
    entry(&fields.iter().map(|(n, v)| (*n, v.as_slice())).collect::<Vec<_>>())
}

/// `event` with the fields of `more`; null takes one away.
fn with(mut event: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        event[name] = value.clone();
    }
    let fields: Map<_, _> = event.as_object().unwrap().clone().into_iter().filter(|(_, v)| !v.is_null()).collect();
    Value::Object(fields)
}

fn review_event(more: &Value) -> Value {
    with(json!({"review_id": "rev-1", "reviewer_id": "ana", "timestamp": "2026-01-13T09:00:00Z"}), more)
}

fn injection_event(more: &Value) -> Value {
    let event = json!({"injection_id": "inj-1", "agent": "coder", "session_id": "s-1",
        "timestamp": "2026-01-13T09:00:00Z", "rules": [{"rule_id": "RULE-2026-0001", "version": 2}],
        "held_out": ["RULE-2026-0002"], "base_hash": "b0", "prompt_hash": "b1"});
    with(event, more)
}

fn import_event(more: &Value) -> Value {
    let import = json!({"name": "AGENTS.md", "agents": ["coder"], "imported_by": "ana",
        "imported_at": "2026-01-13T09:00:00Z", "file_hash": "b2",
        "rules": [{"line": 3, "section": "Style", "text": "Use tabs."}, {"line": 4, "text": "Wrap at 100."}]});
    json!({"import": with(import, more)})
}

fn submission(entry: &RawEntry) -> Submission {
    match decode(entry, &DecodeLimits::default()) {
        Decoded::Submission(submission) => *submission,
        other => panic!("{other:?}"),
    }
}

fn review(entry: &RawEntry) -> Review {
    match submission(entry) {
        Submission::Review(review) => review,
        other => panic!("{other:?}"),
    }
}

fn refused(entry: &RawEntry) -> Rejection {
    match decode(entry, &DecodeLimits::default()) {
        Decoded::Rejected(rejection) => rejection,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_decision_in_every_encoding() {
    let rule = || "RULE-2026-0001".to_owned();
    let id = |id: &str| id.to_owned();
    let modified = ReviewAction::Modify { proposal_id: rule(), modified_content: "Check inputs.".into() };
    let resolved = |resolution| ReviewAction::Resolve { feedback_id: id("dec-1"), resolution };
    let table = [
        (json!({"decision": "APPROVE", "proposal_id": rule()}), ReviewAction::Approve { proposal_id: rule() }),
        (json!({"decision": "approved", "rule_id": rule()}), ReviewAction::Approve { proposal_id: rule() }),
        (json!({"decision": "Reject", "proposal_id": rule()}), ReviewAction::Reject { proposal_id: rule() }),
        (json!({"decision": "REJECTED", "proposal_id": rule()}), ReviewAction::Reject { proposal_id: rule() }),
        (
            json!({"decision": "modify", "proposal_id": rule(), "modified_content": " Check inputs.\n"}),
            modified.clone(),
        ),
        (
            json!({"decision": "approved_with_changes", "proposal_id": rule(), "modified_content": "Check inputs."}),
            modified,
        ),
        (json!({"decision": "RETIRE", "rule_id": rule()}), ReviewAction::Retire { rule_id: rule() }),
        (json!({"decision": "retire", "proposal_id": rule()}), ReviewAction::Retire { rule_id: rule() }),
        (json!({"decision": "ROLL_BACK", "rule_id": rule()}), ReviewAction::RollBack { rule_id: rule() }),
        (json!({"decision": "rollback", "proposal_id": rule()}), ReviewAction::RollBack { rule_id: rule() }),
        (json!({"feedback_id": "dec-1", "resolution": "GENERALIZABLE"}), resolved(Resolution::Generalizable)),
        (json!({"feedback_id": "dec-1", "resolution": "edge-case"}), resolved(Resolution::EdgeCase)),
        (json!({"feedback_id": "dec-1", "resolution": "ignore", "decision": "resolve"}), resolved(Resolution::Ignore)),
        (
            json!({"decision": "MERGE_CLUSTERS", "from": "CLUSTER-a", "into": "CLUSTER-b"}),
            ReviewAction::MergeClusters { from: id("CLUSTER-a"), into: id("CLUSTER-b") },
        ),
        (
            json!({"decision": "SPLIT_CLUSTER", "cluster_id": "CLUSTER-a", "feedback_ids": ["dec-1", "dec-2"]}),
            ReviewAction::SplitCluster { cluster_id: id("CLUSTER-a"), feedback_ids: vec![id("dec-1"), id("dec-2")] },
        ),
        (
            json!({"decision": "split_cluster", "cluster_id": "CLUSTER-a", "feedback_ids": "dec-1, dec-2"}),
            ReviewAction::SplitCluster { cluster_id: id("CLUSTER-a"), feedback_ids: vec![id("dec-1"), id("dec-2")] },
        ),
        (
            json!({"decision": "MOVE_FEEDBACK", "feedback_id": "dec-1", "into": "CLUSTER-b"}),
            ReviewAction::MoveFeedback { feedback_id: id("dec-1"), into: id("CLUSTER-b") },
        ),
        (
            json!({"decision": "SAME", "a": "CLUSTER-a", "b": "dec-1"}),
            ReviewAction::Same { a: id("CLUSTER-a"), b: id("dec-1") },
        ),
        (
            json!({"decision": "KEEP_APART", "a": "dec-1", "b": "dec-2"}),
            ReviewAction::KeepApart { a: id("dec-1"), b: id("dec-2") },
        ),
        (
            json!({"decision": "different", "a": "dec-1", "b": "dec-2"}),
            ReviewAction::KeepApart { a: id("dec-1"), b: id("dec-2") },
        ),
        (
            json!({"decision": "RETRACT", "reviewer": "ben"}),
            ReviewAction::Retract { reviewer: Some(id("ben")), feedback_id: None },
        ),
        (
            json!({"decision": "retract", "feedback_id": "dec-1"}),
            ReviewAction::Retract { reviewer: None, feedback_id: Some(id("dec-1")) },
        ),
    ];
    for (more, action) in table {
        let event = review_event(&more);
        let envelope = json!({"specversion": "1.0", "id": "e-1", "type": "review", "data": event});
        for entry in [flat(&event), payload(&event), payload(&envelope)] {
            let review = review(&entry);
            assert_eq!(review.action, action, "{event}");
            assert_eq!((review.review_id.as_str(), review.reviewer_id.as_str()), ("rev-1", "ana"));
            assert_eq!(review.timestamp.to_string(), "2026-01-13T09:00:00Z");
            assert_eq!(
                (review.source.stream.as_str(), review.source.entry_id.as_str()),
                (entry.stream.as_str(), "1-0")
            );
        }
    }
}

#[test]
fn what_else_a_review_says() {
    let approve = json!({"decision": "APPROVE", "proposal_id": "RULE-2026-0001"});
    let said = |more: Value| review(&payload(&with(review_event(&approve), &more)));
    for name in ["reason", "rationale", "comment"] {
        assert_eq!(said(json!({name: "Seen it\r\ntwice. "})).reason.as_deref(), Some("Seen it\ntwice."), "{name}");
    }
    assert_eq!(said(json!({"reason": "None", "comment": "yes", "rationale": " "})).reason.as_deref(), Some("yes"));
    let bare = said(json!({"reason": "\u{200b}", "content_hash": "", "tenant_id": ""}));
    assert_eq!((bare.reason, bare.content_hash, bare.signature, bare.tenant_id), (None, None, None, None));
    let armored = "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n";
    let full = said(json!({"content_hash": "c0ffee", "signature": armored, "tenant_id": "acme"}));
    assert_eq!((full.content_hash.as_deref(), full.signature.as_deref()), (Some("c0ffee"), Some(armored)));
    assert_eq!(full.tenant_id.as_deref(), Some("acme"));
}

#[test]
fn notices_of_injected_rules_in_every_encoding() {
    let event = injection_event(&json!({}));
    for entry in [flat(&event), payload(&event), payload(&json!({"specversion": "1.0", "data": event}))] {
        let Submission::Injection(injection) = submission(&entry) else { panic!("no injection") };
        assert_eq!((injection.injection_id.as_str(), injection.agent.as_str()), ("inj-1", "coder"));
        assert_eq!(injection.session_id.as_deref(), Some("s-1"));
        assert_eq!(injection.rules, [InjectedRule { rule_id: "RULE-2026-0001".into(), version: 2 }]);
        assert_eq!(injection.held_out, ["RULE-2026-0002"]);
        assert_eq!((injection.base_hash.as_str(), injection.prompt_hash.as_str()), ("b0", "b1"));
    }
    let Submission::Injection(bare) =
        submission(&flat(&injection_event(&json!({"rules": [], "held_out": null, "session_id": null}))))
    else {
        panic!("no injection")
    };
    assert_eq!((bare.rules.len(), bare.held_out.len(), bare.session_id), (0, 0, None));
}

#[test]
fn imports_in_every_encoding() {
    let event = import_event(&json!({}));
    for entry in [flat(&event), payload(&event), payload(&json!({"specversion": "1.0", "data": event}))] {
        let Submission::Import(import) = submission(&entry) else { panic!("no import") };
        assert_eq!((import.name.as_str(), import.imported_by.as_str()), ("AGENTS.md", "ana"));
        assert_eq!((import.agents, import.file_hash.as_str()), (vec!["coder".to_owned()], "b2"));
        let rule = |line, section: Option<&str>, text: &str| ImportedRule {
            line,
            section: section.map(str::to_owned),
            text: text.to_owned(),
        };
        assert_eq!(import.rules, [rule(3, Some("Style"), "Use tabs."), rule(4, None, "Wrap at 100.")]);
    }
}

#[test]
fn placeholders_are_dropped() {
    assert_eq!(decode(&entry(&[("_init", b"1")]), &DecodeLimits::default()), Decoded::Ignored("placeholder"));
}

#[test]
fn what_is_wrong_is_named() {
    use RejectCode::{InvalidField as Invalid, InvalidJson, MissingField as Missing};
    let approve = json!({"decision": "APPROVE", "proposal_id": "RULE-2026-0001"});
    let approving = |more: Value| with(review_event(&approve), &more);
    let of = |more: Value| review_event(&more);
    let splitting = |ids: Value| of(json!({"decision": "SPLIT_CLUSTER", "cluster_id": "a", "feedback_ids": ids}));
    let injected = |more: Value| injection_event(&more);
    let imported = |more: Value| import_event(&more);
    let table = [
        (approving(json!({"review_id": null})), Missing, "review_id"),
        (approving(json!({"review_id": "r".repeat(600)})), Invalid, "review_id"),
        (approving(json!({"review_id": ["r"]})), Invalid, "review_id"),
        (json!({"hello": "world"}), Missing, "review_id"),
        (approving(json!({"reviewer_id": " "})), Missing, "reviewer_id"),
        (approving(json!({"reviewer_id": "\u{200b}"})), Missing, "reviewer_id"),
        (approving(json!({"timestamp": null})), Missing, "timestamp"),
        (approving(json!({"timestamp": "yesterday"})), Invalid, "timestamp"),
        (approving(json!({"proposal_id": "None"})), Missing, "proposal_id"),
        (approving(json!({"proposal_id": "p".repeat(513)})), Invalid, "proposal_id"),
        (approving(json!({"decision": "maybe"})), Invalid, "decision"),
        (approving(json!({"decision": null})), Missing, "decision"),
        (approving(json!({"resolution": "IGNORE"})), Invalid, "resolution"),
        (approving(json!({"decision": "MODIFY"})), Missing, "modified_content"),
        (approving(json!({"decision": "MODIFY", "modified_content": " \u{200b}\n"})), Missing, "modified_content"),
        (approving(json!({"decision": "MODIFY", "modified_content": ["x"]})), Invalid, "modified_content"),
        (of(json!({"resolution": "IGNORE"})), Missing, "feedback_id"),
        (of(json!({"resolution": "perhaps", "feedback_id": "d"})), Invalid, "resolution"),
        (of(json!({"decision": "RESOLVE", "feedback_id": "d"})), Missing, "resolution"),
        (of(json!({"decision": "RETIRE"})), Missing, "rule_id"),
        (of(json!({"decision": "ROLL_BACK"})), Missing, "rule_id"),
        (of(json!({"decision": "MERGE_CLUSTERS", "into": "b"})), Missing, "from"),
        (of(json!({"decision": "MERGE_CLUSTERS", "from": "a"})), Missing, "into"),
        (of(json!({"decision": "SPLIT_CLUSTER", "feedback_ids": ["d"]})), Missing, "cluster_id"),
        (splitting(json!(null)), Missing, "feedback_ids"),
        (splitting(json!([])), Missing, "feedback_ids"),
        (splitting(json!({"d": 1})), Invalid, "feedback_ids"),
        (splitting(json!(["\u{200b}"])), Invalid, "feedback_ids"),
        (splitting(json!(["d".repeat(513)])), Invalid, "feedback_ids"),
        (of(json!({"decision": "MOVE_FEEDBACK", "into": "b"})), Missing, "feedback_id"),
        (of(json!({"decision": "MOVE_FEEDBACK", "feedback_id": "d"})), Missing, "into"),
        (of(json!({"decision": "SAME", "b": "d"})), Missing, "a"),
        (of(json!({"decision": "KEEP_APART", "a": "d"})), Missing, "b"),
        (of(json!({"decision": "RETRACT"})), Missing, "feedback_id"),
        (of(json!({"decision": "RETRACT", "feedback_id": "d", "reviewer": "ben"})), Invalid, "reviewer"),
        (injected(json!({"agent": null})), Missing, "agent"),
        (injected(json!({"timestamp": "2026-01-13"})), Invalid, "timestamp"),
        (injected(json!({"rules": null})), Missing, "rules"),
        (injected(json!({"rules": "all"})), Invalid, "rules"),
        (injected(json!({"rules": ["RULE-2026-0001"]})), Invalid, "rules"),
        (injected(json!({"rules": [{"version": 1}]})), Missing, "rules[0].rule_id"),
        (injected(json!({"rules": [{"rule_id": "r", "version": 0}]})), Invalid, "rules[0].version"),
        (injected(json!({"rules": [{"rule_id": "r", "version": 1}, {"rule_id": "r"}]})), Missing, "rules[1].version"),
        (injected(json!({"held_out": {"r": 1}})), Invalid, "held_out"),
        (injected(json!({"base_hash": null})), Missing, "base_hash"),
        (injected(json!({"prompt_hash": null})), Missing, "prompt_hash"),
        (json!({"import": "AGENTS.md"}), InvalidJson, "import"),
        (json!({"import": ["AGENTS.md"]}), Invalid, "import"),
        (imported(json!({"name": null})), Missing, "import.name"),
        (imported(json!({"agents": {"a": 1}})), Invalid, "import.agents"),
        (imported(json!({"imported_by": null})), Missing, "import.imported_by"),
        (imported(json!({"imported_at": 1768212000})), Invalid, "import.imported_at"),
        (imported(json!({"file_hash": null})), Missing, "import.file_hash"),
        (imported(json!({"rules": null})), Missing, "import.rules"),
        (imported(json!({"rules": [{"line": -1, "text": "x"}]})), Invalid, "import.rules[0].line"),
        (imported(json!({"rules": [{"line": 1, "text": ""}]})), Missing, "import.rules[0].text"),
    ];
    for (event, code, field) in table {
        let rejection = refused(&payload(&event));
        assert_eq!((rejection.code, rejection.field.as_deref()), (code, Some(field)), "{event}: {}", rejection.message);
        assert!(rejection.message.ends_with('.') && rejection.message.contains("expected"), "{}", rejection.message);
    }
}

#[test]
fn messages_say_what_was_expected() {
    let message = |event: &Value| refused(&payload(event)).message;
    insta::assert_snapshot!(message(&review_event(&json!({"decision": "maybe"}))), @r#"`decision` is "maybe"; expected APPROVE, REJECT, MODIFY, RETIRE, ROLL_BACK, MERGE_CLUSTERS, SPLIT_CLUSTER, MOVE_FEEDBACK, SAME, KEEP_APART or RETRACT, or a `resolution` in its place."#);
    insta::assert_snapshot!(message(&review_event(&json!({"resolution": "later", "feedback_id": "d"}))), @r#"`resolution` is "later"; expected GENERALIZABLE, EDGE_CASE or IGNORE."#);
    insta::assert_snapshot!(message(&import_event(&json!({"rules": [{"line": "one", "text": "x"}]}))), @r#"In `import`: In `rules[0]`: `line` is "one"; expected the number of a line, from 1 on."#);
    insta::assert_snapshot!(message(&injection_event(&json!({"rules": [SECRET]}))), @r#"`rules` is a list with "[REDACTED:github-token]"; expected a list of {rule_id, version}."#);
}

#[test]
fn entries_that_cannot_be_taken_apart() {
    let code = |fields: &[(&str, &[u8])]| refused(&entry(fields)).code;
    assert_eq!(code(&[]), RejectCode::EntryTrimmed);
    assert_eq!(code(&[("data", b"{")]), RejectCode::InvalidJson);
    assert_eq!(code(&[("data", b"{\"specversion\":\"2\"}")]), RejectCode::InvalidEnvelope);
    let lossy = entry(&[("review_id", b"r"), ("decision", b"APPROVE"), ("proposal_id", b"\xff")]);
    assert_eq!(refused(&lossy).field.as_deref(), Some("proposal_id"));
    let twice = entry(&[("injection_id", b"i"), ("rules", b"[]"), ("rules", b"[{}]")]);
    assert_eq!(refused(&twice).field.as_deref(), Some("rules"));
    let limits = DecodeLimits { max_entry_bytes: 100, tenant: None };
    let large = payload(&review_event(&json!({"decision": "REJECT", "proposal_id": "p", "reason": "x".repeat(100)})));
    assert!(matches!(decode(&large, &limits), Decoded::Rejected(r) if r.code == RejectCode::TooLarge));
}

#[test]
fn only_the_own_tenant() {
    let limits = DecodeLimits { tenant: Some("acme".into()), ..DecodeLimits::default() };
    let approve = json!({"decision": "APPROVE", "proposal_id": "RULE-2026-0001"});
    let tenant = |t: &str| json!({"tenant_id": t});
    let outer = |t: &str| with(import_event(&json!({})), &tenant(t));
    for (own, other) in [
        (with(review_event(&approve), &tenant("acme")), with(review_event(&approve), &tenant("other"))),
        (injection_event(&tenant("acme")), injection_event(&tenant("other"))),
        (import_event(&tenant("acme")), import_event(&tenant("other"))),
        (outer("acme"), outer("other")),
    ] {
        assert!(matches!(decode(&payload(&own), &limits), Decoded::Submission(_)), "{own}");
        let decoded = decode(&payload(&other), &limits);
        assert!(matches!(decoded, Decoded::Rejected(r) if r.code == RejectCode::TenantMismatch), "{other}");
    }
}

#[test]
fn no_secret_and_no_hidden_character_is_left() {
    let hidden = "ghp_FAKEspd0qy1qn3\u{200b}hw5efykh5tbd01srnjns22";
    let modify = json!({"decision": "MODIFY", "proposal_id": SECRET, "reason": format!("used {hidden}"),
        "modified_content": format!("Use {hidden}\u{202e}."), "content_hash": SECRET, "tenant_id": SECRET,
        "review_id": SECRET, "reviewer_id": format!("an\u{200b}n {SECRET}")});
    let lists = json!({"decision": "SPLIT_CLUSTER", "cluster_id": SECRET, "feedback_ids": [SECRET, "d\u{200b}\n1"]});
    let rules = json!([{"rule_id": SECRET, "version": 1}]);
    let injection = json!({"injection_id": SECRET, "agent": SECRET, "session_id": hidden, "rules": rules,
        "held_out": [SECRET], "base_hash": SECRET, "prompt_hash": SECRET});
    let import = json!({"name": SECRET, "agents": [SECRET], "imported_by": SECRET, "file_hash": SECRET,
        "rules": [{"line": 1, "section": hidden, "text": hidden}]});
    for event in [review_event(&modify), review_event(&lists), injection_event(&injection), import_event(&import)] {
        let all = format!("{:?}", submission(&payload(&event)));
        for text in ["FAKEspd", "\\u{200b}", "\\u{202e}", "\\n1"] {
            assert!(!all.contains(text), "{text} in {all}");
        }
        assert!(all.contains("[REDACTED:github-token]"), "{all}");
    }
    // Two ids with secrets stay two.
    let approve = json!({"decision": "APPROVE", "proposal_id": "RULE-2026-0001"});
    let id = |id: String| review(&payload(&with(review_event(&approve), &json!({"review_id": id})))).review_id;
    assert_ne!(id(SECRET.to_owned()), id(SECRET.replace("22", "23")));
}

#[test]
fn lines_of_a_file_are_told_apart_by_their_fields() {
    let limits = DecodeLimits::default();
    let kind = |event: &Value| from_json_line(&event.to_string(), 1, &limits).kind;
    let events = [
        review_event(&json!({"decision": "REJECT", "proposal_id": "RULE-2026-0001"})),
        injection_event(&json!({})),
        import_event(&json!({})),
    ];
    for event in events {
        let envelope = json!({"specversion": "1.0", "data": event});
        for line in [
            event.clone(),
            envelope.clone(),
            json!({"fields": event}),
            json!({"stream": "mine", "fields": {"data": event.to_string()}}),
            json!({"stream": "mine", "fields": {"payload": envelope.to_string()}}),
            json!({"stream": "tenant:a:asdlc:events:meta_hitl_decisions", "fields": {"json": event}}),
        ] {
            let entry = from_json_line(&line.to_string(), 7, &limits);
            assert_eq!(entry.kind, StreamKind::MetaHitl, "{line}");
            submission(&entry);
        }
    }
    let decision = json!({"decision_id": "d-1", "data": {"review_id": "r"}, "import": "x"});
    assert_eq!(kind(&decision), StreamKind::HitlDecisions);
    assert_eq!(kind(&json!({"event_type": "gate_approved", "review_id": "r"})), StreamKind::Dispatcher);
    assert_eq!(kind(&json!({"review_id": null, "gate_id": "HITL-1"})), StreamKind::HitlDecisions);
    let exported = json!({"stream": "asdlc:events:meta_hitl_decisions", "fields": {"x": "y"}});
    assert_eq!(kind(&exported), StreamKind::MetaHitl);
}

proptest! {
    #[test]
    fn no_entry_panics(
        fields in proptest::collection::vec((
            prop_oneof![Just("data"), Just("review_id"), Just("injection_id"), Just("import"), Just("decision"),
                Just("resolution"), Just("proposal_id"), Just("feedback_id"), Just("feedback_ids"), Just("rules"),
                Just("held_out"), Just("reviewer_id"), Just("timestamp"), Just("modified_content"), Just("x")],
            prop_oneof![any::<Vec<u8>>(), "\\PC{0,20}".prop_map(String::into_bytes), Just(b"MODIFY".to_vec()),
                Just(b"SPLIT_CLUSTER".to_vec()), Just(b"IGNORE".to_vec()), Just(b"2026-01-12T10:00:00Z".to_vec()),
                Just(b"{\"specversion\":1,\"data\":{\"import\":{\"rules\":[{}]}}}".to_vec()),
                "[\\[{\"a:1,}\\]]{0,12}".prop_map(String::into_bytes)],
        ), 0..12),
    ) {
        let fields: Vec<_> = fields.iter().map(|(n, v)| (*n, v.as_slice())).collect();
        if let Decoded::Rejected(rejection) = decode(&entry(&fields), &DecodeLimits::default()) {
            prop_assert!(rejection.message.len() < 1000 && !rejection.message.contains('\n'));
        }
    }

    #[test]
    fn no_line_panics(line in prop_oneof!["\\PC{0,60}", "[\\[{\"data:1,}\\]]{0,30}"]) {
        let limits = DecodeLimits::default();
        let _ = decode(&from_json_line(&line, 1, &limits), &limits);
    }
}
