//! The form that snoozes one item, or several.

use super::request::Visit;
use crate::app::decisions::inbox::snooze_of;
use crate::app::queries::{Comparisons, QueryError};
use crate::domain::reporting::inbox::{MAX_SNOOZE_DAYS, Snooze};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

/// How long an item is snoozed unless a person says otherwise, in days.
const USUAL_DAYS: i32 = 7;

/// The days that a form offers.
pub struct SnoozeDays {
    /// The first possible day.
    pub first: Date,
    /// The preselected one.
    pub usual: Date,
    /// The last possible one.
    pub last: Date,
}

impl SnoozeDays {
    /// Returns the days from today on.
    pub fn from(today: Date) -> SnoozeDays {
        let later = |days: i32| today.saturating_add(days.days());
        SnoozeDays { first: later(1), usual: later(USUAL_DAYS), last: later(MAX_SNOOZE_DAYS) }
    }
}

/// The form of one item.
pub struct SnoozeForm {
    /// The item.
    pub id: String,
    /// Its page.
    pub back: String,
    /// The days.
    pub days: SnoozeDays,
    /// Who snoozed it already.
    pub held: Option<Snooze>,
}

impl SnoozeForm {
    /// Returns the form of an item that has been pending since `since`.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn of(visit: &Visit, c: &Comparisons<'_>, id: &str, since: Timestamp) -> Result<SnoozeForm, QueryError> {
        let held = snooze_of(&c.queries, id, since, visit.now())?;
        let days = SnoozeDays::from(visit.today());
        Ok(SnoozeForm { id: id.to_owned(), back: visit.path.clone(), days, held })
    }
}
