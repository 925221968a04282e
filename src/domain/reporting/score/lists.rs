//! Lists of errors: themes with the clusters that contain them, clusters with their comments.

use super::groups::{GroupTally, proposals_of, spreads, tallies};
use super::item::{Labelled, Proposed};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The number of comments shown per cluster.
pub const REMARKS: usize = 12;
/// The minimum size of a displayed cluster.
const SHOWN: u64 = 3;

/// A theme and its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThemeRow {
    /// Its name.
    pub theme: String,
    /// Its corrections.
    pub items: u64,
    /// Distinct comments among them.
    pub remarks: u64,
    /// Distinct reviewers.
    pub reviewers: u64,
    /// The share of its corrections in its largest cluster.
    pub largest_share: f64,
    /// Clusters with any of its corrections.
    pub clusters: u64,
    /// Corrections in no cluster.
    pub alone: u64,
    /// Distinct proposals of clusters in which it is the majority.
    pub proposals: u64,
    /// Its clusters that also have other members.
    pub mixed: Vec<Mixed>,
}

/// A cluster that mixes themes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mixed {
    /// The line's id.
    pub cluster: String,
    /// Its members by theme.
    pub themes: Vec<ThemeCount>,
}

/// The number of members with a theme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThemeCount {
    /// The theme; `None` for members without one.
    pub theme: Option<String>,
    /// The number.
    pub items: u64,
}

/// A cluster and its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterRow {
    /// The line's id.
    pub cluster: String,
    pub agent: String,
    pub members: u64,
    /// Whether at least 80 % of its members have one theme.
    pub pure: bool,
    /// Its members by theme, the most frequent first.
    pub themes: Vec<ThemeCount>,
    pub proposal: Option<Proposed>,
    /// Distinct comments.
    pub distinct: u64,
    /// The first of them, at most [`REMARKS`].
    pub remarks: Vec<Remark>,
}

/// A comment with its theme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The theme of the first item with this text.
    pub theme: Option<String>,
    /// The text.
    pub text: String,
}

/// Returns every theme, sorted by name.
pub fn theme_rows(data: &Labelled) -> Vec<ThemeRow> {
    let tallies = tallies(&data.items);
    let row = |(theme, spread): (&str, super::groups::Spread<'_>)| {
        let items = || data.items.iter().filter(|i| i.asked() == Some(theme));
        let remarks: BTreeSet<&str> = items().map(|i| i.remark.as_str()).collect();
        let reviewers: BTreeSet<&str> = items().map(|i| i.reviewer.as_str()).collect();
        let held = spread.clusters.iter().filter_map(|(cluster, n)| Some((*cluster, *n, tallies.get(cluster)?)));
        let mixed = held.filter(|(_, n, tally)| tally.members > *n);
        ThemeRow {
            theme: theme.to_owned(),
            items: spread.items,
            remarks: remarks.len() as u64,
            reviewers: reviewers.len() as u64,
            largest_share: spread.largest(),
            clusters: spread.clusters.len() as u64,
            alone: spread.items - spread.clusters.values().sum::<u64>(),
            proposals: proposals_of(data, &tallies, theme).len() as u64,
            mixed: mixed.map(|(id, _, tally)| Mixed { cluster: id.to_owned(), themes: counts(tally) }).collect(),
        }
    };
    spreads(&data.items).into_iter().map(row).collect()
}

/// Returns every cluster of three or more members, the largest first.
pub fn cluster_rows(data: &Labelled) -> Vec<ClusterRow> {
    let row = |(cluster, tally): (&str, GroupTally<'_>)| {
        let mut agent = "";
        let mut distinct: BTreeMap<&str, usize> = BTreeMap::new();
        let mut remarks = Vec::new();
        for item in data.items.iter().filter(|i| i.cluster.as_deref() == Some(cluster)) {
            agent = &item.agent;
            let place = distinct.len();
            if *distinct.entry(&item.remark).or_insert(place) == place && remarks.len() < REMARKS {
                remarks.push(Remark { theme: item.theme.clone(), text: item.remark.clone() });
            }
        }
        ClusterRow {
            cluster: cluster.to_owned(),
            agent: agent.to_owned(),
            members: tally.members,
            pure: tally.is_pure(),
            themes: counts(&tally),
            proposal: data.proposals.get(cluster).cloned(),
            distinct: distinct.len() as u64,
            remarks,
        }
    };
    let mut rows: Vec<ClusterRow> =
        tallies(&data.items).into_iter().filter(|(_, tally)| tally.members >= SHOWN).map(row).collect();
    rows.sort_by(|a, b| b.members.cmp(&a.members).then(a.cluster.cmp(&b.cluster)));
    rows
}

fn counts(tally: &GroupTally<'_>) -> Vec<ThemeCount> {
    let mut all: Vec<ThemeCount> =
        tally.themes.iter().map(|(theme, n)| ThemeCount { theme: Some((*theme).to_owned()), items: *n }).collect();
    let themed: u64 = tally.themes.values().sum();
    if tally.members > themed {
        all.push(ThemeCount { theme: None, items: tally.members - themed });
    }
    all.sort_by_key(|c| std::cmp::Reverse(c.items));
    all
}
