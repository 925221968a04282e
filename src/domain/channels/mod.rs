//! What comes beside the decisions of gates: turns of a conversation, signals of failure, prompts to refine, results of
//! actions, reviews of iterations.
//!
//! In come events as they were published. Out go verdicts on turns, refined prompts, answers to actions, findings about
//! review documents, and the demands that follow from them. Nothing here stores or publishes. This room may look into the
//! leaves and `language`.

pub mod action;
pub mod channel;
pub mod iteration;
pub mod refine;
pub mod signal;
pub mod turn;
