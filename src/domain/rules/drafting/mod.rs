//! A pattern becomes a proposal.

pub mod advice;
pub mod kind;
pub mod proposal;
pub mod recalibration;
pub mod restate;
