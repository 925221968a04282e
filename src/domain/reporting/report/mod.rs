//! The figures that show people whether the system works: what is counted, and the targets.
//!
//! Pure aggregation in bounded memory: counts by agent and quarter, never lists of comments. Every figure includes its
//! counts. Events after the report's point in time do not count, so the same store and time give the same report.
//! Presentation is up to `document`; whether a rule works is measured elsewhere.

mod channel_tally;
mod channels;
mod contents;
mod document;
mod figures;
mod rate;
mod scope;
mod section;
mod tally;

pub use contents::{
    Acceptance, AgentRates, ClassCount, EdgeCases, GapAgent, GapAlert, Gaps, Habit, QuarterRate, QuarterShare,
    RefusalCount, Report, ReviewTime, Reviews, TimeToRule, Waiting, WaitingItem, Week,
};
pub use document::{Document, document};
pub use rate::{Durations, Quarter, Share, TOO_FEW};
pub use scope::{
    ACCEPTANCE, CORRECTION_CHANGE, EDGE_CASES, GAP_DAYS, GAP_DECISIONS, GAP_THEMES, HOURS_TO_RULE, LISTED, Limits,
    Scope,
};
pub use section::Section;
pub use tally::{FeedbackFacts, ReportTally};
