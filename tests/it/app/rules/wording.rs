//! The text of a rule: its concern's sentence, what the comments name, an example from the corrections.

use super::{RULE, approve, rule};
use crate::harness::run::{Run, decision};
use feedbackd::domain::records::record::ProposalStatus;
use feedbackd::domain::rules::draft::proposal::hash_of;
use feedbackd::domain::rules::in_force::prompt;
use feedbackd::text::language::specificity::lint;

const DIFF: &str = "--- a/src/ledger.py\n+++ b/src/ledger.py\n@@ -1,3 +1,3 @@\n def book(entry):\n\
    -    client.post(entry)\n+    client.post(entry, timeout=5)\n     done()\n";

/// Two people miss a timeout, and one of them shows where.
fn timeouts() -> Run {
    let mut run = Run::new();
    run.approvers(&["ann", "bob", "cleo", "dora"]);
    let mut events = [
        decision("d1", "ann", "APPROVED_WITH_CHANGES", Some("there is no timeout on the request to the ledger")),
        decision(
            "d2",
            "bob",
            "REJECTED",
            Some("no timeout on calls of the ledger, one dead peer ties up all our workers"),
        ),
    ];
    events[0]["correction_diff"] = DIFF.into();
    run.send(&events);
    run
}

#[test]
fn a_rule_is_worded_from_its_concern_and_its_evidence() {
    let mut run = timeouts();
    let (_, proposal) = rule(&run, RULE);
    assert_eq!(proposal.concern.as_deref(), Some("res.timeout"));
    insta::assert_snapshot!(proposal.rule_content, @"Set an explicit timeout on every network, database, lock and subprocess call and handle its expiry. In particular: ledger.");
    insta::assert_snapshot!(proposal.title, @"Timeout missing: ledger");
    insta::assert_snapshot!(proposal.why.as_deref().unwrap(), @"One silent peer can hold all workers.");
    let example = proposal.example.as_ref().unwrap();
    assert_eq!(
        (example.before.as_str(), example.after.as_str(), example.feedback_id.as_str()),
        ("client.post(entry)", "client.post(entry, timeout=5)", "d1")
    );
    assert_eq!(lint(&proposal.rule_content), vec![]);
    assert!(!proposal.rule_content.contains("one dead peer"), "a remark is never pasted");
    // The prompt contains what was approved.
    assert_eq!(proposal.content_hash, hash_of(&proposal));
    insta::assert_snapshot!(prompt::line_of(&proposal), @r"
    Set an explicit timeout on every network, database, lock and subprocess call and handle its expiry. In particular: ledger.
      For example `client.post(entry, timeout=5)` instead of `client.post(entry)`. (RULE-2026-0001)
    ");
    approve(&mut run, RULE, "cleo");
    approve(&mut run, RULE, "dora");
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
}

#[test]
fn an_example_that_is_edited_voids_the_approvals() {
    let mut run = timeouts();
    approve(&mut run, RULE, "cleo");
    let path = rule(&run, RULE).0;
    run.commit_file(&path, |text| text.replace("timeout=5", "timeout=None"));
    run.tick();
    let edited = rule(&run, RULE).1;
    assert_eq!((edited.version, edited.approvals.len()), (2, 0));
    assert_eq!(edited.content_hash, hash_of(&edited));
}

#[test]
fn a_restart_changes_nothing_about_what_a_group_asks_for() {
    let mut run = timeouts();
    let asked_for = |run: &Run| {
        let pipeline = run.pipeline.as_ref().unwrap();
        let memory = &pipeline.evaluator().remarks.groups;
        let (key, _) = memory.clusters().next().unwrap();
        let shown: Vec<String> = memory.representatives(key, 9).into_iter().map(|m| m.text.clone()).collect();
        (memory.concern(key, pipeline.understanding().catalogue()).map(|concern| concern.id.clone()), shown)
    };
    let before = asked_for(&run);
    assert_eq!(before.0.as_deref(), Some("res.timeout"));
    run.restart();
    assert_eq!(asked_for(&run), before);
}
