//! What who runs it sees: metrics, and logs that say what happened and no secret.

use super::{World, three_alike};
use crate::harness::streams::{DECISIONS, add, decision};
use serde_json::Value;

#[test]
fn the_metrics_count_what_was_done() {
    let world = World::new();
    world.decide(&three_alike());
    add(&world.redis, DECISIONS, &[("data", "{}")]);
    let [again, ..] = three_alike();
    world.decide(&[again, decision("p1", "ann", "APPROVED", None)]);
    let metric = |name: &str| world.daemon.metric(name);
    assert_eq!(metric("feedbackd_entries_received_total{stream=\"hitl_decisions\"}"), 6.0);
    assert_eq!(metric("feedbackd_entries_rejected_total{code=\"missing_field\"}"), 1.0);
    assert_eq!(metric("feedbackd_duplicates_total"), 1.0);
    assert_eq!(metric("feedbackd_feedback_total{classification=\"POSITIVE\"}"), 1.0);
    assert_eq!(metric("feedbackd_proposals_created_total"), 1.0);
    assert_eq!(metric("feedbackd_published_total{topic=\"rule_proposals\"}"), 1.0);
    assert_eq!(metric("feedbackd_batch_entries_sum"), 6.0);
    assert!(metric("feedbackd_batch_seconds_count") >= 1.0);
    assert!(metric("feedbackd_commits_total") >= 1.0);
    assert_eq!(metric("feedbackd_redis_up"), 1.0);
    assert_eq!(world.daemon.get("/nothing").0, 404);
}

#[test]
fn every_batch_is_one_line_of_json_and_no_line_has_a_secret() {
    let world = World::new();
    let token = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
    let remark = format!("The token {token} is in the code");
    let mut secretive = decision("d9", "ann", "REJECTED", Some(&remark));
    secretive["correction_diff"] = format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{token}\n+env\n").into();
    world.decide(&[secretive]);
    add(&world.redis, DECISIONS, &[("decision_id", &token), ("decision", &token)]);
    world.drain();
    let log = world.daemon.log();
    assert!(!log.contains(&token), "{log}");
    for (path, text) in world.site.files("feedback") {
        assert!(!text.contains(&token), "{path}: {text}");
    }
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let batches: Vec<&Value> = lines.iter().filter(|line| line["message"] == "batch").collect();
    assert_eq!(batches.iter().map(|b| b["entries"].as_u64().expect("a number")).sum::<u64>(), 2);
    let first = batches[0];
    assert_eq!((&first["recorded"], &first["rejected"]), (&1.into(), &0.into()));
    assert!(first["last"].as_str().expect("an entry id").contains('-'));
    assert!(first["commit"].as_str().is_some_and(|commit| !commit.is_empty()));
    for duration in ["process_ms", "publish_ms"] {
        assert!(first[duration].is_u64(), "{first}");
    }
}
