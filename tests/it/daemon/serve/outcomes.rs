//! The outcome of a review, as its sender reads it on the stream.

use super::rules::{only_rule, verdict, with_proposal};
use crate::harness::streams::{Entry, OUTCOMES, add, entries, review};
use serde_json::{Value, json};

#[test]
fn who_sent_a_review_learns_what_became_of_it() {
    let world = with_proposal();
    let (_, rule) = only_rule(&world.site);
    let send = |id: &str, who: &str, decision: &str| {
        review(&world.redis, &verdict(id, &rule, who, decision));
        world.drain();
    };
    send("r1", "ann", "APPROVE");
    // Sent again it is the same review; as another one it is rejected, under the same id each time.
    send("r1", "ann", "APPROVE");
    send("r2", "ann", "APPROVE");
    send("r2", "mallory", "APPROVE");
    send("r3", "cleo", "APPROVE");
    add(&world.redis, crate::harness::streams::REVIEWS, &[("data", "{}")]);
    world.drain();

    let told = entries(&world.redis, OUTCOMES);
    let keys: Vec<&str> = told.iter().map(Entry::key).collect();
    assert_eq!(keys.len(), keys.iter().collect::<std::collections::BTreeSet<_>>().len(), "{keys:?}");
    assert!(told.iter().all(|entry| entry.fields["schema"] == "feedbackd.review_outcome/1"), "{told:?}");
    let said = |entry: &Entry| {
        let data = entry.data();
        let standing = &data["standing"];
        (
            data["review_id"].clone(),
            data["outcome"].clone(),
            data["refusal"]["code"].clone(),
            standing["status"].clone(),
            json!([standing["approvals"], standing["needed"]]),
        )
    };
    let row = |id: &str, outcome: &str, code: Value, status: &str, count: [u32; 2]| {
        (json!(id), json!(outcome), code, json!(status), json!(count))
    };
    assert_eq!(
        told.iter().map(said).collect::<Vec<_>>(),
        [
            row("r1", "ACCEPTED", Value::Null, "PENDING", [1, 2]),
            row("r2", "REFUSED", json!("already_approved"), "PENDING", [1, 2]),
            row("r2", "REFUSED", json!("not_an_approver"), "PENDING", [1, 2]),
            row("r3", "ACCEPTED", Value::Null, "ACTIVE", [2, 2]),
        ]
    );
    let last = told[3].data();
    assert_eq!(last["subject"], json!(rule.proposal_id));
    assert_eq!(last["action"]["decision"], "APPROVE");
    assert_eq!(
        (&last["standing"]["version"], &last["standing"]["content_hash"]),
        (&json!(1), &json!(rule.content_hash))
    );
    assert!(told[1].data()["refusal"]["message"].as_str().is_some_and(|text| text.contains("ann")));
    assert_eq!(world.daemon.metric("feedbackd_published_total{topic=\"review_outcomes\"}"), 4.0);
    assert_eq!(world.daemon.metric("feedbackd_published_total{topic=\"dead_letters\"}"), 1.0);
}
