//! The wall clock.

use jiff::Timestamp;

/// The clock. Everything below the service layer takes `now` as an argument instead.
pub trait Clock: Send + Sync {
    /// Returns the wall-clock time: it may jump, so it is not used for durations.
    fn now(&self) -> Timestamp;
}
