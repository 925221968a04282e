//! What can be said about a rule, and by which measure.

use crate::interval::{Change, Rate};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray, VariantNames};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr, VariantArray, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EffectVerdict {
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

impl EffectVerdict {
    /// As it stands in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            EffectVerdict::Stabilizing => "stabilizing",
            EffectVerdict::NoBaseline => "no baseline",
            EffectVerdict::TooFewExposures => "too few",
            EffectVerdict::Helps => "helps",
            EffectVerdict::NoEffectSeen => "no effect seen",
            EffectVerdict::Unclear => "unclear",
        }
    }

    /// Whether the rule should be flagged.
    pub fn flags(self) -> bool {
        self == EffectVerdict::NoEffectSeen
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
    pub verdict: EffectVerdict,
    /// Corrections that it saves per decision, for the order in prompts: the fall of the rate at the latest look,
    /// shrunk towards 0 by how unsure it is (the mean of a normal posterior, whose prior has the mean 0 and the
    /// standard deviation [`EffectPolicy::usual_change`]). 0 where nothing is known; below 0 where corrections rose.
    /// It changes only with a look, so that prompts do not change with every decision.
    pub effect: f64,
    /// The verdict in words.
    pub explained: String,
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
