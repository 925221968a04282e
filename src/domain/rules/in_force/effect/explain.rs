//! A verdict in words. Nothing here decides.

use super::assessment::{Assessment, EffectPolicy, Verdict};
use super::looks;
use crate::domain::interval::Rate;
use jiff::Timestamp;

/// The verdict, and what it rests on.
pub fn verdict(
    policy: &EffectPolicy,
    a: &Assessment,
    counts_from: Timestamp,
    flags_from: Timestamp,
    now: Timestamp,
) -> String {
    let day = |at: Timestamp| at.strftime("%Y-%m-%d").to_string();
    let counted = |n: u64| if n == 1 { "1 decision".to_owned() } else { format!("{n} decisions") };
    let share = |r: &Option<Rate>| match r {
        Some(r) => format!("{} of {} ({})", r.tally.corrections, r.tally.decisions, percent(r.rate)),
        None => "0 of 0".to_owned(),
    };
    let rates = format!("Corrected {} before, {} after.", share(&a.before), share(&a.after));
    let next = match looks::next(policy.min_exposures, a.exposures) {
        Some(at) => format!(" The next look is at {at} decisions after stabilizing; there are {}.", a.exposures),
        None => " It is not looked at again.".to_owned(),
    };
    match a.verdict {
        Verdict::Stabilizing => format!("Decisions count from {} on.", day(counts_from)),
        Verdict::NoBaseline => {
            let there = counted(a.before.map_or(0, |r| r.tally.decisions));
            format!("There is nothing to compare with: {there} before it, {} are needed.", policy.min_before.max(1))
        }
        Verdict::TooFewExposures => {
            let needed = looks::next(policy.min_exposures, 0).unwrap_or(policy.min_exposures);
            format!("{rates} {} after stabilizing, {needed} are needed.", counted(a.exposures))
        }
        Verdict::Helps => format!("{rates} That is rarer than chance explains, judged on {}.", counted(a.judged_on)),
        Verdict::NoEffectSeen => format!(
            "{rates} No improvement is seen, and a rule that halves corrections would hardly leave so many, judged on {}.",
            counted(a.judged_on)
        ),
        Verdict::Unclear if now < flags_from => {
            let judged = counted(a.judged_on);
            format!(
                "{rates} Judged on the first {judged}, that can be chance. It is not flagged before {}.{next}",
                day(flags_from)
            )
        }
        Verdict::Unclear => {
            let judged = counted(a.judged_on);
            format!("{rates} Judged on the first {judged}, both can be: that it helps and that it does nothing.{next}")
        }
    }
}

/// A rate as people read it.
fn percent(rate: f64) -> String {
    format!("{} %", (rate * 100.0).round())
}
