//! Cache of files that nearly every batch changes (clusters and proposals), as they are at the working set's head.
//! Recently written files need not be read, parsed and rendered again.
//!
//! Bounded; other files are read from the store. Code that moves the head without [`Recent::put`] must clear it.

use crate::domain::records::record::{DecisionRecord, Format, Registered, Stored, StoredKind};
use crate::pipeline::error::PipelineError;
use crate::text::yaml;
use std::collections::HashMap;
use std::sync::Arc;

/// The cache size, in bytes of text; when exceeded, everything is dropped.
const LIMIT: usize = 16 << 20;

/// A file and its record.
#[derive(Clone, Debug)]
pub struct RecentFile {
    /// The file's text, including people's additions.
    pub text: Arc<str>,
    /// The record alone rendered as text, if known.
    pub rendered: Option<Arc<str>>,
    /// The record.
    pub record: Stored,
}

impl RecentFile {
    /// Returns the file with another record. People's additions are kept if the file is meant for people.
    pub fn with(&self, after: Stored) -> Result<RecentFile, PipelineError> {
        if after.format() == Format::Json {
            return RecentFile::new(after);
        }
        let rendered = render(&after)?;
        let before = match &self.rendered {
            Some(before) => Arc::clone(before),
            None => render(&self.record)?,
        };
        let text = yaml::edit(&self.text, &before, &rendered);
        let text = if *text == *rendered { Arc::clone(&rendered) } else { text.into() };
        Ok(RecentFile { text, rendered: Some(rendered), record: after })
    }

    /// Returns a comment's part of a decision's file; `None` if there is no such comment.
    pub fn of_comment(&self, name: &str) -> Option<RecentFile> {
        let record = DecisionRecord::of(&self.record)?.view(name)?.into();
        Some(RecentFile { text: Arc::clone(&self.text), rendered: None, record })
    }

    /// Creates a new file.
    pub fn new(record: Stored) -> Result<RecentFile, PipelineError> {
        let text = render(&record)?;
        Ok(RecentFile { rendered: Some(Arc::clone(&text)), text, record })
    }
}

fn render(record: &Stored) -> Result<Arc<str>, PipelineError> {
    record.text().map(Arc::from).map_err(PipelineError::Record)
}

/// Recently written files.
#[derive(Debug, Default)]
pub struct Recent {
    files: HashMap<String, RecentFile>,
    bytes: usize,
}

impl Recent {
    /// Reports whether files of a kind are cached.
    pub fn takes(kind: StoredKind) -> bool {
        matches!(kind, StoredKind::Cluster | StoredKind::Rule)
    }

    /// Returns the file at a path.
    pub fn file(&self, path: &str) -> Option<&RecentFile> {
        self.files.get(path)
    }

    /// Removes a file that no longer exists.
    pub fn remove(&mut self, path: &str) {
        if let Some(old) = self.files.remove(path) {
            self.bytes -= old.text.len();
        }
    }

    /// Stores what a commit wrote.
    pub fn put(&mut self, written: Vec<(String, RecentFile)>) {
        for (path, known) in written {
            self.bytes += known.text.len();
            self.bytes -= self.files.insert(path, known).map_or(0, |old| old.text.len());
        }
        if self.bytes > LIMIT {
            self.clear();
        }
    }

    /// Clears the cache.
    pub fn clear(&mut self) {
        *self = Recent::default();
    }
}
