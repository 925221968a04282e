//! How well the program understands this store's own comments, with people's decisions as the ground truth.
//!
//! Three questions: does similarity agree with people on what belongs together; would the program build the clusters
//! that people left; are the proposals it is sure of approved. Nothing is written.

mod answers;
mod figures;

pub use figures::{ClusteringPair, DecidedProposals, RecalibrationFigures, SelfTest, selftest};
