//! The figures by which people see whether it all works, and what waits for them.
//!
//! In come records of everything that happened, and labelled data. Out go the figures of a period, in numbers and in words,
//! how well remarks were understood, and what an answer would be worth. Nothing follows from them here. This is the last
//! room: it may look into all others, and none looks into it.

pub mod demands;
pub mod impact;
pub mod inbox;
pub mod placed;
pub mod report;
pub mod score;
