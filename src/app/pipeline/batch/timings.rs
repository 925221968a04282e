//! Where the time of a batch goes: one duration for each stage, measured as the batch passes through.
//!
//! For the log and the benchmark. It decides nothing.

use std::time::{Duration, Instant};

/// How long each stage of the pipeline took, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Reading raw entries as events; completing decisions that are recorded already.
    pub decode: Duration,
    /// Cleaning, redacting and reading what is demanded.
    pub capture: Duration,
    /// Turning remarks into vectors.
    pub embed: Duration,
    /// Comparing, classifying and grouping; proposals; the records that follow.
    pub evaluate: Duration,
    /// Records as text.
    pub render: Duration,
    /// The durable commit.
    pub commit: Duration,
    /// Bringing the index up to the commit.
    pub index: Duration,
}

/// Measures from lap to lap.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Adds the time since the last lap to a stage.
    pub fn lap(&mut self, stage: &mut Duration) {
        let now = Instant::now();
        *stage += now - self.0;
        self.0 = now;
    }
}
