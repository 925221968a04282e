//! The batch itself: its draft, what it writes, and its commit.

pub mod commit;
pub mod draft;
pub mod finish;
pub mod outcome;
pub mod staging;
pub mod summary;
pub mod timings;
