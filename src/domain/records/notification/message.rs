//! A notification.

use super::kind::NotificationKind;
use crate::text::ids::hex;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A notification to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// Its id, equal for every repetition: `msg_` and 32 hexadecimal digits.
    pub id: String,
    /// Its kind.
    pub kind: NotificationKind,
    /// What happened, for programs: `proposal.waiting`, `review.refused`.
    pub event: String,
    /// When it was made.
    pub timestamp: Timestamp,
    /// The tenant; empty for the default tenant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tenant_id: String,
    /// The id of its subject.
    pub subject: String,
    /// The agents it concerns; all if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// What happened, in a sentence without quotations.
    pub title: String,
    /// What to do about it, or why it happened, in a sentence; empty if that is clear.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The path of the page that shows it.
    pub page: String,
    /// The record in the store.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub record: String,
    /// Who did it, if a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Progress of its approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// Number of approvals out of those needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// How many count.
    pub have: u32,
    /// The number needed.
    pub needed: u32,
}

impl Notification {
    /// Returns the id of a notification about something with this key.
    pub fn id_of(key: &str) -> String {
        format!("msg_{}", hex(&blake3::hash(key.as_bytes()).as_bytes()[..16]))
    }

    /// Builds a notification for testing delivery.
    pub fn test(endpoint: &str, now: Timestamp) -> Notification {
        Notification {
            id: Notification::id_of(&format!("test:{endpoint}:{now}")),
            kind: NotificationKind::Test,
            event: "test".to_owned(),
            timestamp: now,
            tenant_id: String::new(),
            subject: endpoint.to_owned(),
            agents: Vec::new(),
            title: "This is a test".to_owned(),
            text: "Notifications arrive here.".to_owned(),
            page: "/".to_owned(),
            record: String::new(),
            by: None,
            progress: None,
        }
    }

    /// Returns the progress of its approval, in words.
    pub fn progress(&self) -> Option<String> {
        self.progress.map(|progress| format!("{} of {} approvals", progress.have, progress.needed))
    }

    /// Formats title, text and progress as one line.
    pub fn line(&self) -> String {
        let parts = [Some(self.title.clone()), self.progress(), Some(self.text.clone())];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        parts.join(". ")
    }
}
