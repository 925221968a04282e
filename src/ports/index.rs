//! The index: look-ups derived from the store.

use super::indexed::{Counts, FeedbackFilter, IndexedFeedback, Outcome, OutcomeQuery, Submitted};
use crate::domain::channels::turn::{FeedbackType, TurnRow};
use crate::domain::records::index_update::IndexUpdate;
use crate::domain::records::record::{
    AdviceRecord, AlertRecord, AmbiguousRecord, ClusterRecord, EdgeCaseRecord, ImportRecord, InjectionRecord,
    ProposalRecord, Registered, ReviewRecord, Stored, StoredKind,
};
use crate::text::ids::CommitId;
use std::ops::ControlFlow;
use thiserror::Error;

/// A failure of the index. It can always be made again from the store.
#[derive(Debug, Error)]
pub enum IndexError {
    /// Missing, damaged, of another version, or of another embedder.
    #[error("the index must be made again: {0}")]
    Stale(String),
    /// The disk is full or failing.
    #[error("cannot use the index: {0}")]
    Io(String),
}

/// Look-ups derived from the store. May be deleted at any time.
pub trait Index: Send {
    /// The commit it reflects; `None` where it is empty.
    fn commit(&self) -> Result<Option<CommitId>, IndexError>;

    /// Takes up changes, and with them the commit, in one transaction.
    fn apply(&mut self, updates: &[IndexUpdate], commit: &CommitId) -> Result<(), IndexError>;

    /// Takes up a part of the changes that lead to a commit, in one transaction. Does not claim the commit: it only
    /// remembers that the content is between [`Index::commit`] and this one, until `apply` arrives there.
    fn stage(&mut self, updates: &[IndexUpdate], towards: &CommitId) -> Result<(), IndexError>;

    /// The commit that was being taken up when something stopped it half way; `None` where the content is exactly
    /// that of [`Index::commit`].
    fn staged(&self) -> Result<Option<CommitId>, IndexError>;

    /// Visits all feedback in the order of time, then id.
    fn each_feedback(&self, visit: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError>;

    /// One feedback by its id.
    fn feedback(&self, id: &str) -> Result<Option<IndexedFeedback>, IndexError>;

    /// Feedback that passes the filter, the latest first.
    fn list(&self, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError>;

    /// The decisions of one agent in the order of time, then id, or the other way round. Cheap where it is limited.
    fn outcomes(&self, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError>;

    /// Feedback whose text has the words, best first. The words are plain text, never query syntax.
    fn search(&self, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError>;

    /// Visits records of a kind with their paths, until it is told to stop. Decisions are no records here: they are feedback.
    fn find_records(
        &self,
        kind: StoredKind,
        which: Which<'_>,
        order: Order,
        visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>,
    ) -> Result<(), IndexError>;

    /// How many records of a kind are about a subject ([`IndexRow::subject`](crate::domain::records::record::IndexRow)).
    fn count_about(&self, kind: StoredKind, subject: &str) -> Result<u64, IndexError>;

    /// The ids of all records of a kind, in no order: to name what is near to an id that is not there.
    fn record_ids(&self, kind: StoredKind) -> Result<Vec<String>, IndexError>;

    /// The ids of all reviews, injections and follow-ups, in no order: what was submitted before.
    fn submitted(&self) -> Result<Submitted, IndexError>;

    /// Whether any prompt ever went without a rule, to compare.
    fn any_held_out(&self) -> Result<bool, IndexError>;

    /// Turns that pass the filter, the latest first.
    fn turns(&self, query: &TurnQuery<'_>) -> Result<Vec<TurnRow>, IndexError>;

    /// The ids of all sessions with turns, in order.
    fn sessions(&self) -> Result<Vec<String>, IndexError>;

    /// Files that could not be read, with the reason, in path order.
    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError>;

    /// How much of everything there is.
    fn counts(&self) -> Result<Counts, IndexError>;
}

/// Which turns are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnQuery<'q> {
    /// Only those of this session.
    pub session: Option<&'q str>,
    /// Only those the user made this of.
    pub status: Option<FeedbackType>,
    /// At most so many; 0 for all.
    pub limit: usize,
}

/// Which records of a kind are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'q> {
    /// All of them.
    All,
    /// Those with this id: at most a few, as an id may stand in two files.
    Id(&'q str),
    /// Those about this subject: of an action its chain, of a refinement its task, of a review document its target, of a
    /// follow-up its decision.
    About(&'q str),
}

/// The order of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The latest first, then by id; groups: the largest first.
    GreatestFirst,
    /// The other way round, then by id.
    LeastFirst,
}

impl dyn Index + '_ {
    /// Visits all records of a kind with their paths.
    pub fn each_record(
        &self,
        kind: StoredKind,
        order: Order,
        visit: &mut dyn FnMut(String, Stored),
    ) -> Result<(), IndexError> {
        self.find_records(kind, Which::All, order, &mut |path, record| {
            visit(path, record);
            ControlFlow::Continue(())
        })
    }

    /// The record with this id and its path, the latest where the id stands in two files; `None` where there is none.
    pub fn record<R: Registered>(&self, id: &str) -> Result<Option<(String, R)>, IndexError> {
        Ok(self.with_id(id)?.into_iter().next())
    }

    /// The records with this id and their paths, the latest first: an id may stand in two files.
    pub fn with_id<R: Registered>(&self, id: &str) -> Result<Vec<(String, R)>, IndexError> {
        let mut found = Vec::new();
        self.find_records(R::KIND, Which::Id(id), Order::GreatestFirst, &mut |path, record| {
            found.extend(R::out_of(record).map(|record| (path, record)));
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// The latest records about a subject with their paths, the latest first; at most so many, 0 for all.
    pub fn about<R: Registered>(&self, subject: &str, limit: usize) -> Result<Vec<(String, R)>, IndexError> {
        let mut found = Vec::new();
        self.find_records(R::KIND, Which::About(subject), Order::GreatestFirst, &mut |path, record| {
            found.extend(R::out_of(record).map(|record| (path, record)));
            if limit > 0 && found.len() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// All records of a kind with their paths, the latest first.
    pub fn records<R: Registered>(&self) -> Result<Vec<(String, R)>, IndexError> {
        let mut found = Vec::new();
        self.each_record(R::KIND, Order::GreatestFirst, &mut |path, record| {
            found.extend(R::out_of(record).map(|record| (path, record)));
        })?;
        Ok(found)
    }

    /// Visits all records of a kind with their paths, in the order of time, then id.
    pub fn each<R: Registered>(&self, visit: &mut dyn FnMut(&str, R)) -> Result<(), IndexError> {
        self.each_record(R::KIND, Order::LeastFirst, &mut |path, record| {
            if let Some(record) = R::out_of(record) {
                visit(&path, record);
            }
        })
    }

    /// All clusters, the largest first.
    pub fn clusters(&self) -> Result<Vec<ClusterRecord>, IndexError> {
        Ok(self.records()?.into_iter().map(|(_, record)| record).collect())
    }

    /// All proposals and rules with their paths, the latest first.
    pub fn proposals(&self) -> Result<Vec<(String, ProposalRecord)>, IndexError> {
        self.records()
    }

    /// All edge cases with their paths, the latest first.
    pub fn edge_cases(&self) -> Result<Vec<(String, EdgeCaseRecord)>, IndexError> {
        self.records()
    }

    /// All contradictions with their paths, the latest first.
    pub fn ambiguous(&self) -> Result<Vec<(String, AmbiguousRecord)>, IndexError> {
        self.records()
    }

    /// All decisions of people about what was learned, with their paths, the latest first.
    pub fn reviews(&self) -> Result<Vec<(String, ReviewRecord)>, IndexError> {
        self.records()
    }

    /// Which rules entered which prompt, with their paths, the latest first.
    pub fn injections(&self) -> Result<Vec<(String, InjectionRecord)>, IndexError> {
        self.records()
    }

    /// Rules in force elsewhere, with their paths, the latest first.
    pub fn imports(&self) -> Result<Vec<(String, ImportRecord)>, IndexError> {
        self.records()
    }

    /// What people should look at, dead letters and contradictions aside, with their paths, the latest first.
    pub fn alerts(&self) -> Result<Vec<(String, AlertRecord)>, IndexError> {
        self.records()
    }

    /// What a model was asked and answered, with the paths, the latest first.
    pub fn advice(&self) -> Result<Vec<(String, AdviceRecord)>, IndexError> {
        self.records()
    }
}

/// Where the index lies, and how one gets at it. One process writes, any number read.
pub trait IndexFiles {
    /// Opens it to read, as it is at this moment: everything the result answers is of one commit, whatever a
    /// writer does meanwhile. Works beside a writer.
    fn snapshot(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Opens it to write. Refused while another process has it open to write.
    fn open(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Removes what is there and makes an empty one to write to. Refused while another process writes.
    fn create(&self) -> Result<Box<dyn Index>, IndexError>;

    /// A private copy of what is there now, to be changed and thrown away.
    fn copy(&self) -> Result<Box<dyn Index>, IndexError>;

    /// A private empty index, to be filled and thrown away.
    fn scratch(&self) -> Result<Box<dyn Index>, IndexError>;
}
