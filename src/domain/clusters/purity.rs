//! What people's answers imply for automatically formed clusters: the share of them that is right.
//!
//! Each answer about such a cluster shows whether it was right. The share is that of all such clusters, with Jeffreys'
//! interval: a beta distribution that begins with half a cluster of each kind.

use crate::interval::Interval;
use serde::Serialize;
use statrs::distribution::{Beta, ContinuousCDF};

/// Minimum number of judged clusters for any conclusion.
pub const ENOUGH: u64 = 8;
/// Confidence level of the interval.
const SURE: f64 = 0.9;

/// The share of right clusters, as implied by people's answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Purity {
    /// Clusters that people confirmed.
    pub right: u64,
    /// Clusters that they rejected.
    pub wrong: u64,
    /// The share of the right ones, including the half cluster of each kind.
    pub share: f64,
    /// Contains the true share with a probability of nine in ten.
    pub interval: Interval,
}

impl Purity {
    /// Returns the share implied by this many answers; `None` without any.
    pub fn of(right: u64, wrong: u64) -> Option<Purity> {
        if right + wrong == 0 {
            return None;
        }
        let (a, b) = (right as f64 + 0.5, wrong as f64 + 0.5);
        let beta = Beta::new(a, b).ok()?;
        let tail = (1.0 - SURE) / 2.0;
        let interval = Interval { low: beta.inverse_cdf(tail), high: beta.inverse_cdf(1.0 - tail) };
        Some(Purity { right, wrong, share: a / (a + b), interval })
    }

    /// Reports whether it is certain enough that fewer than this share are right.
    pub fn is_below(&self, least: f64) -> bool {
        self.right + self.wrong >= ENOUGH && self.interval.high < least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_answers_say_little_and_many_say_more() {
        assert_eq!(Purity::of(0, 0), None);
        let few = Purity::of(0, ENOUGH - 1).unwrap();
        assert!(!few.is_below(0.75) && few.interval.high < 0.3, "{few:?}");
        let bad = Purity::of(3, 9).unwrap();
        assert!(bad.is_below(0.75) && bad.interval.covers(0.25), "{bad:?}");
        let good = Purity::of(9, 1).unwrap();
        assert!(!good.is_below(0.75) && good.interval.high > 0.95, "{good:?}");
        // As wide as the published Jeffreys interval of 8 of 10.
        let known = Purity::of(8, 2).unwrap();
        assert!((known.interval.low - 0.548).abs() < 0.02 && (known.interval.high - 0.942).abs() < 0.02, "{known:?}");
    }
}
