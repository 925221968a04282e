//! The life of a rule, from its draft to its effect.

pub mod drafting;
pub mod in_force;
pub mod lifecycle;
