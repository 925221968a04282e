//! Results of reading a clone, and its progress listener.

use super::source::Source;
use crate::domain::intake::forge::Part;
use crate::domain::intake::forge::clone::SkipReason;
use crate::forges::history::tally::Tally;
use serde::Serialize;
use std::collections::BTreeMap;

/// Progress listener.
pub trait CloneWatcher {
    /// One more item of a source was processed, of `all` if known.
    fn looked(&self, source: Source, at: u64, all: Option<u64>, tally: &CloneTally);
}

/// Results for one source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceTally {
    /// Changes, notes or commits that were processed.
    pub looked_at: u64,
    /// Candidate reviews in them: comments, votes, reverts, approvals.
    pub found: u64,
    /// Reviews that count.
    pub reviews: u64,
    /// What is left out, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
}

/// Results of reading a clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CloneTally {
    /// Whether the clone's history is truncated.
    pub is_shallow: bool,
    /// Each source read, by name.
    pub sources: BTreeMap<&'static str, SourceTally>,
    /// The total.
    #[serde(flatten)]
    pub all: Tally,
}

impl CloneTally {
    /// Reports whether the clone contains nothing that could be a review.
    pub fn is_empty(&self) -> bool {
        self.sources.values().all(|source| source.found == 0 && source.left_out.is_empty())
    }

    pub(super) fn of(&mut self, source: Source) -> &mut SourceTally {
        self.sources.entry(source.name()).or_default()
    }

    pub(super) fn skip(&mut self, source: Source, why: impl Into<&'static str>) {
        let why = why.into();
        *self.of(source).left_out.entry(why).or_default() += 1;
        *self.all.skipped.entry(why).or_default() += 1;
    }

    pub(super) fn skip_all(&mut self, source: Source, why: &[SkipReason]) {
        why.iter().for_each(|why| self.skip(source, *why));
    }

    pub(super) fn count(&mut self, source: Source, part: &Part) {
        self.of(source).reviews += 1;
        self.all.count(std::slice::from_ref(part));
    }
}
