//! Sequential testing: when interim looks are taken, and how much of the error each may spend.
//!
//! The daemon could judge a rule after every decision, but frequent enough looks find anything. So the data count only
//! as they were when the exposures reached a fixed number, and each such look has a limited error probability. Between
//! two looks nothing changes. The shares were chosen so that over a whole life a rule without effect is called helpful
//! in at most about 10 of 100 histories, and one that halves corrections is flagged in fewer than 5
//! (`benches/RESULTS.md`). They add up to more: looks share data, and small numbers of corrections are discrete.

use crate::interval::CorrectionTally;
use statrs::distribution::{Binomial, ContinuousCDF, Discrete, DiscreteCDF, Hypergeometric, Normal};

/// One interim look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The number of exposures at which it is taken; it uses exactly those.
    pub exposures: u64,
    /// The probability of calling a rule without effect helpful.
    helps: f64,
    /// The probability of denying a halving rule its effect.
    flag: f64,
}

/// Doubling, so that a long life has few looks. Most of the error for `helps` is spent at 60 exposures, where a rule
/// that halves corrections should be visible. The error for the flag is spread, since there is no particular time at
/// which a useless rule should be detected.
const LOOKS: [Look; 9] = [
    Look { exposures: 8, helps: 0.001, flag: 0.004 },
    Look { exposures: 15, helps: 0.002, flag: 0.006 },
    Look { exposures: 30, helps: 0.006, flag: 0.009 },
    Look { exposures: 60, helps: 0.085, flag: 0.012 },
    Look { exposures: 120, helps: 0.01, flag: 0.012 },
    Look { exposures: 240, helps: 0.004, flag: 0.008 },
    Look { exposures: 480, helps: 0.002, flag: 0.004 },
    Look { exposures: 960, helps: 0.002, flag: 0.003 },
    Look { exposures: 1920, helps: 0.002, flag: 0.002 },
];

/// The maximum share of corrections that a working rule leaves.
const WORKS: f64 = 0.5;

/// Returns the looks taken by the time there are `exposures`, in order.
pub fn taken(min_exposures: u64, exposures: u64) -> impl DoubleEndedIterator<Item = Look> {
    LOOKS.into_iter().filter(move |l| (min_exposures..=exposures).contains(&l.exposures))
}

/// Returns the exposures at which the next look is taken; `None` after the last one.
pub fn next(min_exposures: u64, exposures: u64) -> Option<u64> {
    LOOKS.iter().map(|l| l.exposures).find(|at| *at > exposures && *at >= min_exposures)
}

impl Look {
    /// Reports whether corrections fell by more than chance explains: Fisher's exact test, one-sided, mid-p.
    pub fn improved(self, before: CorrectionTally, after: CorrectionTally) -> bool {
        if after.rate() >= before.rate() {
            return false;
        }
        let all = before.decisions + after.decisions;
        let corrections = before.corrections + after.corrections;
        let Ok(chance) = Hypergeometric::new(all, corrections, after.decisions) else { return false };
        let mut p = chance.pmf(after.corrections) / 2.0;
        for fewer in (0..after.corrections).rev() {
            let more = chance.pmf(fewer);
            p += more;
            // Below the expected value the terms only fall.
            if more < 1e-9 || p > self.helps {
                break;
            }
        }
        p <= self.helps
    }

    /// Reports whether there were more corrections than a halving rule explains. Two tests must agree: the score test
    /// of a ratio of two rates, which accounts for the uncertainty of the earlier rate, and the exact binomial tail at
    /// half the earlier rate, which accounts for small numbers of corrections.
    pub fn contradicts_halving(self, before: CorrectionTally, after: CorrectionTally) -> bool {
        let (n, m) = (before.decisions as f64, after.decisions as f64);
        let (x, y) = (before.corrections as f64, after.corrections as f64);
        // Without earlier corrections there is nothing to halve.
        if before.corrections == 0 || after.rate() <= WORKS * before.rate() {
            return false;
        }
        // The most likely earlier rate, given that the later one is exactly `WORKS` times it (Miettinen and Nurminen
        // 1985).
        let (a, b, c) = ((n + m) * WORKS, -(m * WORKS + y + n + x * WORKS), x + y);
        let likeliest = (-b - (b * b - 4.0 * a * c).max(0.0).sqrt()) / (2.0 * a);
        let halved = WORKS * likeliest;
        let variance = halved * (1.0 - halved) / m + WORKS * WORKS * likeliest * (1.0 - likeliest) / n;
        if variance <= 0.0 {
            return false;
        }
        let score = (after.rate() - WORKS * before.rate()) / variance.sqrt();
        let Ok(chance) = Binomial::new(WORKS * before.rate(), after.decisions) else { return false };
        Normal::standard().sf(score) <= self.flag && chance.sf(after.corrections.saturating_sub(1)) <= self.flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(corrections: u64, decisions: u64) -> CorrectionTally {
        CorrectionTally { corrections, decisions }
    }

    fn at(exposures: u64) -> Look {
        LOOKS.into_iter().find(|l| l.exposures == exposures).unwrap()
    }

    #[test]
    fn what_is_spent_is_bounded() {
        let (helps, flag) = LOOKS.iter().fold((0.0, 0.0), |(h, f), l| (h + l.helps, f + l.flag));
        assert!(helps < 0.13 && flag < 0.065, "{helps} {flag}");
        assert!(LOOKS.windows(2).all(|w| w[0].exposures < w[1].exposures));
    }

    #[test]
    fn looks_are_taken_when_their_number_is_reached() {
        let taken = |min, n| taken(min, n).map(|l| l.exposures).collect::<Vec<_>>();
        assert_eq!(taken(8, 7), [0; 0]);
        assert_eq!(taken(8, 59), [8, 15, 30]);
        assert_eq!(taken(10, 60), [15, 30, 60]);
        assert_eq!((next(8, 0), next(8, 8), next(20, 0), next(8, 1920)), (Some(8), Some(15), Some(30), None));
    }

    /// In exact fractions, 30 of 60 before and 20 of 60 after give a mid-p of 0.0341; 23 of 60 after give 0.1028.
    #[test]
    fn an_improvement_is_more_than_chance() {
        assert!(at(60).improved(tally(30, 60), tally(20, 60)));
        assert!(!at(120).improved(tally(30, 60), tally(20, 60)), "its share is smaller");
        assert!(!at(60).improved(tally(30, 60), tally(23, 60)));
        assert!(!at(60).improved(tally(30, 60), tally(30, 60)));
        assert!(!at(60).improved(tally(0, 60), tally(0, 60)));
        assert!(at(8).improved(tally(60, 60), tally(0, 8)));
    }

    #[test]
    fn what_a_halving_explains_contradicts_nothing() {
        for look in LOOKS {
            let n = look.exposures;
            assert!(!look.contradicts_halving(tally(40, 100), tally(n / 5, n)), "{n}");
            assert!(look.contradicts_halving(tally(60, 100), tally(n, n)), "{n}");
            assert!(!look.contradicts_halving(tally(0, 100), tally(0, n)), "{n}");
        }
        // One later correction is weak evidence, however rare they were before.
        assert!(!at(15).contradicts_halving(tally(20, 2000), tally(1, 15)));
    }
}
