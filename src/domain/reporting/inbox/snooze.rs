//! Snoozed items, from the reviews that snoozed them.

use crate::intake::submission::ReviewAction;
use crate::records::record::{ReviewOutcome, ReviewRecord};
use crate::text::prose::utc_day;
use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The longest snooze, in days.
pub const MAX_SNOOZE_DAYS: i32 = 365;

/// Checks the day on which an item is to be back.
///
/// # Errors
/// A sentence that states which days are possible.
pub fn check_day(until: Date, today: Date) -> Result<(), String> {
    let days = (until - today).get_days();
    if days < 1 {
        return Err(format!("{until} is not in the future; name a later day than {today}"));
    }
    if days > MAX_SNOOZE_DAYS {
        return Err(format!("{until} is too far away; name a day within {MAX_SNOOZE_DAYS} days from {today}"));
    }
    Ok(())
}

/// Who snoozed an item, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snooze {
    /// The person.
    pub by: String,
    /// The day, in UTC, on which the item is back.
    #[schemars(with = "String", extend("format" = "date"))]
    pub until: Date,
    /// When it was snoozed. What changes later ends the snooze.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// Why, if they said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Returns the snoozes that hold, by item. The latest review of an item decides; the order of `reviews` is of no matter.
pub fn snoozes<'r>(reviews: impl Iterator<Item = &'r ReviewRecord>, now: Timestamp) -> BTreeMap<String, Snooze> {
    let today = utc_day(now);
    let mut latest: BTreeMap<&str, &ReviewRecord> = BTreeMap::new();
    for review in reviews.filter(|review| review.outcome == ReviewOutcome::Accepted) {
        let (ReviewAction::Snooze { item, .. } | ReviewAction::Wake { item }) = &review.action else { continue };
        let order = |review: &ReviewRecord| (review.recorded_at, review.timestamp);
        let last = latest.entry(item).or_insert(review);
        if order(last) <= order(review) {
            *last = review;
        }
    }
    let snoozed = latest.into_iter().filter_map(|(item, review)| {
        let ReviewAction::Snooze { until, .. } = review.action else { return None };
        let (by, reason) = (review.reviewer_id.clone(), review.reason.clone());
        let snooze = Snooze { by, until, at: review.recorded_at, reason };
        (until > today).then(|| (item.to_owned(), snooze))
    });
    snoozed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample;
    use jiff::{SignedDuration, civil};

    #[test]
    fn the_latest_review_of_an_item_decides_until_its_day() {
        let start: Timestamp = "2026-01-12T10:00:00Z".parse().unwrap();
        let said = |minute: i64, action: ReviewAction, outcome| {
            let at = start + SignedDuration::from_mins(minute);
            ReviewRecord { action, outcome, timestamp: at, recorded_at: at, ..sample::review(1) }
        };
        let snooze = |item: &str, day| ReviewAction::Snooze { item: item.into(), until: civil::date(2026, 1, day) };
        let wake = |item: &str| ReviewAction::Wake { item: item.into() };
        let all = [
            said(1, snooze("a", 14), ReviewOutcome::Accepted),
            said(3, snooze("a", 20), ReviewOutcome::Accepted),
            said(2, wake("a"), ReviewOutcome::Accepted),
            said(1, snooze("b", 20), ReviewOutcome::Accepted),
            said(2, wake("b"), ReviewOutcome::Accepted),
            said(1, snooze("c", 13), ReviewOutcome::Accepted),
            said(1, snooze("d", 20), ReviewOutcome::Refused),
            said(2, wake("c"), ReviewOutcome::Refused),
        ];
        let held = |at: &str| {
            let held = snoozes(all.iter(), at.parse().unwrap());
            held.into_iter().map(|(item, held)| format!("{item} {}", held.until)).collect::<Vec<_>>()
        };
        assert_eq!(held("2026-01-12T23:59:59Z"), ["a 2026-01-20", "c 2026-01-13"]);
        assert_eq!(held("2026-01-13T00:00:00Z"), ["a 2026-01-20"]);
        assert_eq!(held("2026-01-20T00:00:00Z"), Vec::<String>::new());
    }
}
