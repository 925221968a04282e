//! People's decisions on lists of comments and on single ones, and that a rebuilt index gives the same.

use super::recorded;
use crate::harness::run::{Run, decision};
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::submission::Mark;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{ClusterRecord, Judged, RefusalCode};
use serde_json::{Value, json};

/// Creates separate comments, some of which ask for the same without the program knowing it.
fn run() -> Run {
    let mut run = Run::new();
    run.approvers(&["cleo", "dora"]);
    run.send(&[
        decision("x1", "ann", "REJECTED", Some("Use one word for the customer everywhere")),
        decision("x2", "bob", "REJECTED", Some("The tariff key is missing on the invoice line")),
        decision("x3", "cem", "REJECTED", Some("The button needs a visible focus ring")),
        decision("x4", "dee", "REJECTED", Some("Rename the folder zeta-7 to zeta-8 on the old build server")),
        decision("x5", "eve", "REJECTED", Some("Please write a changelog entry")),
    ]);
    run
}

fn say(run: &mut Run, id: &str, mut review: Value) -> Option<RefusalCode> {
    review["review_id"] = json!(id);
    review["reviewer_id"] = json!("cleo");
    review["timestamp"] = json!("2026-01-12T11:00:00Z");
    run.review(&review);
    recorded(run, id).refusal.map(|r| r.code)
}

fn cluster_of(run: &Run, id: &str) -> Option<String> {
    run.decision(id).evaluation.cluster
}

fn reindexed(run: &mut Run) {
    run.pipeline = None;
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    run.restart();
}

#[test]
fn what_a_list_says_is_the_same_is_one_group_and_the_rest_stays_out_of_it() {
    let mut run = run();
    let list = json!({"decision": "SORT", "same": ["x1", "x2", "x3"], "others": ["x5"], "particular": ["x4"]});
    assert_eq!(say(&mut run, "s1", list), None);
    let group = cluster_of(&run, "x1").unwrap();
    assert_eq!([cluster_of(&run, "x2"), cluster_of(&run, "x3")], [Some(group.clone()), Some(group.clone())]);
    assert_eq!(run.class("x2"), Classification::GeneralizableHigh, "three people ask for it");
    let record: ClusterRecord = run.read(&layout::cluster(&group));
    assert_eq!((record.members, record.taught_by.as_deref()), (3, Some("s1")));
    assert_eq!(record.kept_apart, ["x5"]);
    assert_eq!(cluster_of(&run, "x5"), None);
    let marked = run.decision("x4").feedback.marked.unwrap();
    assert_eq!((marked.mark, marked.by.as_str()), (Mark::Particular, "s1"));
    let check = |run: &Run| {
        let memory = &run.pipeline.as_ref().unwrap().evaluator().remarks.groups;
        let gone = memory.key_of("x4").is_none_or(|key| memory.member(key).withdrawn);
        assert!(gone, "it is compared with nothing any more");
        assert!(memory.are_apart(memory.group("x5").unwrap(), memory.group(&group).unwrap()));
        assert_eq!(memory.group("x2"), memory.group(&group));
    };
    check(&run);
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    reindexed(&mut run);
    assert_eq!(run.tick().commit, None);
    check(&run);
    // One more joins it.
    let more = json!({"decision": "SORT", "same": ["x5"], "into": group});
    assert_eq!(say(&mut run, "s2", more), None);
    assert_eq!(cluster_of(&run, "x5"), Some(group));
}

#[test]
fn where_none_is_the_same_nobody_is_asked_again() {
    let mut run = run();
    let list = json!({"decision": "SORT", "others": ["x1", "x2", "x3"], "nothing": ["x5"]});
    assert_eq!(say(&mut run, "s1", list), None);
    let apart = |run: &Run| {
        let memory = &run.pipeline.as_ref().unwrap().evaluator().remarks.groups;
        let group = |id: &str| memory.group(id).unwrap();
        memory.are_apart(group("x1"), group("x2")) && memory.are_apart(group("x2"), group("x3"))
    };
    assert!(apart(&run));
    reindexed(&mut run);
    assert!(apart(&run));
    assert_eq!(run.decision("x5").feedback.marked.unwrap().mark, Mark::Nothing);
}

#[test]
fn an_answer_that_cannot_be_meant_is_refused_and_changes_nothing() {
    let mut run = run();
    for (n, (list, code)) in [
        (json!({"decision": "SORT", "same": ["x1"]}), RefusalCode::Impossible),
        (json!({"decision": "SORT", "others": ["x1"]}), RefusalCode::Impossible),
        (json!({"decision": "SORT", "same": ["x1", "nope"]}), RefusalCode::UnknownId),
        (json!({"decision": "SORT", "same": ["x1"], "into": "nope"}), RefusalCode::UnknownId),
        (json!({"decision": "MARK", "feedback_id": "nope", "mark": "NOTHING"}), RefusalCode::UnknownId),
        (
            json!({"decision": "MARK", "feedback_id": "x1", "mark": "DEMAND", "demand": "no.such"}),
            RefusalCode::UnknownId,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(say(&mut run, &format!("r{n}"), list.clone()), Some(code), "{list}");
    }
    assert_eq!(cluster_of(&run, "x1"), None);
    assert_eq!(run.decision("x1").feedback.marked, None);
}

#[test]
fn what_people_say_of_groups_is_counted_and_holds_new_patterns_back() {
    let mut run = run();
    run.config.proposals.min_purity = 0.75;
    run.restart();
    for n in 0..8 {
        let text = format!("Missing error handling in API handler {n}");
        run.send(&[
            decision(&format!("a{n}"), "ann", "REJECTED", Some(&text)),
            decision(&format!("b{n}"), "bob", "REJECTED", Some(&text)),
        ]);
        let list = json!({"decision": "SORT", "others": [format!("a{n}"), format!("b{n}")]});
        assert_eq!(say(&mut run, &format!("w{n}"), list), None);
        let judged = recorded(&run, &format!("w{n}")).judged;
        assert_eq!(judged, Some(Judged { right: 0, wrong: 1 }), "{n}");
    }
    run.send(&[
        decision("e1", "ann", "REJECTED", Some("Add an index on the customer column")),
        decision("e2", "bob", "REJECTED", Some("Add an index on the customer column")),
    ]);
    let group = cluster_of(&run, "e1").unwrap();
    let waits = |run: &Run| run.read::<ClusterRecord>(&layout::cluster(&group)).not_proposed;
    let why = waits(&run).unwrap();
    assert!(why.starts_with("It waits for people: of 8 clusters that people reviewed, 0 are right"), "{why}");
    reindexed(&mut run);
    run.tick();
    assert!(waits(&run).is_some());
    // Deciding that they are one demand lets it continue.
    assert_eq!(say(&mut run, "p1", json!({"decision": "SORT", "same": ["e1", "e2"]})), None);
    assert_eq!(waits(&run), None);
}

#[test]
fn what_people_said_of_a_remark_is_how_later_ones_like_it_are_read() {
    let mut run = run();
    let before = run.decision("x2").feedback.marked;
    assert_eq!(before, None);
    assert_eq!(say(&mut run, "m1", json!({"decision": "MARK", "feedback_id": "x2", "mark": "PARTICULAR"})), None);
    run.send(&[decision("x9", "bob", "REJECTED", Some("the tariff key is missing on the invoice line!"))]);
    let marked = run.decision("x9").feedback.marked.unwrap();
    assert_eq!((marked.mark, marked.by.as_str(), marked.like.as_deref()), (Mark::Particular, "m1", Some("x2")));
    let known = |run: &Run| run.pipeline.as_ref().unwrap().evaluator().remarks.groups.key_of("x9").is_some();
    assert!(!known(&run));
    reindexed(&mut run);
    assert!(!known(&run), "an index made anew says the same");
    run.send(&[decision("y9", "ann", "REJECTED", Some("The tariff key is missing on the invoice line"))]);
    assert_eq!(run.decision("y9").feedback.marked.unwrap().like.as_deref(), Some("x2"));
}
