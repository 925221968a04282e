//! Errors in a submission are named, and nothing panics.

use super::*;
use crate::intake::event::RejectCode;
use proptest::prelude::*;

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
        (of(json!({"decision": "STOP"})), Missing, "rule_id"),
        (of(json!({"decision": "RESUME", "rule_id": "r", "all": true})), Invalid, "all"),
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
    insta::assert_snapshot!(message(&review_event(&json!({"decision": "maybe"}))), @r#"`decision` is "maybe"; expected APPROVE, REJECT, MODIFY, RETIRE, ROLL_BACK, STOP, RESUME, WITHDRAW_IMPORT, MERGE_CLUSTERS, SPLIT_CLUSTER, WORD_RULE, MOVE_FEEDBACK, SAME, KEEP_APART, SORT, MARK, RETRACT, SNOOZE or WAKE, or a `resolution` instead."#);
    insta::assert_snapshot!(message(&review_event(&json!({"resolution": "later", "feedback_id": "d"}))), @r#"`resolution` is "later"; expected GENERALIZABLE, EDGE_CASE, IGNORE or NO_CONTRADICTION."#);
    insta::assert_snapshot!(message(&import_event(&json!({"rules": [{"line": "one", "text": "x"}]}))), @r#"In `import`: In `rules[0]`: `line` is "one"; expected a line number, at least 1."#);
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
    let limits = DecodeLimits { max_entry_bytes: 100, ..DecodeLimits::default() };
    let large = payload(&review_event(&json!({"decision": "REJECT", "proposal_id": "p", "reason": "x".repeat(100)})));
    assert!(matches!(decode(&large, &limits, NOW), Decoded::Rejected(r) if r.code == RejectCode::TooLarge));
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
        if let Decoded::Rejected(rejection) = decode(&entry(&fields), &DecodeLimits::default(), NOW) {
            prop_assert!(rejection.message.len() < 1000 && !rejection.message.contains('\n'));
        }
    }

    #[test]
    fn no_line_panics(line in prop_oneof!["\\PC{0,60}", "[\\[{\"data:1,}\\]]{0,30}"]) {
        let limits = DecodeLimits::default();
        let _ = decode(&from_json_line(&line, 1, &limits), &limits, NOW);
    }
}
