//! The meaning of submissions, in every encoding.

use super::*;
use crate::intake::submission::{ImportedRule, InjectedRule, Resolution, ReviewAction};

#[test]
fn every_decision_in_every_encoding() {
    let rule = || "RULE-2026-0001".to_owned();
    let id = |id: &str| id.to_owned();
    let modified = ReviewAction::Modify {
        proposal_id: rule(),
        modified_content: "Check inputs.".into(),
        modified_why: None,
        modified_concern: None,
    };
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
        (
            json!({"decision": "MODIFY", "proposal_id": rule(), "modified_content": "Check inputs.", "modified_why": " It fails. ",
                   "modified_concern": "-"}),
            ReviewAction::Modify {
                proposal_id: rule(),
                modified_content: "Check inputs.".into(),
                modified_why: Some("It fails.".into()),
                modified_concern: Some(id("-")),
            },
        ),
        (json!({"decision": "RETIRE", "rule_id": rule()}), ReviewAction::Retire { rule_id: rule() }),
        (json!({"decision": "retire", "proposal_id": rule()}), ReviewAction::Retire { rule_id: rule() }),
        (json!({"decision": "ROLL_BACK", "rule_id": rule()}), ReviewAction::RollBack { rule_id: rule() }),
        (json!({"decision": "rollback", "proposal_id": rule()}), ReviewAction::RollBack { rule_id: rule() }),
        (json!({"decision": "STOP", "rule_id": rule()}), ReviewAction::Stop { rule_id: Some(rule()) }),
        (json!({"decision": "stop", "all": true}), ReviewAction::Stop { rule_id: None }),
        (json!({"decision": "RESUME", "rule_id": rule()}), ReviewAction::Resume { rule_id: Some(rule()) }),
        (json!({"decision": "resume", "all": "true"}), ReviewAction::Resume { rule_id: None }),
        (
            json!({"decision": "WITHDRAW_IMPORT", "import": "AGENTS.md"}),
            ReviewAction::WithdrawImport { import: id("AGENTS.md") },
        ),
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
        (
            json!({"decision": "SNOOZE", "item": rule(), "until": " 2026-02-01 "}),
            ReviewAction::Snooze { item: rule(), until: jiff::civil::date(2026, 2, 1) },
        ),
        (json!({"decision": "wake", "item": rule()}), ReviewAction::Wake { item: rule() }),
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
    assert_eq!(decode(&entry(&[("_init", b"1")]), &DecodeLimits::default(), NOW), Decoded::Ignored("placeholder"));
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
