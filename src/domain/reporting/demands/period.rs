//! The whole time in few enough equal parts to show: months, quarters or years.

use super::answer::Period;
use crate::text::prose::utc_day;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Maximum number of parts shown.
const MOST: i64 = 24;

/// Months since the year 0.
pub(super) type Month = i64;

/// Returns the month of a timestamp, in UTC.
pub(super) fn month(at: Timestamp) -> Month {
    let day = utc_day(at);
    i64::from(day.year()) * 12 + i64::from(day.month()) - 1
}

/// Counts occurrences in each part of the time from the first month to the last, both inclusive.
pub(super) fn periods(by_month: &BTreeMap<Month, u64>, first: Month, last: Month) -> Vec<Period> {
    let (length, name): (i64, fn(Month) -> String) = match last.saturating_sub(first) {
        0..MOST => (1, |at| format!("{:04}-{:02}", at.div_euclid(12), at.rem_euclid(12) + 1)),
        months if months / 3 + 1 < MOST => (3, |at| format!("{:04}-Q{}", at.div_euclid(4), at.rem_euclid(4) + 1)),
        _ => (12, |at| format!("{at:04}")),
    };
    let (from, to) = (first.div_euclid(length), last.div_euclid(length));
    // A clock wrong by centuries must not produce a long list.
    let from = from.max(to.saturating_sub(MOST - 1));
    let mut counts: BTreeMap<i64, u64> = (from..=to).map(|part| (part, 0)).collect();
    for (month, count) in by_month {
        if let Some(part) = counts.get_mut(&month.div_euclid(length).max(from)) {
            *part += count;
        }
    }
    counts.into_iter().map(|(part, remarks)| Period { period: name(part), remarks }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, last: &str, at: &[&str]) -> String {
        let month = |text: &str| month(text.parse().unwrap());
        let mut counts = BTreeMap::new();
        at.iter().for_each(|text| *counts.entry(month(text)).or_default() += 1);
        let parts = periods(&counts, month(first), month(last));
        assert!(
            parts.len() <= 24 && parts.iter().map(|part| part.remarks).sum::<u64>() == at.len() as u64,
            "{parts:?}"
        );
        let told: Vec<String> = parts.iter().map(|part| format!("{} {}", part.period, part.remarks)).collect();
        told.join(", ")
    }

    #[test]
    fn the_parts_are_as_long_as_they_have_to_be() {
        insta::assert_snapshot!(
            told("2024-11-30T00:00:00Z", "2025-02-01T00:00:00Z", &["2024-12-01T00:00:00Z", "2025-02-01T00:00:00Z"]),
            @"2024-11 0, 2024-12 1, 2025-01 0, 2025-02 1"
        );
        let quarters = told("2020-02-01T00:00:00Z", "2025-02-01T00:00:00Z", &["2020-02-01T00:00:00Z"]);
        assert!(quarters.starts_with("2020-Q1 1, ") && quarters.ends_with("2025-Q1 0"), "{quarters}");
        let years =
            told("1970-01-01T00:00:00Z", "2025-02-01T00:00:00Z", &["1970-01-01T00:00:00Z", "2025-01-09T00:00:00Z"]);
        assert!(years.starts_with("2002 1, ") && years.ends_with("2025 1"), "{years}");
    }
}
