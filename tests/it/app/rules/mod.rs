//! The life of rules on a real store: reviewed, brought into force, edited, displaced, withdrawn.

mod approvals;
mod commits;
mod edits;
mod life;
mod machine;
mod measuring;
mod races;
mod reading;
mod rosters;
mod signed;
mod sorting;
mod teaching;
mod wording;

use crate::harness::run::{Run, decision, is_of};
use feedbackd::app::pipeline::ProcessedBatch;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{ProposalRecord, ReviewRecord};
use serde_json::{Value, json};

/// Creates a store with a roster of four, and one proposal by ann and bob.
pub fn with_proposal() -> Run {
    let people = ["ann", "bob", "cleo", "dora"].map(|id| format!("  - {{id: {id}, roles: [approver]}}\n"));
    with_proposal_on(&format!("reviewers:\n{}", people.concat()))
}

/// Creates a store with this roster, and one proposal by ann and bob.
pub fn with_proposal_on(roster: &str) -> Run {
    let mut run = Run::new();
    run.commit_file(layout::ROSTER, |_| roster.to_owned());
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
    ]);
    run
}

pub const RULE: &str = "RULE-2026-0001";

pub fn review(id: &str, who: &str, decision: &str, more: Value) -> Value {
    let mut review = json!({
        "review_id": id, "proposal_id": RULE, "decision": decision, "reviewer_id": who,
        "timestamp": "2026-01-12T11:00:00Z",
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        review[key] = value.clone();
    }
    review
}

pub fn approve(run: &mut Run, rule: &str, who: &str) -> ProcessedBatch {
    run.review(&review(&format!("rev-{rule}-{who}"), who, "APPROVE", json!({ "proposal_id": rule })))
}

/// Returns the record of a rule, in whatever directory; it must exist.
pub fn rule(run: &Run, id: &str) -> (String, ProposalRecord) {
    let found: Vec<String> =
        run.paths(layout::RULES).into_iter().filter(|p| p.ends_with(&format!("/{id}.yaml"))).collect();
    assert_eq!(found.len(), 1, "{id} is in one place: {found:?}");
    (found[0].clone(), run.read(&found[0]))
}

pub fn recorded(run: &Run, id: &str) -> ReviewRecord {
    let path = run.paths(layout::REVIEWS).into_iter().find(|path| is_of(path, id));
    run.read(&path.unwrap_or_else(|| panic!("no record of the review {id}")))
}
