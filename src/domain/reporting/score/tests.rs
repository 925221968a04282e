//! The figures on small hand-made data.

use super::*;
use crate::clusters::evaluation::Classification;
use crate::text::verdict::Verdict;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn item(id: usize, theme: Option<&str>, reviewer: &str, cluster: Option<&str>, class: Classification) -> Item {
    Item {
        id: format!("d{id}"),
        agent: "a".into(),
        reviewer: reviewer.into(),
        verdict: Verdict::Rejected,
        remark: format!("remark {id}"),
        theme: theme.map(Into::into),
        label: None,
        class,
        confidence: 0.9,
        cluster: cluster.map(Into::into),
        contradicts: Vec::new(),
    }
}

const HIGH: Classification = Classification::GeneralizableHigh;
const LOW: Classification = Classification::GeneralizableLow;
const EDGE: Classification = Classification::EdgeCase;
const AMBIGUOUS: Classification = Classification::Ambiguous;

fn classes_of(data: &Labelled) -> Vec<(Classification, Option<Classification>)> {
    expected(data).into_iter().map(|e| (e.class, e.or)).collect()
}

#[test]
fn the_right_class_follows_from_themes_reviewers_and_order() {
    let mut approved = item(7, None, "r1", None, Classification::Positive);
    approved.verdict = Verdict::Approved;
    let mut asked = item(8, Some("two"), "r2", None, HIGH);
    asked.verdict = Verdict::Approved;
    let items = vec![
        item(0, Some("two"), "r1", None, HIGH),
        item(1, Some("one"), "r1", None, LOW),
        item(2, Some("one"), "r1", None, LOW),
        item(3, Some("single"), "r1", None, EDGE),
        item(4, None, "r1", None, EDGE),
        approved,
        asked,
    ];
    let data = Labelled { items, ..Labelled::default() };
    let classes: Vec<_> = expected(&data).into_iter().map(|e| e.class).collect();
    assert_eq!(classes, [HIGH, LOW, LOW, EDGE, EDGE, Classification::Positive, HIGH]);
    let score = score(&data);
    assert_eq!(score.classes.right, Share::new(7, 7));
    assert_eq!(score.classes.macro_f1, Some(1.0));
    assert_eq!(score.classes.macro_f1_labels, None);
    let one = &score.classes.one_reviewer;
    assert_eq!((one.len(), one[0].theme.as_str(), one[0].low), (1, "one", 2));
}

fn contested() -> Vec<Item> {
    let mut items = vec![
        item(0, Some("more"), "r1", None, HIGH),
        item(1, Some("less"), "r2", None, AMBIGUOUS),
        item(2, Some("more"), "r2", None, AMBIGUOUS),
        item(3, Some("more"), "r3", None, HIGH),
        item(4, Some("less"), "r1", None, HIGH),
        item(5, Some("other"), "r1", None, AMBIGUOUS),
    ];
    items[1].contradicts = vec!["d0".into()];
    items[2].contradicts = vec!["d3".into()];
    items
}

#[test]
fn of_a_contradictory_pair_the_second_side_is_ambiguous() {
    let truth = Truth { contradictory_pair: Some(("less".into(), "more".into())), ..Truth::default() };
    let data = Labelled { items: contested(), truth, ..Labelled::default() };
    let either = (HIGH, Some(AMBIGUOUS));
    let second = (AMBIGUOUS, None);
    assert_eq!(classes_of(&data), [(HIGH, None), second, either, either, second, (EDGE, None)]);
    let classes = score(&data).classes;
    // An item citing its own side does not reveal the contradiction.
    let seen = Contradiction { first: "more".into(), second: "less".into(), items: 5, flagged: 2, citing: 1 };
    assert_eq!((classes.contradictions, classes.false_ambiguous), (vec![seen], 1));
    assert_eq!(classes.right, Share::new(4, 6));
}

#[test]
fn without_a_truth_the_labels_tell_the_pair() {
    let mut data = Labelled { items: contested(), ..Labelled::default() };
    data.items[1].label = Some(AMBIGUOUS);
    assert_eq!(score(&data).classes.contradictions, [], "one side alone is no pair");
    data.items[2].label = Some(AMBIGUOUS);
    assert_eq!(score(&data).classes.contradictions[0].second, "less");
}

/// Theme `x` is in `c1` (pure, proposed) and `c2` (mixed, proposed), `y` in `c2` and alone.
fn grouped() -> Labelled {
    let at = |id, theme, cluster| item(id, theme, "r", cluster, HIGH);
    let mut items: Vec<Item> = (0..4).map(|id| at(id, Some("x"), Some("c1"))).collect();
    items.push(at(4, None, Some("c1")));
    items.extend((5..8).map(|id| at(id, Some("x"), Some("c2"))));
    items.extend((8..10).map(|id| at(id, Some("y"), Some("c2"))));
    items.extend((10..14).map(|id| at(id, Some("y"), None)));
    let proposed = |id: &str| Proposed { id: id.into(), text: "Do it.".into() };
    let proposals = BTreeMap::from([("c1".into(), proposed("R1")), ("c2".into(), proposed("R2"))]);
    let near_misses = vec![("x".into(), "y".into()), ("x".into(), "z".into())];
    Labelled { items, proposals, truth: Truth { near_misses, ..Truth::default() } }
}

#[test]
fn proposals_are_pure_and_themes_are_found() {
    let groups = score(&grouped()).groups;
    assert_eq!(groups.proposals, Proposals { proposals: 2, pure: Share::new(1, 2) });
    assert_eq!(groups.pure_groups, Share::new(1, 2));
    assert_eq!(groups.themes.found, Share::new(1, 2));
    assert_eq!(groups.themes.proposals_per_found, Some(2.0));
    let largest = groups.themes.largest_cluster.unwrap();
    assert!((largest - (4.0 / 7.0 + 2.0 / 6.0) / 2.0).abs() < 1e-9, "{largest}");
    assert_eq!(groups.lost, Share::new(1, 1));
    let mixed: Vec<_> = groups.near_misses.iter().map(|n| n.mixed_in.clone()).collect();
    assert_eq!(mixed, [vec!["c2".to_owned()], vec![]]);
}

#[test]
fn only_sure_patterns_are_covered() {
    let mut data = grouped();
    data.items[0].confidence = 0.5;
    data.items[10].class = EDGE;
    let curve = score(&data).confidence.abstention;
    assert_eq!((curve[0].at, curve[0].coverage, curve[0].right), (0.5, Share::new(13, 14), Share::new(7, 13)));
    assert_eq!((curve[1].at, curve[1].coverage, curve[1].right), (0.6, Share::new(12, 14), Share::new(6, 12)));
    assert_eq!(curve[5].coverage, Share::new(0, 14));
}

#[test]
fn lists_show_what_was_mixed() {
    let data = grouped();
    let themes = theme_rows(&data);
    let y = &themes[1];
    assert_eq!((y.theme.as_str(), y.items, y.alone, y.clusters, y.proposals), ("y", 6, 4, 1, 0));
    let count = |theme: Option<&str>, items| ThemeCount { theme: theme.map(Into::into), items };
    assert_eq!(y.mixed, [Mixed { cluster: "c2".into(), themes: vec![count(Some("x"), 3), count(Some("y"), 2)] }]);
    let clusters = cluster_rows(&data);
    assert_eq!(clusters[0].themes, [count(Some("x"), 4), count(None, 1)]);
    assert_eq!((clusters[0].pure, clusters[0].distinct, clusters[0].remarks.len()), (true, 5, 5));
}

fn any_items() -> impl Strategy<Value = Vec<Item>> {
    let one = (prop::option::of(0..4_u8), prop::option::of(0..4_u8), 0..3_u8, 0..5_usize, 0.0..=1.0_f64, any::<bool>());
    prop::collection::vec(one, 0..40).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(id, (theme, cluster, reviewer, class, confidence, approved))| {
            let theme = theme.map(|t| format!("t{t}"));
            let cluster = cluster.map(|c| format!("c{c}"));
            let class = Classification::ALL[class];
            let mut item = item(id, theme.as_deref(), &format!("r{reviewer}"), cluster.as_deref(), class);
            item.confidence = confidence;
            item.verdict = if approved { Verdict::Approved } else { Verdict::Rejected };
            item
        });
        made.collect()
    })
}

proptest! {
    #[test]
    fn every_item_is_counted_once(items in any_items()) {
        let data = Labelled { items, ..Labelled::default() };
        let score = score(&data);
        let c = score.counts;
        prop_assert_eq!(c.themed + c.unthemed + c.positive, data.items.len() as u64);
        let in_matrix: u64 = score.classes.confusion.iter().flatten().sum();
        prop_assert_eq!(in_matrix, data.items.len() as u64);
        let hits: u64 = (0..5).map(|at| score.classes.confusion[at][at]).sum();
        prop_assert_eq!(hits, score.classes.right.part);
        let in_themes: u64 = theme_rows(&data).iter().map(|t| t.items).sum();
        prop_assert_eq!(in_themes, c.themed);
    }

    #[test]
    fn names_of_clusters_do_not_matter(items in any_items()) {
        let data = Labelled { items, ..Labelled::default() };
        let mut renamed = data.clone();
        for item in &mut renamed.items {
            item.cluster = item.cluster.as_ref().map(|c| format!("other-{c}"));
        }
        prop_assert_eq!(format!("{:.6?}", score(&data)), format!("{:.6?}", score(&renamed)));
    }

    #[test]
    fn who_says_what_is_right_is_right(items in any_items()) {
        let mut data = Labelled { items, ..Labelled::default() };
        let right = expected(&data);
        for (item, right) in data.items.iter_mut().zip(right) {
            item.class = right.class;
            item.cluster.clone_from(&item.theme);
            item.confidence = 1.0;
        }
        let score = score(&data);
        prop_assert_eq!(score.classes.right.part, score.classes.right.of);
        if score.counts.themed > 0 {
            prop_assert!((score.b3.f - 1.0).abs() < 1e-9);
            prop_assert!(score.classes.macro_f1 == Some(1.0) && score.confidence.all.ece == Some(0.0));
        }
    }
}
