//! How well the program understands this store's own remarks, with what people decided as the truth.
//!
//! Three questions: does the similarity agree with what people said belongs together or not; would the program make the
//! groups that people left; do the proposals that it is sure of get approved. Nothing is written.

mod answers;
mod figures;

pub use figures::{Decided, Grouping, Recalibrated, SelfTest, selftest};
