//! The channels besides gate decisions: what programs ask about turns, refinements, actions and review documents.

pub mod action_knowledge;
pub mod action_outcomes;
pub mod service;
