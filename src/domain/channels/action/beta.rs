//! The probability that an approach helps: a Beta distribution over its success rate.

use crate::text::prose::round;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta as Distribution, ContinuousCDF};

/// The strength of a prior without observations: that of the uniform one, Beta(1, 1).
pub const PRIOR_STRENGTH: f64 = 2.0;
/// The maximum weight, in observations, of other situations that share only the class.
pub const CLASS_STRENGTH: f64 = 2.0;
/// The same for situations that share inference and class.
pub const INFERENCE_STRENGTH: f64 = 4.0;
/// How many observations in a situation halve the deviation of a built-in suggestion's guess from one half.
pub const GUESS_HALF: f64 = 4.0;

/// The outcomes of an approach, in numbers of attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// It helped.
    pub successes: u64,
    /// It did not help.
    pub failures: u64,
    /// It helped partly; counts as half a success and half a failure.
    pub partials: u64,
}

impl Counts {
    /// Returns how often it was tried.
    pub fn tried(self) -> u64 {
        self.successes + self.failures + self.partials
    }

    /// Returns the counts minus `other`, never below 0.
    pub fn without(self, other: Counts) -> Counts {
        Counts {
            successes: self.successes.saturating_sub(other.successes),
            failures: self.failures.saturating_sub(other.failures),
            partials: self.partials.saturating_sub(other.partials),
        }
    }
}

/// A Beta distribution; both parameters above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beta {
    alpha: f64,
    beta: f64,
}

/// The 90 % interval of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Credible {
    /// The lower bound, 0 to 1.
    pub low: f64,
    /// The upper bound, 0 to 1.
    pub high: f64,
}

impl Beta {
    /// Returns the prior with this mean, clamped to 0.02 to 0.98, and [`PRIOR_STRENGTH`]. One half gives Beta(1, 1).
    pub fn prior(mean: f64) -> Beta {
        let mean = if mean.is_finite() { mean.clamp(0.02, 0.98) } else { 0.5 };
        Beta { alpha: PRIOR_STRENGTH * mean, beta: PRIOR_STRENGTH * (1.0 - mean) }
    }

    /// Returns the posterior after these observations.
    pub fn observed(self, counts: Counts) -> Beta {
        let half = counts.partials as f64 / 2.0;
        Beta { alpha: self.alpha + counts.successes as f64 + half, beta: self.beta + counts.failures as f64 + half }
    }

    /// Returns the posterior after observations elsewhere: in the same proportion, but as at most `strength`
    /// observations.
    pub fn observed_elsewhere(self, counts: Counts, strength: f64) -> Beta {
        let all = self.observed(counts);
        let tried = counts.tried() as f64;
        let scale = if tried > strength { strength / tried } else { 1.0 };
        Beta { alpha: self.alpha + (all.alpha - self.alpha) * scale, beta: self.beta + (all.beta - self.beta) * scale }
    }

    /// Returns the mean, above 0 and below 1.
    pub fn mean(self) -> f64 {
        self.alpha / (self.alpha + self.beta)
    }

    /// Returns the interval that holds 90 %, with 5 % on either side.
    pub fn credible(self) -> Credible {
        let Ok(beta) = Distribution::new(self.alpha, self.beta) else { return Credible { low: 0.0, high: 1.0 } };
        let bound = |p: f64| {
            let x = beta.inverse_cdf(p);
            if x.is_finite() { Some(round(x.clamp(0.0, 1.0))) } else { None }
        };
        Credible { low: bound(0.05).unwrap_or(0.0), high: bound(0.95).unwrap_or(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(successes: u64, failures: u64, partials: u64) -> Counts {
        Counts { successes, failures, partials }
    }

    #[test]
    fn the_posterior_is_beta_bernoulli() {
        assert_eq!(Beta::prior(0.5), Beta { alpha: 1.0, beta: 1.0 });
        let posterior = Beta::prior(0.5).observed(counts(7, 2, 0));
        assert_eq!(posterior, Beta { alpha: 8.0, beta: 3.0 });
        assert!((posterior.mean() - 8.0 / 11.0).abs() < 1e-12);
        // A partial success counts half for each.
        assert_eq!(Beta::prior(0.5).observed(counts(0, 0, 3)), Beta { alpha: 2.5, beta: 2.5 });
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Beta(1, 1) is uniform; Beta(1, b) and Beta(a, 1) have closed forms.
        let uniform = Beta::prior(0.5).credible();
        assert_eq!((uniform.low, uniform.high), (0.05, 0.95));
        let rising = Beta::prior(0.5).observed(counts(9, 0, 0)).credible();
        assert!((rising.low - 0.05_f64.powf(0.1)).abs() < 1e-4 && (rising.high - 0.95_f64.powf(0.1)).abs() < 1e-4);
        let falling = Beta::prior(0.5).observed(counts(0, 9, 0)).credible();
        assert!((falling.low - (1.0 - 0.95_f64.powf(0.1))).abs() < 1e-4, "{falling:?}");
    }

    #[test]
    fn extremes_stay_finite_and_hold_the_mean() {
        for (s, f, p) in [(0, 0, 0), (0, 100_000, 0), (100_000, 0, 0), (1_000_000, 1_000_000, 0), (0, 0, 1), (1, 0, 0)]
        {
            for prior in [0.0, 0.3, 1.0, f64::NAN] {
                let beta = Beta::prior(prior).observed(counts(s, f, p));
                let Credible { low, high } = beta.credible();
                assert!(0.0 <= low && low <= high && high <= 1.0, "{s} {f} {p} {prior}: {low} {high}");
                assert!(beta.mean() > 0.0 && beta.mean() < 1.0);
                if s < 1000 && f < 1000 && (0.1..=0.9).contains(&prior) {
                    assert!(low < beta.mean() && beta.mean() < high);
                }
            }
        }
    }

    #[test]
    fn what_was_seen_elsewhere_counts_for_little() {
        let much = Beta::prior(0.5).observed_elsewhere(counts(60, 20, 0), CLASS_STRENGTH);
        assert!((much.alpha - 2.5).abs() < 1e-12 && (much.beta - 1.5).abs() < 1e-12, "{much:?}");
        let little = counts(1, 0, 0);
        assert_eq!(Beta::prior(0.9).observed_elsewhere(little, 4.0), Beta::prior(0.9).observed(little));
        assert_eq!(Beta::prior(0.9).observed_elsewhere(Counts::default(), 4.0), Beta::prior(0.9));
    }
}
