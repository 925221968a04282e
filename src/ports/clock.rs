//! The wall clock.

use jiff::Timestamp;

/// The time. Everything below the service layer takes `now` as an argument instead.
pub trait Clock: Send + Sync {
    /// Now, by the wall clock: it may jump, so durations are not measured with it.
    fn now(&self) -> Timestamp;
}
