//! The value of an answer, to rank pending items: the corrections that it is expected to save in 30 days.
//!
//! Corrections of one kind are expected to continue at their past rate: as many in 30 days as there were comments in
//! the time since the first one, or in 30 days if that is less. A rule that helps saves half of them. The other factor
//! is the probability that the answer leads there.

use jiff::Timestamp;

/// The share of corrections that a helpful rule saves; `rules effect` tests for the same share.
pub const SPARED: f64 = 0.5;
/// The probability that a contradicting comment holds in general. Unknown until a person decides.
pub const HOLDS: f64 = 0.5;
/// The minimum value of a change of the roster.
pub const ROSTER: f64 = 1.0;
/// The period for which corrections are expected, in days.
const MONTH: f64 = 30.0;

/// Returns the comments of a kind expected in 30 days, from the number since the first one.
pub fn in_a_month(remarks: u64, first: Timestamp, now: Timestamp) -> f64 {
    let days = now.duration_since(first).as_secs_f64() / 86_400.0;
    remarks as f64 * MONTH / days.max(MONTH)
}

/// What is known about a proposal. `monthly` are the corrections expected in 30 days.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProposalWorth {
    /// The corrections of its kind expected in 30 days.
    pub monthly: f64,
    /// The probability that its pattern is real, 0 to 1.
    pub confidence: f64,
    /// The past approvals on which it would wrongly have fired.
    pub wrongly: u64,
    /// The past approvals it was compared with.
    pub approvals: u64,
    /// The number of missing approvals; an answer is worth its share of them.
    pub missing: usize,
}

/// Returns the value of an answer about a proposal.
pub fn offer(offer: &ProposalWorth) -> f64 {
    // Adds one approval that it would have left alone: the share is uncertain if there are only a few.
    let wrongly = offer.wrongly as f64 / (offer.approvals + 1) as f64;
    SPARED * offer.monthly * offer.confidence * (1.0 - wrongly.min(1.0)) / offer.missing.max(1) as f64
}

/// Returns the value of checking a flagged rule: all corrections that it does not save.
pub fn flagged(monthly: f64) -> f64 {
    SPARED * monthly
}

/// Returns the value of the answer about a contradiction.
pub fn contradiction(monthly: f64) -> f64 {
    SPARED * HOLDS * monthly
}

/// Returns the value of an answer about comments that ask for the same with a given probability: that of the pattern
/// they would form.
pub fn question(monthly: f64, probability: f64) -> f64 {
    SPARED * monthly * probability
}

/// Returns the value of checking a cluster of which a share may not belong to it, or which may be wrong with that
/// probability.
pub fn mixed(monthly: f64, share: f64) -> f64 {
    SPARED * monthly * share
}

/// Returns the value of a change of the roster: who may decide affects all open proposals.
pub fn roster(proposals: f64) -> f64 {
    proposals.max(ROSTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample::moment;
    use proptest::prelude::*;

    const DAY: u32 = 86_400;

    #[test]
    fn corrections_go_on_as_they_came() {
        assert_eq!(in_a_month(6, moment(0), moment(0)), 6.0, "there is no rate of an instant");
        assert_eq!(in_a_month(6, moment(0), moment(30 * DAY)), 6.0);
        assert_eq!(in_a_month(6, moment(0), moment(90 * DAY)), 2.0);
        let known = ProposalWorth { monthly: 6.0, confidence: 0.9, wrongly: 1, approvals: 10, missing: 2 };
        assert!((offer(&known) - 0.5 * 6.0 * 0.9 * (10.0 / 11.0) / 2.0).abs() < 1e-9);
        assert_eq!((roster(0.0), roster(7.0)), (1.0, 7.0));
    }

    proptest! {
        #[test]
        fn more_corrections_surer_patterns_and_fewer_wrong_hits_are_worth_more(
            monthly in 0.0..1e4f64,
            more in 0.0..1e4f64,
            confidence in 0.0..=1.0f64,
            surer in 0.0..=1.0f64,
            wrongly in 0u64..100,
            fewer in 0u64..100,
            approvals in 0u64..200,
            missing in 0usize..5,
        ) {
            let base = ProposalWorth { monthly, confidence, wrongly, approvals, missing };
            prop_assert!(offer(&base) >= 0.0 && offer(&base) <= SPARED * monthly);
            for better in [
                ProposalWorth { monthly: monthly + more, ..base },
                ProposalWorth { confidence: confidence.max(surer), ..base },
                ProposalWorth { wrongly: wrongly.min(fewer), ..base },
                ProposalWorth { missing: missing.saturating_sub(1), ..base },
            ] {
                prop_assert!(offer(&better) >= offer(&base) - 1e-9, "{better:?} of {base:?}");
            }
            for worth in [contradiction, flagged] {
                prop_assert!(worth(monthly + more) >= worth(monthly));
            }
            for worth in [question, mixed] {
                prop_assert!(worth(monthly, confidence.max(surer)) >= worth(monthly, confidence));
            }
        }

        #[test]
        fn more_remarks_in_less_time_are_expected_again(n in 0u64..1000, more in 0u64..1000, days in 0u32..900, later in 0u32..900) {
            let at = |days: u32| moment(days * DAY);
            prop_assert!(in_a_month(n + more, at(0), at(days)) >= in_a_month(n, at(0), at(days)));
            prop_assert!(in_a_month(n, at(0), at(days + later)) <= in_a_month(n, at(0), at(days)));
        }
    }
}
