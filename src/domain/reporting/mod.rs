//! The figures by which people see whether it all works.

pub mod report;
pub mod score;
