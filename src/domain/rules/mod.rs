//! The life of a rule, from its draft to its effect.
//!
//! Inputs are clusters, people's decisions, and events since a rule came into force. Outputs are proposals, their
//! versions and states, what agents receive, and whether it helped. The three parts form a sequence: `drafting`, then
//! `lifecycle`, then `in_force`; each may use those before it. The module may use all others but `reporting`.

pub mod draft;
pub mod in_force;
pub mod lifecycle;
