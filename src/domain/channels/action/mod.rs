//! Actions (specification, "Actions"): the outcome of an agent's action, answered with what happened, why, and what to
//! try.
//!
//! [`ActionResult::from_value`] reads an event. [`Actions`] adds it to its chain, learns from it and answers with an
//! [`ActionFeedback`]. An [`ActionRecord`] keeps all of it. What was learned is a sum over records, so it can be
//! rebuilt from the store alone and does not depend on the order of events. Nothing here publishes, stores or redacts:
//! secrets are removed from an event's value before it is read.
//!
//! The client sends results and reads answers, and carries out what its model decides.

mod actions;
mod answer;
mod approach;
mod beta;
mod cause;
mod chain;
mod demand;
mod feedback;
mod guarded;
mod observation;
mod prompt;
mod read;
mod record;
mod remedy;
mod result;
mod signature;
mod statistics;
mod suggest;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use actions::Actions;
pub use answer::HistoryEntry;
pub use answer::{ActionFeedback, AgentMessage, Context, Escalation, FEEDBACK_SCHEMA, LocalInference, Route, RouteTo};
pub use answer::{Suggestion, SuggestionSource};
pub use approach::{Approach, find_tool};
pub use beta::{Counts, Credible};
pub use cause::{Cause, CauseMatch, classify, classify_text};
pub use chain::{Attempt, Chain, ChainPosition, MAX_KEPT, chain_id};
pub use demand::{MIN_FAILURES, demand};
pub use feedback::{Policy, respond};
pub use observation::{Observation, Outcome};
pub use read::{Fallback, MAX_INFERENCES, UNSPECIFIED};
pub use record::{ACTION_SCHEMA, ActionRecord};
pub use result::{ActionKind, ActionResult, Confidence, GivenSuggestion, Problem, State};
pub use signature::{Signature, signature};
pub use statistics::{ActionStatistics, ApproachTally, Estimate, Experience, Tallies};
pub use suggest::suggest;
pub use table::{
    EXPERIENCE_COLUMNS, HISTORY_COLUMNS, SUGGESTION_COLUMNS, experience_rows, history_rows, suggestion_rows,
};
pub use text::{headline, reason_line};
