//! The duration of each stage of a batch, measured as it runs.
//!
//! For the log and the benchmark. No decision depends on it.

use std::time::{Duration, Instant};

/// The duration of each stage of the pipeline, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Decoding raw entries into events; completing decisions that are recorded already.
    pub decode: Duration,
    /// Cleaning, redacting and reading demands.
    pub capture: Duration,
    /// Embedding comments.
    pub embed: Duration,
    /// Comparing, classifying and clustering; proposals; the resulting records.
    pub evaluate: Duration,
    /// Rendering records as text.
    pub render: Duration,
    /// The durable commit.
    pub commit: Duration,
    /// Updating the index to the commit.
    pub index: Duration,
}

/// A lap timer.
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
