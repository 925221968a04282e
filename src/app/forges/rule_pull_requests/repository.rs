//! Operations on a repository, whatever software the forge runs.

use crate::domain::rules::in_force::pull_request::{BaseFile, Branch, Pull, Text};
use crate::forges::history::HistoryError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters left unescaped in a URL segment.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The branch that files are read from, and its head.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub name: String,
    pub sha: String,
}

/// Returns a file at a commit.
#[derive(Clone, Debug)]
pub(super) struct FileAt {
    pub found: BaseFile,
    /// Its id and mode, if it exists.
    pub id: Option<(String, String)>,
}

/// The new content of our branch.
pub(super) struct Commit<'a> {
    pub base: &'a Base,
    pub branch: &'a str,
    /// Our current branch, if it exists.
    pub standing: Option<&'a Branch>,
    /// Whether it has an open pull request.
    pub is_open: bool,
    /// All files that can be written, with their target content.
    pub wanted: &'a [(&'static str, Option<String>)],
    pub message: &'a str,
}

/// A repository on a forge.
pub(super) trait Repository {
    /// Returns the branch with that name, or the default one if none is named.
    fn base(&self, named: &str) -> Result<Base, HistoryError>;

    /// Returns a file at a commit. Links are not followed: writing to one would replace it.
    fn file(&self, at: &str, path: &str) -> Result<FileAt, HistoryError>;

    /// Returns our branch, if it exists.
    fn branch(&self, name: &str) -> Result<Option<Branch>, HistoryError>;

    /// Returns the last open, or last closed, pull request from our branch.
    fn pull(&self, branch: &str, is_open: bool) -> Result<Option<Pull>, HistoryError>;

    /// Makes the branch hold the files in their target state.
    fn commit(&self, commit: &Commit<'_>) -> Result<(), HistoryError>;

    /// Opens a pull request and returns the address of its page.
    fn open(&self, branch: &str, base: &str, text: &Text) -> Result<String, HistoryError>;

    fn edit(&self, number: u64, base: &str, text: &Text) -> Result<(), HistoryError>;

    fn close(&self, number: u64, body: &str) -> Result<(), HistoryError>;

    fn remove(&self, branch: &str) -> Result<(), HistoryError>;
}

/// Escapes a URL segment.
pub(super) fn part(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Escapes a path, keeping its slashes.
pub(super) fn parts(path: &str) -> String {
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Fails if it is missing.
pub(super) fn lacks<T>(found: Option<T>, what: &'static str) -> Result<T, HistoryError> {
    found.ok_or(HistoryError::Shape(what))
}

/// Returns what was found; `None` if the forge has no such thing.
pub(super) fn there<T>(found: Result<T, HistoryError>) -> Result<Option<T>, HistoryError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(HistoryError::Missing) => Ok(None),
        Err(error) => Err(error),
    }
}
