//! What must be kept out: other tenants' data, secrets, and hidden characters.

use super::*;
use crate::intake::event::RejectCode;

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
        assert!(matches!(decode(&payload(&own), &limits, NOW), Decoded::Submission(_)), "{own}");
        let decoded = decode(&payload(&other), &limits, NOW);
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
        assert!(all.contains("[REDACTED:github-token]") || all.contains("redacted-"), "{all}");
    }
    // Two ids with secrets remain distinct.
    let approve = json!({"decision": "APPROVE", "proposal_id": "RULE-2026-0001"});
    let id = |id: String| review(&payload(&with(review_event(&approve), &json!({"review_id": id})))).review_id;
    assert_ne!(id(SECRET.to_owned()), id(SECRET.replace("22", "23")));
}
