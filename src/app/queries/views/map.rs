//! The groups as a map: those that ask for something alike lie near each other.
//!
//! Says where each lies; how that is drawn is not said here.

use crate::domain::clusters::layout::{Place, places};
use crate::domain::records::record::ClusterRecord;
use crate::queries::{Comparisons, QueryError};
use crate::text::language::similarity::{Calibration, VectorSum};
use std::collections::HashMap;

/// So many groups have a place; the largest ones.
pub const MAX_PLACED: usize = 200;
/// From which similarity on another group is named as the nearest.
const NEAR: f64 = 0.1;

/// A group with its place.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The group.
    pub record: ClusterRecord,
    /// Where it lies, around (0, 0); groups with nothing in common lie about 1 apart.
    pub place: Place,
    /// Which of the groups on the map is most alike, by its number, and how likely both ask for the same; nothing where none
    /// is alike.
    pub nearest: Option<(usize, f64)>,
}

/// The groups as a map.
#[derive(Clone, Debug, Default)]
pub struct GroupMap {
    /// The groups, the largest first.
    pub groups: Vec<Placed>,
    /// How many groups have no place, as there are too many.
    pub left_out: usize,
}

/// Makes the map of all groups of the store. Takes a moment; it is the same as long as the store is.
///
/// # Errors
/// Where the index cannot be read.
pub fn group_map(of: &Comparisons<'_>) -> Result<GroupMap, QueryError> {
    let mut groups: Vec<ClusterRecord> = of.queries.clusters(None)?.into_iter().map(|group| group.record).collect();
    groups.retain(|group| group.merged_into.is_none() && group.members > 0);
    groups.sort_by(|a, b| b.members.cmp(&a.members).then_with(|| a.cluster_id.cmp(&b.cluster_id)));
    let left_out = groups.len().saturating_sub(MAX_PLACED);
    groups.truncate(MAX_PLACED);
    let mut sums = vec![VectorSum::default(); groups.len()];
    let numbers: HashMap<&str, usize> = groups.iter().enumerate().map(|(n, g)| (g.cluster_id.as_str(), n)).collect();
    of.queries.index.each_feedback(&mut |remark| {
        let group = remark.cluster.as_deref().and_then(|id| numbers.get(id));
        if let (Some(group), Some(vector)) = (group, &remark.vector) {
            sums[*group].add(vector);
        }
    })?;
    let calibration = Calibration::new(of.understanding.t80());
    let mut nearest: Vec<Option<(usize, f64)>> = vec![None; groups.len()];
    let places = places(groups.len(), |a, b| {
        let alike = calibration.similarity(sums[a].mean_cross_cosine(&sums[b]));
        for (one, other) in [(a, b), (b, a)] {
            if alike >= NEAR && nearest[one].is_none_or(|(_, best)| alike > best) {
                nearest[one] = Some((other, alike));
            }
        }
        1.0 - alike
    });
    let placed = groups.into_iter().zip(places).zip(nearest);
    let groups = placed.map(|((record, place), nearest)| Placed { record, place, nearest }).collect();
    Ok(GroupMap { groups, left_out })
}
