//! Results of reading history, and the progress listener.

use crate::domain::intake::forge::{Part, Reason, ReviewVerdict};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Progress listener, which also waits.
pub trait Watcher {
    /// This many pull requests are to be read.
    fn listed(&self, pulls: usize);

    /// One of them was read.
    fn read(&self, tally: &Tally);

    /// Waits for a stated reason; false to stop.
    fn wait(&self, time: Duration, why: &str) -> bool;
}

/// Reason for leaving out a pull request larger than what is kept.
pub const TOO_LARGE: &str = "too_large";

/// Results of reading history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Requests sent to the forge.
    pub requests: u64,
    /// Pull requests read.
    pub pull_requests: u64,
    /// Those that were gone when requested.
    pub gone: u64,
    /// Reviews that count; each is a decision.
    pub reviews: u64,
    /// Comments on places in them.
    pub remarks: u64,
    /// Approving reviews.
    pub approved: u64,
    /// Reviews that request changes.
    pub rejected: u64,
    /// Reviews submitted, in full or in part.
    pub handed_over: u64,
    /// Reviews that had already come in full.
    pub known: u64,
    /// What was ignored, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Reviews by reviewer.
    pub reviewers: BTreeMap<String, u64>,
    /// Reviews by agent.
    pub agents: BTreeMap<String, u64>,
    /// Time of the first review.
    pub first: Option<Timestamp>,
    /// Time of the last review.
    pub last: Option<Timestamp>,
}

impl Tally {
    /// Counts something ignored.
    pub(super) fn skip(&mut self, reason: Reason) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    /// Counts something outside the requested period.
    pub(super) fn skip_for_time(&mut self) {
        *self.skipped.entry("other_time").or_default() += 1;
    }

    /// Counts a pull request larger than what is kept.
    pub(super) fn skip_for_size(&mut self) {
        *self.skipped.entry(TOO_LARGE).or_default() += 1;
    }

    /// Counts a review.
    pub(crate) fn count(&mut self, review: &[Part]) {
        let parts = || review.iter().filter_map(|part| part.review.as_ref());
        let (Some(first), Some(part)) = (parts().next(), review.first()) else { return };
        self.reviews += 1;
        self.remarks += parts().map(|review| review.remarks.len() as u64).sum::<u64>();
        match parts().map(|review| review.decided).max() {
            Some(ReviewVerdict::Approve) => self.approved += 1,
            Some(ReviewVerdict::Reject) => self.rejected += 1,
            _ => {}
        }
        *self.reviewers.entry(part.person.clone().unwrap_or_else(|| first.by.login.clone())).or_default() += 1;
        *self.agents.entry(part.agent.clone()).or_default() += 1;
        for at in parts().filter_map(|review| review.at) {
            self.first = Some(self.first.map_or(at, |first| first.min(at)));
            self.last = Some(self.last.map_or(at, |last| last.max(at)));
        }
    }
}
