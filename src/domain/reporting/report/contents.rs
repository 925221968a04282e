//! The figures of a report as they are handed over: plain data, ready for JSON. How they are counted or shown is not decided here.

use super::rate::{Quarter, Share};
use crate::channels::iteration::Rates;
use crate::channels::refine::ActionEffect;
use crate::clusters::evaluation::Classification;
use crate::records::record::RefusalCode;
use jiff::Timestamp;
use serde::Serialize;

/// The figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The moment of the report.
    pub at: Timestamp,
    /// From when on things count; from the beginning where it is absent.
    pub since: Option<Timestamp>,
    /// The agent it is about; all where it is absent.
    pub agent: Option<String>,
    /// What happened in the week, in a weekly report.
    pub week: Option<Week>,
    /// Corrections per decision, all agents together.
    pub correction_rate: Vec<QuarterRate>,
    /// The same by agent, in the order of their names.
    pub correction_rate_by_agent: Vec<AgentRates>,
    /// How many proposals are approved.
    pub acceptance: Acceptance,
    /// How long it takes from a pattern to an active rule.
    pub time_to_rule: TimeToRule,
    /// How many corrections are edge cases.
    pub edge_cases: EdgeCases,
    /// How long reviews take.
    pub review_time: ReviewTime,
    /// Agents that need something other than rules.
    pub gaps: Gaps,
    /// Feedback by class, every class once.
    pub classes: Vec<ClassCount>,
    /// Proposals that await review.
    pub waiting: Waiting,
    /// Tiebreaks that wait for a person.
    pub tiebreaks: Waiting,
    /// What people decided about what was learned.
    pub reviews: Reviews,
    /// What became of reviews of iterations; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Rates>,
    /// How the actions fared that refined prompts; those that were never applied are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refinements: Vec<ActionEffect>,
}

/// What happened in one week.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Week {
    /// Its first moment.
    pub from: Timestamp,
    pub decisions: u64,
    /// How many of them were corrections.
    pub corrections: u64,
    /// Proposals made.
    pub proposed: u64,
    /// Proposals approved.
    pub approved: u64,
    /// Proposals rejected.
    pub rejected: u64,
    /// Proposals that nobody decided in time.
    pub expired: u64,
    /// Rules that came into force.
    pub activated: u64,
    /// Rules that left force.
    pub ended: u64,
}

impl Week {
    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        *self == Week { from: self.from, ..Week::default() }
    }
}

/// A quarter's correction rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuarterRate {
    pub quarter: Quarter,
    /// Whether only a part of it counts, at the ends of the report's time.
    pub in_part: bool,
    /// Corrections of decisions.
    pub share: Share,
    /// The change of the rate against the quarter before, relative to it; absent where one of them has too few
    /// decisions, or the other one is zero.
    pub change: Option<f64>,
    /// Whether the change is -20 % or better; absent where there is none.
    pub met: Option<bool>,
}

/// An agent's correction rates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentRates {
    pub agent: String,
    /// Quarters in which it has decisions, the oldest first.
    pub quarters: Vec<QuarterRate>,
}

/// A quarter's share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuarterShare {
    pub quarter: Quarter,
    pub share: Share,
}

/// How many proposals are approved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Acceptance {
    /// Approved of decided.
    pub share: Share,
    /// Proposals that nobody decided in time; they are not among the decided ones.
    pub expired: u64,
    /// The share to be exceeded.
    pub target: f64,
    /// Whether it is.
    pub met: Option<bool>,
    /// By the quarter of the decision.
    pub by_quarter: Vec<QuarterShare>,
}

/// From a pattern to an active rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeToRule {
    /// Rules whose times are known.
    pub rules: u64,
    pub median_hours: Option<f64>,
    /// The 90th percentile, in hours.
    pub p90_hours: Option<f64>,
    /// The median should be below this.
    pub target_hours: f64,
    /// Whether it is.
    pub met: Option<bool>,
}

/// Remarks that were made once, among all corrections.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeCases {
    /// Edge cases of corrections.
    pub share: Share,
    /// The share should be below this.
    pub target: f64,
    /// Whether it is.
    pub met: Option<bool>,
    /// By the quarter of the decision.
    pub by_quarter: Vec<QuarterShare>,
    /// Edge cases whose like has not arrived.
    pub open: u64,
    /// Edge cases that became part of a pattern.
    pub promoted: u64,
}

/// How long reviews take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewTime {
    /// Decisions whose review time is known.
    pub measured: u64,
    pub median_seconds: Option<u64>,
    /// The 95th percentile, in seconds.
    pub p95_seconds: Option<u64>,
    /// How many took longer than that.
    pub over_p95: u64,
    /// An approval without a comment that took less is a rubber stamp.
    pub rubber_stamp_seconds: u64,
    /// Rubber stamps of approvals whose review time is known.
    pub rubber_stamps: Share,
    /// A review that took more is a long one.
    pub long_review_seconds: u64,
    /// Long reviews of all that were measured.
    pub long_reviews: Share,
    /// Reviewers who have one or the other, most of both first.
    pub by_reviewer: Vec<Habit>,
}

/// How one reviewer reviews.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Habit {
    /// Who.
    pub reviewer: String,
    /// Rubber stamps of this reviewer's measured approvals.
    pub rubber_stamps: Share,
    /// Long reviews of this reviewer's measured reviews.
    pub long_reviews: Share,
}

/// Agents that need something other than rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gaps {
    /// Alerts that were raised, the latest first; at most [`LISTED`](super::LISTED).
    pub alerts: Vec<GapAlert>,
    /// How many there are.
    pub raised: u64,
    /// Agents that look like it now.
    pub agents: Vec<GapAgent>,
}

/// An alert about a gap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapAlert {
    pub alert_id: String,
    pub agent: String,
    /// When.
    pub raised_at: Timestamp,
    pub message: String,
}

/// An agent of whose last decisions more than half are corrections that ask for many different things.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapAgent {
    pub agent: String,
    /// Corrections of decisions in the last [`GAP_DAYS`](super::GAP_DAYS) days.
    pub share: Share,
    /// How many different things they ask for.
    pub themes: u64,
}

/// How many feedback records have a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// The class.
    pub classification: Classification,
    /// How many.
    pub count: u64,
}

/// What waits for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// How many wait.
    pub count: u64,
    /// The oldest ones; at most [`LISTED`](super::LISTED).
    pub oldest: Vec<WaitingItem>,
}

/// One thing that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingItem {
    /// The proposal or the feedback.
    pub id: String,
    /// The agent, or the agents.
    pub agents: String,
    pub about: String,
    /// Since when it waits.
    pub since: Timestamp,
    /// For how many whole hours.
    pub hours: i64,
}

/// What people decided about what was learned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reviews {
    /// Reviews that count.
    pub accepted: u64,
    /// Reviews that were refused.
    pub refused: u64,
    /// Why, the most frequent first.
    pub refusals: Vec<RefusalCount>,
}

/// How often reviews were refused for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RefusalCount {
    /// The reason.
    pub code: RefusalCode,
    /// How often.
    pub count: u64,
}
