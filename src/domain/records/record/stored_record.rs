//! What every kind of record says of itself: its schema, its place, its row in the index, and what is published of it.
//!
//! Which kinds there are is said in one list, in `registry`.

use crate::records::message::Outgoing;
use crate::text::ids::is_safe_name;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fmt::Debug;

/// A record as it is kept in a file of the store.
pub trait StoredRecord: Serialize + DeserializeOwned + JsonSchema + Clone + Debug + PartialEq + Send + 'static {
    /// Name and version of its schema: `feedbackd.<name>/<version>`.
    const SCHEMA: &'static str;
    /// How its files are written.
    const FORMAT: Format = Format::Yaml;

    /// Whether a file at this path is such a record.
    fn is_place(path: &str) -> bool;

    /// Where it belongs.
    fn path(&self) -> String;

    /// How the index finds it, where its file lies at `path`.
    fn row(&self, path: &str) -> IndexRow<'_>;

    /// What the type cannot say: whether a file with this content at this path counts.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn check(&self, _path: &str) -> Result<(), String> {
        Ok(())
    }

    /// What is published because it was written at `path`.
    fn messages(&self, _path: &str, _before: &Before<'_, Self>) -> Vec<Outgoing> {
        Vec::new()
    }
}

/// How a record's files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people, who may edit it: what they wrote stays.
    Yaml,
    /// As the specification of its channel says.
    Json,
}

/// What stood at a path before a record was written there.
pub enum Before<'r, R> {
    /// There was no file.
    Nothing,
    /// There was a file, and it could not be read.
    Unreadable,
    /// There was this record.
    Record(&'r R),
}

impl<'r, R> Before<'r, R> {
    /// The record that stood there, where it could be read.
    pub fn record(&self) -> Option<&'r R> {
        match self {
            Before::Record(record) => Some(record),
            Before::Nothing | Before::Unreadable => None,
        }
    }

    /// Whether the file is new.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Before::Nothing)
    }
}

/// How a record is found in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRow<'r> {
    pub id: &'r str,
    /// The greatest first.
    pub rank: (i64, i64),
    /// Whether it is among those that are asked for most: what waits for somebody.
    pub open: bool,
    /// What it is about, where records of its kind are looked up by that.
    pub subject: Option<Cow<'r, str>>,
}

impl<'r> IndexRow<'r> {
    /// A row that is ranked by time; the latest first.
    pub fn at(id: &'r str, at: Timestamp) -> IndexRow<'r> {
        IndexRow { id, rank: (at.as_second(), i64::from(at.subsec_nanosecond())), open: true, subject: None }
    }

    /// The row, open or not.
    pub fn open(self, open: bool) -> IndexRow<'r> {
        IndexRow { open, ..self }
    }

    /// The row of a record that is about this.
    pub fn about(self, subject: impl Into<Cow<'r, str>>) -> IndexRow<'r> {
        IndexRow { subject: Some(subject.into()), ..self }
    }
}

/// Whether an id may be part of a path, as the ids of groups and rules are.
pub(super) fn name<'n>(field: &str, names: impl IntoIterator<Item = &'n String>) -> Result<(), String> {
    match names.into_iter().find(|name| !is_safe_name(name)) {
        None => Ok(()),
        Some(name) => Err(format!(
            "`{field}` is {name:?}, which is no id: up to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit"
        )),
    }
}

/// YAML knows `.nan` and `.inf`; nothing behind this point does.
pub(super) fn probability(field: &str, value: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(format!("{field} must lie between 0 and 1, it is {value}")) }
}
