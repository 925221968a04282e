//! `catalogue learn`: what people taught is applied to later comments, after a restart.

use crate::harness::cli;
use crate::harness::run::{Run, decision};
use feedbackd::cli::Exit;
use feedbackd::domain::records::layout;
use serde_json::json;

fn say(run: &Run, line: &str) -> (Exit, String, String) {
    cli::say(&run.config, line.split(' '))
}

fn concern(run: &Run, id: &str) -> Option<String> {
    run.decision(id).feedback.concern.map(|found| found.concern)
}

/// Creates a store with its own demand, in words of no shipped concern.
fn store() -> Run {
    let mut run = Run::new();
    run.config.evaluator.group_threshold = 0.95;
    run.restart();
    run.approvers(&["cleo"]);
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("Add the zorble stamp to every flanged gizmo")),
        decision("d2", "bob", "REJECTED", Some("Put the frobnicator seal on every widget")),
    ]);
    run
}

fn taught() -> Run {
    let mut run = store();
    let review = json!({"decision": "SAME", "a": "d1", "b": "d2", "review_id": "r1", "reviewer_id": "cleo",
        "timestamp": "2026-01-10T08:00:00Z"});
    run.review(&review);
    run.now += jiff::SignedDuration::from_hours(48);
    run.tick();
    run.pipeline = None;
    run
}

/// Returns what was learned, as stored, and frees the store afterwards.
fn learned(run: &mut Run) -> Option<String> {
    run.restart();
    let text = run.text(layout::LEARNED);
    run.pipeline = None;
    text
}

#[test]
fn what_people_taught_is_recognised_after_a_restart() {
    let mut run = taught();
    let (exit, dry, err) = say(&run, "catalogue learn --dry-run");
    assert_eq!(exit, Exit::Ok, "{err}");
    assert!(dry.contains("zorble") && learned(&mut run).is_none(), "{dry}{err}");
    let (exit, out, err) = say(&run, "catalogue learn");
    assert_eq!(exit, Exit::Ok, "{err}");
    assert!(out.ends_with("they take effect at the next start of the daemon.\n"), "{out}{err}");
    assert_eq!(learned(&mut run).unwrap(), dry);
    // Repeated, it does nothing, and the linter has no errors.
    assert!(say(&run, "catalogue learn").1.contains(": already in catalogue/"));
    assert_eq!(say(&run, "catalogue lint --errors").0, Exit::Ok);
    run.restart();
    let later = decision("d3", "dan", "REJECTED", Some("the zorble stamp on this flanged gizmo is missing"));
    run.send(std::slice::from_ref(&later));
    // Without the teaching it is read differently.
    let mut untaught = store();
    untaught.send(&[later]);
    let (with, without) = (concern(&run, "d3"), concern(&untaught, "d3"));
    assert_ne!(with, without);
    let file = run.text(layout::LEARNED).unwrap();
    assert!(file.contains(&with.clone().unwrap()), "{with:?} {file}");
    assert!(with.unwrap().starts_with("store."), "{file}");
}

#[test]
fn where_nobody_taught_there_is_nothing_to_learn() {
    let mut run = store();
    run.pipeline = None;
    let (exit, out, err) = say(&run, "catalogue learn");
    assert_eq!((exit, err.as_str()), (Exit::Ok, ""));
    assert!(out.starts_with("Nothing to learn yet"), "{out}");
    run.restart();
    assert_eq!(run.text(layout::LEARNED), None);
}
