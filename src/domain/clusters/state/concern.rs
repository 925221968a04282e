//! The concern that a cluster voices: that of most of its tied comments, weighted by confidence.
//!
//! It is based on what the members store, so that a cluster loaded from the index gives the same answer as one that
//! grew in memory. A comment's concern is recognised elsewhere.

use super::clusters::Clusters;
use crate::clusters::keys::ClusterKey;
use crate::clusters::member::Member;
use crate::text::language::catalogue::{CompiledCatalogue, Concern};
use crate::text::language::direction::Direction;
use std::collections::BTreeMap;

/// The share of tied comments, weighted by probability, from which a cluster voices a concern.
const AGREED: f64 = 0.45;
/// The share that suffices if several comments voice it: they confirm each other.
const CONFIRMED: f64 = 0.35;
const SEVERAL: usize = 3;
/// Maximum number of tied comments considered: more would not change the result.
const LOOK_AT: usize = 256;

/// The comments about one axis: their weight, their number, and the weight of each concern.
type Voices = (f64, usize, BTreeMap<Option<usize>, f64>);

impl Clusters {
    /// Returns the concern that a cluster's tied members voice together; `None` if they voice none, or too many.
    pub fn concern<'c>(&self, key: ClusterKey, catalogue: &'c CompiledCatalogue) -> Option<&'c Concern> {
        let cluster = self.cluster(key);
        let tied = cluster.members.iter().map(|m| self.member(*m)).filter(|m| m.tied).take(LOOK_AT);
        concern_of(tied, catalogue)
    }
}

/// Returns the concern that comments voice together. A concern and its opposite are about one thing: a comment asks for
/// the one that matches its direction. A waiver asks for the opposite.
fn concern_of<'c, 'm>(
    remarks: impl Iterator<Item = &'m Member>,
    catalogue: &'c CompiledCatalogue,
) -> Option<&'c Concern> {
    let mut count = 0.0;
    // By axis: its weight, and those of its concerns; `None` if it has no name in the catalogue.
    let mut axes: BTreeMap<u16, Voices> = BTreeMap::new();
    for remark in remarks {
        count += 1.0;
        let Some(voiced) = &remark.voiced else { continue };
        let Some(place) = catalogue.place(&voiced.concern) else { continue };
        let towards = catalogue.towards(place);
        let unclear = [towards, remark.direction].contains(&Direction::Unclear);
        let contrary = if unclear { voiced.waived } else { towards.opposes(remark.direction) };
        let meant = if contrary { catalogue.opposite(place) } else { Some(place) };
        let (weight, voices, concerns) = axes.entry(catalogue.axis(place)).or_default();
        *weight += voiced.probability;
        *voices += 1;
        *concerns.entry(meant).or_default() += voiced.probability;
    }
    let heavier = |a: f64, b: f64| a.total_cmp(&b);
    // On a tie, the first in the catalogue.
    let (_, (weight, voices, concerns)) = axes.into_iter().rev().max_by(|a, b| heavier(a.1.0, b.1.0))?;
    let needed = if voices >= SEVERAL { CONFIRMED } else { AGREED };
    // One comment does not represent a cluster, however certain its demand.
    let most = 2.0 * voices as f64 >= count;
    if weight < needed * count || !most {
        return None;
    }
    let best = concerns.into_iter().rev().max_by(|a, b| heavier(a.1, b.1)).and_then(|(concern, _)| concern)?;
    Some(&catalogue.concerns()[best])
}
