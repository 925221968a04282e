//! Events that arrive together, late, or about something that has changed.

use super::{RULE, approve, recorded, review, rule, with_proposal};
use crate::harness::run::{Run, decision};
use feedbackd::app::pipeline::{EntryOutcome, ProcessedBatch};
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::event::StreamKind;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{
    AmbiguousRecord, AmbiguousStatus, ClusterRecord, ProposalStatus, RefusalCode,
};
use feedbackd::domain::testing::sample;
use serde_json::{Value, json};

/// Processes one batch of events; those with a `review_id` go to the review stream.
fn batch(run: &mut Run, events: &[Value]) -> ProcessedBatch {
    let mut entries: Vec<_> = events.iter().map(|e| run.entry(e)).collect();
    for (entry, event) in entries.iter_mut().zip(events) {
        if event.get("review_id").is_some() {
            entry.stream = "asdlc:events:meta_hitl_decisions".into();
            entry.kind = StreamKind::MetaHitl;
        }
    }
    run.process(&entries)
}

fn teach(id: &str, fields: Value) -> Value {
    let mut review = fields;
    review["review_id"] = json!(id);
    review["reviewer_id"] = json!("cleo");
    review["timestamp"] = json!("2026-01-12T11:00:00Z");
    review["reason"] = json!("so it is");
    review
}

fn code(run: &Run, id: &str) -> Option<RefusalCode> {
    recorded(run, id).refusal.map(|r| r.code)
}

fn reindexed(run: &mut Run) {
    run.pipeline = None;
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    run.restart();
}

fn rewrite(run: &mut Run, path: &str, text: &str) {
    run.commit_file(path, |file| {
        let line = file.lines().find(|l| l.starts_with("rule_content:")).unwrap().to_owned();
        file.replace(&line, &format!("rule_content: {text}"))
    });
}

#[test]
fn approvals_of_the_text_before_an_edit_do_not_bring_the_edit_into_force() {
    let mut run = with_proposal();
    let (path, seen) = rule(&run, RULE);
    rewrite(&mut run, &path, "Delete every test that fails.");
    // The approvals arrive before the daemon's next check.
    let approvals = ["cleo", "dora"].map(|who| review(who, who, "APPROVE", json!({"content_hash": seen.content_hash})));
    batch(&mut run, &approvals);
    let (path, record) = rule(&run, RULE);
    assert_eq!((path.as_str(), record.version), ("feedback/rules/proposed/RULE-2026-0001.yaml", 2));
    assert_eq!(code(&run, "cleo"), Some(RefusalCode::WrongContentHash));
}

#[test]
fn what_arrives_with_its_withdrawal_is_withdrawn() {
    let mut run = with_proposal();
    let third = decision("d3", "mallory", "REJECTED", Some("Please add error handling to the API handler"));
    let praise = decision("p1", "mallory", "APPROVED", None);
    batch(&mut run, &[third, praise, teach("w1", json!({"decision": "RETRACT", "reviewer": "mallory"}))]);
    assert_eq!(code(&run, "w1"), None);
    for id in ["d3", "p1"] {
        assert_eq!(run.decision(id).feedback.retracted_by.as_deref(), Some("w1"), "{id}");
        assert!(run.decision(id).evaluation.rationale.starts_with("Withdrawn by cleo"), "{id}");
    }
    assert_eq!(rule(&run, RULE).1.created_from_feedback_ids, ["d1", "d2"]);
    let difference = feedbackd::wiring::reindexing(&run.config).unwrap().check().unwrap();
    assert!(difference.is_empty(), "{difference}");
}

#[test]
fn a_withdrawn_remark_stays_withdrawn_when_another_stream_completes_it() {
    let mut run = with_proposal();
    run.send(&[decision("d3", "mallory", "REJECTED", None)]);
    run.review(&teach("w1", json!({"decision": "RETRACT", "feedback_id": "d3"})));
    let mut entry =
        run.entry(&decision("d3", "mallory", "REJECTED", Some("Please add error handling to the API handler")));
    entry.stream = "asdlc:events".into();
    run.process(&[entry]);
    let record = run.decision("d3");
    assert!(record.evaluation.rationale.starts_with("Withdrawn by cleo"), "{}", record.evaluation.rationale);
    assert_eq!(record.evaluation.cluster, None);
    assert_eq!(rule(&run, RULE).1.created_from_feedback_ids, ["d1", "d2"]);
}

#[test]
fn a_withdrawn_contradiction_waits_for_nobody() {
    let mut run = with_proposal();
    run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    assert_eq!(run.class("d9"), Classification::Ambiguous);
    run.review(&teach("w1", json!({"decision": "RETRACT", "feedback_id": "d9"})));
    assert_eq!(run.paths("feedback/ambiguous/d9"), [""; 0]);
    let closed: AmbiguousRecord = run.read("feedback/ambiguous/resolved/d9.yaml");
    assert_eq!((closed.status, closed.resolved_by.as_deref()), (AmbiguousStatus::Resolved, Some("w1")));
    let generalizable = json!({"feedback_id": "d9", "resolution": "GENERALIZABLE"});
    run.review(&teach("t1", generalizable));
    assert_eq!(code(&run, "t1"), Some(RefusalCode::AlreadyDecided));
    assert_eq!(run.class("d9"), Classification::EdgeCase);
}

/// Creates a rule in force, written by a person.
fn foreign(run: &mut Run, text: &str, agents: &[&str], evidence: &[&str]) -> String {
    let mut proposal = sample::proposal(1);
    proposal.rule_content = text.into();
    proposal.affected_agents = agents.iter().map(|a| (*a).to_owned()).collect();
    proposal.cluster_id = String::new();
    proposal.reviewers = Vec::new();
    proposal.created_from_feedback_ids = evidence.iter().map(|e| (*e).to_owned()).collect();
    let (id, _) = run.file_proposal(proposal);
    approve(run, &id, "cleo");
    approve(run, &id, "dora");
    assert_eq!(rule(run, &id).1.status, ProposalStatus::Active);
    id
}

#[test]
fn a_rule_is_not_replaced_by_one_that_is_for_fewer_agents() {
    for (agents, consolidated) in [(vec!["coding-agent"], 1), (vec!["coding-agent", "prd-agent"], 0)] {
        let mut run = Run::new();
        run.config.proposals.duplicate_threshold = 1.0;
        run.config.rules.max_active_per_agent = 1;
        run.restart();
        run.approvers(&["cleo", "dora"]);
        foreign(&mut run, "Show every price of an order with two decimals.", &agents, &[]);
        run.send(&[
            decision("d1", "ann", "REJECTED", Some("Show the price of an order with two decimals")),
            decision("d2", "bob", "REJECTED", Some("Please show the prices of the order with two decimals")),
        ]);
        assert_eq!(rule(&run, "RULE-2026-0002").1.consolidates.len(), consolidated, "{agents:?}");
    }
}

#[test]
fn a_rule_without_a_cluster_stands_while_some_of_its_evidence_does() {
    let mut run = Run::new();
    run.approvers(&["cleo", "dora"]);
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("There is no index on the customer column")),
        decision("d2", "bob", "REJECTED", Some("Add unit tests for the parser")),
    ]);
    let id = foreign(&mut run, "Describe the retries of every component.", &["coding-agent"], &["d1", "d2"]);
    run.review(&teach("w1", json!({"decision": "RETRACT", "feedback_id": "d1"})));
    let (_, record) = rule(&run, &id);
    assert_eq!((record.status, record.created_from_feedback_ids.len()), (ProposalStatus::Active, 1));
    assert_eq!(record.reviewers, [""; 0], "nobody becomes a witness by a withdrawal");
    run.review(&teach("w2", json!({"decision": "RETRACT", "feedback_id": "d2"})));
    assert_eq!(rule(&run, &id).1.status, ProposalStatus::RolledBack);
}

/// Returns the cluster of the proposal, and one of another agent or of the same.
fn another_cluster(run: &mut Run, agent: &str) -> (String, String) {
    let remarks = ["Add an index on the customer column", "There is no index on the customer column"];
    let events: Vec<Value> = remarks
        .iter()
        .enumerate()
        .map(|(n, text)| {
            let mut event = decision(&format!("e{n}"), "ann", "REJECTED", Some(text));
            event["agent"] = json!(agent);
            event
        })
        .collect();
    run.send(&events);
    let of = |run: &Run, id: &str| run.decision(id).evaluation.cluster.unwrap();
    (of(run, "d1"), of(run, "e0"))
}

#[test]
fn what_is_about_different_agents_does_not_come_together() {
    let mut run = with_proposal();
    let (a, b) = another_cluster(&mut run, "prd-agent");
    run.review(&teach("m1", json!({"decision": "MERGE_CLUSTERS", "from": b, "into": a})));
    assert_eq!(code(&run, "m1"), Some(RefusalCode::Impossible));
    run.review(&teach("m2", json!({"decision": "MOVE_FEEDBACK", "feedback_id": "e0", "into": a})));
    assert_eq!(code(&run, "m2"), Some(RefusalCode::Impossible));
}

#[test]
fn a_remark_that_waits_for_a_tiebreak_is_not_moved() {
    let mut run = with_proposal();
    run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    let cluster = run.decision("d1").evaluation.cluster.unwrap();
    run.review(&teach("m1", json!({"decision": "MOVE_FEEDBACK", "feedback_id": "d9", "into": cluster})));
    assert_eq!(code(&run, "m1"), Some(RefusalCode::Impossible));
    assert_eq!(run.class("d9"), Classification::Ambiguous);
}

#[test]
fn a_merged_cluster_takes_its_proposal_with_it() {
    let mut run = with_proposal();
    let (a, b) = another_cluster(&mut run, "coding-agent");
    run.review(&teach("m1", json!({"decision": "MERGE_CLUSTERS", "from": a, "into": b})));
    assert_eq!(code(&run, "m1"), None);
    let (_, record) = rule(&run, RULE);
    assert_eq!(
        record.merged_clusters,
        std::slice::from_ref(&b),
        "what is asked for from now on is measured for the rule"
    );
    assert_eq!(record.created_from_feedback_ids.len(), 4);
    let left: ClusterRecord = run.read(&layout::cluster(&a));
    assert_eq!((left.members, left.agent.as_str()), (0, "coding-agent"));
    assert!(left.first_seen < run.now && left.last_seen < run.now, "{} {}", left.first_seen, left.last_seen);
    run.now = "2026-01-12T13:00:00Z".parse().unwrap();
    for _ in 0..2 {
        assert_eq!(run.tick().commit, None, "no second proposal for the same");
        reindexed(&mut run);
    }
}

#[test]
fn a_file_that_cannot_be_read_keeps_its_number_and_its_review() {
    let mut run = with_proposal();
    approve(&mut run, RULE, "cleo");
    let broken = "rule_content: [";
    let path = "feedback/rules/proposed/RULE-2026-0001.yaml";
    let reviews = run.paths(layout::REVIEWS);
    run.commit_file(path, |_| broken.into());
    run.commit_file(&reviews[0], |_| broken.into());
    reindexed(&mut run);
    let mut events = [
        decision("e1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("e2", "bob", "REJECTED", Some("API handler lacks error handling")),
        decision("e3", "cem", "REJECTED", Some("Please add error handling to the API handler")),
    ];
    events.iter_mut().for_each(|event| event["agent"] = "another-agent".into());
    let mut fresh = run.send(&events).counts.proposals;
    let now = run.now;
    fresh.extend(run.pipeline.as_mut().unwrap().flush(now).unwrap().counts.proposals);
    // The pattern whose file is unreadable is proposed again, the other one for the first time.
    assert_eq!(fresh, ["RULE-2026-0002", "RULE-2026-0003"]);
    assert_eq!(run.text(path).unwrap(), broken, "what people wrote stands");
    let again = approve(&mut run, RULE, "cleo");
    assert!(matches!(again.outcomes[0], EntryOutcome::Duplicate(_)), "{:?}", again.outcomes);
    assert_eq!(run.text(&reviews[0]).unwrap(), broken);
}

#[test]
fn a_copy_of_a_rule_in_another_directory_does_not_take_it_out_of_force() {
    let mut run = with_proposal();
    let copy = run.text("feedback/rules/proposed/RULE-2026-0001.yaml").unwrap();
    approve(&mut run, RULE, "cleo");
    approve(&mut run, RULE, "dora");
    run.commit_file("feedback/rules/proposed/RULE-2026-0001.yaml", |_| copy);
    run.tick();
    assert_eq!(run.pipeline.as_ref().unwrap().get_active_rules(None).len(), 1);
    reindexed(&mut run);
    assert_eq!(run.pipeline.as_ref().unwrap().get_active_rules(None).len(), 1);
}

/// 2,000 reviews must not cost much more than four times what 500 cost.
#[test]
fn reviews_cost_the_same_however_many_there_are() {
    let cost = |count: usize| {
        let mut run = with_proposal();
        let events: Vec<Value> =
            (0..count).map(|n| review(&format!("../r\u{7}{n}"), &format!("eve{n}"), "APPROVE", json!({}))).collect();
        let started = std::time::Instant::now();
        let processed = batch(&mut run, &events);
        assert_eq!(processed.counts.refused as usize, count);
        assert!(run.paths(layout::REVIEWS).iter().all(|p| !p.contains("..") && !p.contains('\u{7}')));
        started.elapsed()
    };
    let (few, many) = (cost(500), cost(4_000));
    assert!(many < few * 32, "{few:?} for 500, {many:?} for 4000");
}

#[test]
fn what_left_a_cluster_is_no_evidence_for_its_proposal() {
    let mut run = with_proposal();
    run.send(&[decision("d3", "cem", "REJECTED", Some("Please add error handling to the API handler"))]);
    assert_eq!(rule(&run, RULE).1.created_from_feedback_ids, ["d1", "d2", "d3"]);
    let cluster = run.decision("d1").evaluation.cluster.unwrap();
    run.review(&teach("s1", json!({"decision": "SPLIT_CLUSTER", "cluster_id": cluster, "feedback_ids": ["d3"]})));
    let (_, record) = rule(&run, RULE);
    assert_eq!(
        (record.created_from_feedback_ids, record.reviewers),
        (vec!["d1".into(), "d2".into()], vec!["ann".into(), "bob".into()])
    );
}

#[test]
fn what_is_decided_speaks_against_no_proposal_any_more() {
    let mut run = with_proposal();
    run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    assert_eq!(rule(&run, RULE).1.dissent, ["d9"]);
    run.review(&teach("t1", json!({"feedback_id": "d9", "resolution": "EDGE_CASE"})));
    assert_eq!(rule(&run, RULE).1.dissent, [""; 0]);
}

#[test]
fn nobody_is_asked_about_a_rule_that_left_force() {
    let mut run = with_proposal();
    approve(&mut run, RULE, "cleo");
    approve(&mut run, RULE, "dora");
    let mut question = sample::proposal(1);
    question.rule_content = "Retire the rule about the payment provider.".into();
    question.action_type = feedbackd::domain::clusters::evaluation::ActionType::RetireRule;
    question.target_rule = Some(RULE.into());
    question.cluster_id = String::new();
    let ids: Vec<String> = (0..2).map(|_| run.file_proposal(question.clone()).0).collect();
    approve(&mut run, &ids[0], "cleo");
    approve(&mut run, &ids[0], "dora");
    let status = |id: &str| rule(&run, id).1.status;
    assert_eq!(status(RULE), ProposalStatus::Retired);
    assert_eq!(status(&ids[0]), ProposalStatus::Retired, "it was carried out");
    assert_eq!(status(&ids[1]), ProposalStatus::Rejected, "there is nothing left to decide");
}
