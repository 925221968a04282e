//! The clock of this machine.

use crate::adapters::clock::SystemClock;
use crate::ports::Clock;
use jiff::Timestamp;
use std::sync::Arc;

/// The clock of this machine.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// The time, for commands that need it.
pub fn now() -> Timestamp {
    SystemClock.now()
}
