//! Synthetic histories of a rule with a known effect, drawn from a seed: the same seed gives the same histories.
//!
//! Decisions are independent and their rates do not drift, unlike real ones. Used by the bench and by a test.

use feedbackd::domain::interval::CorrectionTally;
use feedbackd::domain::rules::in_force::effect::{Assessment, EffectPolicy, Observation, assess};
use jiff::{SignedDuration, Timestamp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The exposures at which the daemon assesses the rule. Assessing in between changes nothing; a test verifies that.
pub const LOOKED_AT: [usize; 9] = [8, 15, 30, 60, 120, 240, 480, 960, 1920];

/// The true parameters of a history.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// The rate before activation.
    pub base: f64,
    /// The factor applied to the rate after activation: 0.5 for a rule that halves corrections, 1 for one that does
    /// nothing.
    pub leaves: f64,
    /// Decisions before activation.
    pub before: usize,
}

/// Random draws.
pub struct Draws(ChaCha8Rng);

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws(ChaCha8Rng::seed_from_u64(seed))
    }

    fn happens(&mut self, probability: f64) -> bool {
        ((self.0.next_u64() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// Draws this many decisions at a rate.
    pub fn tally(&mut self, decisions: usize, rate: f64) -> CorrectionTally {
        CorrectionTally::of((0..decisions).map(|_| self.happens(rate)))
    }

    /// Returns the decisions before activation and those after stabilizing: one per hour.
    pub fn history(&mut self, truth: Truth, after: usize) -> (Vec<Observation>, Vec<Observation>) {
        let mut at = |hours: i64, rate| {
            let at = Timestamp::from_second(activated().as_second() + 3_600 * hours).expect("it is in range");
            Observation { at, corrected: self.happens(rate), session: None }
        };
        let settled = EffectPolicy::default().stabilizing.as_hours();
        let before = (-(truth.before as i64)..0).map(|n| at(n, truth.base)).collect();
        let after = (0..after as i64).map(|n| at(settled + n, truth.base * truth.leaves)).collect();
        (before, after)
    }
}

/// Returns the activation time of the rule in every history.
pub fn activated() -> Timestamp {
    Timestamp::from_second(1_767_225_600).expect("2026 is in range")
}

/// Returns the assessment of one history at each of [`LOOKED_AT`], starting on the day rules are first flagged, so that
/// waiting hides nothing.
pub fn life(draws: &mut Draws, truth: Truth, exposures: usize) -> Vec<Assessment> {
    let policy = EffectPolicy::default();
    let (before, after) = draws.history(truth, exposures);
    let late = activated() + SignedDuration::from_hours(24 * 365);
    let looks = LOOKED_AT.into_iter().filter(|n| *n <= exposures);
    looks.map(|n| assess(&policy, activated(), late, &before, &after[..n])).collect()
}

/// Returns the share of runs in which something happens.
pub fn share(runs: usize, mut happens: impl FnMut(usize) -> bool) -> f64 {
    (0..runs).filter(|run| happens(*run)).count() as f64 / runs as f64
}
