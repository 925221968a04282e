//! A clone on this machine, read without a network and without changing it.

use crate::domain::intake::forge::clone::{Commit, Meta, NoteText};
use std::ops::ControlFlow;
use thiserror::Error;

/// Why a clone cannot be read.
#[derive(Debug, Error)]
pub enum CloneError {
    /// There is no repository.
    #[error("there is no Git repository at {0}")]
    Missing(String),
    /// It belongs to somebody else.
    #[error("{path} belongs to another user: {why}")]
    Owner {
        /// Where it is.
        path: String,
        /// What Git says.
        why: String,
    },
    /// It is kept in a form that is not read.
    #[error("the clone {path} keeps its {what}, which is not read")]
    Form {
        /// Where it is.
        path: String,
        /// What is kept how.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// It cannot be read.
    #[error("the repository cannot be read: {0}")]
    Failing(String),
}

/// What a clone holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneFacts {
    /// Whether there is a commit to begin with.
    pub has_commits: bool,
    /// Whether its history is cut off.
    pub is_shallow: bool,
    /// Where it was cloned from.
    pub origin: Option<String>,
    /// The numbers of Gerrit's changes whose notes are there, in order.
    pub changes: Vec<u64>,
    /// References that look like those of changes and are none.
    pub odd: u64,
}

/// A clone, read on one thread. Every call may block.
pub trait ReadClone {
    /// What it holds.
    ///
    /// # Errors
    /// When it cannot be read.
    fn facts(&self) -> Result<CloneFacts, CloneError>;

    /// Visits the commits of a change's notes from the oldest on, as far as they can be read.
    ///
    /// # Errors
    /// When the change is not there, or its notes are more than anybody wrote.
    fn change(&self, number: u64, visit: &mut dyn FnMut(&Meta)) -> Result<(), CloneError>;

    /// Visits the notes below a reference such as `refs/notes/review`, each with the id of the commit that it is about; says
    /// whether there is such a reference.
    ///
    /// # Errors
    /// When it cannot be read.
    fn notes(
        &self,
        reference: &str,
        visit: &mut dyn FnMut(&str, NoteText) -> ControlFlow<()>,
    ) -> Result<bool, CloneError>;

    /// The ids of the commits that `HEAD` reaches and that are wanted, the oldest first.
    ///
    /// # Errors
    /// When it cannot be read.
    fn commits(&self, wants: &mut dyn FnMut(&Commit) -> bool) -> Result<Vec<String>, CloneError>;

    /// A commit by its id or how that begins; none where it is not there, or not the only one.
    fn commit(&self, id: &str) -> Option<Commit>;

    /// The commits that a merge brought, the last first and no more than `most`.
    fn merged(&self, merge: &Commit, most: usize) -> Vec<Commit>;

    /// The files that a commit changed against its first parent, no more than `most`; none where it cannot be said.
    fn files(&self, commit: &str, most: usize) -> Vec<String>;

    /// The part of a commit's diff above a line, or what stands there: as a forge shows it beside a remark.
    fn hunk(&self, commit: &str, file: &str, line: u64, lines: u64, old: bool) -> Option<String>;
}
