//! The pure domain: what a decision says, what it means together with earlier ones, and what follows from it.
//!
//! Nothing in here is asynchronous, reads a clock, draws a random number or touches a file. `now` is an argument.

pub mod action;
pub mod actionable;
pub mod advice;
pub mod build;
pub mod capture;
pub mod channel;
pub mod cluster;
pub mod concern;
pub mod decode;
pub mod diff;
pub mod effect;
pub mod evaluate;
pub mod event;
pub mod export;
pub mod feedback;
pub(crate) mod fold;
pub mod ids;
pub mod import;
pub mod kind;
pub mod layout;
pub mod linear;
pub mod lint;
pub mod message;
pub mod prompt;
pub mod proposal;
pub mod question;
pub mod quorum;
pub mod recalibration;
pub mod record;
pub mod redact;
pub mod refine;
pub mod remark;
pub mod report;
pub mod restate;
pub mod review;
pub mod roster;
pub mod rule;
#[doc(hidden)]
pub mod sample;
pub mod score;
pub mod signal;
pub mod signature;
pub mod similarity;
pub mod stance;
pub mod takeup;
pub mod turn;
pub mod words;
pub mod yaml;
