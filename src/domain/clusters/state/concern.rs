//! The concern that a group voices: that of most of its tied remarks, weighed by how sure each one is.
//!
//! It judges what the members keep, so that a group that was loaded from the index gives the same answer as one that
//! grew in memory. Recognising a remark's concern is not this file's work.

use super::clusters::Groups;
use crate::clusters::keys::ClusterKey;
use crate::clusters::member::Member;
use crate::text::language::catalogue::{Compiled, Concern};
use crate::text::language::direction::Direction;
use std::collections::BTreeMap;

/// The share of the tied remarks, each counted with its probability, from which on a group voices a concern.
const AGREED: f64 = 0.45;
/// The share that suffices where several remarks voice it: they confirm each other.
const CONFIRMED: f64 = 0.35;
const SEVERAL: usize = 3;
/// How many tied remarks are looked at: more would not change what the first ones say.
const LOOK_AT: usize = 256;

/// What the remarks about one axis say together: their weight, how many they are, and the weight of each concern.
type Voices = (f64, usize, BTreeMap<Option<usize>, f64>);

impl Groups {
    /// The concern that a cluster's tied members voice together; `None` where they voice none, or too many.
    pub fn concern<'c>(&self, key: ClusterKey, catalogue: &'c Compiled) -> Option<&'c Concern> {
        let cluster = self.cluster(key);
        let tied = cluster.members.iter().map(|m| self.member(*m)).filter(|m| m.tied).take(LOOK_AT);
        concern_of(tied, catalogue)
    }
}

/// The concern that remarks voice together. A concern and its opposite are about one thing: of the two, a remark asks for
/// the one that points as the remark does. Who waives something asks for the opposite.
fn concern_of<'c, 'm>(remarks: impl Iterator<Item = &'m Member>, catalogue: &'c Compiled) -> Option<&'c Concern> {
    let mut count = 0.0;
    // By axis: its weight, and those of the concerns on it; `None` is what has no name in the catalogue.
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
    // Of equals the first in the catalogue.
    let (_, (weight, voices, concerns)) = axes.into_iter().rev().max_by(|a, b| heavier(a.1.0, b.1.0))?;
    let needed = if voices >= SEVERAL { CONFIRMED } else { AGREED };
    // One remark does not speak for a group, however sure it is what it asks for.
    let most = 2.0 * voices as f64 >= count;
    if weight < needed * count || !most {
        return None;
    }
    let best = concerns.into_iter().rev().max_by(|a, b| heavier(a.1, b.1)).and_then(|(concern, _)| concern)?;
    Some(&catalogue.concerns()[best])
}
