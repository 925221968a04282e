//! What belongs together.

pub mod cluster;
pub mod evaluate;
pub mod question;
