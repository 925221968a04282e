//! Groups and proposals against themes: which groups are of one theme, which themes were found, what was lost.

use super::item::{Item, Labelled};
use super::share::{Share, mean};
use crate::clusters::evaluation::Classification;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The fewest items with which a theme is expected to be found.
pub const LARGE_THEME: u64 = 5;

/// Groups and proposals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Groups {
    pub proposals: Proposals,
    /// Groups of two or more members that are pure, of all such groups.
    pub pure_groups: Share,
    pub themes: Themes,
    /// Unthemed corrections in a group of two or more members, of all unthemed corrections that have content: those
    /// labelled edge case, or all of them where the data has no class labels.
    pub lost: Share,
    /// Near-misses that are known.
    pub near_misses: Vec<NearMiss>,
}

/// Groups that led to a proposal. A group is *pure* where at least 80 % of its members have one theme; members
/// without a theme count against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Proposals {
    /// Distinct proposals: several clusters may have led to one.
    pub proposals: u64,
    /// Pure ones among the clusters with a proposal.
    pub pure: Share,
}

/// Themes with [`LARGE_THEME`] corrections or more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Themes {
    /// Those that are the majority of a pure group with a proposal, of all.
    pub found: Share,
    /// The mean share of a theme's corrections that lie in the cluster that has most of them. A correction in no
    /// cluster is alone.
    pub largest_cluster: Option<f64>,
    /// Distinct proposals per found theme: of all clusters, pure or not, whose majority it is.
    pub proposals_per_found: Option<f64>,
}

/// Two themes that share words and ask for different things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NearMiss {
    pub one: String,
    pub other: String,
    /// Clusters in which each of them has at least 20 % of the members.
    pub mixed_in: Vec<String>,
}

/// A group's members by theme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupTally<'a> {
    /// All members.
    pub members: u64,
    /// Those that have a theme.
    pub themes: BTreeMap<&'a str, u64>,
}

impl<'a> GroupTally<'a> {
    /// The most frequent theme and how many members have it.
    pub fn majority(&self) -> Option<(&'a str, u64)> {
        self.themes.iter().map(|(t, n)| (*t, *n)).max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)))
    }

    /// Whether at least 80 % have one theme.
    pub fn is_pure(&self) -> bool {
        self.majority().is_some_and(|(_, n)| n * 5 >= self.members * 4)
    }

    fn has_fifth_of(&self, theme: &str) -> bool {
        self.themes.get(theme).is_some_and(|n| n * 5 >= self.members)
    }
}

/// All clusters by their ids.
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

/// A theme's corrections: how many there are, and how many of them in which group.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread<'a> {
    /// All of them.
    pub items: u64,
    /// Those in clusters.
    pub clusters: BTreeMap<&'a str, u64>,
}

impl Spread<'_> {
    /// The share in the group that has most of them.
    pub fn largest(&self) -> f64 {
        self.clusters.values().copied().max().unwrap_or(1) as f64 / self.items.max(1) as f64
    }
}

/// All themes by their names.
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

/// The distinct proposals of the clusters whose majority a theme is.
pub(super) fn proposals_of<'a>(
    data: &'a Labelled,
    tallies: &BTreeMap<&str, GroupTally<'_>>,
    theme: &str,
) -> BTreeSet<&'a str> {
    let of_theme = |cluster: &str| tallies.get(cluster).and_then(GroupTally::majority).is_some_and(|(t, _)| t == theme);
    data.proposals.iter().filter(|(cluster, _)| of_theme(cluster)).map(|(_, p)| p.id.as_str()).collect()
}

pub(super) fn of(data: &Labelled) -> Groups {
    let tallies = tallies(&data.items);
    let proposed: Vec<&GroupTally<'_>> = data.proposals.keys().filter_map(|c| tallies.get(c.as_str())).collect();
    let distinct: BTreeSet<&str> = data.proposals.values().map(|p| p.id.as_str()).collect();
    let pure = proposed.iter().filter(|t| t.is_pure()).filter_map(|t| t.majority());
    let found: BTreeSet<&str> = pure.map(|(theme, _)| theme).collect();
    let spreads = spreads(&data.items);
    let large = || spreads.iter().filter(|(_, spread)| spread.items >= LARGE_THEME);
    let fragments = |theme: &str| proposals_of(data, &tallies, theme).len() as f64;
    Groups {
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
