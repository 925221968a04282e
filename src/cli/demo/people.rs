//! What the people of the demonstration say and decide.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The agent under discussion.
pub(super) const AGENT: &str = "coding-agent";

/// Who may decide about proposals: the content of `reviewers.yaml`.
pub(super) const ROSTER: &str = "\
reviewers:
  - {id: ann, name: Ann, roles: [reviewer, approver]}
  - {id: eva, name: Eva, roles: [reviewer, approver]}
";

/// The agent's prompt without learned rules.
pub(super) const BASE_PROMPT: &str = "\
# Coding agent

You implement one task at a time. Write tests first. Keep to the style of the file you change.
";

/// Returns people's first comments, some days before `now`.
pub(super) fn remarks(now: Timestamp) -> Vec<Value> {
    let at = |minutes: i64| before(now, SignedDuration::from_hours(3 * 24) - SignedDuration::from_mins(minutes));
    let mut n = 0;
    let mut say = |who: &str, verdict: &str, comment: Option<&str>| {
        n += 1;
        decision(&format!("demo-{n}"), at(n), who, verdict, comment)
    };
    let mut said = vec![
        say("ann", "REJECTED", Some("Missing error handling in API handler")),
        say("bob", "REJECTED", Some("API handler lacks error handling")),
        say("cem", "APPROVED_WITH_CHANGES", Some("Please add error handling to the API handler")),
        say("ann", "APPROVED", None),
        say("bob", "REJECTED", Some("The release notes name the wrong version")),
        say("dee", "APPROVED", Some("Error handling is not needed in the API handler")),
        say("ann", "PERHAPS", Some("an unknown decision, so this entry is malformed")),
    ];
    said[2]["correction_diff"] = "--- a/src/api.py\n+++ b/src/api.py\n@@ -10,2 +10,5 @@\n def handler(request):\n-    return client.call(request)\n+    try:\n+        return client.call(request)\n+    except TimeoutError:\n+        return retry_later()\n".into();
    said.extend((0..4).map(|_| say("cem", "APPROVED", None)));
    said
}

/// Returns a reviewer's approval of the proposed text.
pub(super) fn approval(proposal: &Value, who: &str, now: Timestamp) -> Value {
    json!({
        "review_id": format!("demo-review-{who}"), "proposal_id": proposal["proposal_id"], "decision": "APPROVE",
        "reviewer_id": who, "timestamp": now, "content_hash": proposal["content_hash"],
    })
}

/// Returns decisions while the rule is in force, one of which still asks for the same.
pub(super) fn later(now: Timestamp) -> Vec<Value> {
    let plain = (0..59).map(|n| decision(&format!("later-{n}"), now, "bob", "APPROVED", None));
    let again = decision("later-again", now, "cem", "REJECTED", Some("The API handler has no error handling"));
    plain.chain([again]).collect()
}

/// Returns the final comments, which are still undecided.
pub(super) fn waiting(now: Timestamp) -> Vec<Value> {
    let asked = [
        ("ann", "Please add unit tests for the new function"),
        ("bob", "Unit tests are missing for the new function"),
        ("cem", "The new function needs unit tests"),
    ];
    let asked = asked.iter().enumerate();
    asked.map(|(n, (who, text))| decision(&format!("waiting-{n}"), now, who, "REJECTED", Some(text))).collect()
}

/// Renders a decision in one line.
pub(super) fn line(event: &Value) -> String {
    let text = |name: &str| event[name].as_str().unwrap_or("?");
    let comment = event["reviewer_comment"].as_str().map_or("(no comment)".to_owned(), |c| format!("“{c}”"));
    format!("{:>4} {:21} {comment}", text("reviewer_id"), text("decision"))
}

fn decision(id: &str, at: Timestamp, who: &str, verdict: &str, comment: Option<&str>) -> Value {
    json!({
        "decision_id": id, "gate_id": "HITL-4", "epic_id": "EP-7", "task_id": "T-42", "decision": verdict,
        "reviewer_id": who, "timestamp": at, "review_duration_seconds": 90,
        "agent_output_sha": "ba4220b8f472a8d1e2972bb999efbac1c47bfe1c", "reviewer_comment": comment,
        "tags": ["code"], "agent": AGENT,
    })
}

fn before(now: Timestamp, time: SignedDuration) -> Timestamp {
    now.checked_sub(time).unwrap_or(now)
}
