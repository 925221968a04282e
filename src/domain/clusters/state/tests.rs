//! Clustering: which cluster comments join, and the resulting class.

use super::apart::ClusterOrComment;
use super::clusters::Clusters;
use super::join::JoinOutcome;
use crate::clusters::evaluation::Classification;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::member::Member;
use crate::clusters::policy::Policy;
use crate::text::ids::{Gate, cluster_id};
use crate::text::language::direction::Direction;
use crate::text::language::similarity::{Calibration, DemandVector};
use crate::text::verdict::Verdict;
use jiff::Timestamp;

const T: f64 = 0.45;

fn policy(high_needs_reviewers: u32) -> Policy {
    Policy {
        similar_at: 0.8,
        high_needs_reviewers,
        group_threshold: T,
        core_pair: T,
        core_mean: 0.66,
        calibration: Calibration::new(0.66),
    }
}

/// Creates a comment whose vector has this angle (degrees) to the first axis.
fn remark(id: &str, reviewer: &str, direction: Direction, degrees: f32) -> Member {
    let r = degrees.to_radians();
    Member {
        id: id.into(),
        tenant: String::new(),
        agent: "a".into(),
        reviewer: reviewer.into(),
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

fn join(groups: &mut Clusters, member: Member, needs: u32) -> JoinOutcome {
    let mut near: Vec<(MemberKey, f64)> =
        groups.members().map(|(k, other)| (k, other.vector.cosine(&member.vector))).collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    groups.join(member, &near, &policy(needs)).1
}

fn class(groups: &Clusters, joined: &JoinOutcome, needs: u32) -> Classification {
    joined.cluster.map_or(Classification::EdgeCase, |c| groups.cluster(c).class(&policy(needs)))
}

#[test]
fn one_remark_stands_alone() {
    let mut m = Clusters::default();
    assert_eq!(join(&mut m, remark("a", "r1", Direction::More, 0.0), 2), JoinOutcome::default());
}

#[test]
fn two_reviewers_make_a_pattern_and_the_first_is_moved() {
    let mut m = Clusters::default();
    join(&mut m, remark("a", "r1", Direction::More, 0.0), 2);
    let j = join(&mut m, remark("b", "r2", Direction::More, 10.0), 2);
    assert_eq!(j.moved, [MemberKey(0)]);
    assert_eq!(class(&m, &j, 2), Classification::GeneralizableHigh);
    assert_eq!(m.cluster(ClusterKey(0)).id, cluster_id("a"));
}

#[test]
fn one_reviewer_is_low_however_often_unless_the_team_is_one() {
    let mut m = Clusters::default();
    for (i, id) in ["a", "b", "c", "d"].into_iter().enumerate() {
        let j = join(&mut m, remark(id, "r1", Direction::More, i as f32), 2);
        if i > 0 {
            assert_eq!(class(&m, &j, 2), Classification::GeneralizableLow);
            let high = if i >= 2 { Classification::GeneralizableHigh } else { Classification::GeneralizableLow };
            assert_eq!(class(&m, &j, 1), high);
        }
    }
}

#[test]
fn near_on_average_but_not_similar_is_no_pattern() {
    let mut m = Clusters::default();
    join(&mut m, remark("a", "r1", Direction::More, 0.0), 2);
    // cos 49 degrees = 0.656: above the clustering threshold of two strangers, below 0.66.
    let j = join(&mut m, remark("b", "r2", Direction::More, 49.0), 2);
    assert!(j.cluster.is_some());
    assert_eq!(class(&m, &j, 2), Classification::EdgeCase);
    // A third one between them ties both.
    let j = join(&mut m, remark("c", "r3", Direction::More, 24.0), 2);
    assert_eq!(j.moved, [MemberKey(0), MemberKey(1)]);
    assert_eq!(class(&m, &j, 2), Classification::GeneralizableHigh);
}

#[test]
fn opposite_demands_and_open_tiebreaks_never_share_a_group() {
    let mut m = Clusters::default();
    join(&mut m, remark("a", "r1", Direction::More, 0.0), 2);
    assert_eq!(join(&mut m, remark("b", "r2", Direction::Less, 0.0), 2).cluster, None);
    m.note_evaluation(MemberKey(0), Classification::Ambiguous, 1);
    assert_eq!(join(&mut m, remark("c", "r3", Direction::More, 0.0), 2).cluster, None);
}

#[test]
fn a_rebuilt_memory_is_the_same() {
    let mut online = Clusters::default();
    for (i, degrees) in [0.0, 55.0, 27.0, 90.0, 30.0].into_iter().enumerate() {
        join(&mut online, remark(&format!("f{i}"), &format!("r{}", i % 2), Direction::More, degrees), 2);
    }
    let mut rebuilt = Clusters::default();
    for (_, member) in online.members() {
        let cluster = member.cluster.map(|c| online.cluster(c).id.clone());
        rebuilt.restore(member.clone(), cluster.as_deref());
    }
    for (_, cluster) in online.clusters() {
        let other = rebuilt.cluster(rebuilt.find_cluster(&cluster.id).unwrap());
        assert_eq!(
            (&cluster.sum, &cluster.tied_reviewers, cluster.pointing),
            (&other.sum, &other.tied_reviewers, other.pointing)
        );
        assert_eq!(cluster.confidence(&policy(2)), other.confidence(&policy(2)));
    }
}

#[test]
fn confidence_grows_with_voices() {
    let mut m = Clusters::default();
    join(&mut m, remark("a", "r1", Direction::More, 0.0), 2);
    join(&mut m, remark("b", "r2", Direction::More, 45.0), 2);
    let two = m.cluster(ClusterKey(0)).confidence(&policy(2));
    join(&mut m, remark("c", "r3", Direction::More, 22.0), 2);
    let three = m.cluster(ClusterKey(0)).confidence(&policy(2));
    assert!(0.5 < two && two < three && three < 1.0, "{two} {three}");
}

/// Creates two clusters of two with unlike vectors, 130 degrees apart, that people merged.
fn taught() -> Clusters {
    let mut m = Clusters::default();
    for (id, degrees) in [("a1", 0.0), ("a2", 2.0), ("b1", 130.0), ("b2", 132.0)] {
        near_join(&mut m, remark(id, id, Direction::More, degrees));
    }
    let (a, b) = (m.find_cluster(&cluster_id("a1")).unwrap(), m.find_cluster(&cluster_id("b1")).unwrap());
    m.cluster_mut(a).taught_by = Some("review".into());
    m.assign(a, &[0, 1, 2, 3].map(MemberKey));
    m.cluster_mut(b).merged_into = Some(m.cluster(a).id.clone());
    m
}

/// Joins as the evaluator does: what is not near is not considered.
fn near_join(groups: &mut Clusters, member: Member) -> Option<String> {
    let cosines = groups.members().map(|(key, m)| (key, m.vector.cosine(&member.vector)));
    let mut near: Vec<(MemberKey, f64)> = cosines.filter(|(_, cosine)| *cosine >= T).collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    let joined = groups.join(member, &near, &policy(2)).1;
    joined.cluster.map(|c| groups.cluster(c).id.clone())
}

#[test]
fn a_taught_group_draws_what_is_like_any_part_of_it() {
    let mut m = taught();
    let whole = Some(cluster_id("a1"));
    assert!(m.cluster(ClusterKey(0)).sum.mean_cosine(&remark("x", "r", Direction::More, 5.0).vector) < T);
    assert_eq!(near_join(&mut m, remark("like-a", "r1", Direction::More, 5.0)), whole);
    assert_eq!(near_join(&mut m, remark("like-b", "r2", Direction::More, 135.0)), whole);
    assert_eq!(near_join(&mut m, remark("like-none", "r3", Direction::More, 250.0)), None);
    // The direction of the parts is the program's reading.
    assert_eq!(near_join(&mut m, remark("other-way", "r3", Direction::Less, 5.0)), None);
}

#[test]
fn a_taught_group_takes_nothing_that_is_nearer_to_another_one() {
    let mut m = taught();
    m.restore(remark("c1", "r1", Direction::More, 30.0), Some("CLUSTER-c"));
    m.restore(remark("c2", "r2", Direction::More, 32.0), Some("CLUSTER-c"));
    assert_eq!(near_join(&mut m, remark("like-c", "r3", Direction::More, 28.0)).as_deref(), Some("CLUSTER-c"));
    // And what is nearer to it is not lost to a cluster that is near enough on average.
    assert_eq!(near_join(&mut m, remark("like-a", "r3", Direction::More, 4.0)), Some(cluster_id("a1")));
}

#[test]
fn what_is_kept_apart_is_so_wherever_it_is() {
    let mut m = taught();
    let (lone, _) = m.join(remark("lone", "r1", Direction::More, 250.0), &[], &policy(2));
    assert!(m.keep_apart("lone", &cluster_id("b1")) && !m.keep_apart(&cluster_id("b1"), "lone"));
    // The named cluster is now part of another.
    let whole = m.group(&cluster_id("b1")).unwrap();
    assert_eq!(whole, ClusterOrComment::Cluster(ClusterKey(0)));
    assert!(m.are_apart(ClusterOrComment::Lone(lone), whole) && m.are_apart(whole, ClusterOrComment::Lone(lone)));
    // The comment founds a cluster, which is kept apart.
    near_join(&mut m, remark("lone2", "r2", Direction::More, 250.0));
    let grown = m.group("lone").unwrap();
    assert!(matches!(grown, ClusterOrComment::Cluster(_)) && m.are_apart(grown, whole));
    // People merged both after all.
    let all: Vec<MemberKey> = m.group_members(grown).into_iter().chain(m.group_members(whole)).collect();
    m.assign(ClusterKey(0), &all);
    assert!(!m.are_apart(m.group("lone").unwrap(), m.group("a1").unwrap()));
}

#[test]
fn a_group_takes_in_what_came_before_it() {
    let mut m = Clusters::default();
    join(&mut m, remark("early", "r1", Direction::More, 65.0), 2);
    assert_eq!(join(&mut m, remark("a", "r1", Direction::More, 0.0), 2), JoinOutcome::default());
    let j = join(&mut m, remark("b", "r2", Direction::More, 10.0), 2);
    assert_eq!(j.moved, [MemberKey(1), MemberKey(0)]);
    assert_eq!(m.member(MemberKey(0)).cluster, j.cluster);
    assert!(!m.member(MemberKey(0)).tied, "it is near to them on average, and similar to none");
}

/// Creates a small cluster of two, then a larger one of three, and returns what the third changed.
fn overtaken(before_the_last: impl Fn(&mut Clusters)) -> (Clusters, JoinOutcome) {
    let mut m = Clusters::default();
    for (id, degrees) in [("s1", 75.0), ("s2", 80.0), ("a", 0.0), ("b", 5.0)] {
        join(&mut m, remark(id, "r1", Direction::More, degrees), 2);
    }
    assert_eq!(m.clusters().map(|(_, c)| c.members.len()).collect::<Vec<_>>(), [2, 2]);
    before_the_last(&mut m);
    let joined = join(&mut m, remark("c", "r2", Direction::More, 38.0), 2);
    (m, joined)
}

#[test]
fn a_larger_group_takes_in_a_smaller_one() {
    let (m, joined) = overtaken(|_| {});
    assert_eq!(joined.left, [ClusterKey(0)]);
    assert!([MemberKey(0), MemberKey(1)].iter().all(|key| joined.moved.contains(key)), "{joined:?}");
    assert_eq!(m.clusters().map(|(_, c)| c.members.len()).collect::<Vec<_>>(), [0, 5]);
}

#[test]
fn what_has_a_proposal_or_was_decided_by_people_is_left_alone() {
    for decide in [
        (|m: &mut Clusters| m.set_proposal(ClusterKey(0), "RULE-2026-0001".into())) as fn(&mut Clusters),
        |m| m.cluster_mut(ClusterKey(0)).taught_by = Some("rev-1".into()),
        |m| m.cluster_mut(ClusterKey(0)).decided_by = Some("rev-1".into()),
        |m| {
            let id = m.cluster(ClusterKey(0)).id.clone();
            m.keep_apart(&id, "CLUSTER-other");
        },
    ] {
        let (m, joined) = overtaken(decide);
        assert!(joined.left.is_empty());
        assert_eq!(m.cluster(ClusterKey(0)).members, [MemberKey(0), MemberKey(1)]);
    }
}

/// The cost of a cluster does not grow with it: the core of a large one is fixed, and new comments are compared with
/// it.
#[test]
fn a_large_groups_core_stands_and_takes_in_what_is_like_it() {
    let mut m = Clusters::default();
    for n in 0..60 {
        let reviewer = if n % 2 == 0 { "r1" } else { "r2" };
        join(&mut m, remark(&format!("m{n:02}"), reviewer, Direction::More, n as f32 % 10.0), 2);
    }
    let cluster = ClusterKey(0);
    assert_eq!((m.cluster(cluster).members.len(), m.cluster(cluster).tied()), (60, 60), "all of them count");
    // Near enough to lean on it, but not sure to ask for the same.
    let leaning = join(&mut m, remark("far", "r3", Direction::More, 55.0), 2);
    assert_eq!((leaning.cluster, m.cluster(cluster).tied()), (Some(cluster), 60));
    assert!(leaning.moved.is_empty(), "and nobody's standing changes");
    let like = join(&mut m, remark("near", "r3", Direction::More, 5.0), 2);
    assert_eq!((like.cluster, m.cluster(cluster).tied()), (Some(cluster), 61));
}
