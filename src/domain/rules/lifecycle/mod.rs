//! A proposal is decided.

pub mod quorum;
pub mod roster;
pub mod rule;
pub mod signature;
