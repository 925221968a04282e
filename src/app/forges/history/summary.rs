//! A pull request or change as given in a list.

use crate::domain::intake::forge::Pull;
use jiff::Timestamp;
use serde_json::Value;

/// A pull request in a list.
pub(super) struct PullRequestSummary {
    pub number: String,
    pub updated: Timestamp,
    pub created: Option<Timestamp>,
    /// The data that the list provides.
    pub pull: Pull,
}

impl PullRequestSummary {
    /// Returns what is kept of it.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        std::iter::once(&self.pull.pull).chain(&self.pull.reviews)
    }

    /// Sorts by last change.
    pub fn sort(list: &mut [PullRequestSummary]) {
        list.sort_by(|one, other| (one.updated, &one.number).cmp(&(other.updated, &other.number)));
    }
}
