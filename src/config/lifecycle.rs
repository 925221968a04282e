//! The sections about rules: how people decide, how many rules there are, and how their effect is measured and
//! reported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// `[review]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewConfig {
    /// Distinct approvers needed per rule (specification, "Rules").
    pub min_approvals: u32,
    /// Whether reviews must be signed with a key on the roster.
    pub require_signatures: bool,
    /// The hashes of rosters that are in force without approvals, separated by blanks; empty: none.
    pub trusted_rosters: String,
    /// The maximum age of a signature on arrival, in hours.
    pub signature_window_hours: u64,
    /// When people are reminded of a pending proposal, in days.
    pub remind_after_days: u64,
    /// When a proposal expires, in days.
    pub expire_after_days: u64,
}

impl ReviewConfig {
    /// Returns the hashes in `trusted_rosters`.
    pub fn trusted(&self) -> impl Iterator<Item = &str> {
        self.trusted_rosters.split_whitespace()
    }
}

/// `[rules]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesConfig {
    /// Maximum active rules per agent (specification, "Rules").
    pub max_active_per_agent: usize,
    /// A directory with the agents' base prompts, `<agent>.md`; empty: none.
    pub base_prompts: PathBuf,
}

/// `[effect]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectConfig {
    /// Days after activation that do not count (specification, "Rules").
    pub stabilizing_days: u64,
    /// Minimum age for flagging a rule, in days after activation (specification, "Rules").
    pub flag_after_days: u64,
    /// With fewer decisions, no conclusion is drawn.
    pub min_exposures: u64,
    /// The period before activation for the earlier rate, in days.
    pub before_days: u64,
    /// The share of prompts that omit a rule, for comparison.
    pub holdout_share: f64,
}

/// `[report]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportConfig {
    /// An approval without a comment that took less time is a rubber stamp, in seconds.
    pub rubber_stamp_seconds: u64,
    /// A review that took more time is a long one, in minutes.
    pub long_review_minutes: u64,
}
