//! The life of a rule, from its draft to its effect.
//!
//! In come groups, what people decide, and what happened since a rule came into force. Out go proposals, their versions
//! and states, what agents are told, and whether it helped. The three parts follow each other: `drafting`, then
//! `lifecycle`, then `in_force`; each may look into those before it. The room may look into all others but `reporting`.

pub mod draft;
pub mod in_force;
pub mod lifecycle;
