//! Which lists are asked about.

use super::*;
use crate::text::ids::Gate;
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;
use crate::text::verdict::Verdict;
use jiff::Timestamp;

/// Creates a comment that may voice the concern of axis 3 with low probability.
fn remark(id: &str, reviewer: &str, probability: f32) -> Member {
    Member {
        id: id.into(),
        tenant: String::new(),
        agent: "coder".into(),
        reviewer: reviewer.into(),
        verdict: Verdict::Rejected,
        gate: Gate::new(4).unwrap(),
        task: None,
        outright: true,
        place: None,
        language: None,
        at: Timestamp::UNIX_EPOCH,
        direction: Direction::Unclear,
        voiced: None,
        text: id.into(),
        path: id.into(),
        vector: DemandVector::default().with_faint(&[(3, probability)]),
        classification: Classification::EdgeCase,
        revision: 1,
        edge_case: None,
        cluster: None,
        tied: false,
        withdrawn: false,
        judged: false,
        sentence: None,
    }
}

fn groups(remarks: &[(&str, &str, f32)]) -> Clusters {
    let mut groups = Clusters::default();
    for (id, reviewer, probability) in remarks {
        groups.restore(remark(id, reviewer, *probability), None);
    }
    groups
}

fn asked(groups: &Clusters) -> Vec<Vec<String>> {
    let ids = |list: ListQuestion| list.remarks.into_iter().map(|said| said.feedback_id).collect();
    lists(groups, None, 9).into_iter().map(ids).collect()
}

#[test]
fn remarks_that_may_ask_for_the_same_are_shown_together_the_likeliest_first() {
    let found = groups(&[("a", "ann", 0.3), ("b", "bob", 0.6), ("c", "cy", 0.5), ("d", "ann", 0.01)]);
    assert_eq!(asked(&found), [["b", "c", "a"]]);
    assert!(lists(&found, Some("somebody else"), 9).is_empty());
}

#[test]
fn one_person_makes_no_pattern() {
    assert!(asked(&groups(&[("a", "ann", 0.6), ("b", "ann", 0.6), ("c", "ann", 0.6)])).is_empty());
    assert!(asked(&groups(&[("a", "ann", 0.9), ("b", "bob", 0.9)])).is_empty());
}

#[test]
fn what_was_answered_is_not_asked_again() {
    let remarks = [("a", "ann", 0.6), ("b", "bob", 0.6), ("c", "cy", 0.6)];
    let mut none = groups(&remarks);
    for (x, y) in [("a", "b"), ("a", "c"), ("b", "c")] {
        none.keep_apart(x, y);
    }
    assert!(asked(&none).is_empty());
    let mut same = groups(&remarks);
    let keys: Vec<MemberKey> = same.members().map(|(key, _)| key).collect();
    let cluster = same.cluster_named("CLUSTER-1");
    same.assign(cluster, &keys);
    same.cluster_mut(cluster).taught_by = Some("r1".into());
    assert!(asked(&same).is_empty());
    // One more that may belong to it is shown next to it if there is little else to ask.
    same.restore(remark("e", "eve", 0.9), None);
    let list = lists(&same, None, 9).remove(0);
    assert_eq!(list.group.unwrap().id, "CLUSTER-1");
    assert_eq!(list.remarks.len(), 1);
}

#[test]
fn three_by_two_people_make_a_pattern() {
    assert_eq!(pattern(&[vec![1.0, 1.0], vec![1.0]]), 1.0);
    assert_eq!(pattern(&[vec![1.0, 1.0, 1.0], vec![0.0]]), 0.0);
    let half = pattern(&[vec![0.5], vec![0.5], vec![0.5]]);
    assert!((half - 0.125).abs() < 1e-12, "{half}");
}
