//! What a report is about, and what its figures are compared with.

use jiff::Timestamp;

/// A quarter's correction rate should change by at most this against the quarter before.
pub const CORRECTION_CHANGE: f64 = -0.2;

/// More than this share of the decided proposals should be approved.
pub const ACCEPTANCE: f64 = 0.7;

/// From a pattern to a rule in force it should take less than this, in hours.
pub const HOURS_TO_RULE: f64 = 48.0;

/// Less than this share of the corrections should be edge cases.
pub const EDGE_CASES: f64 = 0.3;

/// The window in which capability gaps are looked for, in days.
pub const GAP_DAYS: i64 = 30;

/// The fewest decisions in the window with which an agent can have a gap.
pub const GAP_DECISIONS: u64 = 20;

/// The fewest different demands that make a gap; and there must be one of them for every three corrections.
pub const GAP_THEMES: u64 = 5;

/// How many entries a list of what waits names, the oldest first.
pub const LISTED: usize = 20;

/// What a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Only this agent's.
    pub agent: Option<String>,
    /// Only what happened at or after this moment.
    pub since: Option<Timestamp>,
    /// The moment of the report: what happened later does not count.
    pub at: Timestamp,
    /// The beginning of the week that ended at `at`, for a weekly report.
    pub week_from: Option<Timestamp>,
}

/// From when on a review counts as short or long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// An approval without a comment that took less is a rubber stamp, in seconds.
    pub rubber_stamp_seconds: u64,
    /// A review that took more is a long one, in seconds.
    pub long_review_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { rubber_stamp_seconds: 5, long_review_seconds: 1_800 }
    }
}
