//! The clusters as a map: similar demands are close to each other.
//!
//! Computes positions only, not drawing.

use crate::domain::clusters::layout::{Place, places};
use crate::domain::records::record::ClusterRecord;
use crate::queries::{Comparisons, QueryError};
use crate::text::language::similarity::{Calibration, VectorSum};
use std::collections::HashMap;

/// Maximum number of placed clusters; the largest ones.
pub const MAX_PLACED: usize = 200;
/// Minimum similarity for naming another cluster as the nearest.
const NEAR: f64 = 0.1;

/// A cluster with its place.
#[derive(Clone, Debug)]
pub struct MapCluster {
    /// The cluster.
    pub record: ClusterRecord,
    /// Its position, around (0, 0); clusters with nothing in common are about 1 apart.
    pub place: Place,
    /// The number of the most similar cluster on the map, and the probability that both ask for the same; none if none
    /// is similar.
    pub nearest: Option<(usize, f64)>,
}

/// The clusters as a map.
#[derive(Clone, Debug, Default)]
pub struct ClusterMap {
    /// The clusters, largest first.
    pub groups: Vec<MapCluster>,
    /// Number of clusters that were too many to place.
    pub left_out: usize,
}

/// Builds the map of all clusters in the store. Takes a moment; it changes only with the store.
///
/// # Errors
/// If the index cannot be read.
pub fn group_map(of: &Comparisons<'_>) -> Result<ClusterMap, QueryError> {
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
    let groups = placed.map(|((record, place), nearest)| MapCluster { record, place, nearest }).collect();
    Ok(ClusterMap { groups, left_out })
}
