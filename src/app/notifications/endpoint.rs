//! Who is told what, and when.

use crate::domain::identity;
use crate::domain::records::notification::{Notice, NoticeKind, Style};
use crate::ports::{Messenger, Waiting};
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// How often somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// At once, each notice alone.
    Instant,
    /// Once a day, all of them together, at this hour (UTC).
    Day(i8),
    /// Once a week, on Mondays at this hour (UTC).
    Week(i8),
}

/// Somebody who is told.
pub struct Endpoint {
    /// Its name.
    pub name: String,
    /// How it is spoken to.
    pub style: Style,
    /// Another text where it is another endpoint under the same name.
    pub fingerprint: String,
    /// What it is told; all of it where none is named.
    pub kinds: Vec<NoticeKind>,
    /// Only of these agents; of all where none is named.
    pub agents: Vec<String>,
    /// The person who reads it, where it is one.
    pub person: Option<String>,
    /// How often.
    pub every: Every,
    /// What brings it there.
    pub messenger: Box<dyn Messenger>,
}

impl Endpoint {
    /// Whether it is told of this. A person is told of refusals of the own reviews alone, and not of what it did itself.
    pub fn wants(&self, notice: &Notice) -> bool {
        let kind = self.kinds.is_empty() || self.kinds.contains(&notice.kind);
        let agent = self.agents.is_empty() || notice.agents.is_empty() || {
            notice.agents.iter().any(|agent| self.agents.contains(agent))
        };
        let own = |person: &String| notice.by.as_deref().is_some_and(|by| identity::same(by, person));
        let person = self.person.as_ref().is_none_or(|person| (notice.kind == NoticeKind::Refused) == own(person));
        kind && agent && person
    }

    /// The notice as it waits for this endpoint.
    pub(super) fn waiting(&self, notice: &Notice, now: Timestamp) -> Waiting {
        let (batch, due) = match slot(self.every, now) {
            None => (notice.id.clone(), now),
            Some(at) => (format!("digest-{}", at.strftime("%Y-%m-%dT%H")), at),
        };
        Waiting { endpoint: self.name.clone(), batch, due, attempts: 0, since: now, notice: notice.clone() }
    }
}

/// When the next digest is made; `None` where each notice is told at once.
fn slot(every: Every, now: Timestamp) -> Option<Timestamp> {
    let (hour, week) = match every {
        Every::Instant => return None,
        Every::Day(hour) => (hour, false),
        Every::Week(hour) => (hour, true),
    };
    let today = now.to_zoned(TimeZone::UTC).date();
    (0..=8).find_map(|days| {
        let date = today.checked_add(days.days()).ok()?;
        let at = date.at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?.timestamp();
        (at > now && (!week || date.weekday() == Weekday::Monday)).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_come_at_their_hour() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        // A Tuesday.
        let now = at("2026-01-20T09:30:00Z");
        assert_eq!(slot(Every::Instant, now), None);
        assert_eq!(slot(Every::Day(12), now), Some(at("2026-01-20T12:00:00Z")));
        assert_eq!(slot(Every::Day(9), now), Some(at("2026-01-21T09:00:00Z")));
        assert_eq!(slot(Every::Week(9), now), Some(at("2026-01-26T09:00:00Z")));
        assert_eq!(slot(Every::Week(9), at("2026-01-26T09:00:00Z")), Some(at("2026-02-02T09:00:00Z")));
    }
}
