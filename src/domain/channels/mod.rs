//! The channels next to gate decisions: conversation turns, failure signals, prompts to refine, action results,
//! iteration reviews.
//!
//! Input: events as published. Output: verdicts on turns, refined prompts, answers to actions, findings about review
//! documents, and the resulting demands. Nothing here stores or publishes. This module may use the leaves and
//! `language`.

pub mod action;
pub mod channel;
pub mod iteration;
pub mod refine;
pub mod signal;
pub mod turn;
