//! Which questions are asked, and in which order.

use super::*;
use crate::text::ids::Gate;
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use proptest::prelude::*;

/// Creates a comment whose vector has this angle (degrees) to the first axis.
fn remark(id: &str, agent: &str, direction: Direction, degrees: f32) -> Member {
    let r = degrees.to_radians();
    Member {
        id: id.into(),
        tenant: String::new(),
        agent: agent.into(),
        reviewer: format!("r{}", id.len() % 2),
        verdict: Verdict::Rejected,
        gate: Gate::new(1).unwrap(),
        task: None,
        outright: true,
        place: None,
        language: None,
        at: Timestamp::UNIX_EPOCH,
        direction,
        voiced: None,
        text: id.into(),
        path: id.into(),
        vector: DemandVector::new(&[(0, r.cos()), (1, r.sin())]),
        classification: Classification::EdgeCase,
        revision: 1,
        edge_case: None,
        cluster: None,
        tied: false,
        sentence: None,
        judged: false,
        withdrawn: false,
    }
}

/// Creates clusters by name, with this many members at that angle; a cluster of one is a lone comment.
fn memory(groups: &[(&str, usize, f32)]) -> Clusters {
    let mut memory = Clusters::default();
    for (name, size, degrees) in groups {
        for n in 0..*size {
            let member = remark(&format!("{name}{n}"), "a", Direction::More, *degrees);
            memory.restore(member, (*size > 1).then_some(name));
        }
    }
    memory
}

fn ask(memory: &Clusters, limit: usize) -> Vec<Question> {
    let near = |member: &Member| {
        let all = memory.members().filter(|(_, m)| m.agent == member.agent && m.id != member.id);
        Ok::<_, ()>(all.filter(|(_, m)| m.vector.cosine(&member.vector) > 0.3).map(|(key, _)| key).collect())
    };
    questions(memory, None, limit, &near).unwrap()
}

fn pairs(memory: &Clusters, limit: usize) -> Vec<String> {
    ask(memory, limit).iter().map(|q| format!("{} {}", q.a.id, q.b.id)).collect()
}

#[test]
fn large_groups_that_may_be_one_come_first() {
    let m = memory(&[("big", 9, 0.0), ("also", 8, 60.0), ("small", 2, 300.0), ("far", 9, 180.0)]);
    assert_eq!(pairs(&m, 1), ["big also"]);
    let first = &ask(&m, 1)[0];
    assert_eq!((first.a.size, first.b.size, first.a.is_cluster), (9, 8, true));
    assert!(first.probability > 0.2 && first.probability < 0.9, "{}", first.probability);
    // Pairs that almost certainly differ are never asked.
    assert!(!pairs(&m, 100).iter().any(|p| p == "big far"), "{:?}", pairs(&m, 100));
}

#[test]
fn what_is_near_to_many_is_not_asked_about() {
    // `hub`, the larger one, is as near to `one` as `two` is, but much nearer to many others.
    let crowd = ["p", "q", "r", "s", "t", "u", "v", "w"];
    let mut groups: Vec<(&str, usize, f32)> =
        crowd.into_iter().zip(0..).map(|(n, at)| (n, 3, 62.0 + f32::from(at as u8))).collect();
    groups.extend([("one", 4, 0.0), ("two", 4, -60.0), ("hub", 5, 60.0)]);
    let asked = pairs(&memory(&groups), 100);
    assert!(asked.contains(&"one two".to_owned()) && !asked.contains(&"hub one".to_owned()), "{asked:?}");
}

#[test]
fn a_union_leaves_one_question_of_two_that_it_makes_the_same() {
    // All three may be one: after a yes to the first, the third is asked about only once.
    let m = memory(&[("one", 6, 0.0), ("two", 6, 50.0), ("three", 6, 25.0)]);
    assert_eq!(pairs(&m, 100).len(), 2);
}

#[test]
fn what_was_answered_is_not_asked_again() {
    let mut m = memory(&[("one", 4, 0.0), ("two", 4, 50.0)]);
    assert_eq!(pairs(&m, 9), ["one two"]);
    m.keep_apart("two", "one");
    assert_eq!(pairs(&m, 9), [""; 0]);
    // Nor if one of them now belongs to another cluster.
    let mut m = memory(&[("one", 4, 0.0), ("two", 4, 50.0), ("three", 2, 180.0)]);
    m.keep_apart("three", "two");
    let (one, three) = (m.find_cluster("one").unwrap(), m.find_cluster("three").unwrap());
    let all: Vec<MemberKey> = m.cluster(one).members.iter().chain(&m.cluster(three).members).copied().collect();
    m.assign(one, &all);
    m.cluster_mut(three).merged_into = Some("one".into());
    assert_eq!(pairs(&m, 9), [""; 0]);
}

#[test]
fn remarks_without_a_group_are_asked_about_too() {
    let m = memory(&[("group", 3, 0.0), ("lone", 1, 50.0)]);
    assert_eq!(pairs(&m, 9), ["group lone0"]);
    assert!(!ask(&m, 9)[0].b.is_cluster);
    let m = memory(&[("x", 1, 0.0), ("y", 1, 50.0)]);
    assert_eq!(pairs(&m, 9), ["x0 y0"]);
}

#[test]
fn only_one_agent_and_one_direction_are_compared() {
    let mut m = memory(&[("one", 3, 0.0)]);
    m.restore(remark("other-agent", "b", Direction::More, 10.0), None);
    m.restore(remark("other-way", "a", Direction::Less, 10.0), None);
    m.restore(Member { withdrawn: true, ..remark("gone", "a", Direction::More, 10.0) }, None);
    let waits = Member { classification: Classification::Ambiguous, ..remark("waits", "a", Direction::More, 10.0) };
    m.restore(waits, None);
    assert_eq!(pairs(&m, 9), [""; 0]);
    m.restore(remark("unclear", "a", Direction::Unclear, 50.0), None);
    assert_eq!(pairs(&m, 1), ["one unclear"]);
}

proptest! {
    #[test]
    fn questions_are_of_different_groups_ranked_and_the_same_in_any_order_of_arrival(
        groups in prop::collection::vec((1..5usize, 0.0..360.0f32), 0..8), limit in 1..20usize,
    ) {
        let names: Vec<String> = (0..groups.len()).map(|n| format!("g{n}-")).collect();
        let mut all: Vec<(&str, usize, f32)> = groups.iter().zip(&names).map(|((n, d), name)| (name.as_str(), *n, *d)).collect();
        let found = ask(&memory(&all), limit);
        prop_assert!(found.len() <= limit);
        for q in &found {
            prop_assert!(q.a.id != q.b.id && q.probability >= 0.05 && q.gain > 0.0);
        }
        all.reverse();
        prop_assert_eq!(found, ask(&memory(&all), limit));
    }
}
