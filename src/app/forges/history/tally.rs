//! What came of reading history, and who is told meanwhile.

use crate::domain::intake::forge::{Decided, Part, Reason};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Who is told how it goes, and waits.
pub trait Watcher {
    /// So many pull requests are to be read.
    fn listed(&self, pulls: usize);

    /// One of them was read.
    fn read(&self, tally: &Tally);

    /// Waits, and says why; false where it shall stop.
    fn wait(&self, time: Duration, why: &str) -> bool;
}

/// Why a pull request is left out of which the forge sends more than is kept.
pub const TOO_LARGE: &str = "too_large";

/// What came of reading history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Requests that were sent to the forge.
    pub requests: u64,
    /// Pull requests that were read.
    pub pull_requests: u64,
    /// Those of them that were gone when they were asked for.
    pub gone: u64,
    /// Reviews that count: each is a decision.
    pub reviews: u64,
    /// What these say of places.
    pub remarks: u64,
    /// Those that approve.
    pub approved: u64,
    /// Those that ask for changes.
    pub rejected: u64,
    /// Reviews that were handed over, all or a part of each.
    pub handed_over: u64,
    /// Reviews all of which came before.
    pub known: u64,
    /// What was said of which nothing is taken, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Reviews by reviewer.
    pub reviewers: BTreeMap<String, u64>,
    /// Reviews by agent.
    pub agents: BTreeMap<String, u64>,
    /// When the first of them was made.
    pub first: Option<Timestamp>,
    /// When the last of them was made.
    pub last: Option<Timestamp>,
}

impl Tally {
    /// Nothing is taken of something.
    pub(super) fn skip(&mut self, reason: Reason) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    /// Something lies outside of the time that was asked for.
    pub(super) fn skip_for_time(&mut self) {
        *self.skipped.entry("other_time").or_default() += 1;
    }

    /// Of a pull request more is sent than is kept.
    pub(super) fn skip_for_size(&mut self) {
        *self.skipped.entry(TOO_LARGE).or_default() += 1;
    }

    /// A review counts.
    pub(crate) fn count(&mut self, review: &[Part]) {
        let parts = || review.iter().filter_map(|part| part.review.as_ref());
        let (Some(first), Some(part)) = (parts().next(), review.first()) else { return };
        self.reviews += 1;
        self.remarks += parts().map(|review| review.remarks.len() as u64).sum::<u64>();
        match parts().map(|review| review.decided).max() {
            Some(Decided::Approve) => self.approved += 1,
            Some(Decided::Reject) => self.rejected += 1,
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
