//! The figures that show people whether everything works, and the items pending for them.
//!
//! Input: records of everything that happened, and labelled data. Output: the figures of a period, in numbers and in
//! words, how well comments were understood, and what an answer would be worth. Nothing acts on them here. This is the
//! last layer: it may use all others, and none uses it.

pub mod demands;
mod headline;
pub mod impact;
pub mod inbox;
pub mod placed;
pub mod report;
pub mod score;

pub use headline::headline;
