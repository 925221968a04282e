//! The program's results compared with people's statements: pairs that are the same or different, and proposals that
//! were approved or rejected.
//!
//! It ignores which answers were solicited. People are asked about doubtful cases, so such pairs are harder than random
//! ones.

use super::share::Share;
use super::{Calibrated, calibrated};
use serde::Serialize;

/// The number of answers below which the figures mean little.
pub const ENOUGH: u64 = 20;
const BINS: usize = 10;
/// How many comments of one side are compared with the other: a large cluster must not outweigh everything else.
const COMPARED: usize = 8;

/// People's answer about two sets of comments, given by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether they ask for the same.
    pub same: bool,
    /// One side.
    pub a: Vec<String>,
    /// The other side.
    pub b: Vec<String>,
}

impl Answer {
    /// Returns the pairs of comments across the two sides; for a large side, an evenly spread sample.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        let some = |side: &[String]| side.len().div_ceil(COMPARED).max(1);
        let (step_a, step_b) = (some(&self.a), some(&self.b));
        let across = self.a.iter().step_by(step_a).flat_map(|a| self.b.iter().step_by(step_b).map(move |b| (a, b)));
        across.filter(|(a, b)| a != b).map(|(a, b)| (a.as_str(), b.as_str())).collect()
    }
}

/// A bin of probabilities, a tenth wide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Its lower end.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
    /// The number.
    pub count: u64,
    /// The mean probability.
    pub said: Option<f64>,
    /// The share that came true.
    pub happened: Option<f64>,
}

/// Returns ten bins of probabilities with outcomes.
pub fn bins(said: &[(f64, bool)]) -> Vec<Bin> {
    let place = |p: f64| ((p * BINS as f64) as usize).min(BINS - 1);
    let bin = |at: usize| {
        let here: Vec<(f64, bool)> = said.iter().copied().filter(|(p, _)| place(*p) == at).collect();
        let all = calibrated(&here);
        let edge = |at: usize| at as f64 / BINS as f64;
        Bin { from: edge(at), to: edge(at + 1), count: all.items, said: all.mean, happened: all.right }
    };
    (0..BINS).map(bin).collect()
}

/// How well the similarity agrees with people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The number of pairs compared.
    pub pairs: u64,
    /// Pairs on which the similarity and people agree.
    pub right: Share,
    /// Pairs that count as the same, among those that people say are.
    pub same_found: Share,
    /// Pairs that do not, among those that people say are different.
    pub different_found: Share,
    /// The similarity as the probability that people consider a pair the same.
    pub probability: Calibrated,
    /// The probability by bins.
    pub bins: Vec<Bin>,
}

/// Compares similarities with people's answers; comments count as the same from `similar_at` on.
pub fn agreement(pairs: &[(f64, bool)], similar_at: f64) -> Agreement {
    let taken = |(similarity, _): &(f64, bool)| *similarity >= similar_at;
    let of = |same: bool| Share::count(pairs.iter().filter(|p| p.1 == same).map(|p| taken(p) == same));
    Agreement {
        pairs: pairs.len() as u64,
        right: Share::count(pairs.iter().map(|p| taken(p) == p.1)),
        same_found: of(true),
        different_found: of(false),
        probability: calibrated(pairs),
        bins: bins(pairs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_example_by_hand() {
        let found = agreement(&[(0.9, true), (0.85, false), (0.3, false), (0.5, true)], 0.8);
        assert_eq!((found.right, found.same_found), (Share::new(2, 4), Share::new(1, 2)));
        assert_eq!(found.different_found, Share::new(1, 2));
        let eight = found.bins[8];
        assert_eq!((eight.count, eight.said, eight.happened), (1, Some(0.85), Some(0.0)));
        assert_eq!((found.bins[9].count, found.bins[0].said), (1, None));
        assert_eq!(agreement(&[], 0.8).probability, Calibrated::default());
    }

    #[test]
    fn a_large_side_counts_no_more_than_a_few_of_its_remarks() {
        let side = |name: &str, n: usize| (0..n).map(|i| format!("{name}{i}")).collect::<Vec<_>>();
        let answer = Answer { same: true, a: side("a", 100), b: side("b", 2) };
        let pairs = answer.pairs();
        assert_eq!(pairs.len(), 8 * 2);
        assert!(pairs.contains(&("a91", "b1")), "{pairs:?}");
        let itself = Answer { same: true, a: side("a", 1), b: side("a", 1) };
        assert_eq!(itself.pairs(), []);
    }

    proptest! {
        #[test]
        fn every_pair_is_in_one_bin(said in prop::collection::vec((0.0..=1.0_f64, any::<bool>()), 0..60)) {
            let found = agreement(&said, 0.8);
            prop_assert_eq!(found.bins.iter().map(|b| b.count).sum::<u64>(), said.len() as u64);
            for bin in found.bins.iter().filter(|b| b.count > 0) {
                let mean = bin.said.unwrap();
                prop_assert!(mean >= bin.from - 1e-9 && mean <= bin.to + 1e-9);
            }
            prop_assert_eq!(found.same_found.of + found.different_found.of, found.pairs);
            prop_assert_eq!(found.same_found.part + found.different_found.part, found.right.part);
        }
    }
}
