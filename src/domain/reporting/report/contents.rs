//! The figures of a report as plain data, ready for JSON. Counting and presentation are done elsewhere.

use super::rate::{Quarter, Share};
use crate::channels::iteration::Rates;
use crate::channels::refine::ActionEffect;
use crate::clusters::evaluation::Classification;
use crate::records::record::RefusalCode;
use jiff::Timestamp;
use serde::Serialize;

/// Computes the figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The report's point in time.
    pub at: Timestamp,
    /// The start of the period; absent for the beginning.
    pub since: Option<Timestamp>,
    /// The agent concerned; absent for all.
    pub agent: Option<String>,
    /// The events of the week, in a weekly report.
    pub week: Option<Week>,
    /// Corrections per decision, all agents together.
    pub correction_rate: Vec<QuarterRate>,
    /// Corrections per decision by agent, sorted by name.
    pub correction_rate_by_agent: Vec<AgentRates>,
    /// The share of approved proposals.
    pub acceptance: Acceptance,
    /// How long it takes from a pattern to an active rule.
    pub time_to_rule: TimeToRule,
    /// The share of corrections that are one-offs.
    pub edge_cases: EdgeCases,
    /// How long reviews take.
    pub review_time: ReviewTime,
    /// Agents that need something other than rules.
    pub gaps: Gaps,
    /// Feedback by class; every class appears once.
    pub classes: Vec<ClassCount>,
    /// Proposals awaiting review.
    pub waiting: Waiting,
    /// Contradictions awaiting a person's decision.
    pub tiebreaks: Waiting,
    /// People's decisions about what was learned.
    pub reviews: Reviews,
    /// The outcome of iteration reviews; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Rates>,
    /// The results of the actions that refined prompts, except those that were never applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refinements: Vec<ActionEffect>,
}

/// The events of one week.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Week {
    /// Its start.
    pub from: Timestamp,
    pub decisions: u64,
    /// How many of the decisions were corrections.
    pub corrections: u64,
    /// Proposals created.
    pub proposed: u64,
    /// Proposals approved.
    pub approved: u64,
    /// Proposals rejected.
    pub rejected: u64,
    /// Proposals not decided in time.
    pub expired: u64,
    /// Rules that came into force.
    pub activated: u64,
    /// Rules that left force.
    pub ended: u64,
}

impl Week {
    /// Reports whether nothing happened.
    pub fn is_empty(&self) -> bool {
        *self == Week { from: self.from, ..Week::default() }
    }
}

/// A quarter's correction rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuarterRate {
    pub quarter: Quarter,
    /// Whether it is only partly counted, at either end of the report's period.
    pub in_part: bool,
    /// Corrections among decisions.
    pub share: Share,
    /// The relative change of the rate from the previous quarter; absent if either has too few decisions or the
    /// previous rate is zero.
    pub change: Option<f64>,
    /// Whether the change is -20 % or better; absent if there is no change.
    pub met: Option<bool>,
}

/// An agent's correction rates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentRates {
    pub agent: String,
    /// Quarters in which it has decisions, oldest first.
    pub quarters: Vec<QuarterRate>,
}

/// A quarter's share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuarterShare {
    pub quarter: Quarter,
    pub share: Share,
}

/// The share of approved proposals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Acceptance {
    /// Approved among decided proposals.
    pub share: Share,
    /// Proposals not decided in time; they do not count as decided.
    pub expired: u64,
    /// The share to be exceeded.
    pub target: f64,
    /// Whether it is exceeded.
    pub met: Option<bool>,
    /// By the quarter of the decision.
    pub by_quarter: Vec<QuarterShare>,
}

/// The time from a pattern to an active rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeToRule {
    /// Rules with known times.
    pub rules: u64,
    pub median_hours: Option<f64>,
    /// The 90th percentile, in hours.
    pub p90_hours: Option<f64>,
    /// The median should be below this.
    pub target_hours: f64,
    /// Whether it is exceeded.
    pub met: Option<bool>,
}

/// Demands made once, among all corrections.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeCases {
    /// One-offs among corrections.
    pub share: Share,
    /// The share should be below this.
    pub target: f64,
    /// Whether it is exceeded.
    pub met: Option<bool>,
    /// By the quarter of the decision.
    pub by_quarter: Vec<QuarterShare>,
    /// One-offs without similar comments so far.
    pub open: u64,
    /// One-offs that became part of a pattern.
    pub promoted: u64,
}

/// How long reviews take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewTime {
    /// Decisions with a known review time.
    pub measured: u64,
    pub median_seconds: Option<u64>,
    /// The 95th percentile, in seconds.
    pub p95_seconds: Option<u64>,
    /// The number that took longer than that.
    pub over_p95: u64,
    /// The time below which an approval without a comment is a rubber stamp.
    pub rubber_stamp_seconds: u64,
    /// Rubber stamps among approvals with a known review time.
    pub rubber_stamps: Share,
    /// The time above which a review counts as long.
    pub long_review_seconds: u64,
    /// Long reviews among all measured ones.
    pub long_reviews: Share,
    /// Reviewers who have either, those with the most first.
    pub by_reviewer: Vec<Habit>,
}

/// One reviewer's habits.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Habit {
    /// The reviewer.
    pub reviewer: String,
    /// Rubber stamps among this reviewer's measured approvals.
    pub rubber_stamps: Share,
    /// Long reviews among this reviewer's measured reviews.
    pub long_reviews: Share,
}

/// Agents that need something other than rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gaps {
    /// Raised alerts, the latest first; at most [`LISTED`](super::LISTED).
    pub alerts: Vec<GapAlert>,
    /// The number of raised alerts.
    pub raised: u64,
    /// Agents that currently have signs of a gap.
    pub agents: Vec<GapAgent>,
}

/// An alert about a gap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapAlert {
    pub alert_id: String,
    pub agent: String,
    /// When it was raised.
    pub raised_at: Timestamp,
    pub message: String,
}

/// An agent for which more than half of the recent decisions are corrections that ask for many different things.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapAgent {
    pub agent: String,
    /// Corrections among decisions in the last [`GAP_DAYS`](super::GAP_DAYS) days.
    pub share: Share,
    /// The number of different demands.
    pub themes: u64,
}

/// The number of feedback records of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// The class.
    pub classification: Classification,
    /// The number.
    pub count: u64,
}

/// Items pending for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The number of pending items.
    pub count: u64,
    /// The oldest items; at most [`LISTED`](super::LISTED).
    pub oldest: Vec<WaitingItem>,
}

/// A pending item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingItem {
    /// The id of the proposal or feedback.
    pub id: String,
    /// The agent or agents.
    pub agents: String,
    pub about: String,
    /// Since when it is pending.
    pub since: Timestamp,
    /// The pending time in whole hours.
    pub hours: i64,
}

/// People's decisions about what was learned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reviews {
    /// Reviews that count.
    pub accepted: u64,
    /// Reviews that were rejected.
    pub refused: u64,
    /// The reasons, the most frequent first.
    pub refusals: Vec<RefusalCount>,
}

/// The number of reviews rejected for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RefusalCount {
    /// The reason.
    pub code: RefusalCode,
    /// The number.
    pub count: u64,
}
