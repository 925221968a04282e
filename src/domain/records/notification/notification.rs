//! A notice.

use super::kind::NoticeKind;
use crate::text::ids::hex;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What somebody is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The same for every repetition: `msg_` and 32 hexadecimal digits.
    pub id: String,
    /// What kind it is of.
    pub kind: NoticeKind,
    /// What happened, for programs: `proposal.waiting`, `review.refused`.
    pub event: String,
    /// When.
    pub timestamp: Timestamp,
    /// The tenant; empty for the default tenant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tenant_id: String,
    /// The id of what it is about.
    pub subject: String,
    /// The agents that it concerns; all of them where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// What happened, in a sentence without quotations.
    pub title: String,
    /// What to do about it, or why it happened, in a sentence; empty where that is clear.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The path of the page that shows it.
    pub page: String,
    /// The record in the store.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub record: String,
    /// Who did it, where somebody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// How far its approval has come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// How many approvals there are of those that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// How many count.
    pub have: u32,
    /// How many are needed.
    pub needed: u32,
}

impl Notice {
    /// The id of a notice that tells of something with this key.
    pub fn id_of(key: &str) -> String {
        format!("msg_{}", hex(&blake3::hash(key.as_bytes()).as_bytes()[..16]))
    }

    /// A notice by which somebody tries whether notices arrive.
    pub fn test(endpoint: &str, now: Timestamp) -> Notice {
        Notice {
            id: Notice::id_of(&format!("test:{endpoint}:{now}")),
            kind: NoticeKind::Test,
            event: "test".to_owned(),
            timestamp: now,
            tenant_id: String::new(),
            subject: endpoint.to_owned(),
            agents: Vec::new(),
            title: "This is a test".to_owned(),
            text: "Notices arrive here.".to_owned(),
            page: "/".to_owned(),
            record: String::new(),
            by: None,
            progress: None,
        }
    }

    /// How far its approval has come, in words.
    pub fn progress(&self) -> Option<String> {
        self.progress.map(|progress| format!("{} of {} approvals", progress.have, progress.needed))
    }

    /// Title, text and progress as one line.
    pub fn line(&self) -> String {
        let parts = [Some(self.title.clone()), self.progress(), Some(self.text.clone())];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        parts.join(". ")
    }
}
