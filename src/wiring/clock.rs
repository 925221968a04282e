//! This machine's clock.

use crate::adapters::clock::SystemClock;
use crate::ports::Clock;
use jiff::Timestamp;
use std::sync::Arc;

/// Returns this machine's clock.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// Returns the time, for commands that need it.
pub fn now() -> Timestamp {
    SystemClock.now()
}
