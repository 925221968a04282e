//! What the reading commands say of a store that lived: with the index deleted they say the same.

use super::{RULE, approve, review, with_proposal};
use crate::harness::run::{Run, decision};
use serde_json::json;
use std::process::Command;

fn feedbackd(run: &Run, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
        .args(args)
        .env("FEEDBACKD__STORE__PATH", &run.config.store.path)
        .env("FEEDBACKD__STATE__DIR", &run.config.state.dir)
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
    // The rule's why names the people and their words.
    for words in ["Missing error handling in API handler", "ann", "bob", "cleo"] {
        assert!(answers[0].contains(words), "{words} in:\n{}", answers[0]);
    }
}
