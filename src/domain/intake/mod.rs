//! What comes in: raw entries, the events they are read as, and the feedback made of decisions.

pub mod capture;
pub mod decode;
pub mod demand;
pub mod diff;
pub mod event;
pub mod feedback;
pub mod submission;
