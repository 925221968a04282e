//! The quality of the confidence: whether it is a calibrated probability, and what is gained by waiting for more.

use super::classes::Expected;
use super::groups::{GroupTally, tallies};
use super::item::{Item, Labelled};
use super::share::{Share, mean};
use crate::clusters::evaluation::Classification;
use serde::Serialize;

/// The thresholds of the abstention curve.
pub const THRESHOLDS: [f64; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// The number of equal-width bins of the calibration error.
const BINS: usize = 10;

/// The quality of the confidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confidence {
    /// Over all items.
    pub all: Calibrated,
    /// By given class.
    pub by_class: Vec<(Classification, Calibrated)>,
    /// Coverage and accuracy if only confident patterns count.
    pub abstention: Vec<Abstention>,
}

/// The distance of probabilities from outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Calibrated {
    /// The number of items.
    pub items: u64,
    /// The mean confidence.
    pub mean: Option<f64>,
    /// The share whose class is right.
    pub right: Option<f64>,
    /// The expected calibration error: over ten equal-width bins, the mean distance between confidence and the share
    /// that is right, weighted by items.
    pub ece: Option<f64>,
    /// The mean squared distance between the confidence and 1 or 0.
    pub brier: Option<f64>,
}

/// One threshold of the abstention curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Abstention {
    /// The minimum confidence.
    pub at: f64,
    /// Corrections classed as a pattern (`GENERALIZABLE_*`) with at least that confidence, among all corrections.
    pub coverage: Share,
    /// Those of them whose theme is their cluster's majority theme. One without a theme or a cluster is wrong.
    pub right: Share,
}

/// Compares probabilities with outcomes.
pub fn calibrated(said: &[(f64, bool)]) -> Calibrated {
    let mut bins = [(0.0, 0.0); BINS];
    for (p, right) in said {
        // The cast truncates, and out-of-range values end up in the outer bins.
        let bin = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + p, bin.1 + f64::from(u8::from(*right)));
    }
    // A bin's weight times its distance is the difference of its sums.
    let distance: f64 = bins.iter().map(|(p, right)| (p - right).abs()).sum();
    let happened = |right: bool| f64::from(u8::from(right));
    Calibrated {
        items: said.len() as u64,
        mean: mean(said.iter().map(|(p, _)| *p)),
        right: mean(said.iter().map(|(_, right)| happened(*right))),
        ece: (!said.is_empty()).then(|| distance / said.len() as f64),
        brier: mean(said.iter().map(|(p, right)| (p - happened(*right)).powi(2))),
    }
}

pub(super) fn of(data: &Labelled, expected: &[Expected]) -> Confidence {
    let said = |class: Option<Classification>| -> Vec<(f64, bool)> {
        let chosen = data.items.iter().zip(expected).filter(|(i, _)| class.is_none_or(|c| i.class == c));
        chosen.map(|(i, e)| (i.confidence, e.allows(i.class))).collect()
    };
    Confidence {
        all: calibrated(&said(None)),
        by_class: Classification::ALL.into_iter().map(|c| (c, calibrated(&said(Some(c))))).collect(),
        abstention: abstention(&data.items),
    }
}

fn abstention(items: &[Item]) -> Vec<Abstention> {
    let tallies = tallies(items);
    let corrections: Vec<&Item> = items.iter().filter(|i| !i.is_positive()).collect();
    let is_pattern = |i: &Item| matches!(i.class, Classification::GeneralizableHigh | Classification::GeneralizableLow);
    let own = |i: &Item| {
        let majority = i.cluster.as_deref().and_then(|c| tallies.get(c)).and_then(GroupTally::majority);
        i.asked().is_some() && majority.map(|(theme, _)| theme) == i.asked()
    };
    let at = |at: f64| {
        let covered: Vec<&Item> = corrections.iter().copied().filter(|i| is_pattern(i) && i.confidence >= at).collect();
        Abstention {
            at,
            coverage: Share::new(covered.len() as u64, corrections.len() as u64),
            right: Share::count(covered.into_iter().map(own)),
        }
    };
    THRESHOLDS.into_iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_example_by_hand() {
        let said = [(0.95, true), (0.95, true), (0.95, false), (0.2, false), (1.0, true)];
        let c = calibrated(&said);
        // The last bin has four items, with a sum of 3.85 and 3 right; the other one is off by 0.2.
        assert!((c.ece.unwrap() - (0.85 + 0.2) / 5.0).abs() < 1e-9, "{c:?}");
        let brier = (2.0 * 0.05_f64.powi(2) + 0.95_f64.powi(2) + 0.04) / 5.0;
        assert!((c.brier.unwrap() - brier).abs() < 1e-9, "{c:?}");
        assert_eq!(calibrated(&[]), Calibrated::default());
    }

    proptest! {
        #[test]
        fn the_error_lies_between_the_bias_and_one(said in prop::collection::vec((0.0..=1.0_f64, any::<bool>()), 1..60)) {
            let c = calibrated(&said);
            let (ece, brier) = (c.ece.unwrap(), c.brier.unwrap());
            prop_assert!((0.0..=1.0 + 1e-9).contains(&ece) && (0.0..=1.0 + 1e-9).contains(&brier));
            // Binning can only increase the overall error.
            prop_assert!(ece + 1e-9 >= (c.mean.unwrap() - c.right.unwrap()).abs());
        }

        #[test]
        fn who_is_certain_and_right_makes_no_error(right in prop::collection::vec(any::<bool>(), 1..60)) {
            let said: Vec<(f64, bool)> = right.into_iter().map(|r| (f64::from(u8::from(r)), r)).collect();
            let c = calibrated(&said);
            prop_assert_eq!((c.ece, c.brier), (Some(0.0), Some(0.0)));
        }
    }
}
