//! The weight of phrasing features for concerns: features frequent in one concern and rare elsewhere weigh most.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// The concerns that have a feature, by index, with its weight for each.
pub(super) type Weights = Vec<(u16, f32)>;

/// Computes the weights of all features for concerns, each given as its phrasings; those of a concern form a vector of
/// length 1. `features` returns the distinct ones of a phrasing; `rareness` is a feature's weight by the number of
/// concerns that have it.
pub(super) fn weigh<'t, F: Ord + Hash>(
    concerns: impl Iterator<Item = &'t [String]>,
    features: impl Fn(&str) -> Vec<F>,
    rareness: impl Fn(usize) -> f32,
) -> BTreeMap<F, Weights> {
    // Sorted: floating-point sums depend on the order, and a score must be reproducible.
    let mut weights: BTreeMap<F, Weights> = BTreeMap::new();
    let mut lengths: Vec<f32> = Vec::new();
    for (concern, phrasings) in (0_u16..).zip(concerns) {
        let mut counts: HashMap<F, f32> = HashMap::new();
        let all = phrasings.iter().flat_map(|phrasing| features(phrasing));
        all.for_each(|feature| *counts.entry(feature).or_default() += 1.0);
        counts.into_iter().for_each(|(feature, n)| weights.entry(feature).or_default().push((concern, 1.0 + n.ln())));
        lengths.push(0.0);
    }
    for used in weights.values_mut() {
        let rare = rareness(used.len());
        for (concern, weight) in used {
            *weight *= rare;
            lengths[usize::from(*concern)] += *weight * *weight;
        }
    }
    for (concern, weight) in weights.values_mut().flatten() {
        *weight /= lengths[usize::from(*concern)].sqrt().max(1e-9);
    }
    weights
}
