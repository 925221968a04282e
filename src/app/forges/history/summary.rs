//! A pull request or change as a list says it.

use crate::domain::intake::forge::Pull;
use jiff::Timestamp;
use serde_json::Value;

/// A pull request of a list.
pub(super) struct Listed {
    pub number: String,
    pub updated: Timestamp,
    pub created: Option<Timestamp>,
    /// As far as the list says it.
    pub pull: Pull,
}

impl Listed {
    /// What is kept of it.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        std::iter::once(&self.pull.pull).chain(&self.pull.reviews)
    }

    /// In the order of their last change.
    pub fn sort(list: &mut [Listed]) {
        list.sort_by(|one, other| (one.updated, &one.number).cmp(&(other.updated, &other.number)));
    }
}
