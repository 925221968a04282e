//! What the next turn of a conversation says about the one before (specification, "Turns"): rejected, accepted or
//! neutral.
//!
//! Rules read the cues and what the previous response asked for. One linear model weighs them; its strongest cues are
//! the rationale. Embeddings are up to the caller: the similarity of two queries is passed in as a number. No I/O, no
//! clock.

mod before;
mod context;
mod cues;
mod exchange;
mod features;
mod judge;
mod parsed;
mod patterns;
mod record;
mod rephrase;
mod search;
#[cfg(test)]
mod tests;
mod text;
mod verdict;
mod wish;

pub use context::{Context, context_text};
pub use exchange::Exchange;
pub use judge::{features, judge};
pub use patterns::{REPHRASED_ABOVE, base};
pub use record::{
    CREATE_FEEDBACK_INDEX, CREATE_TURNS, Strategy, TurnEvent, TurnMetadata, TurnRow, UserFeedback, ValidationOutcome,
};
pub use rephrase::{Rephrase, content_stems, rephrase_features, rephrased};
pub use search::{
    RankedStrategy, SESSION_TIMEOUT, expired, feedback_weight, rank, ranking_score, rejections_in_a_row, satisfaction,
    session_ended,
};
pub use verdict::{CorrectionType, Cue, FeedbackResult, FeedbackType};
pub use wish::demand;
