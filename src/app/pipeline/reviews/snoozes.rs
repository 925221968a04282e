//! Snoozed items: out of everyone's inbox until a day, and back before it. The review's record is all there is of it:
//! the inbox reads it from there, so nothing else changes.

use super::known_people::known_person;
use crate::domain::intake::submission::Review;
use crate::domain::records::layout;
use crate::domain::records::record::{AmbiguousRecord, RefusalCode};
use crate::domain::reporting::inbox::check_day;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::{ReviewResult, Stop, impossible, refuse};
use crate::text::prose::utc_day;
use jiff::civil::Date;

/// Takes an item out of the inbox until a day.
pub(crate) fn snooze(draft: &mut Draft<'_>, review: &Review, item: &str, until: Date) -> ReviewResult {
    known_person(draft, &review.reviewer_id)?;
    known_item(draft, item)?;
    if let Err(why) = check_day(until, utc_day(draft.now)) {
        return impossible(&why);
    }
    draft.counts.rule_events.push(format!("snooze {item}"));
    Ok(format!("{item} is in no inbox until {until}"))
}

/// Puts a snoozed item back into the inbox.
pub(crate) fn wake(draft: &mut Draft<'_>, review: &Review, item: &str) -> ReviewResult {
    known_person(draft, &review.reviewer_id)?;
    known_item(draft, item)?;
    draft.counts.rule_events.push(format!("wake {item}"));
    Ok(format!("{item} is in the inbox again"))
}

/// Checks that people can find such an item in an inbox. Questions are none: they change with their answers.
fn known_item(draft: &mut Draft<'_>, item: &str) -> Result<(), Stop> {
    if draft.memory.rule(item).is_some() || draft.memory.remarks.groups.find_cluster(item).is_some() {
        return Ok(());
    }
    let path = draft.place_of(layout::ambiguous(item))?;
    if draft.open::<AmbiguousRecord>(&path)?.is_some() {
        return Ok(());
    }
    let message = format!("there is no proposal, rule, cluster or pending contradiction {item}");
    refuse(RefusalCode::UnknownId, message)
}
