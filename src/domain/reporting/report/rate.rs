//! Shares with their uncertainty, calendar quarters, and percentiles of durations. Independent of what is counted.

use crate::interval;
use crate::text::prose::round;
use jiff::Timestamp;
use jiff::civil::date;
use jiff::tz::TimeZone;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// The number of cases below which no rate is given and no target is judged.
pub const TOO_FEW: u64 = 5;
/// The confidence level of intervals.
const CONFIDENCE: f64 = 0.95;

/// A count, its total, and the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// The count.
    pub part: u64,
    /// The total.
    pub of: u64,
    /// The share, 0 to 1; absent below [`TOO_FEW`].
    pub rate: Option<f64>,
    /// The lower end of its 95 % interval (Wilson).
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Share {
    /// Creates the share `part` of `of`.
    pub fn new(part: u64, of: u64) -> Share {
        let tally = interval::CorrectionTally { corrections: part, decisions: of };
        match interval::rate(tally, CONFIDENCE).filter(|_| of >= TOO_FEW) {
            None => Share { part, of, ..Share::default() },
            Some(rate) => Share {
                part,
                of,
                rate: Some(round(rate.rate)),
                low: Some(round(rate.interval.low)),
                high: Some(round(rate.interval.high)),
            },
        }
    }
}

/// A calendar quarter in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quarter {
    year: i16,
    quarter: i8,
}

impl Quarter {
    /// Returns the quarter containing a point in time.
    pub fn of(at: Timestamp) -> Quarter {
        let z = at.to_zoned(TimeZone::UTC);
        Quarter { year: z.year(), quarter: (z.month() - 1) / 3 + 1 }
    }

    /// Returns the previous quarter.
    pub fn previous(self) -> Quarter {
        match self.quarter {
            1 => Quarter { year: self.year - 1, quarter: 4 },
            q => Quarter { year: self.year, quarter: q - 1 },
        }
    }

    /// Returns the next quarter.
    pub fn next(self) -> Quarter {
        match self.quarter {
            4 => Quarter { year: self.year + 1, quarter: 1 },
            q => Quarter { year: self.year, quarter: q + 1 },
        }
    }

    /// Returns its start.
    pub fn start(self) -> Timestamp {
        let first = date(self.year.clamp(-9998, 9998), self.quarter * 3 - 2, 1);
        first.to_zoned(TimeZone::UTC).map(|z| z.timestamp()).unwrap_or_default()
    }
}

impl fmt::Display for Quarter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-Q{}", self.year, self.quarter)
    }
}

impl Serialize for Quarter {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

/// A histogram of durations in seconds with growing steps: its size is bounded, however many are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    counts: BTreeMap<u64, u64>,
    total: u64,
}

impl Durations {
    /// Counts a duration: to the second up to an hour, to the minute up to a day; longer ones count as a day.
    pub fn add(&mut self, seconds: u64) {
        let step = if seconds <= 3_600 { seconds } else { (seconds / 60 * 60).min(86_400) };
        *self.counts.entry(step).or_default() += 1;
        self.total += 1;
    }

    /// Returns the number of durations.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Returns the duration that `percent` of all do not exceed; `None` below [`TOO_FEW`].
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        if self.total < TOO_FEW {
            return None;
        }
        let rank = (self.total * percent).div_ceil(100).max(1);
        let mut below = 0;
        self.counts
            .iter()
            .find(|(_, n)| {
                below += **n;
                below >= rank
            })
            .map(|(seconds, _)| *seconds)
    }

    /// Returns the number of longer durations.
    pub fn over(&self, seconds: u64) -> u64 {
        self.counts.range(seconds.saturating_add(1)..).map(|(_, n)| n).sum()
    }
}

/// Returns the value that `percent` of all do not exceed, by nearest rank; `None` below [`TOO_FEW`].
pub fn percentile(sorted: &[i64], percent: usize) -> Option<i64> {
    if (sorted.len() as u64) < TOO_FEW {
        return None;
    }
    sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_interval_is_wilsons() {
        // Values of Newcombe 1998, table I.
        let s = Share::new(81, 263);
        assert_eq!((s.rate, s.low, s.high), (Some(0.308), Some(0.2553), Some(0.3662)));
        let s = Share::new(0, 20);
        assert_eq!((s.low, s.high), (Some(0.0), Some(0.1611)));
        assert_eq!(Share::new(1, 4), Share { part: 1, of: 4, ..Share::default() });
    }

    #[test]
    fn quarters_follow_each_other() {
        let of = |text: &str| Quarter::of(text.parse().unwrap());
        assert_eq!(of("2026-03-31T23:59:59Z").to_string(), "2026-Q1");
        assert_eq!(of("2026-04-01T00:00:00Z"), of("2026-03-31T23:59:59Z").next());
        assert_eq!(of("2026-01-01T00:00:00Z").previous().to_string(), "2025-Q4");
        assert_eq!(of("2026-06-01T00:00:00Z").start().to_string(), "2026-04-01T00:00:00Z");
    }

    #[test]
    fn a_percentile_is_a_value_that_was_seen() {
        let sorted: Vec<i64> = (1..=10).collect();
        assert_eq!([50, 90, 100].map(|p| percentile(&sorted, p)), [Some(5), Some(9), Some(10)]);
        assert_eq!(percentile(&sorted[..4], 50), None);
        let mut durations = Durations::default();
        [3, 10, 20, 90, 4_000, 500_000].into_iter().for_each(|s| durations.add(s));
        assert_eq!((durations.percentile(50), durations.percentile(95)), (Some(20), Some(86_400)));
        assert_eq!((durations.over(1_800), durations.count()), (2, 6));
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_rate(of in 5u64..100_000, part in 0.0f64..=1.0) {
            let s = Share::new((part * of as f64) as u64, of);
            let (rate, low, high) = (s.rate.unwrap(), s.low.unwrap(), s.high.unwrap());
            prop_assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
            prop_assert!(low <= rate && rate <= high);
        }

        #[test]
        fn before_the_next_is_the_same(seconds in -10_000_000_000i64..10_000_000_000) {
            let q = Quarter::of(Timestamp::from_second(seconds).unwrap());
            prop_assert_eq!(q.next().previous(), q);
            prop_assert_eq!(Quarter::of(q.start()), q);
        }
    }
}
