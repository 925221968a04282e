//! What every record kind defines: its schema, its place, its row in the index, and what is published of it.
//!
//! The kinds are listed in `registry`.

use crate::records::message::Outgoing;
use crate::text::ids::is_safe_name;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fmt::Debug;

/// A record as stored in a file.
pub trait StoredRecord: Serialize + DeserializeOwned + JsonSchema + Clone + Debug + PartialEq + Send + 'static {
    /// Name and version of its schema: `feedbackd.<name>/<version>`.
    const SCHEMA: &'static str;
    /// The format of its files.
    const FORMAT: Format = Format::Yaml;

    /// Reports whether a file at this path is such a record.
    fn is_place(path: &str) -> bool;

    /// Returns its path.
    fn path(&self) -> String;

    /// Returns its index row for a file at `path`.
    fn row(&self, path: &str) -> IndexRow<'_>;

    /// Checks what the type cannot express: whether this content counts at this path.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn check(&self, _path: &str) -> Result<(), String> {
        Ok(())
    }

    /// Returns the messages for a record written at `path`.
    fn messages(&self, _path: &str, _before: &Before<'_, Self>) -> Vec<Outgoing> {
        Vec::new()
    }
}

/// The format of a record's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people, who may edit it: their changes stay.
    Yaml,
    /// As specified for its channel.
    Json,
}

/// The content of a path before a record was written there.
pub enum Before<'r, R> {
    /// There was no file.
    Nothing,
    /// There was an unreadable file.
    Unreadable,
    /// There was this record.
    Record(&'r R),
}

impl<'r, R> Before<'r, R> {
    /// Returns the previous record, if readable.
    pub fn record(&self) -> Option<&'r R> {
        match self {
            Before::Record(record) => Some(record),
            Before::Nothing | Before::Unreadable => None,
        }
    }

    /// Reports whether the file is new.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Before::Nothing)
    }
}

/// How a record is found in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRow<'r> {
    pub id: &'r str,
    /// Sort key, greatest first.
    pub rank: (i64, i64),
    /// Whether it is among the most requested: those pending a decision.
    pub open: bool,
    /// Its subject, if its kind is looked up by subject.
    pub subject: Option<Cow<'r, str>>,
}

impl<'r> IndexRow<'r> {
    /// Creates a row ranked by time, latest first.
    pub fn at(id: &'r str, at: Timestamp) -> IndexRow<'r> {
        IndexRow { id, rank: (at.as_second(), i64::from(at.subsec_nanosecond())), open: true, subject: None }
    }

    /// Sets whether the row is open.
    pub fn open(self, open: bool) -> IndexRow<'r> {
        IndexRow { open, ..self }
    }

    /// Sets the subject.
    pub fn about(self, subject: impl Into<Cow<'r, str>>) -> IndexRow<'r> {
        IndexRow { subject: Some(subject.into()), ..self }
    }
}

/// Checks that an id may be part of a path, as cluster and rule ids are.
pub(super) fn name<'n>(field: &str, names: impl IntoIterator<Item = &'n String>) -> Result<(), String> {
    match names.into_iter().find(|name| !is_safe_name(name)) {
        None => Ok(()),
        Some(name) => Err(format!(
            "`{field}` is {name:?}, which is not an id: up to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or \
             digit"
        )),
    }
}

/// YAML allows `.nan` and `.inf`; nothing past this point does.
pub(super) fn probability(field: &str, value: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(format!("{field} must be between 0 and 1, but is {value}")) }
}
