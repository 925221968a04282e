//! A verdict in words. Decides nothing.

use super::assessment::{Assessment, EffectPolicy, EffectVerdict};
use super::looks;
use crate::interval::Rate;
use crate::text::prose::count;
use jiff::Timestamp;

/// Returns the verdict and its basis.
pub fn verdict(
    policy: &EffectPolicy,
    a: &Assessment,
    counts_from: Timestamp,
    flags_from: Timestamp,
    now: Timestamp,
) -> String {
    let day = |at: Timestamp| at.strftime("%Y-%m-%d").to_string();
    let counted = |n: u64| count(n, "decision");
    let share = |r: &Option<Rate>| match r {
        Some(r) => format!("{} of {} ({})", r.tally.corrections, r.tally.decisions, percent(r.rate)),
        None => "0 of 0".to_owned(),
    };
    let rates = format!("Corrected {} before, {} after.", share(&a.before), share(&a.after));
    let next = match looks::next(policy.min_exposures, a.exposures) {
        Some(at) => {
            format!(" The next check is at {at} decisions after stabilizing; so far there are {}.", a.exposures)
        }
        None => " It is not checked again.".to_owned(),
    };
    match a.verdict {
        EffectVerdict::Stabilizing => format!("Decisions count from {}.", day(counts_from)),
        EffectVerdict::NoBaseline => {
            let there = counted(a.before.map_or(0, |r| r.tally.decisions));
            format!("There is nothing to compare with: {there} before it, {} are needed.", policy.min_before.max(1))
        }
        EffectVerdict::TooFewExposures => {
            let needed = looks::next(policy.min_exposures, 0).unwrap_or(policy.min_exposures);
            format!("{rates} {} after stabilizing; {needed} are needed.", counted(a.exposures))
        }
        EffectVerdict::Helps => {
            format!("{rates} That is rarer than chance explains, based on {}.", counted(a.judged_on))
        }
        EffectVerdict::NoEffectSeen => format!(
            "{rates} No improvement is seen, and a rule that halves corrections would rarely leave so many, based on \
             {}.",
            counted(a.judged_on)
        ),
        EffectVerdict::Unclear if now < flags_from => {
            let judged = counted(a.judged_on);
            format!(
                "{rates} Based on the first {judged}, that can be chance. It is not flagged before {}.{next}",
                day(flags_from)
            )
        }
        EffectVerdict::Unclear => {
            let judged = counted(a.judged_on);
            format!("{rates} Based on the first {judged}, it may help or do nothing.{next}")
        }
    }
}

/// Formats a rate for people.
fn percent(rate: f64) -> String {
    format!("{} %", (rate * 100.0).round())
}
