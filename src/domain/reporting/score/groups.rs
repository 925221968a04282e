//! Clusters and proposals compared with themes: which clusters are of one theme, which themes were found, what was
//! lost.

use super::item::{Item, Labelled};
use super::share::{Share, mean};
use crate::clusters::evaluation::Classification;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The minimum size of a theme that is expected to be found.
pub const LARGE_THEME: u64 = 5;

/// Clusters and proposals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterScores {
    pub proposals: Proposals,
    /// Pure clusters among those with two or more members.
    pub pure_groups: Share,
    pub themes: Themes,
    /// Unthemed corrections in a cluster of two or more members, among all unthemed corrections with content: those
    /// labelled one-off, or all of them if the data has no class labels.
    pub lost: Share,
    /// Known near-misses.
    pub near_misses: Vec<NearMiss>,
}

/// Clusters that led to a proposal. A cluster is *pure* if at least 80 % of its members have one theme; members without
/// a theme count against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Proposals {
    /// Distinct proposals: several clusters may have led to the same one.
    pub proposals: u64,
    /// Pure clusters among those with a proposal.
    pub pure: Share,
}

/// Themes with at least [`LARGE_THEME`] corrections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Themes {
    /// Themes that are the majority of a pure cluster with a proposal, among all.
    pub found: Share,
    /// The mean share of a theme's corrections in its largest cluster. A correction outside clusters is alone.
    pub largest_cluster: Option<f64>,
    /// Distinct proposals per found theme, from all clusters with that majority, pure or not.
    pub proposals_per_found: Option<f64>,
}

/// Two themes that share words but ask for different things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NearMiss {
    pub one: String,
    pub other: String,
    /// Clusters in which each has at least 20 % of the members.
    pub mixed_in: Vec<String>,
}

/// A cluster's members by theme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupTally<'a> {
    /// All members.
    pub members: u64,
    /// Members with a theme.
    pub themes: BTreeMap<&'a str, u64>,
}

impl<'a> GroupTally<'a> {
    /// Returns the most frequent theme and its number of members.
    pub fn majority(&self) -> Option<(&'a str, u64)> {
        self.themes.iter().map(|(t, n)| (*t, *n)).max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)))
    }

    /// Reports whether at least 80 % have one theme.
    pub fn is_pure(&self) -> bool {
        self.majority().is_some_and(|(_, n)| n * 5 >= self.members * 4)
    }

    fn has_fifth_of(&self, theme: &str) -> bool {
        self.themes.get(theme).is_some_and(|n| n * 5 >= self.members)
    }
}

/// Returns all clusters by id.
pub(super) fn tallies(items: &[Item]) -> BTreeMap<&str, GroupTally<'_>> {
    let mut all: BTreeMap<&str, GroupTally<'_>> = BTreeMap::new();
    for item in items {
        let Some(cluster) = item.cluster.as_deref() else { continue };
        let tally = all.entry(cluster).or_default();
        tally.members += 1;
        if let Some(theme) = item.asked() {
            *tally.themes.entry(theme).or_default() += 1;
        }
    }
    all
}

/// A theme's corrections: the total, and the number in each cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread<'a> {
    /// The total.
    pub items: u64,
    /// Those in clusters.
    pub clusters: BTreeMap<&'a str, u64>,
}

impl Spread<'_> {
    /// Returns the share in its largest cluster.
    pub fn largest(&self) -> f64 {
        self.clusters.values().copied().max().unwrap_or(1) as f64 / self.items.max(1) as f64
    }
}

/// Returns all themes by name.
pub(super) fn spreads(items: &[Item]) -> BTreeMap<&str, Spread<'_>> {
    let mut all: BTreeMap<&str, Spread<'_>> = BTreeMap::new();
    for item in items {
        let Some(theme) = item.asked() else { continue };
        let spread = all.entry(theme).or_default();
        spread.items += 1;
        if let Some(cluster) = item.cluster.as_deref() {
            *spread.clusters.entry(cluster).or_default() += 1;
        }
    }
    all
}

/// Returns the distinct proposals of the clusters in which a theme is the majority.
pub(super) fn proposals_of<'a>(
    data: &'a Labelled,
    tallies: &BTreeMap<&str, GroupTally<'_>>,
    theme: &str,
) -> BTreeSet<&'a str> {
    let of_theme = |cluster: &str| tallies.get(cluster).and_then(GroupTally::majority).is_some_and(|(t, _)| t == theme);
    data.proposals.iter().filter(|(cluster, _)| of_theme(cluster)).map(|(_, p)| p.id.as_str()).collect()
}

pub(super) fn of(data: &Labelled) -> ClusterScores {
    let tallies = tallies(&data.items);
    let proposed: Vec<&GroupTally<'_>> = data.proposals.keys().filter_map(|c| tallies.get(c.as_str())).collect();
    let distinct: BTreeSet<&str> = data.proposals.values().map(|p| p.id.as_str()).collect();
    let pure = proposed.iter().filter(|t| t.is_pure()).filter_map(|t| t.majority());
    let found: BTreeSet<&str> = pure.map(|(theme, _)| theme).collect();
    let spreads = spreads(&data.items);
    let large = || spreads.iter().filter(|(_, spread)| spread.items >= LARGE_THEME);
    let fragments = |theme: &str| proposals_of(data, &tallies, theme).len() as f64;
    ClusterScores {
        proposals: Proposals {
            proposals: distinct.len() as u64,
            pure: Share::count(proposed.iter().map(|t| t.is_pure())),
        },
        pure_groups: Share::count(tallies.values().filter(|t| t.members >= 2).map(GroupTally::is_pure)),
        themes: Themes {
            found: Share::count(large().map(|(theme, _)| found.contains(theme))),
            largest_cluster: mean(large().map(|(_, spread)| spread.largest())),
            proposals_per_found: mean(large().filter(|(t, _)| found.contains(*t)).map(|(t, _)| fragments(t))),
        },
        lost: lost(&data.items, &tallies),
        near_misses: data.truth.near_misses.iter().map(|(one, other)| near_miss(one, other, &tallies)).collect(),
    }
}

fn lost(items: &[Item], tallies: &BTreeMap<&str, GroupTally<'_>>) -> Share {
    let labelled = items.iter().any(|i| i.label.is_some());
    let has_content = |i: &&Item| !labelled || i.label == Some(Classification::EdgeCase);
    let grouped = |i: &Item| i.cluster.as_deref().and_then(|c| tallies.get(c)).is_some_and(|t| t.members >= 2);
    Share::count(items.iter().filter(|i| i.is_unthemed_correction()).filter(has_content).map(grouped))
}

fn near_miss(one: &str, other: &str, tallies: &BTreeMap<&str, GroupTally<'_>>) -> NearMiss {
    let mixed = tallies.iter().filter(|(_, t)| t.has_fifth_of(one) && t.has_fifth_of(other));
    let mixed_in = mixed.map(|(cluster, _)| (*cluster).to_owned()).collect();
    NearMiss { one: one.to_owned(), other: other.to_owned(), mixed_in }
}
