//! What belongs together: remarks with one demand.
//!
//! In come feedback and how near it is to earlier feedback. Out go groups, the class of each feedback, and the questions
//! to people that would settle most. What follows from a group is decided in `rules`. This room may look into the leaves,
//! `language`, `channels` and `intake`.

pub mod cluster;
pub mod evaluate;
pub mod evaluation;
pub mod question;
