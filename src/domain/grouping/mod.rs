//! What belongs together.

pub mod cluster;
pub mod evaluate;
pub mod evaluation;
pub mod question;
