//! Retry schedule for failed deliveries: over a day, with growing pauses (Standard Webhooks 1.0.0).

use jiff::{SignedDuration, Timestamp};

/// Attempts after the first one, in seconds since that one.
const LATER: [i64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// Pauses are up to a tenth longer, so that simultaneous failures are not retried simultaneously.
const JITTER: f64 = 0.1;
/// Minimum pause in seconds, however long an attempt took.
const LEAST: i64 = 5;

/// Returns when a batch first tried at `first` is retried after `attempts` tries; `None` if it is given up.
pub(super) fn again(batch: &str, attempts: u32, first: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let done = usize::try_from(attempts).unwrap_or(usize::MAX).saturating_sub(1);
    let planned = *LATER.get(done)?;
    let before = done.checked_sub(1).map_or(0, |last| LATER[last]);
    let spread = ((planned - before) as f64 * JITTER * share(batch, attempts)) as i64;
    let planned = first.checked_add(SignedDuration::from_secs(planned + spread)).ok()?;
    let least = now.checked_add(SignedDuration::from_secs(LEAST)).ok()?;
    Some(planned.max(least))
}

/// Returns a fraction from 0 to 1 that varies by batch and attempt.
fn share(batch: &str, attempts: u32) -> f64 {
    let hash = blake3::hash(format!("{batch}:{attempts}").as_bytes());
    f64::from(u16::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1]])) / f64::from(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_tried_ten_times_within_a_day_and_a_little() {
        let first: Timestamp = "2026-01-20T09:00:00Z".parse().unwrap();
        let mut now = first;
        let mut pauses = Vec::new();
        for attempts in 1.. {
            let Some(next) = again("msg_1", attempts, first, now) else { break };
            pauses.push(next.duration_since(first).as_secs());
            now = next;
        }
        assert_eq!(pauses.len(), 9, "{pauses:?}");
        for (pause, planned) in pauses.iter().zip(LATER) {
            assert!(*pause >= planned && *pause <= planned + planned / 10 + 5, "{pauses:?}");
        }
        assert!(pauses.is_sorted());
        let other = again("msg_2", 9, first, first);
        assert_ne!(other, again("msg_1", 9, first, first), "others come back at other times");
        // After a week of downtime it is tried, but not at once.
        let late = first.checked_add(SignedDuration::from_hours(170)).unwrap();
        assert_eq!(again("msg_1", 2, first, late), late.checked_add(SignedDuration::from_secs(5)).ok());
    }
}
