//! The wall clock, and the only place that reads it.

#![allow(clippy::disallowed_methods, reason = "this is the adapter that owns the clock")]

use crate::ports::Clock;
use jiff::Timestamp;

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Returns seconds since 1970, for commit times.
pub fn seconds() -> i64 {
    SystemClock.now().as_second()
}
