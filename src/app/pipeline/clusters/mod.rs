//! Second step: each comment is placed in a cluster and classified.

pub mod classify;
pub mod contradictions;
pub mod inquiries;
pub mod one_offs;
pub mod place;
pub mod reconciliation;
pub mod removal;
