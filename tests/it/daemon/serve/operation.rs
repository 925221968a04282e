//! The operator's view: metrics, and logs that show what happened but no secret.

use super::{World, three_alike};
use crate::harness::streams::{DECISIONS, READ, add, decision};
use crate::harness::wait_until;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

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
fn what_alerts_and_dashboard_name_stands_in_a_scrape() {
    let world = World::new();
    world.decide(&three_alike());
    let waits = "feedbackd_waiting{kind=\"proposal\"}";
    wait_until("the proposal waits", || world.daemon.metric(waits) == 1.0);
    let (_, page) = world.daemon.get("/metrics");
    let names = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.filter(|word| word.starts_with("feedbackd_")).map(str::to_owned).collect()
    };
    let shown: BTreeSet<String> =
        page.lines().filter(|l| !l.starts_with('#')).filter_map(|l| names(l).into_iter().next()).collect();
    for file in ["deploy/prometheus/alerts.yaml", "deploy/prometheus/alerts_test.yaml", "deploy/grafana/feedbackd.json"]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let named = names(&std::fs::read_to_string(path).expect("the file"));
        assert!(named.len() > 10, "{file}");
        let missing: Vec<&String> = named.difference(&shown).collect();
        assert!(missing.is_empty(), "{file} names {missing:?}, which no scrape has:\n{page}");
    }
}

#[test]
fn the_metrics_say_how_redis_and_its_readers_are() {
    let world = World::new();
    let metric = |name: &str| world.daemon.metric(name);
    wait_until("it has looked", || metric("feedbackd_redis_memory_bytes") > 0.0);
    assert_eq!(metric("feedbackd_foreign_members"), 0.0);
    assert_eq!(metric("feedbackd_ready"), 1.0);
    assert!(metric("feedbackd_http_answers_total{status=\"2xx\"}") >= 1.0);
    let (_, ready) = world.daemon.ready();
    assert_eq!(ready["sees"]["store"], world.site.store().display().to_string());
    assert_eq!(ready["sees"]["bus"]["streams"].as_array().map(Vec::len), Some(READ.len()), "{ready}");
    assert_eq!(ready["checks"]["roster"]["ok"], true);
    world.site.push("reviewers.yaml", |_| "reviewers:\n  - {id: ana, role: approver}\n".to_owned());
    wait_until("the broken roster is counted", || metric("feedbackd_roster_errors") == 1.0);
    wait_until("the broken roster is told", || world.daemon.ready().1["checks"]["roster"]["ok"] == false);
    let (status, ready) = world.daemon.ready();
    let check = &ready["checks"]["roster"];
    assert_eq!((status, &check["ok"]), (200, &false.into()), "{ready}");
    assert!(check["message"].as_str().is_some_and(|why| why.contains("role")), "{ready}");
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
