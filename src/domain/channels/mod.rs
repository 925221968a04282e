//! What comes beside gate decisions.

pub mod action;
pub mod channel;
pub mod iteration;
pub mod refine;
pub mod signal;
pub mod turn;
