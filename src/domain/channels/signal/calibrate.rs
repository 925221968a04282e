//! Maps evidence to probabilities: piecewise-linear maps, fitted on labelled outputs that are not part of the project.
//!
//! A map is a table of points with linear interpolation in between. The maps only express how often such evidence was
//! right; they change no verdict.

use crate::text::prose::round;

/// Confidence given by evidence of weight 1 before the boosts (specification, "Refinement: Failure signals").
pub(super) const BASE: f64 = 0.7;

/// Raw confidence of a signal (base plus boosts) to probability.
const SIGNAL: &[(f64, f64)] = &[(0.0, 0.4), (0.35, 0.7), (0.5, 0.85), (0.7, 0.95), (1.0, 0.99)];
/// Weight of a failure to probability.
const FAILURE: &[(f64, f64)] = &[(0.5, 0.75), (0.6, 0.87), (0.7, 0.92), (0.8, 0.95), (0.9, 0.98), (1.0, 0.995)];
/// Remaining doubt to the probability of `none`.
const NO_FAILURE: &[(f64, f64)] = &[(0.0, 0.985), (0.3, 0.95), (0.5, 0.85), (1.0, 0.7)];

/// Probability from the stance model, fitted on our own comments, to probability on real comments.
const STANCE: &[(f64, f64)] = &[(0.25, 0.5), (0.5, 0.68), (0.7, 0.75), (0.86, 0.82), (0.96, 0.95), (1.0, 0.98)];

pub(super) fn stance(probability: f64) -> f64 {
    map(STANCE, probability)
}

pub(super) fn signal(raw: f64) -> f64 {
    map(SIGNAL, raw)
}

pub(super) fn failure(weight: f64) -> f64 {
    map(FAILURE, weight)
}

pub(super) fn no_failure(doubt: f64) -> f64 {
    map(NO_FAILURE, doubt)
}

/// Evaluates a map at `x`; beyond its ends, returns the value at the end.
fn map(points: &[(f64, f64)], x: f64) -> f64 {
    let after = points.iter().position(|(at, _)| *at >= x).unwrap_or(points.len());
    let value = match (after.checked_sub(1).and_then(|before| points.get(before)), points.get(after)) {
        (Some((a, low)), Some((b, high))) => low + (high - low) * (x - a) / (b - a),
        (None, Some((_, value))) | (Some((_, value)), None) => *value,
        (None, None) => 0.0,
    };
    round(value.clamp(0.0, 1.0))
}

/// Returns the expected calibration error over ten equal bins: how far confidences are from the observed accuracy, 0 to
/// 1, weighted by bin size; 0 for no cases.
pub fn expected_calibration_error(cases: impl IntoIterator<Item = (f64, bool)>) -> f64 {
    let mut bins = [(0_u64, 0.0, 0_u64); 10];
    let mut all = 0_u64;
    for (confidence, right) in cases {
        let bin = &mut bins[((confidence * 10.0) as usize).min(9)];
        *bin = (bin.0 + 1, bin.1 + confidence, bin.2 + u64::from(right));
        all += 1;
    }
    let gap = |(_, confidence, right): &(u64, f64, u64)| (confidence - *right as f64).abs();
    if all == 0 { 0.0 } else { bins.iter().map(gap).sum::<f64>() / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_rise_and_stay_within_their_ends() {
        for points in [SIGNAL, FAILURE] {
            let values: Vec<f64> = (0..=100).map(|at| map(points, f64::from(at) / 100.0)).collect();
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        }
        assert_eq!(map(FAILURE, -1.0), FAILURE[0].1);
        assert_eq!(map(FAILURE, 2.0), 0.995);
        assert_eq!(map(&[(0.0, 0.0), (1.0, 0.5)], 0.5), 0.25);
    }

    #[test]
    fn calibration_error_is_the_gap_between_confidence_and_hits() {
        assert_eq!(expected_calibration_error([]), 0.0);
        let even = expected_calibration_error([(0.55, true), (0.55, false)]);
        assert!((even - 0.05).abs() < 1e-9);
        assert!((expected_calibration_error([(1.0, false)]) - 1.0).abs() < 1e-9);
    }
}
