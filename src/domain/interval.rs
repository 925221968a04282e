//! The confidence of a rate, and the difference of two rates.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

/// The number of decisions, and of those with the correction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CorrectionTally {
    /// Decisions with the correction.
    pub corrections: u64,
    /// All decisions.
    pub decisions: u64,
}

impl CorrectionTally {
    /// Counts decisions by whether they had the correction.
    pub fn of(corrected: impl IntoIterator<Item = bool>) -> CorrectionTally {
        corrected.into_iter().fold(CorrectionTally::default(), |t, corrected| CorrectionTally {
            corrections: t.corrections + u64::from(corrected),
            decisions: t.decisions + 1,
        })
    }

    /// Returns the share of decisions with the correction; 0 if there were none.
    pub fn rate(self) -> f64 {
        if self.decisions == 0 { 0.0 } else { self.corrections as f64 / self.decisions as f64 }
    }
}

/// Two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// Reports whether a value is within the bounds.
    pub fn covers(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// A rate with its underlying counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// The underlying counts.
    #[serde(flatten)]
    pub tally: CorrectionTally,
    /// The rate, 0 to 1.
    pub rate: f64,
    /// Contains the true rate at the policy's confidence (Wilson).
    pub interval: Interval,
}

/// The difference between two rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The second rate minus the first, -1 to 1: below 0 if there are fewer corrections.
    pub difference: f64,
    /// Contains the true difference at the policy's confidence (Newcombe's hybrid score interval).
    pub interval: Interval,
}

/// Returns a rate with its interval; `None` if there were no decisions.
pub fn rate(tally: CorrectionTally, confidence: f64) -> Option<Rate> {
    (tally.decisions > 0).then(|| Rate { tally, rate: tally.rate(), interval: wilson(tally, confidence) })
}

/// Returns the change from one rate to another; `None` if one of them has no decisions.
pub fn change(from: CorrectionTally, to: CorrectionTally, confidence: f64) -> Option<Change> {
    if from.decisions == 0 || to.decisions == 0 {
        return None;
    }
    let (p, q) = (from.rate(), to.rate());
    let (a, b) = (wilson(from, confidence), wilson(to, confidence));
    let difference = q - p;
    let low = difference - (q - b.low).hypot(a.high - p);
    let high = difference + (b.high - q).hypot(p - a.low);
    Some(Change { difference, interval: Interval { low: low.max(-1.0), high: high.min(1.0) } })
}

/// Returns Wilson's score interval. It stays within 0 and 1 and is sound if nothing or everything was corrected.
fn wilson(tally: CorrectionTally, confidence: f64) -> Interval {
    let (n, p) = (tally.decisions as f64, tally.rate());
    let z = Normal::standard().inverse_cdf(0.5 + confidence.clamp(0.5, 0.9999) / 2.0);
    let squared = z * z / n;
    let middle = (p + squared / 2.0) / (1.0 + squared);
    let half = z / (1.0 + squared) * (p * (1.0 - p) / n + squared / (4.0 * n)).sqrt();
    // The bounds meet the ends exactly; rounding would miss them.
    let low = if tally.corrections == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if tally.corrections >= tally.decisions { 1.0 } else { (middle + half).min(1.0) };
    Interval { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tally(corrections: u64, decisions: u64) -> CorrectionTally {
        CorrectionTally { corrections, decisions }
    }

    /// Newcombe 1998, tables II: 56/70 and 48/80; 9/10 and 3/10; 10/10 and 0/20 (method 10).
    #[test]
    fn published_intervals_are_met() {
        for (first, second, low, high) in [
            (tally(48, 80), tally(56, 70), 0.0524, 0.3339),
            (tally(3, 10), tally(9, 10), 0.1705, 0.8090),
            (tally(0, 20), tally(10, 10), 0.6791, 1.0),
        ] {
            let found = change(first, second, 0.95).unwrap().interval;
            assert!((found.low - low).abs() < 5e-5 && (found.high - high).abs() < 5e-5, "{found:?}");
        }
        // Wilson 81/263, Newcombe 1998.
        let found = rate(tally(81, 263), 0.95).unwrap().interval;
        assert!((found.low - 0.2553).abs() < 5e-5 && (found.high - 0.3662).abs() < 5e-5, "{found:?}");
    }

    #[test]
    fn no_decisions_no_rate() {
        assert_eq!(rate(tally(0, 0), 0.95), None);
        assert_eq!(change(tally(0, 0), tally(1, 2), 0.95), None);
    }

    proptest! {
        #[test]
        fn intervals_hold_what_was_seen(a in 0..50u64, b in 0..50u64, c in 0..50u64, d in 0..50u64) {
            let (from, to) = (tally(a, a + b + 1), tally(c, c + d + 1));
            for t in [from, to] {
                let r = rate(t, 0.95).unwrap();
                prop_assert!(r.interval.covers(r.rate) && r.interval.low >= 0.0 && r.interval.high <= 1.0);
            }
            let there = change(from, to, 0.95).unwrap();
            let back = change(to, from, 0.95).unwrap();
            prop_assert!(there.interval.covers(there.difference));
            prop_assert!((there.interval.low + back.interval.high).abs() < 1e-9);
        }
    }
}
