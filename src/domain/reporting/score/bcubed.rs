//! B3 (Bagga and Baldwin 1998): how well two partitions of items agree, item by item.

use super::item::Item;
use serde::Serialize;
use std::collections::BTreeMap;

/// Precision, recall and their harmonic mean. 0 if there are no items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct BCubed {
    /// The mean share of an item's cluster that has the item's theme.
    pub precision: f64,
    /// The mean share of an item's theme that is in the item's cluster.
    pub recall: f64,
    /// Their harmonic mean.
    pub f: f64,
}

impl BCubed {
    fn new(precision: f64, recall: f64) -> BCubed {
        let sum = precision + recall;
        BCubed { precision, recall, f: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 } }
    }
}

/// Computes B3 of items, each with its theme and its cluster.
pub fn b_cubed<T: Ord, G: Ord>(items: &[(T, G)]) -> BCubed {
    let (mut themes, mut groups, mut both) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (theme, group) in items {
        *themes.entry(theme).or_insert(0_u64) += 1;
        *groups.entry(group).or_insert(0_u64) += 1;
        *both.entry((theme, group)).or_insert(0_u64) += 1;
    }
    // Items that share theme and cluster have the same figures.
    let weighed = |of: &dyn Fn(&T, &G) -> u64| {
        let sum: f64 = both.iter().map(|((t, g), n)| (*n * *n) as f64 / of(t, g) as f64).sum();
        if items.is_empty() { 0.0 } else { sum / items.len() as f64 }
    };
    BCubed::new(weighed(&|_, group| groups[group]), weighed(&|theme, _| themes[theme]))
}

/// Computes B3 over the themed corrections whose ids are chosen. Shares are taken over all themed corrections, chosen
/// or not.
pub fn b_cubed_of(items: &[Item], chosen: &dyn Fn(&String) -> bool) -> BCubed {
    let (mut themes, mut groups, mut both) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let asking = items.iter().enumerate().filter_map(|(at, i)| Some((i, i.asked()?, part(i.cluster.as_deref(), at))));
    let asking: Vec<_> = asking.collect();
    for (_, theme, group) in &asking {
        *themes.entry(*theme).or_insert(0_u64) += 1;
        *groups.entry(*group).or_insert(0_u64) += 1;
        *both.entry((*theme, *group)).or_insert(0_u64) += 1;
    }
    let (mut precision, mut recall, mut count) = (0.0, 0.0, 0_u64);
    for (_, theme, group) in asking.iter().filter(|(item, ..)| chosen(&item.id)) {
        let shared = both[&(*theme, *group)] as f64;
        precision += shared / groups[group] as f64;
        recall += shared / themes[theme] as f64;
        count += 1;
    }
    let mean = |sum: f64| if count == 0 { 0.0 } else { sum / count as f64 };
    BCubed::new(mean(precision), mean(recall))
}

/// A theme or cluster: a named one, or a single item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Named(&'a str),
    Alone(usize),
}

fn part(name: Option<&str>, place: usize) -> Part<'_> {
    name.map_or(Part::Alone(place), Part::Named)
}

/// Computes B3 over themed corrections, and with the others as single-item themes in the precision.
pub(super) fn of_items(items: &[Item]) -> (BCubed, BCubed) {
    let corrections = items.iter().enumerate().filter(|(_, item)| !item.is_positive());
    let pairs: Vec<(Part<'_>, Part<'_>)> =
        corrections.map(|(at, i)| (part(i.theme.as_deref(), at), part(i.cluster.as_deref(), at))).collect();
    let themed: Vec<_> = pairs.iter().copied().filter(|(theme, _)| matches!(theme, Part::Named(_))).collect();
    let first = b_cubed(&themed);
    (first, BCubed::new(b_cubed(&pairs).precision, first.recall))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::evaluation::Classification;
    use crate::text::verdict::Verdict;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn an_example_by_hand() {
        let items = [("a", 1), ("a", 1), ("a", 2), ("b", 2)];
        let b3 = b_cubed(&items);
        // Precision: 1, 1, 1/2, 1/2. Recall: 2/3, 2/3, 1/3, 1.
        assert!(close(b3.precision, 0.75), "{b3:?}");
        assert!(close(b3.recall, 8.0 / 12.0), "{b3:?}");
        assert!(close(b3.f, 2.0 * 0.75 * (2.0 / 3.0) / (0.75 + 2.0 / 3.0)), "{b3:?}");
        assert_eq!(b_cubed::<u8, u8>(&[]), BCubed::default());
    }

    #[test]
    fn chosen_items_are_held_against_all() {
        let item = |id: &str, theme: &str, cluster: Option<&str>| Item {
            id: id.into(),
            agent: "a".into(),
            reviewer: "r".into(),
            verdict: Verdict::Rejected,
            remark: String::new(),
            theme: Some(theme.into()),
            label: None,
            class: Classification::EdgeCase,
            confidence: 0.5,
            cluster: cluster.map(str::to_owned),
            contradicts: Vec::new(),
        };
        let items =
            [item("1", "a", Some("x")), item("2", "a", Some("x")), item("3", "b", Some("x")), item("4", "a", None)];
        assert_eq!(b_cubed_of(&items, &|_| true), of_items(&items).0);
        let late = b_cubed_of(&items, &|id| id == "2" || id == "4");
        // Precision: 2/3, 1. Recall: 2/3, 1/3.
        assert!(close(late.precision, 5.0 / 6.0) && close(late.recall, 0.5), "{late:?}");
        assert_eq!(b_cubed_of(&items, &|_| false), BCubed::default());
    }

    fn items() -> impl Strategy<Value = Vec<(u8, u8)>> {
        prop::collection::vec((0..6_u8, 0..6_u8), 1..40)
    }

    proptest! {
        #[test]
        fn the_same_partition_is_perfect(themes in prop::collection::vec(0..6_u8, 1..40)) {
            let items: Vec<(u8, u8)> = themes.into_iter().map(|t| (t, 200 - t)).collect();
            let b3 = b_cubed(&items);
            prop_assert!(close(b3.precision, 1.0) && close(b3.recall, 1.0) && close(b3.f, 1.0));
        }

        #[test]
        fn names_and_order_do_not_matter(mut items in items(), key in 1..250_u8) {
            let before = b_cubed(&items);
            items.reverse();
            let renamed: Vec<(u8, u8)> = items.iter().map(|(t, g)| (t ^ key, g.wrapping_add(key))).collect();
            let after = b_cubed(&renamed);
            prop_assert!(close(before.precision, after.precision) && close(before.recall, after.recall));
        }

        #[test]
        fn items_alone_are_precise_and_one_group_finds_all(items in items()) {
            let alone: Vec<(u8, usize)> = items.iter().enumerate().map(|(at, (t, _))| (*t, at)).collect();
            prop_assert!(close(b_cubed(&alone).precision, 1.0));
            let together: Vec<(u8, ())> = items.iter().map(|(t, _)| (*t, ())).collect();
            prop_assert!(close(b_cubed(&together).recall, 1.0));
        }

        #[test]
        fn exchanging_themes_and_groups_exchanges_precision_and_recall(items in items()) {
            let turned: Vec<(u8, u8)> = items.iter().map(|(t, g)| (*g, *t)).collect();
            let (one, other) = (b_cubed(&items), b_cubed(&turned));
            prop_assert!(close(one.precision, other.recall) && close(one.recall, other.precision));
            prop_assert!(one.precision > 0.0 && one.precision <= 1.0 + 1e-9);
        }
    }
}
