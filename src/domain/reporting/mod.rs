//! The figures by which people see whether it all works.
//!
//! In come records of everything that happened, and labelled data. Out go the figures of a period, in numbers and in words,
//! and how well remarks were understood. Nothing follows from them here. This is the last room: it may look into all
//! others, and none looks into it.

pub mod report;
pub mod score;
