//! What reviewers keep asking for: the result of a cold start, and later of everything.
//!
//! Input: all feedback in chronological order, one at a time, with its clusters and rules. Output: counts, each
//! recurring demand with its figures, and the comments that show it. Only counts and a few ids of each are kept.

mod answer;
mod link;
mod period;
mod quote;
mod tally;
mod told;

pub use answer::{
    Behind, Count, DemandRule, Demands, LeftOut, Opposed, Period, Puzzle, Read, Recurring, Share, Trust, Where,
};
pub use link::web_link;
pub use quote::{Quote, quote};
pub use tally::{DemandCounts, DemandTally, Entry, FeedbackFacts};
