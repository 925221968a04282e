//! Classes: those that specification, "Classification" derives from the themes, the reviewers and the order of events,
//! compared with those given.

use super::item::{Item, Labelled};
use super::share::{Share, mean};
use crate::clusters::evaluation::Classification;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The right class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    pub class: Classification,
    /// An alternative class that is right as well.
    pub or: Option<Classification>,
}

impl Expected {
    /// Reports whether a class is right.
    pub fn allows(self, class: Classification) -> bool {
        self.class == class || self.or == Some(class)
    }

    /// Returns the right class to compare a given one with: the given one itself, if it is right.
    pub fn against(self, given: Classification) -> Classification {
        if self.allows(given) { given } else { self.class }
    }
}

/// Classes over all items.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Classes {
    /// Items whose class is right.
    pub right: Share,
    /// The figures of each class.
    pub by_class: Vec<ClassFigures>,
    /// The mean F1 of the occurring classes.
    pub macro_f1: Option<f64>,
    /// The mean F1 against the data's own labels, which are coarser in time and label unthemed corrections without
    /// content `AMBIGUOUS`. `None` if there are no labels.
    pub macro_f1_labels: Option<f64>,
    /// Counts of given classes for each right class, in the order of [`Classification::ALL`].
    pub confusion: [[u64; 5]; 5],
    /// Contradictory pairs.
    pub contradictions: Vec<Contradiction>,
    /// `AMBIGUOUS` on items outside any contradictory pair.
    pub false_ambiguous: u64,
    /// Themes raised by a single reviewer: the one named by the truth, or all with two or more corrections.
    pub one_reviewer: Vec<OneReviewer>,
}

/// Precision, recall and F1 of a class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassFigures {
    pub class: Classification,
    /// Items for which it is right.
    pub expected: u64,
    /// Items to which it was given.
    pub given: u64,
    /// The share of right items among those given it; `None` if it was never given.
    pub precision: Option<f64>,
    /// The share of items given it among those for which it is right; `None` if there are none.
    pub recall: Option<f64>,
    /// 2 · hits / (expected + given).
    pub f1: Option<f64>,
}

/// Two themes that ask for opposites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contradiction {
    /// The earlier side.
    pub first: String,
    /// The later side.
    pub second: String,
    /// Items of both sides.
    pub items: u64,
    /// Items that were given `AMBIGUOUS`.
    pub flagged: u64,
    /// How many of those cite an item of the other side. One is enough for the contradiction to be detected.
    pub citing: u64,
}

/// The result for a theme raised by a single reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OneReviewer {
    pub theme: String,
    pub items: u64,
    /// Given `GENERALIZABLE_LOW`, which is right.
    pub low: u64,
    /// Given `GENERALIZABLE_HIGH`.
    pub high: u64,
    /// Given `EDGE_CASE`.
    pub edge: u64,
}

/// Returns the right class of each item.
///
/// Positive: `POSITIVE`. An unthemed correction: `EDGE_CASE`. A theme with items of two or more reviewers:
/// `GENERALIZABLE_HIGH`; with two or more items of one: `GENERALIZABLE_LOW`; with a single item: `EDGE_CASE`. In a
/// contradictory pair, the later side is `AMBIGUOUS`. The earlier side keeps its usual class, and from the later side's
/// first item on, `AMBIGUOUS` is right as well.
pub fn expected(data: &Labelled) -> Vec<Expected> {
    let mut themes: BTreeMap<&str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for item in &data.items {
        if let Some(theme) = item.asked() {
            let (items, reviewers) = themes.entry(theme).or_default();
            *items += 1;
            reviewers.insert(&item.reviewer);
        }
    }
    let pattern = |theme: &str| match themes.get(theme).map(|(items, reviewers)| (*items, reviewers.len())) {
        Some((_, 2..)) => Classification::GeneralizableHigh,
        Some((2.., _)) => Classification::GeneralizableLow,
        _ => Classification::EdgeCase,
    };
    let pairs = pairs(data);
    let class = |(at, item): (usize, &Item)| {
        let alone = |class| Expected { class, or: None };
        let Some(theme) = item.asked() else {
            return alone(if item.is_positive() { Classification::Positive } else { Classification::EdgeCase });
        };
        if pairs.iter().any(|p| p.second == theme) {
            return alone(Classification::Ambiguous);
        }
        let contested = pairs.iter().any(|p| p.first == theme && at > p.turn);
        Expected { class: pattern(theme), or: contested.then_some(Classification::Ambiguous) }
    };
    data.items.iter().enumerate().map(class).collect()
}

/// A contradictory pair in order.
struct Pair<'a> {
    first: &'a str,
    second: &'a str,
    /// The position of the later side's first item.
    turn: usize,
}

/// Returns the pair named by the truth; otherwise, for each agent, its two themes with items labelled ambiguous, if
/// there are exactly two. A side without items contradicts nothing.
fn pairs(data: &Labelled) -> Vec<Pair<'_>> {
    let begins = |theme: &str| data.items.iter().position(|i| i.asked() == Some(theme));
    let named: Vec<(&str, &str)> = match &data.truth.contradictory_pair {
        Some((a, b)) => vec![(a, b)],
        None => labelled_pairs(&data.items),
    };
    let ordered = named.into_iter().filter_map(|(a, b)| {
        let (at, bt) = (begins(a)?, begins(b)?);
        Some(if at < bt { Pair { first: a, second: b, turn: bt } } else { Pair { first: b, second: a, turn: at } })
    });
    ordered.collect()
}

fn labelled_pairs(items: &[Item]) -> Vec<(&str, &str)> {
    let mut by_agent: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for item in items.iter().filter(|i| i.label == Some(Classification::Ambiguous)) {
        if let Some(theme) = item.asked() {
            by_agent.entry(&item.agent).or_default().insert(theme);
        }
    }
    let mut pairs = Vec::new();
    for themes in by_agent.values() {
        if let [a, b] = themes.iter().copied().collect::<Vec<_>>()[..] {
            pairs.push((a, b));
        }
    }
    pairs
}

pub(super) fn of(data: &Labelled, expected: &[Expected]) -> Classes {
    let items = &data.items;
    let held: Vec<_> = items.iter().zip(expected).map(|(i, e)| (e.against(i.class), i.class)).collect();
    let labels: Vec<_> = items.iter().filter_map(|i| Some((i.label?, i.class))).collect();
    let (by_class, confusion) = figures(&held);
    let pairs = pairs(data);
    let in_pair = |i: &Item| i.asked().is_some_and(|t| pairs.iter().any(|p| p.first == t || p.second == t));
    let flagged = items.iter().filter(|i| i.class == Classification::Ambiguous);
    Classes {
        right: Share::count(items.iter().zip(expected).map(|(i, e)| e.allows(i.class))),
        macro_f1: macro_f1(&by_class),
        macro_f1_labels: macro_f1(&figures(&labels).0),
        by_class,
        confusion,
        false_ambiguous: flagged.filter(|i| !in_pair(i)).count() as u64,
        contradictions: pairs.iter().map(|p| contradiction(p, items)).collect(),
        one_reviewer: one_reviewer(data),
    }
}

/// Computes figures and confusion from pairs of the right class and the given one.
pub fn figures(held: &[(Classification, Classification)]) -> (Vec<ClassFigures>, [[u64; 5]; 5]) {
    let place = |class: Classification| Classification::ALL.iter().position(|c| *c == class).unwrap_or_default();
    let mut confusion = [[0_u64; 5]; 5];
    for (right, given) in held {
        confusion[place(*right)][place(*given)] += 1;
    }
    let ratio = |part: u64, of: u64| Share::new(part, of).share;
    let of_class = |(at, class): (usize, Classification)| {
        let (expected, given) = (confusion[at].iter().sum(), confusion.iter().map(|row| row[at]).sum());
        let hits = confusion[at][at];
        let (precision, recall) = (ratio(hits, given), ratio(hits, expected));
        ClassFigures { class, expected, given, precision, recall, f1: ratio(2 * hits, expected + given) }
    };
    (Classification::ALL.into_iter().enumerate().map(of_class).collect(), confusion)
}

fn macro_f1(figures: &[ClassFigures]) -> Option<f64> {
    mean(figures.iter().filter(|f| f.expected > 0).filter_map(|f| f.f1))
}

fn contradiction(pair: &Pair<'_>, items: &[Item]) -> Contradiction {
    let ids = |theme: &str| -> BTreeSet<&str> {
        items.iter().filter(|i| i.asked() == Some(theme)).map(|i| i.id.as_str()).collect()
    };
    let (first, second) = (ids(pair.first), ids(pair.second));
    let flagged: Vec<&Item> = items
        .iter()
        .filter(|i| i.class == Classification::Ambiguous)
        .filter(|i| i.asked() == Some(pair.first) || i.asked() == Some(pair.second))
        .collect();
    let cites = |i: &&&Item| {
        let other = if i.asked() == Some(pair.first) { &second } else { &first };
        i.contradicts.iter().any(|id| other.contains(id.as_str()))
    };
    Contradiction {
        first: pair.first.to_owned(),
        second: pair.second.to_owned(),
        items: (first.len() + second.len()) as u64,
        flagged: flagged.len() as u64,
        citing: flagged.iter().filter(cites).count() as u64,
    }
}

fn one_reviewer(data: &Labelled) -> Vec<OneReviewer> {
    let mut themes: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in &data.items {
        if let Some(theme) = item.asked() {
            themes.entry(theme).or_default().push(item);
        }
    }
    let named = data.truth.single_reviewer_theme.as_deref();
    themes.retain(|theme, items| match named {
        Some(named) => *theme == named,
        None => items.len() >= 2 && items.iter().all(|i| i.reviewer == items[0].reviewer),
    });
    let of_theme = |(theme, items): (&str, Vec<&Item>)| {
        let given = |class| items.iter().filter(|i| i.class == class).count() as u64;
        OneReviewer {
            theme: theme.to_owned(),
            items: items.len() as u64,
            low: given(Classification::GeneralizableLow),
            high: given(Classification::GeneralizableHigh),
            edge: given(Classification::EdgeCase),
        }
    };
    themes.into_iter().map(of_theme).collect()
}
