//! What reviewers keep asking for: the result of a cold start, and later of everything.
//!
//! In comes all feedback in the order of time, one at a time, with the groups and rules that it led to. Out go counts, each
//! demand that recurs with its figures, and which remarks show it. Only counts and a few ids of each are kept.

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
pub use tally::{Counted, DemandTally, Entry, Heard};
