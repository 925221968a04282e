//! The service layer: all that the command line and HTTP may call.

pub mod alive;
pub mod approving;
pub mod channel_service;
pub mod checking;
pub mod effectiveness;
pub mod evaluator;
pub mod explain;
pub mod gate_feedback;
pub mod health;
pub mod impact;
pub mod inbox;
pub mod lineage;
mod parallel;
pub mod pipeline;
pub mod publishing;
pub mod purging;
pub mod queries;
pub mod reading;
pub mod reindex;
pub mod report;
pub mod reviewers;
pub mod selftest;
pub mod submitting;
pub mod telling;
pub mod tokens;
pub mod understanding;
pub mod verify;
