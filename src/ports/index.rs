//! The index: lookups derived from the store.

use super::indexed::{Counts, FeedbackFilter, IndexedFeedback, IndexedSubmissions, Outcome, OutcomeQuery};
use crate::domain::channels::turn::{FeedbackType, TurnRow};
use crate::domain::records::index_update::IndexUpdate;
use crate::domain::records::record::{
    AdviceRecord, AlertRecord, AmbiguousRecord, ClusterRecord, EdgeCaseRecord, ImportRecord, InjectionRecord,
    ProposalRecord, Registered, ReviewRecord, Stored, StoredKind,
};
use crate::text::ids::CommitId;
use std::ops::ControlFlow;
use thiserror::Error;

/// An index failure. The index can always be rebuilt from the store.
#[derive(Debug, Error)]
pub enum IndexError {
    /// It is missing, damaged, or of another version or embedder.
    #[error("the index must be rebuilt: {0}")]
    Stale(String),
    /// The disk is full or failing.
    #[error("cannot use the index: {0}")]
    Io(String),
}

/// Lookups derived from the store. May be deleted at any time.
pub trait Index: Send {
    /// Returns the commit it reflects; `None` if it is empty.
    fn commit(&self) -> Result<Option<CommitId>, IndexError>;

    /// Applies changes and the commit in one transaction.
    fn apply(&mut self, updates: &[IndexUpdate], commit: &CommitId) -> Result<(), IndexError>;

    /// Applies part of the changes leading to a commit, in one transaction. Does not claim the commit: it only records
    /// that the content is between [`Index::commit`] and this one, until `apply` arrives there.
    fn stage(&mut self, updates: &[IndexUpdate], towards: &CommitId) -> Result<(), IndexError>;

    /// Returns the commit whose application was interrupted; `None` if the content is exactly that of
    /// [`Index::commit`].
    fn staged(&self) -> Result<Option<CommitId>, IndexError>;

    /// Visits all feedback ordered by time, then id.
    fn each_feedback(&self, visit: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError>;

    /// Returns one feedback by its id.
    fn feedback(&self, id: &str) -> Result<Option<IndexedFeedback>, IndexError>;

    /// Returns feedback that passes the filter, latest first.
    fn list(&self, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError>;

    /// Returns an agent's decisions ordered by time, then id, or reversed. Cheap if limited.
    fn outcomes(&self, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError>;

    /// Returns feedback whose text contains the words, best match first. The words are plain text, never query syntax.
    fn search(&self, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError>;

    /// Visits records of a kind with their paths, until stopped. Decisions are not records here: they are feedback.
    fn find_records(
        &self,
        kind: StoredKind,
        which: Which<'_>,
        order: Order,
        visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>,
    ) -> Result<(), IndexError>;

    /// Counts the records of a kind about a subject ([`IndexRow::subject`](crate::domain::records::record::IndexRow)).
    fn count_about(&self, kind: StoredKind, subject: &str) -> Result<u64, IndexError>;

    /// Returns the ids of all records of a kind, in no order, for suggesting ids close to an unknown one.
    fn record_ids(&self, kind: StoredKind) -> Result<Vec<String>, IndexError>;

    /// Returns the ids of all earlier reviews, injections and follow-ups, in no order.
    fn submitted(&self) -> Result<IndexedSubmissions, IndexError>;

    /// Reports whether any prompt ever omitted a rule for comparison.
    fn any_held_out(&self) -> Result<bool, IndexError>;

    /// Returns turns that pass the filter, latest first.
    fn turns(&self, query: &TurnQuery<'_>) -> Result<Vec<TurnRow>, IndexError>;

    /// Returns the ids of all sessions with turns, in order.
    fn sessions(&self) -> Result<Vec<String>, IndexError>;

    /// Returns unreadable files with the reason, in path order.
    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError>;

    /// Returns counts of everything.
    fn counts(&self) -> Result<Counts, IndexError>;
}

/// A query for turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnQuery<'q> {
    /// Only those of this session.
    pub session: Option<&'q str>,
    /// Only those with this reaction of the user.
    pub status: Option<FeedbackType>,
    /// Maximum number; 0 for all.
    pub limit: usize,
}

/// A selection among the records of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'q> {
    /// All of them.
    All,
    /// Those with this id: at most a few, as an id may occur in two files.
    Id(&'q str),
    /// Those about this subject: for an action its chain, for a refinement its task, for a review document its target,
    /// for a follow-up its decision.
    About(&'q str),
}

/// The order of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Latest first, then by id; clusters: largest first.
    GreatestFirst,
    /// Reversed, then by id.
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

    /// Returns the record with this id and its path, the latest if the id occurs in two files; `None` if there is none.
    pub fn record<R: Registered>(&self, id: &str) -> Result<Option<(String, R)>, IndexError> {
        Ok(self.with_id(id)?.into_iter().next())
    }

    /// Returns the records with this id and their paths, latest first: an id may occur in two files.
    pub fn with_id<R: Registered>(&self, id: &str) -> Result<Vec<(String, R)>, IndexError> {
        let mut found = Vec::new();
        self.find_records(R::KIND, Which::Id(id), Order::GreatestFirst, &mut |path, record| {
            found.extend(R::out_of(record).map(|record| (path, record)));
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Returns the latest records about a subject with their paths, latest first, at most `limit`, 0 for all.
    pub fn about<R: Registered>(&self, subject: &str, limit: usize) -> Result<Vec<(String, R)>, IndexError> {
        let mut found = Vec::new();
        self.find_records(R::KIND, Which::About(subject), Order::GreatestFirst, &mut |path, record| {
            found.extend(R::out_of(record).map(|record| (path, record)));
            if limit > 0 && found.len() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Returns all records of a kind with their paths, latest first.
    pub fn records<R: Registered>(&self) -> Result<Vec<(String, R)>, IndexError> {
        let mut found = Vec::new();
        self.each_record(R::KIND, Order::GreatestFirst, &mut |path, record| {
            found.extend(R::out_of(record).map(|record| (path, record)));
        })?;
        Ok(found)
    }

    /// Visits all records of a kind with their paths, ordered by time, then id.
    pub fn each<R: Registered>(&self, visit: &mut dyn FnMut(&str, R)) -> Result<(), IndexError> {
        self.each_record(R::KIND, Order::LeastFirst, &mut |path, record| {
            if let Some(record) = R::out_of(record) {
                visit(&path, record);
            }
        })
    }

    /// Returns all clusters, largest first.
    pub fn clusters(&self) -> Result<Vec<ClusterRecord>, IndexError> {
        Ok(self.records()?.into_iter().map(|(_, record)| record).collect())
    }

    /// Returns all proposals and rules with their paths, latest first.
    pub fn proposals(&self) -> Result<Vec<(String, ProposalRecord)>, IndexError> {
        self.records()
    }

    /// Returns all one-offs with their paths, latest first.
    pub fn edge_cases(&self) -> Result<Vec<(String, EdgeCaseRecord)>, IndexError> {
        self.records()
    }

    /// Returns all contradictions with their paths, latest first.
    pub fn ambiguous(&self) -> Result<Vec<(String, AmbiguousRecord)>, IndexError> {
        self.records()
    }

    /// Returns all reviews of what was learned, with their paths, latest first.
    pub fn reviews(&self) -> Result<Vec<(String, ReviewRecord)>, IndexError> {
        self.records()
    }

    /// Returns which rules entered which prompt, with their paths, latest first.
    pub fn injections(&self) -> Result<Vec<(String, InjectionRecord)>, IndexError> {
        self.records()
    }

    /// Returns rules in force elsewhere, with their paths, latest first.
    pub fn imports(&self) -> Result<Vec<(String, ImportRecord)>, IndexError> {
        self.records()
    }

    /// Returns alerts for people, except dead letters and contradictions, with their paths, latest first.
    pub fn alerts(&self) -> Result<Vec<(String, AlertRecord)>, IndexError> {
        self.records()
    }

    /// Returns a model's questions and answers, with their paths, latest first.
    pub fn advice(&self) -> Result<Vec<(String, AdviceRecord)>, IndexError> {
        self.records()
    }
}

/// Access to the stored index. One process writes, any number read.
pub trait IndexFiles {
    /// Opens a snapshot for reading: all results are of one commit, whatever a writer does meanwhile. Works alongside a
    /// writer.
    fn snapshot(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Opens it for writing. Fails while another process has it open for writing.
    fn open(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Removes the existing index and creates an empty one for writing. Fails while another process writes.
    fn create(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Returns a private, disposable copy of the current content.
    fn copy(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Returns a private, disposable empty index.
    fn scratch(&self) -> Result<Box<dyn Index>, IndexError>;
}
