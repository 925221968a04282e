//! Times of a batch's steps, computed from their durations. Measures nothing itself.

use crate::pipeline::Timings;
use jiff::{SignedDuration, Timestamp};
use std::time::{Duration, Instant};

/// The milestones of a batch. One is wall-clock time, which may jump; the others are relative to it.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// When it began, in wall-clock time.
    pub at: Timestamp,
    /// The start time.
    pub began: Instant,
    /// When its effect was durable.
    pub durable: Instant,
}

impl Moments {
    /// Converts a moment to wall-clock time.
    pub fn at(&self, moment: Instant) -> Timestamp {
        after(self.at, moment.saturating_duration_since(self.began))
    }
}

/// One step of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub name: &'static str,
    pub began: Timestamp,
    pub ended: Timestamp,
}

/// Returns the steps up to the index. The batch may have been delayed before the first one, e.g. by an unwritable
/// store.
pub(super) fn steps(timings: &Timings, moments: &Moments) -> [Step; 4] {
    let lengths = [
        ("read", timings.decode + timings.capture + timings.embed),
        ("decide", timings.evaluate + timings.render),
        (COMMIT, timings.commit),
        ("index", timings.index),
    ];
    let all: Duration = lengths.iter().map(|(_, length)| *length).sum();
    let whole = moments.durable.saturating_duration_since(moments.began);
    let mut so_far = whole.saturating_sub(all);
    lengths.map(|(name, length)| {
        let began = so_far;
        so_far += length;
        Step { name, began: after(moments.at, began), ended: after(moments.at, so_far) }
    })
}

/// The step in which the effect became durable.
pub(super) const COMMIT: &str = "commit";

fn after(start: Timestamp, length: Duration) -> Timestamp {
    SignedDuration::try_from(length).ok().and_then(|length| start.checked_add(length).ok()).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_each_other_up_to_when_it_was_durable() {
        let ms = Duration::from_millis;
        let timings = Timings {
            decode: ms(1),
            capture: ms(2),
            embed: ms(3),
            evaluate: ms(4),
            render: ms(5),
            commit: ms(6),
            index: ms(7),
        };
        let at: Timestamp = "2026-11-25T10:00:00Z".parse().expect("a timestamp");
        let began = Instant::now();
        let moments = Moments { at, began, durable: began + ms(100) };
        let shown = steps(&timings, &moments).map(|step| {
            format!("{} {} {}", step.name, step.began.as_millisecond() % 1000, step.ended.as_millisecond() % 1000)
        });
        assert_eq!(shown, ["read 72 78", "decide 78 87", "commit 87 93", "index 93 100"]);
        assert_eq!(moments.at(began + ms(250)).as_millisecond() % 1000, 250);
    }
}
