//! Judges one rule by its decisions before and after activation.

use super::assessment::{Assessment, Comparison, EffectPolicy, EffectVerdict, Observation};
use super::{explain, looks};
use crate::interval::{CorrectionTally, change, rate};
use jiff::Timestamp;

/// Assesses a rule that was activated at `activated`. Both lists are in chronological order. The entries of `before` up
/// to activation are the baseline; entries of `after` later than `now` are ignored.
pub fn assess(
    policy: &EffectPolicy,
    activated: Timestamp,
    now: Timestamp,
    before: &[Observation],
    after: &[Observation],
) -> Assessment {
    // A time beyond the maximum is never reached.
    let counts_from = activated.checked_add(policy.stabilizing).unwrap_or(Timestamp::MAX);
    let flags_from = activated.checked_add(policy.flag_after).unwrap_or(Timestamp::MAX);
    let until = |at: Timestamp| after.partition_point(|o| o.at < at);
    let (first, settled) = (until(activated), until(counts_from));
    let end = after.partition_point(|o| o.at <= now).max(settled);
    // Cumulative corrections over the first exposures.
    let mut corrections = vec![0u64];
    for observation in &after[settled..end] {
        let so_far = corrections.last().copied().unwrap_or(0);
        corrections.push(so_far + u64::from(observation.corrected));
    }
    let exposures = (end - settled) as u64;
    let set_aside = after[first..settled.max(first)].iter().filter(|o| o.at <= now).count() as u64;
    let baseline = CorrectionTally::of(before.iter().filter(|o| o.at < activated).map(|o| o.corrected));
    let seen_at = |look: &looks::Look| CorrectionTally {
        corrections: corrections.get(look.exposures as usize).copied().unwrap_or(0),
        decisions: look.exposures,
    };

    let comparable = baseline.decisions >= policy.min_before.max(1);
    let latest = looks::taken(policy.min_exposures, exposures).next_back().filter(|_| comparable);
    let verdict = if now < counts_from {
        EffectVerdict::Stabilizing
    } else if !comparable {
        EffectVerdict::NoBaseline
    } else if let Some(look) = &latest {
        let seen = seen_at(look);
        let improved = change(baseline, seen, policy.confidence).is_some_and(|c| c.interval.high < 0.0);
        let contradicted = !improved && now >= flags_from && look.contradicts_halving(baseline, seen);
        let helped = || looks::taken(policy.min_exposures, exposures).any(|l| l.improved(baseline, seen_at(&l)));
        if contradicted {
            EffectVerdict::NoEffectSeen
        } else if seen.rate() < baseline.rate() && helped() {
            EffectVerdict::Helps
        } else {
            EffectVerdict::Unclear
        }
    } else {
        EffectVerdict::TooFewExposures
    };
    let judged = latest.filter(|_| verdict != EffectVerdict::Stabilizing);
    let all = CorrectionTally { corrections: corrections.last().copied().unwrap_or(0), decisions: exposures };
    let mut assessment = Assessment {
        before: rate(baseline, policy.confidence),
        after: rate(all, policy.confidence),
        change: change(baseline, all, policy.confidence),
        set_aside,
        exposures,
        judged_on: judged.map_or(0, |l| l.exposures),
        verdict,
        effect: judged.map_or(0.0, |l| shrunk(baseline, seen_at(&l), policy.usual_change)),
        explained: String::new(),
    };
    assessment.explained = explain::verdict(policy, &assessment, counts_from, flags_from, now);
    assessment
}

/// Compares prompts with the rule and prompts without it.
pub fn compare(with: CorrectionTally, without: CorrectionTally, confidence: f64) -> Comparison {
    Comparison {
        with: rate(with, confidence),
        without: rate(without, confidence),
        change: change(without, with, confidence),
    }
}

/// Reports whether a rule is held out of one prompt, to compare prompts with and without it. `key` names the session,
/// or the injection if no session is known. The choice depends on nothing else, so it is the same wherever it is made.
pub fn holds_out(rule_id: &str, key: &str, share: f64) -> bool {
    let mut hasher = blake3::Hasher::new();
    for part in ["holdout", rule_id, key] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hash = hasher.finalize();
    // A float represents 53 bits exactly.
    let drawn = hash.as_bytes()[..7].iter().fold(0u64, |n, byte| n << 8 | u64::from(*byte)) >> 3;
    (drawn as f64) < share * (1u64 << 53) as f64
}

pub(super) fn shrunk(before: CorrectionTally, after: CorrectionTally, usual: f64) -> f64 {
    // One more of each, so that no rate is considered certain.
    let variance = |t: CorrectionTally| {
        let n = t.decisions as f64 + 2.0;
        let p = (t.corrections as f64 + 1.0) / n;
        p * (1.0 - p) / n
    };
    let prior = usual * usual;
    (before.rate() - after.rate()) * prior / (prior + variance(before) + variance(after))
}
