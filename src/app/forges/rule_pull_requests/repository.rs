//! What a repository on a forge is asked for and told, whatever the forge runs.

use crate::domain::rules::in_force::pull_request::{Branch, Found, Pull, Text};
use crate::forges::history::HistoryError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stays as it is in a part of an address.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The branch that files are read from, and its head.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub name: String,
    pub sha: String,
}

/// A file at a commit.
#[derive(Clone, Debug)]
pub(super) struct FileAt {
    pub found: Found,
    /// Its id and its mode, where there is one.
    pub id: Option<(String, String)>,
}

/// What is to become our branch.
pub(super) struct Commit<'a> {
    pub base: &'a Base,
    pub branch: &'a str,
    /// Our branch as it is, where it is there.
    pub standing: Option<&'a Branch>,
    /// Whether a pull request is open from it.
    pub is_open: bool,
    /// All files that can be written, as they should be.
    pub wanted: &'a [(&'static str, Option<String>)],
    pub message: &'a str,
}

/// A repository on a forge.
pub(super) trait Repository {
    /// The branch of that name, or the usual one where none is named.
    fn base(&self, named: &str) -> Result<Base, HistoryError>;

    /// A file at a commit. Links are not followed: to write one would be to replace it.
    fn file(&self, at: &str, path: &str) -> Result<FileAt, HistoryError>;

    /// Our branch, where it is there.
    fn branch(&self, name: &str) -> Result<Option<Branch>, HistoryError>;

    /// The last pull request from our branch that is open, or that is not.
    fn pull(&self, branch: &str, is_open: bool) -> Result<Option<Pull>, HistoryError>;

    /// Makes the branch hold the files as they should be.
    fn commit(&self, commit: &Commit<'_>) -> Result<(), HistoryError>;

    /// Opens a pull request, and says where its page is.
    fn open(&self, branch: &str, base: &str, text: &Text) -> Result<String, HistoryError>;

    fn edit(&self, number: u64, base: &str, text: &Text) -> Result<(), HistoryError>;

    fn close(&self, number: u64, body: &str) -> Result<(), HistoryError>;

    fn remove(&self, branch: &str) -> Result<(), HistoryError>;
}

/// A part of an address.
pub(super) fn part(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// A path whose slashes stay.
pub(super) fn parts(path: &str) -> String {
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// What an answer lacks.
pub(super) fn lacks<T>(found: Option<T>, what: &'static str) -> Result<T, HistoryError> {
    found.ok_or(HistoryError::Shape(what))
}

/// What there is; nothing where the forge has no such thing.
pub(super) fn there<T>(found: Result<T, HistoryError>) -> Result<Option<T>, HistoryError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(HistoryError::Missing) => Ok(None),
        Err(error) => Err(error),
    }
}
