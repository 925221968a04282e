//! The scope of a report, and the targets for its figures.

use jiff::Timestamp;

/// The change of a quarter's correction rate from the previous quarter should be at most this.
pub const CORRECTION_CHANGE: f64 = -0.2;

/// The share of approved among decided proposals should exceed this.
pub const ACCEPTANCE: f64 = 0.7;

/// The time from a pattern to a rule in force should be below this, in hours.
pub const HOURS_TO_RULE: f64 = 48.0;

/// The share of corrections that are one-offs should be below this.
pub const EDGE_CASES: f64 = 0.3;

/// The window for capability gaps, in days.
pub const GAP_DAYS: i64 = 30;

/// The minimum number of decisions in the window for an agent to have a gap.
pub const GAP_DECISIONS: u64 = 20;

/// The minimum number of different demands for a gap; there must also be one for every three corrections.
pub const GAP_THEMES: u64 = 5;

/// The maximum length of a list of pending items, the oldest first.
pub const LISTED: usize = 20;

/// The scope of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Only this agent.
    pub agent: Option<String>,
    /// Only events at or after this time.
    pub since: Option<Timestamp>,
    /// The report's point in time: later events do not count.
    pub at: Timestamp,
    /// The start of the week that ended at `at`, for a weekly report.
    pub week_from: Option<Timestamp>,
}

/// The durations from which a review counts as short or long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time in seconds below which an approval without a comment is a rubber stamp.
    pub rubber_stamp_seconds: u64,
    /// The time in seconds above which a review counts as long.
    pub long_review_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { rubber_stamp_seconds: 5, long_review_seconds: 1_800 }
    }
}
