//! The wall clock. The only place that reads it.

#![allow(clippy::disallowed_methods, reason = "this is the adapter that owns the clock")]

use crate::ports::Clock;
use jiff::Timestamp;

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Seconds since 1970, for the time of commits.
pub fn seconds() -> i64 {
    SystemClock.now().as_second()
}
