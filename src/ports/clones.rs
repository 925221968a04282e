//! A local clone, read without a network and without changing it.

use crate::domain::intake::forge::clone::{Commit, Meta, NoteText};
use std::ops::ControlFlow;
use thiserror::Error;

/// Why a clone cannot be read.
#[derive(Debug, Error)]
pub enum CloneError {
    /// There is no repository.
    #[error("there is no Git repository at {0}")]
    Missing(String),
    /// It belongs to another user.
    #[error("{path} belongs to another user: {why}")]
    Owner {
        /// Its path.
        path: String,
        /// Git's message.
        why: String,
    },
    /// It is stored in an unsupported format.
    #[error("the clone {path} keeps its {what}, which is not supported")]
    Form {
        /// Its path.
        path: String,
        /// What is stored how.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// It cannot be read.
    #[error("the repository cannot be read: {0}")]
    Failing(String),
}

/// Facts about a clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneFacts {
    /// Whether it has commits.
    pub has_commits: bool,
    /// Whether its history is shallow.
    pub is_shallow: bool,
    /// The URL it was cloned from.
    pub origin: Option<String>,
    /// The numbers of Gerrit changes with notes, in order.
    pub changes: Vec<u64>,
    /// The number of references that only look like those of changes.
    pub odd: u64,
}

/// A clone, read on one thread. Every call may block.
pub trait ReadClone {
    /// Returns facts about the clone.
    ///
    /// # Errors
    /// If it cannot be read.
    fn facts(&self) -> Result<CloneFacts, CloneError>;

    /// Visits the readable commits of a change's notes, oldest first.
    ///
    /// # Errors
    /// If the change does not exist, or its notes are implausibly large.
    fn change(&self, number: u64, visit: &mut dyn FnMut(&Meta)) -> Result<(), CloneError>;

    /// Visits the notes below a reference such as `refs/notes/review`, each with the id of its commit; reports whether
    /// the reference exists.
    ///
    /// # Errors
    /// If it cannot be read.
    fn notes(
        &self,
        reference: &str,
        visit: &mut dyn FnMut(&str, NoteText) -> ControlFlow<()>,
    ) -> Result<bool, CloneError>;

    /// Returns the ids of the wanted commits reachable from `HEAD`, oldest first.
    ///
    /// # Errors
    /// If it cannot be read.
    fn commits(&self, wants: &mut dyn FnMut(&Commit) -> bool) -> Result<Vec<String>, CloneError>;

    /// Returns a commit by its id or a prefix; `None` if it is missing or ambiguous.
    fn commit(&self, id: &str) -> Option<Commit>;

    /// Returns the commits that a merge introduced, latest first, at most `most`.
    fn merged(&self, merge: &Commit, most: usize) -> Vec<Commit>;

    /// Returns the files that a commit changed against its first parent, at most `most`; empty if unknown.
    fn files(&self, commit: &str, most: usize) -> Vec<String>;

    /// Returns the part of a commit's diff above a line, or the lines there, as a forge shows it next to a comment.
    fn hunk(&self, commit: &str, file: &str, line: u64, lines: u64, old: bool) -> Option<String>;
}
