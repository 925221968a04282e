//! Reports: what reviewers keep asking for, what rules did, and why something is as it is.

pub mod demands;
pub mod effectiveness;
pub mod lineage;
pub mod report;
