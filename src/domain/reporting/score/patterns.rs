//! Predicted and actual patterns: the three figures by which a change is judged first.
//!
//! A *pattern* here is a cluster of three or more comments by two or more people that are classed as one. It is *pure*
//! if four fifths of it ask for the same *recurring demand*: a theme with three or more items by two or more people.

use super::item::Item;
use super::share::Share;
use crate::clusters::evaluation::Classification;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The number of comments that make a pattern.
const REMARKS: usize = 3;
/// The number of people.
const PEOPLE: usize = 2;
/// Four of five.
const PURE: (usize, usize) = (4, 5);

/// Computes the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Patterns {
    /// Pure patterns among all.
    pub pure: Share,
    /// Recurring demands with their own pure pattern, among all.
    pub found: Share,
    /// Items without a recurring demand that are classed as part of a pattern, among all such items.
    pub called_falsely: Share,
}

/// Computes the figures of these items.
pub(super) fn of(items: &[Item]) -> Patterns {
    let mut themes: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    let mut groups: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items {
        if let Some(theme) = item.theme.as_deref() {
            themes.entry(theme).or_default().push(item);
        }
        if let Some(cluster) = item.cluster.as_deref().filter(|_| is_pattern(item)) {
            groups.entry(cluster).or_default().push(item);
        }
    }
    themes.retain(|_, items| recurs(items));
    let recurring = |item: &Item| item.theme.as_deref().is_some_and(|theme| themes.contains_key(theme));
    let patterns: Vec<&Vec<&Item>> = groups.values().filter(|items| recurs(items)).collect();
    let mut found = BTreeSet::new();
    let pure = Share::count(patterns.iter().map(|items| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let themed = items.iter().filter(|item| recurring(item)).filter_map(|item| item.theme.as_deref());
        themed.for_each(|theme| *counts.entry(theme).or_default() += 1);
        let pure = counts.into_iter().find(|(_, count)| count * PURE.1 >= items.len() * PURE.0);
        found.extend(pure.map(|(theme, _)| theme));
        pure.is_some()
    }));
    let others = items.iter().filter(|item| !recurring(item));
    Patterns {
        pure,
        found: Share::new(found.len() as u64, themes.len() as u64),
        called_falsely: Share::count(others.map(is_pattern)),
    }
}

fn is_pattern(item: &Item) -> bool {
    item.class == Classification::GeneralizableHigh
}

fn recurs(items: &[&Item]) -> bool {
    let people: BTreeSet<&str> = items.iter().map(|item| item.reviewer.as_str()).collect();
    items.len() >= REMARKS && people.len() >= PEOPLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::verdict::Verdict;

    fn item(theme: &str, reviewer: &str, cluster: Option<&str>) -> Item {
        Item {
            id: String::new(),
            agent: "a".into(),
            reviewer: reviewer.into(),
            verdict: Verdict::Rejected,
            remark: String::new(),
            theme: (!theme.is_empty()).then(|| theme.to_owned()),
            label: None,
            class: if cluster.is_some() { Classification::GeneralizableHigh } else { Classification::EdgeCase },
            confidence: 0.5,
            cluster: cluster.map(str::to_owned),
            contradicts: Vec::new(),
        }
    }

    #[test]
    fn an_example_by_hand() {
        let items = [
            // Found: three of one theme, by two people.
            item("test", "ann", Some("C1")),
            item("test", "bob", Some("C1")),
            item("test", "bob", Some("C1")),
            // Mixed: two thirds are not four fifths.
            item("log", "ann", Some("C2")),
            item("log", "bob", Some("C2")),
            item("one-off-x", "cy", Some("C2")),
            // Recurs but is not found.
            item("log", "ann", None),
            // Alone or empty: not classed as a pattern.
            item("lone", "ann", None),
            item("", "ann", None),
        ];
        let figures = of(&items);
        assert_eq!((figures.pure, figures.found), (Share::new(1, 2), Share::new(1, 2)));
        assert_eq!(figures.called_falsely, Share::new(1, 3));
    }
}
