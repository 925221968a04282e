//! The reading commands on a store with a history: after the index is deleted, the output is the same.

use super::{RULE, approve, review, with_proposal};
use crate::harness::run::{Run, decision};
use serde_json::json;
use std::process::Command;

fn feedbackd(run: &Run, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
        .args(args)
        .env("FEEDBACKD__STORE__PATH", &run.config.store.path)
        .env("FEEDBACKD__STATE__DIR", &run.config.state.dir)
        .env("FEEDBACKD__EFFECT__STABILIZING_DAYS", run.config.effect.stabilizing_days.to_string())
        .current_dir(run.dir.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn with_the_index_deleted_lineage_report_and_effect_say_the_same() {
    let mut run = with_proposal();
    approve(&mut run, RULE, "ann");
    run.review(&review("no", "mallory", "APPROVE", json!({})));
    approve(&mut run, RULE, "cleo");
    run.send(&[
        decision("d3", "cem", "REJECTED", Some("Please add error handling to the API handler")),
        decision("d4", "eve", "APPROVED", None),
        decision("d5", "eve", "REJECTED", Some("The release notes name the wrong version")),
    ]);
    run.pipeline = None;
    let questions: [&[&str]; 8] = [
        &["lineage", RULE],
        &["lineage", "Include error handling in API handler. (RULE-2026-0001)"],
        &["lineage", "d2", "--json"],
        &["report", "--at", "2026-02-01"],
        &["report", "--at", "2026-02-01", "--json"],
        &["rules", "effect"],
        &["rules", "show", RULE],
        &["edge-cases", "show", "EDGE-2026-0001"],
    ];
    let answers: Vec<String> = questions.iter().map(|q| feedbackd(&run, q)).collect();
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    for (question, answer) in questions.iter().zip(&answers) {
        assert_eq!(&feedbackd(&run, question), answer, "{question:?}");
    }
    // The rule's *why* names the people and their words.
    for words in ["Missing error handling in API handler", "ann", "bob", "cleo"] {
        assert!(answers[0].contains(words), "{words} in:\n{}", answers[0]);
    }
}

#[test]
fn prompts_that_went_without_a_rule_are_compared_with_those_that_had_it() {
    let mut run = Run::new();
    // The command line uses the real clock.
    run.now = feedbackd::wiring::now();
    run.config.effect.stabilizing_days = 0;
    run.approvers(&["cleo", "dora"]);
    let made = run.send(&[
        decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
    ]);
    let id = made.counts.proposals[0].clone();
    for who in ["cleo", "dora"] {
        run.review(&json!({"review_id": who, "proposal_id": id, "decision": "APPROVE", "reviewer_id": who,
            "timestamp": run.now.to_string()}));
    }
    run.pipeline = None;
    let sessions: Vec<String> = (0..8).map(|n| format!("s-{n}")).collect();
    let without: Vec<bool> = sessions
        .iter()
        .map(|session| {
            let output = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
                .args(["prompt", "--agent", "coding-agent", "--session", session])
                .env("FEEDBACKD__STORE__PATH", &run.config.store.path)
                .env("FEEDBACKD__STATE__DIR", &run.config.state.dir)
                .env("FEEDBACKD__EFFECT__HOLDOUT_SHARE", "0.5")
                .output()
                .unwrap();
            !String::from_utf8(output.stdout).unwrap().contains(&id)
        })
        .collect();
    let held_out = without.iter().filter(|held| **held).count();
    assert!((1..8).contains(&held_out), "{held_out} of 8 went without it");
    run.now = feedbackd::wiring::now();
    run.restart();
    // Sessions without the rule are corrected, those with it are not.
    let events: Vec<_> = sessions
        .iter()
        .zip(&without)
        .map(|(session, without)| {
            let comment = without.then_some("API handler lacks error handling");
            let mut event = decision(session, "ann", if *without { "REJECTED" } else { "APPROVED" }, comment);
            event["session_id"] = json!(session);
            event["timestamp"] = json!(run.now.to_string());
            event
        })
        .collect();
    run.send(&events);
    run.pipeline = None;
    let effect: serde_json::Value =
        serde_json::from_str(&feedbackd(&run, &["rules", "effect", &id, "--json"])).unwrap();
    let arm = |name: &str| (&effect["holdout"][name]["corrections"], &effect["holdout"][name]["decisions"]);
    let rate = |name: &str| effect["holdout"][name]["rate"].as_f64();
    assert!(effect["holdout"].is_object(), "{effect}");
    assert_eq!((rate("with"), rate("without")), (Some(0.0), Some(1.0)), "{:?} {:?}", arm("with"), arm("without"));
}
