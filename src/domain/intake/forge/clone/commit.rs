//! Commits and notes as stored in a clone.

use super::footers::footer;
use super::ident::Ident;
use jiff::Timestamp;

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// 40 hexadecimal digits, or 64.
    pub id: String,
    pub parents: Vec<String>,
    pub author: Ident,
    /// When it was written.
    pub written: Option<Timestamp>,
    /// When it was committed.
    pub committed: Option<Timestamp>,
    pub message: String,
}

/// The content of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteText {
    Text(String),
    /// Larger than anything people write.
    TooLarge,
    /// Not text, or missing.
    Unreadable,
}

/// Number of digits of a commit's id used when it has no number.
const SHORT: usize = 12;

impl Commit {
    /// Returns a substitute for the number if there is no pull request or change.
    pub fn short(&self) -> String {
        self.id.chars().take(SHORT).collect()
    }

    /// Returns the first line of the message.
    pub fn subject(&self) -> &str {
        self.message.trim_start().lines().next().unwrap_or_default().trim()
    }
}

/// Reports whether Gerrit manages it: it has a Change-Id.
pub fn is_gerrits(commit: &Commit) -> bool {
    footer(&commit.message, "Change-Id").is_some()
}
