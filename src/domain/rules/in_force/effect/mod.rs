//! Whether a rule helped: the rate of its correction per decision of its agents, before and after (specification,
//! "Rules").
//!
//! Pure: outcomes in, a verdict out; the same history gives the same verdict. It compares the time before with the
//! time after and so cannot tell the rule from whatever else changed then; nor does it undo that a rule is proposed
//! just when its correction was frequent. [`compare`] on prompts with and without the rule is free of both.

mod explain;
mod looks;

use crate::domain::interval::{Change, Rate, Tally, change, rate};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// How rules are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectPolicy {
    /// So long after activation nothing counts: work that began before it is still under way.
    pub stabilizing: SignedDuration,
    /// A rule is not flagged sooner after activation.
    pub flag_after: SignedDuration,
    /// Nothing is said on fewer exposures.
    pub min_exposures: u64,
    /// Nothing is said on fewer decisions before activation.
    pub min_before: u64,
    /// How often intervals hold the truth.
    pub confidence: f64,
    /// How far rules move rates as a rule: the standard deviation of the prior by which [`Assessment::effect`] is
    /// shrunk.
    pub usual_change: f64,
}

impl Default for EffectPolicy {
    fn default() -> Self {
        EffectPolicy {
            stabilizing: SignedDuration::from_hours(7 * 24),
            flag_after: SignedDuration::from_hours(30 * 24),
            min_exposures: 8,
            min_before: 8,
            confidence: 0.95,
            usual_change: 0.1,
        }
    }
}

/// One decision, as far as one rule goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// When.
    pub at: Timestamp,
    /// Whether it carried the correction that the rule is about.
    pub corrected: bool,
    /// The agent's session, where it is known.
    pub session: Option<String>,
}

/// What can be said about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is too early.
    Stabilizing,
    /// There are too few decisions before it to compare with.
    NoBaseline,
    /// There are too few decisions after it.
    TooFewExposures,
    /// Its correction became rarer than chance explains.
    Helps,
    /// No improvement is seen, although one by half would have been: look at the rule again.
    NoEffectSeen,
    /// Both are still possible.
    Unclear,
}

impl Verdict {
    /// As it stands in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Stabilizing => "stabilizing",
            Verdict::NoBaseline => "no baseline",
            Verdict::TooFewExposures => "too few",
            Verdict::Helps => "helps",
            Verdict::NoEffectSeen => "no effect seen",
            Verdict::Unclear => "unclear",
        }
    }

    /// Whether the rule should be flagged.
    pub fn flags(self) -> bool {
        self == Verdict::NoEffectSeen
    }
}

/// What the data say about a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assessment {
    /// The rate before activation; none where there were no decisions.
    pub before: Option<Rate>,
    /// The rate after stabilizing; none where there were no decisions.
    pub after: Option<Rate>,
    /// From before to after; below 0 where there are fewer corrections.
    pub change: Option<Change>,
    /// Decisions while it was stabilizing; they do not count.
    pub set_aside: u64,
    /// Decisions after stabilizing.
    pub exposures: u64,
    /// The exposures that the verdict rests on: those of the latest look; 0 where there was none.
    pub judged_on: u64,
    /// What can be said.
    pub verdict: Verdict,
    /// Corrections that it saves per decision, for the order in prompts: the fall of the rate at the latest look,
    /// shrunk towards 0 by how unsure it is (the mean of a normal posterior, whose prior has the mean 0 and the
    /// standard deviation [`EffectPolicy::usual_change`]). 0 where nothing is known; below 0 where corrections rose.
    /// It changes only with a look, so that prompts do not change with every decision.
    pub effect: f64,
    /// The verdict in words.
    pub explained: String,
}

/// Judges a rule that was activated at `activated`. Both lists are in the order of time. Of `before`, what lies before
/// activation is the baseline; of `after`, what lies after `now` is not looked at.
pub fn assess(
    policy: &EffectPolicy,
    activated: Timestamp,
    now: Timestamp,
    before: &[Observation],
    after: &[Observation],
) -> Assessment {
    // A moment beyond the end of time is never reached.
    let counts_from = activated.checked_add(policy.stabilizing).unwrap_or(Timestamp::MAX);
    let flags_from = activated.checked_add(policy.flag_after).unwrap_or(Timestamp::MAX);
    let until = |at: Timestamp| after.partition_point(|o| o.at < at);
    let (first, settled) = (until(activated), until(counts_from));
    let end = after.partition_point(|o| o.at <= now).max(settled);
    // How many of the first exposures carried the correction, for any number of them.
    let mut corrections = vec![0u64];
    for observation in &after[settled..end] {
        let so_far = corrections.last().copied().unwrap_or(0);
        corrections.push(so_far + u64::from(observation.corrected));
    }
    let exposures = (end - settled) as u64;
    let set_aside = after[first..settled.max(first)].iter().filter(|o| o.at <= now).count() as u64;
    let baseline = Tally::of(before.iter().filter(|o| o.at < activated).map(|o| o.corrected));
    let seen_at = |look: &looks::Look| Tally {
        corrections: corrections.get(look.exposures as usize).copied().unwrap_or(0),
        decisions: look.exposures,
    };

    let comparable = baseline.decisions >= policy.min_before.max(1);
    let latest = looks::taken(policy.min_exposures, exposures).next_back().filter(|_| comparable);
    let verdict = if now < counts_from {
        Verdict::Stabilizing
    } else if !comparable {
        Verdict::NoBaseline
    } else if let Some(look) = &latest {
        let seen = seen_at(look);
        let improved = change(baseline, seen, policy.confidence).is_some_and(|c| c.interval.high < 0.0);
        let contradicted = !improved && now >= flags_from && look.contradicts_halving(baseline, seen);
        let helped = || looks::taken(policy.min_exposures, exposures).any(|l| l.improved(baseline, seen_at(&l)));
        if contradicted {
            Verdict::NoEffectSeen
        } else if seen.rate() < baseline.rate() && helped() {
            Verdict::Helps
        } else {
            Verdict::Unclear
        }
    } else {
        Verdict::TooFewExposures
    };
    let judged = latest.filter(|_| verdict != Verdict::Stabilizing);
    let all = Tally { corrections: corrections.last().copied().unwrap_or(0), decisions: exposures };
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

/// Prompts with the rule against prompts without it, over the same time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Decisions of sessions whose prompt had the rule.
    pub with: Option<Rate>,
    /// Decisions of sessions whose prompt went without it.
    pub without: Option<Rate>,
    /// From without to with; below 0 where the rule leaves fewer corrections.
    pub change: Option<Change>,
}

/// Compares prompts with the rule and prompts without it.
pub fn compare(with: Tally, without: Tally, confidence: f64) -> Comparison {
    Comparison {
        with: rate(with, confidence),
        without: rate(without, confidence),
        change: change(without, with, confidence),
    }
}

/// Whether a rule stays out of one prompt, to compare prompts with and without it. `key` names the session, or the
/// injection where no session is known. The choice depends on nothing else, so that it is the same wherever it is made.
pub fn holds_out(rule_id: &str, key: &str, share: f64) -> bool {
    let mut hasher = blake3::Hasher::new();
    for part in ["holdout", rule_id, key] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hash = hasher.finalize();
    // 53 bits are what a float holds exactly.
    let drawn = hash.as_bytes()[..7].iter().fold(0u64, |n, byte| n << 8 | u64::from(*byte)) >> 3;
    (drawn as f64) < share * (1u64 << 53) as f64
}

fn shrunk(before: Tally, after: Tally, usual: f64) -> f64 {
    // One more of each, so that no rate is held for certain.
    let variance = |t: Tally| {
        let n = t.decisions as f64 + 2.0;
        let p = (t.corrections as f64 + 1.0) / n;
        p * (1.0 - p) / n
    };
    let prior = usual * usual;
    (before.rate() - after.rate()) * prior / (prior + variance(before) + variance(after))
}

#[cfg(test)]
mod tests;
