//! A commit and a note as they lie in a clone.

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

/// The text of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteText {
    Text(String),
    /// It is larger than anything that people write.
    TooLarge,
    /// It is no text, or not there.
    Unreadable,
}

/// How many digits of a commit's id stand for its number, where it has none.
const SHORT: usize = 12;

impl Commit {
    /// What stands for a number where there is no pull request or change.
    pub fn short(&self) -> String {
        self.id.chars().take(SHORT).collect()
    }

    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.trim_start().lines().next().unwrap_or_default().trim()
    }
}

/// Whether Gerrit knows it: it has a Change-Id.
pub fn is_gerrits(commit: &Commit) -> bool {
    footer(&commit.message, "Change-Id").is_some()
}
