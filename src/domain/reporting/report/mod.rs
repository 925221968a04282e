//! The figures by which people see whether the whole thing works: what is counted, and what they are compared with.
//!
//! Pure aggregation in bounded memory: counts by agent and quarter, never lists of remarks. Every figure carries its
//! counts. What happened after the report's moment does not count, so that the same store and the same moment give the
//! same report. How a figure is shown is `document`'s work; whether a rule works is not asked here.

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
pub use tally::{Heard, ReportTally};
