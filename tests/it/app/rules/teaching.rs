//! People's decisions on feedback and clusters, and that a rebuilt index gives the same.

use super::{RULE, approve, recorded, rule, with_proposal};
use crate::harness::run::{Run, decision};
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::submission::Resolution;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{
    AmbiguousRecord, AmbiguousStatus, ClusterRecord, EdgeCaseRecord, ProposalStatus, RefusalCode,
};
use serde_json::{Value, json};

fn contradiction() -> Run {
    let mut run = Run::new();
    run.approvers(&["cleo", "dora"]);
    run.send(&[decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler"))]);
    run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    assert_eq!(run.class("d9"), Classification::Ambiguous);
    run
}

fn resolve(run: &mut Run, resolution: &str, rationale: Option<&str>) {
    let review = json!({"review_id": format!("t-{resolution}-{}", rationale.is_some()), "feedback_id": "d9",
        "resolution": resolution, "reviewer_id": "cleo", "rationale": rationale, "timestamp": "2026-01-12T11:00:00Z"});
    run.review(&review);
}

/// Rebuilds the index and checks that it is unchanged.
fn reindexed(run: &mut Run) {
    run.pipeline = None;
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    run.restart();
}

#[test]
fn a_generalizable_contradiction_becomes_a_proposal() {
    let mut run = contradiction();
    resolve(&mut run, "GENERALIZABLE", None);
    assert_eq!(recorded(&run, "t-GENERALIZABLE-false").refusal.unwrap().code, RefusalCode::ReasonMissing);
    resolve(&mut run, "GENERALIZABLE", Some("the framework does it"));
    let resolved: AmbiguousRecord = run.read("feedback/ambiguous/resolved/d9.yaml");
    assert_eq!((resolved.status, resolved.resolved_as), (AmbiguousStatus::Resolved, Some(Resolution::Generalizable)));
    assert!(resolved.resolution.unwrap().contains("the framework does it"));
    assert_eq!(run.paths("feedback/ambiguous/d9"), [""; 0]);
    assert_eq!(run.class("d9"), Classification::GeneralizableHigh);
    let (_, proposal) = rule(&run, RULE);
    assert_eq!(proposal.created_from_feedback_ids, ["d9"]);
    assert_eq!(proposal.reviewers, ["dee"]);
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None, "nothing is proposed twice");
    // The losing side no longer contradicts anything.
    run.send(&[decision("d10", "eve", "APPROVED", Some("No error handling needed in API handler"))]);
    assert_eq!(run.class("d10"), Classification::GeneralizableHigh);
    assert_eq!(rule(&run, RULE).1.created_from_feedback_ids, ["d9", "d10"]);
    // A second decision is rejected.
    resolve(&mut run, "IGNORE", Some("no"));
    assert_eq!(recorded(&run, "t-IGNORE-true").refusal.unwrap().code, RefusalCode::AlreadyDecided);
}

#[test]
fn an_edge_case_and_an_ignored_remark_hold_nobody_up() {
    for (resolution, class) in [("EDGE_CASE", Classification::EdgeCase), ("IGNORE", Classification::Ambiguous)] {
        let mut run = contradiction();
        resolve(&mut run, resolution, Some("only for the health check"));
        assert_eq!(run.class("d9"), class, "{resolution}");
        assert!(run.decision("d9").evaluation.rationale.contains("only for the health check"));
        if resolution == "EDGE_CASE" {
            let id = run.decision("d9").feedback.edge_case.unwrap();
            let path = run.paths(layout::EDGE_CASES).into_iter().find(|p| p.contains(&id)).unwrap();
            let edge_case: EdgeCaseRecord = run.read(&path);
            assert!(edge_case.why.contains("cleo decided"), "{}", edge_case.why);
        }
        reindexed(&mut run);
        run.send(&[decision("d2", "bob", "REJECTED", Some("API handler lacks error handling"))]);
        assert_eq!(run.class("d2"), Classification::GeneralizableHigh, "{resolution}");
    }
}

#[test]
fn what_is_no_contradiction_counts_like_any_other_remark() {
    let mut run = contradiction();
    resolve(&mut run, "NO_CONTRADICTION", Some("one is about reads, the other about writes"));
    let resolved: AmbiguousRecord = run.read("feedback/ambiguous/resolved/d9.yaml");
    assert_eq!(resolved.resolved_as, Some(Resolution::NoContradiction));
    assert_eq!(run.class("d9"), Classification::EdgeCase);
    assert_eq!(run.decision("d9").feedback.edge_case, Some("EDGE-2026-0002".to_owned()));
    reindexed(&mut run);
    // Both sides count, and other people's similar demands are no contradiction either.
    run.send(&[
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
        decision("d10", "eve", "APPROVED", Some("No error handling needed in API handler")),
    ]);
    assert_eq!(run.class("d2"), Classification::GeneralizableHigh);
    assert_eq!(run.class("d9"), run.class("d10"));
    assert_eq!(run.paths("feedback/ambiguous/d"), [""; 0]);
}

/// An earlier build treated one person's repeated comments as contradictory.
#[test]
fn a_contradiction_that_is_none_by_todays_rules_is_withdrawn() {
    let mut run = contradiction();
    let path = "feedback/decisions/HITL-4/2026/01/12/10/d9.yaml";
    run.commit_file(path, |text| text.replace("reviewer_id: dee", "reviewer_id: ann"));
    reindexed(&mut run);
    assert_eq!(run.class("d9"), Classification::Ambiguous);
    run.tick();
    assert_eq!(run.class("d9"), Classification::EdgeCase);
    let withdrawn: AmbiguousRecord = run.read("feedback/ambiguous/resolved/d9.yaml");
    assert_eq!((withdrawn.status, withdrawn.resolved_by), (AmbiguousStatus::Resolved, None));
    insta::assert_snapshot!(withdrawn.resolution.unwrap(), @"Withdrawn: the two are not held against each other any more, because they are not said outright by two people, or because they are about lines of code.");
    assert_eq!(run.paths("feedback/ambiguous/d9"), [""; 0]);
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None, "it is withdrawn once");
}

#[test]
fn a_person_words_the_rule_of_a_group_that_has_none() {
    let mut run = Run::new();
    run.approvers(&["cleo", "dora"]);
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("Show the price of an order with two decimals")),
        decision("d2", "ann", "REJECTED", Some("Please show the prices of the order with two decimals")),
    ]);
    let group = run.decision("d1").evaluation.cluster.unwrap();
    assert_eq!(run.class("d2"), Classification::GeneralizableLow);
    let word = |run: &mut Run, id: &str, by: &str, group: &str, text: &str| {
        run.review(&json!({"review_id": id, "decision": "WORD_RULE", "cluster_id": group, "rule_content": text,
            "reviewer_id": by, "timestamp": "2026-01-12T11:00:00Z"}));
        recorded(run, id).refusal.map(|refusal| refusal.code)
    };
    let text = "Show each amount of money with two decimals.";
    assert_eq!(word(&mut run, "w1", "mallory", &group, text), Some(RefusalCode::NotAnApprover));
    assert_eq!(word(&mut run, "w2", "cleo", "CLUSTER-000000000000", text), Some(RefusalCode::UnknownId));
    assert_eq!(word(&mut run, "w3", "cleo", &group, "Improve the quality of the code."), Some(RefusalCode::VagueText));
    assert_eq!(run.paths(layout::PROPOSED), [""; 0]);
    // A rejected review decides nothing.
    assert_eq!(run.class("d2"), Classification::GeneralizableLow);
    run.config.proposals.max_open_per_agent = 0;
    run.restart();
    assert_eq!(word(&mut run, "w3b", "cleo", &group, text), Some(RefusalCode::Impossible));
    assert_eq!(run.class("d2"), Classification::GeneralizableLow);
    assert_eq!(run.read::<ClusterRecord>(&layout::cluster(&group)).decided_by, None);
    run.config.proposals.max_open_per_agent = 200;
    run.restart();
    assert_eq!(word(&mut run, "w4", "cleo", &group, text), None);
    let (_, proposal) = rule(&run, RULE);
    assert_eq!((proposal.rule_content.as_str(), proposal.created_from_feedback_ids.len()), (text, 2));
    assert_eq!(run.class("d2"), Classification::GeneralizableHigh);
    assert_eq!(word(&mut run, "w5", "cleo", &group, text), Some(RefusalCode::AlreadyDecided));
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    approve(&mut run, RULE, "cleo");
    approve(&mut run, RULE, "dora");
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
}

#[test]
fn somebody_who_is_not_on_the_roster_decides_nothing() {
    let mut run = contradiction();
    let review = json!({"review_id": "m", "feedback_id": "d9", "resolution": "IGNORE", "reviewer_id": "mallory",
        "rationale": "because", "timestamp": "2026-01-12T11:00:00Z"});
    run.review(&review);
    assert_eq!(recorded(&run, "m").refusal.unwrap().code, RefusalCode::NotAnApprover);
    assert_eq!(run.paths("feedback/ambiguous/d9").len(), 1);
}

fn cluster_of(run: &Run, id: &str) -> Option<String> {
    run.decision(id).evaluation.cluster
}

fn cluster(run: &Run, id: &str) -> ClusterRecord {
    run.read(&layout::cluster(id))
}

fn change(run: &mut Run, id: &str, fields: Value) -> Option<RefusalCode> {
    let mut review = fields;
    review["review_id"] = json!(id);
    review["reviewer_id"] = json!("cleo");
    review["timestamp"] = json!("2026-01-12T11:00:00Z");
    review["reason"] = json!("they ask for the same");
    run.review(&review);
    recorded(run, id).refusal.map(|r| r.code)
}

/// Creates two clusters that no similarity joins.
fn two_clusters() -> (Run, String, String) {
    let mut run = with_proposal();
    run.send(&[
        decision("e1", "ann", "REJECTED", Some("Add an index on the customer column")),
        decision("e2", "ann", "REJECTED", Some("There is no index on the customer column")),
    ]);
    let (a, b) = (cluster_of(&run, "d1").unwrap(), cluster_of(&run, "e1").unwrap());
    assert_ne!(a, b);
    (run, a, b)
}

#[test]
fn merged_clusters_stay_merged() {
    let (mut run, a, b) = two_clusters();
    assert_eq!(run.class("e1"), Classification::GeneralizableLow);
    assert_eq!(
        change(&mut run, "c0", json!({"decision": "MERGE_CLUSTERS", "from": b, "into": b})),
        Some(RefusalCode::Impossible)
    );
    assert_eq!(change(&mut run, "c1", json!({"decision": "MERGE_CLUSTERS", "from": b, "into": a})), None);
    for id in ["d1", "d2", "e1", "e2"] {
        assert_eq!(cluster_of(&run, id).as_ref(), Some(&a), "{id}");
        assert_eq!(run.class(id), Classification::GeneralizableHigh, "{id}");
    }
    assert_eq!((cluster(&run, &a).members, cluster(&run, &b).members), (4, 0));
    assert_eq!(cluster(&run, &b).merged_into.as_deref(), Some(a.as_str()));
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    run.send(&[decision("e3", "bob", "REJECTED", Some("An index on the customer column is missing"))]);
    assert_eq!(cluster_of(&run, "e3"), Some(a.clone()), "a later remark goes where people said");
    assert_eq!(cluster(&run, &a).members, 5);
}

#[test]
fn members_are_split_off_and_moved() {
    let (mut run, a, b) = two_clusters();
    run.send(&[decision("d3", "cem", "REJECTED", Some("Please add error handling to the API handler"))]);
    assert_eq!(
        change(&mut run, "s0", json!({"decision": "SPLIT_CLUSTER", "cluster_id": a, "feedback_ids": ["e1"]})),
        Some(RefusalCode::Impossible)
    );
    assert_eq!(
        change(&mut run, "s1", json!({"decision": "SPLIT_CLUSTER", "cluster_id": a, "feedback_ids": ["d3"]})),
        None
    );
    assert_eq!(cluster_of(&run, "d3"), None, "what is split off stands alone");
    assert_eq!(cluster(&run, &a).members, 2);
    assert_eq!(change(&mut run, "v1", json!({"decision": "MOVE_FEEDBACK", "feedback_id": "d3", "into": b})), None);
    assert_eq!(cluster_of(&run, "d3"), Some(b.clone()));
    assert_eq!(run.class("d3"), Classification::GeneralizableHigh);
    run.now = "2026-01-12T13:00:00Z".parse().unwrap();
    assert_eq!(run.tick().counts.proposals, ["RULE-2026-0002"], "the second cluster is a pattern now");
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    assert_eq!((cluster(&run, &a).members, cluster(&run, &b).members), (2, 3));
}

/// Sends later comments, each similar to one of two that share no word.
fn later(run: &mut Run, n: usize) -> (Option<String>, Option<String>) {
    let (d, e) = (format!("later-d{n}"), format!("later-e{n}"));
    run.send(&[
        decision(&d, "cem", "REJECTED", Some("Missing error handling in the API handler")),
        decision(&e, "cem", "REJECTED", Some("Please index the customer column")),
    ]);
    (cluster_of(run, &d), cluster_of(run, &e))
}

#[test]
fn what_people_merged_draws_both_kinds_of_later_remarks() {
    let (mut run, a, b) = two_clusters();
    assert_eq!(change(&mut run, "c1", json!({"decision": "SAME", "a": a, "b": b})), None);
    let whole = cluster_of(&run, "d1").unwrap();
    assert_eq!(cluster(&run, &whole).taught_by.as_deref(), Some("c1"));
    assert_eq!(later(&mut run, 1), (Some(whole.clone()), Some(whole.clone())));
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    assert_eq!(later(&mut run, 2), (Some(whole.clone()), Some(whole.clone())));
    assert_eq!(cluster(&run, &whole).members, 8);
}

#[test]
fn what_people_keep_apart_stays_apart_and_grows() {
    let (mut run, a, b) = two_clusters();
    assert_eq!(change(&mut run, "k1", json!({"decision": "KEEP_APART", "a": a, "b": b})), None);
    assert_eq!((cluster(&run, &a).kept_apart, cluster(&run, &b).kept_apart), (vec![b.clone()], vec![a.clone()]));
    let again = json!({"decision": "KEEP_APART", "a": b, "b": a});
    assert_eq!(change(&mut run, "k2", again), Some(RefusalCode::AlreadyDecided));
    assert_eq!(later(&mut run, 1), (Some(a.clone()), Some(b.clone())));
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    assert_eq!(later(&mut run, 2), (Some(a.clone()), Some(b.clone())));
    let apart = |run: &Run| {
        let memory = &run.pipeline.as_ref().unwrap().evaluator().remarks.groups;
        memory.are_apart(memory.group(&a).unwrap(), memory.group(&b).unwrap())
    };
    assert!(apart(&run));
    // Later they decide that both are the same.
    assert_eq!(change(&mut run, "k3", json!({"decision": "SAME", "a": a, "b": b})), None);
    reindexed(&mut run);
    assert_eq!(cluster_of(&run, "d1"), cluster_of(&run, "e1"));
    assert!(!apart(&run));
}

#[test]
fn what_is_split_off_a_cluster_stays_apart_from_it_and_may_make_another() {
    let (mut run, a, b) = two_clusters();
    change(&mut run, "c1", json!({"decision": "MERGE_CLUSTERS", "from": b, "into": a}));
    let members = json!({"decision": "SPLIT_CLUSTER", "cluster_id": a, "feedback_ids": ["e1", "e2"]});
    assert_eq!(change(&mut run, "s1", members), None);
    assert_eq!((cluster_of(&run, "e1"), cluster_of(&run, "e2")), (None, None), "nobody said that the two are alike");
    assert_eq!(cluster(&run, &a).kept_apart, ["e1", "e2"]);
    let (with_a, part) = later(&mut run, 1);
    assert_eq!((with_a.as_ref(), part == Some(a.clone())), (Some(&a), false));
    let part = part.unwrap();
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    assert_eq!(later(&mut run, 2), (Some(a), Some(part)));
}

#[test]
fn remarks_in_no_cluster_are_put_together_and_kept_apart() {
    let (mut run, a, _) = two_clusters();
    run.send(&[
        decision("x", "ann", "REJECTED", Some("Use one word for the customer everywhere")),
        decision("y", "bob", "REJECTED", Some("Please write a changelog entry")),
        decision("z", "cem", "REJECTED", Some("The button needs a visible focus ring")),
    ]);
    for id in ["x", "y", "z"] {
        assert_eq!(cluster_of(&run, id), None, "{id}");
    }
    assert_eq!(change(&mut run, "k1", json!({"decision": "KEEP_APART", "a": "x", "b": "z"})), None);
    reindexed(&mut run);
    let again = json!({"decision": "KEEP_APART", "a": "x", "b": "z"});
    assert_eq!(change(&mut run, "k2", again), Some(RefusalCode::AlreadyDecided), "a review is remembered");
    assert_eq!(change(&mut run, "p1", json!({"decision": "SAME", "a": "x", "b": "y"})), None);
    let pair = cluster_of(&run, "x").unwrap();
    assert_eq!(cluster_of(&run, "y"), Some(pair.clone()));
    assert_eq!(run.class("x"), Classification::GeneralizableHigh, "two people ask for it");
    let inside = json!({"decision": "KEEP_APART", "a": "x", "b": "y"});
    assert_eq!(change(&mut run, "k3", inside), Some(RefusalCode::Impossible));
    let unknown = json!({"decision": "SAME", "a": "x", "b": "nope"});
    assert_eq!(change(&mut run, "p2", unknown), Some(RefusalCode::UnknownId));
    assert_eq!(change(&mut run, "p3", json!({"decision": "SAME", "a": "z", "b": a})), None);
    assert_eq!(cluster_of(&run, "z"), Some(a.clone()));
    run.now = "2026-01-12T13:00:00Z".parse().unwrap();
    assert_eq!(run.tick().counts.proposals.len(), 1, "the pair is a pattern");
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    assert_eq!((cluster(&run, &pair).members, cluster(&run, &a).members), (2, 3));
}

#[test]
fn what_a_source_taught_is_withdrawn_with_what_rests_on_it() {
    let mut run = with_proposal();
    approve(&mut run, RULE, "cleo");
    approve(&mut run, RULE, "dora");
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
    assert_eq!(change(&mut run, "w1", json!({"decision": "RETRACT", "reviewer": "bob"})), None);
    let (path, gone) = rule(&run, RULE);
    assert_eq!(
        (path.as_str(), gone.status),
        ("feedback/rules/retired/RULE-2026-0001.yaml", ProposalStatus::RolledBack)
    );
    assert_eq!(gone.created_from_feedback_ids, ["d1"]);
    assert_eq!(run.decision("d2").feedback.retracted_by.as_deref(), Some("w1"));
    assert_eq!(run.class("d1"), Classification::EdgeCase);
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    // The withdrawn comment is not counted as a second.
    run.send(&[decision("d3", "ann", "REJECTED", Some("Please add error handling to the API handler"))]);
    assert_eq!(run.class("d3"), Classification::GeneralizableLow);
    assert_eq!(
        change(&mut run, "w2", json!({"decision": "RETRACT", "feedback_id": "nope"})),
        Some(RefusalCode::UnknownId)
    );
}
