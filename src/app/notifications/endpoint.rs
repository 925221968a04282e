//! Notification endpoints: recipients, content and schedule.

use crate::domain::identity;
use crate::domain::records::notification::{Notification, NotificationKind, Style};
use crate::ports::{Messenger, PendingNotification};
use crate::text::prose::utc_day;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// How often an endpoint is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// At once, each notification alone.
    Instant,
    /// A daily digest at this hour (UTC).
    Day(i8),
    /// A weekly digest on Mondays at this hour (UTC).
    Week(i8),
}

/// A recipient of notifications.
pub struct Endpoint {
    /// Its name.
    pub name: String,
    /// Its message style.
    pub style: Style,
    /// Fingerprint that distinguishes different endpoints of the same name.
    pub fingerprint: String,
    /// Kinds it receives; all if empty.
    pub kinds: Vec<NotificationKind>,
    /// Agents it is notified about; all if empty.
    pub agents: Vec<String>,
    /// The person who reads it, if it is a person.
    pub person: Option<String>,
    /// How often.
    pub every: Every,
    /// The transport.
    pub messenger: Box<dyn Messenger>,
}

impl Endpoint {
    /// Reports whether it receives this notification. People are notified of rejections only of their own reviews, and
    /// not of their own actions.
    pub fn wants(&self, notice: &Notification) -> bool {
        let kind = self.kinds.is_empty() || self.kinds.contains(&notice.kind);
        let agent = self.agents.is_empty() || notice.agents.is_empty() || {
            notice.agents.iter().any(|agent| self.agents.contains(agent))
        };
        let own = |person: &String| notice.by.as_deref().is_some_and(|by| identity::same(by, person));
        let person =
            self.person.as_ref().is_none_or(|person| (notice.kind == NotificationKind::Refused) == own(person));
        kind && agent && person
    }

    /// Returns the notification as queued for this endpoint.
    pub(super) fn waiting(&self, notice: &Notification, now: Timestamp) -> PendingNotification {
        let (batch, due) = match slot(self.every, now) {
            None => (notice.id.clone(), now),
            Some(at) => (format!("digest-{}", at.strftime("%Y-%m-%dT%H")), at),
        };
        PendingNotification { endpoint: self.name.clone(), batch, due, attempts: 0, since: now, notice: notice.clone() }
    }
}

/// Returns when the next digest is due; `None` if notifications are sent at once.
fn slot(every: Every, now: Timestamp) -> Option<Timestamp> {
    let (hour, week) = match every {
        Every::Instant => return None,
        Every::Day(hour) => (hour, false),
        Every::Week(hour) => (hour, true),
    };
    let today = utc_day(now);
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
