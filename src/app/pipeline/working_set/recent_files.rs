//! Files that nearly every batch changes (clusters and proposals), as they stand at the memory's head: what was just
//! written need not be read, parsed and rendered again.
//!
//! Bounded; what is not here is read from the store. Whoever moves the head without [`Recent::put`] must clear it.

use crate::domain::records::record::{DecisionRecord, Format, Registered, Stored, StoredKind};
use crate::pipeline::error::PipelineError;
use crate::text::yaml;
use std::collections::HashMap;
use std::sync::Arc;

/// How much text is kept, in bytes; past it, all of it is dropped.
const LIMIT: usize = 16 << 20;

/// A file and what it says.
#[derive(Clone, Debug)]
pub struct Known {
    /// The file, with whatever people wrote into it.
    pub text: Arc<str>,
    /// What the record alone would be as text, where that is known.
    pub rendered: Option<Arc<str>>,
    /// The record.
    pub record: Stored,
}

impl Known {
    /// The file with another record in it. What people wrote into it stays, where it is one for people.
    pub fn with(&self, after: Stored) -> Result<Known, PipelineError> {
        if after.format() == Format::Json {
            return Known::new(after);
        }
        let rendered = render(&after)?;
        let before = match &self.rendered {
            Some(before) => Arc::clone(before),
            None => render(&self.record)?,
        };
        let text = yaml::edit(&self.text, &before, &rendered);
        let text = if *text == *rendered { Arc::clone(&rendered) } else { text.into() };
        Ok(Known { text, rendered: Some(rendered), record: after })
    }

    /// What a decision's file says of one of its comments; `None` where it has no such comment.
    pub fn of_comment(&self, name: &str) -> Option<Known> {
        let record = DecisionRecord::of(&self.record)?.view(name)?.into();
        Some(Known { text: Arc::clone(&self.text), rendered: None, record })
    }

    /// A new file.
    pub fn new(record: Stored) -> Result<Known, PipelineError> {
        let text = render(&record)?;
        Ok(Known { rendered: Some(Arc::clone(&text)), text, record })
    }
}

fn render(record: &Stored) -> Result<Arc<str>, PipelineError> {
    record.text().map(Arc::from).map_err(PipelineError::Record)
}

/// What was written lately.
#[derive(Debug, Default)]
pub struct Recent {
    files: HashMap<String, Known>,
    bytes: usize,
}

impl Recent {
    /// Whether files of a kind are remembered.
    pub fn takes(kind: StoredKind) -> bool {
        matches!(kind, StoredKind::Cluster | StoredKind::Rule)
    }

    /// The file at a path.
    pub fn file(&self, path: &str) -> Option<&Known> {
        self.files.get(path)
    }

    /// Forgets a file that is no longer there.
    pub fn remove(&mut self, path: &str) {
        if let Some(old) = self.files.remove(path) {
            self.bytes -= old.text.len();
        }
    }

    /// Remembers what a commit wrote.
    pub fn put(&mut self, written: Vec<(String, Known)>) {
        for (path, known) in written {
            self.bytes += known.text.len();
            self.bytes -= self.files.insert(path, known).map_or(0, |old| old.text.len());
        }
        if self.bytes > LIMIT {
            self.clear();
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Recent::default();
    }
}
