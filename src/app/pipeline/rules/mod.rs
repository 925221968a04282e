//! Third step: proposals and rules, from a draft to the measured effect.

pub mod approval_check;
pub mod approval_count;
pub mod cards;
pub mod commands;
pub mod effects;
pub mod evidence;
pub mod existing_guidance;
pub mod measurement;
pub mod numbers;
pub mod proposals;
pub mod upkeep;
pub mod wording;
