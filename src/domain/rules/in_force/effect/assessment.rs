//! The assessment of a rule, and the policy it is based on.

use crate::interval::{Change, Rate};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// Returns how rules are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectPolicy {
    /// How long after activation nothing counts: work begun earlier is still in progress.
    pub stabilizing: SignedDuration,
    /// The minimum time after activation before a rule is flagged.
    pub flag_after: SignedDuration,
    /// The minimum number of exposures for a verdict.
    pub min_exposures: u64,
    /// The minimum number of decisions before activation for a verdict.
    pub min_before: u64,
    /// The confidence level of intervals.
    pub confidence: f64,
    /// How far rules typically change rates: the standard deviation of the prior by which [`Assessment::effect`] is
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

/// One decision, as seen by one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// When it was made.
    pub at: Timestamp,
    /// Whether it had the correction that the rule is about.
    pub corrected: bool,
    /// The agent's session, if known.
    pub session: Option<String>,
}

/// The verdict on a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr, VariantArray, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EffectVerdict {
    /// It is too early.
    Stabilizing,
    /// Too few decisions before it to compare with.
    NoBaseline,
    /// Too few decisions after it.
    TooFewExposures,
    /// Its correction became rarer than chance explains.
    Helps,
    /// No improvement is visible, although a halving would have been: review the rule.
    NoEffectSeen,
    /// Both are still possible.
    Unclear,
}

impl EffectVerdict {
    /// Returns the form used in tables.
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

    /// Reports whether the rule should be flagged.
    pub fn flags(self) -> bool {
        self == EffectVerdict::NoEffectSeen
    }
}

/// The evidence on a rule's effect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assessment {
    /// The rate before activation; `None` if there were no decisions.
    pub before: Option<Rate>,
    /// The rate after stabilizing; `None` if there were no decisions.
    pub after: Option<Rate>,
    /// The change from before to after; below 0 if there are fewer corrections.
    pub change: Option<Change>,
    /// Decisions during stabilization; they do not count.
    pub set_aside: u64,
    /// Decisions after stabilization.
    pub exposures: u64,
    /// The exposures behind the verdict: those of the latest interim look; 0 if there was none.
    pub judged_on: u64,
    /// The verdict.
    pub verdict: EffectVerdict,
    /// Corrections saved per decision, for the order in prompts: the fall of the rate at the latest interim look,
    /// shrunk towards 0 by its uncertainty (the mean of a normal posterior, whose prior has the mean 0 and the standard
    /// deviation [`EffectPolicy::usual_change`]). 0 if unknown; below 0 if corrections rose. It changes only at a look,
    /// so that prompts do not change with every decision.
    pub effect: f64,
    /// The verdict in words.
    pub explained: String,
}

/// Prompts with the rule compared with prompts without it, over the same time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Decisions of sessions whose prompt had the rule.
    pub with: Option<Rate>,
    /// Decisions of sessions whose prompt did not have the rule.
    pub without: Option<Rate>,
    /// The change from without to with; below 0 if the rule reduces corrections.
    pub change: Option<Change>,
}
