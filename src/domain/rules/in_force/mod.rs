//! What agents are told, and whether it helped.

pub mod effect;
pub mod export;
pub mod import;
pub mod prompt;
