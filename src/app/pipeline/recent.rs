//! Files that batch after batch changes, clusters and proposals, as they stand at the memory's head: what was just
//! written need not be read, parsed and rendered again.
//!
//! Bounded; what is not here is read from the store. Whoever moves the head without [`Recent::put`] must clear it.

use crate::app::pipeline::PipelineError;
use crate::domain::records::record::{ClusterRecord, ProposalRecord};
use crate::domain::yaml;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// How much text is kept, in bytes; past it, all of it is dropped.
const LIMIT: usize = 16 << 20;

/// A file and what it says.
#[derive(Clone, Debug)]
pub struct Known<T> {
    /// The file, with whatever people wrote into it.
    pub text: Arc<str>,
    /// What the record alone would be as text, where that is known.
    pub rendered: Option<Arc<str>>,
    /// The record.
    pub record: T,
}

impl<T: Serialize> Known<T> {
    /// The file with another record in it.
    pub fn with(&self, after: T) -> Result<Known<T>, PipelineError> {
        let rendered = render(&after)?;
        let before = match &self.rendered {
            Some(before) => Arc::clone(before),
            None => render(&self.record)?,
        };
        let text = yaml::edit(&self.text, &before, &rendered);
        let text = if *text == *rendered { Arc::clone(&rendered) } else { text.into() };
        Ok(Known { text, rendered: Some(rendered), record: after })
    }

    /// A new file.
    pub fn new(record: T) -> Result<Known<T>, PipelineError> {
        let text = render(&record)?;
        Ok(Known { rendered: Some(Arc::clone(&text)), text, record })
    }
}

fn render<T: Serialize>(record: &T) -> Result<Arc<str>, PipelineError> {
    yaml::render(record).map(Arc::from).map_err(PipelineError::Record)
}

/// What was written lately.
#[derive(Debug, Default)]
pub struct Recent {
    clusters: HashMap<String, Known<ClusterRecord>>,
    proposals: HashMap<String, Known<ProposalRecord>>,
    bytes: usize,
}

impl Recent {
    /// The cluster's file at a path.
    pub fn cluster(&self, path: &str) -> Option<&Known<ClusterRecord>> {
        self.clusters.get(path)
    }

    /// The proposal's file at a path.
    pub fn proposal(&self, path: &str) -> Option<&Known<ProposalRecord>> {
        self.proposals.get(path)
    }

    /// Forgets a file that is no longer there.
    pub fn remove(&mut self, path: &str) {
        if let Some(old) = self.proposals.remove(path) {
            self.bytes -= old.text.len();
        }
    }

    /// Remembers what a commit wrote.
    pub fn put(&mut self, written: Written) {
        for (path, known) in written.clusters {
            self.bytes += known.text.len();
            self.bytes -= self.clusters.insert(path, known).map_or(0, |old| old.text.len());
        }
        for (path, known) in written.proposals {
            self.bytes += known.text.len();
            self.bytes -= self.proposals.insert(path, known).map_or(0, |old| old.text.len());
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

/// What a batch writes of these.
#[derive(Debug, Default)]
pub struct Written {
    /// Clusters by path.
    pub clusters: Vec<(String, Known<ClusterRecord>)>,
    /// Proposals by path.
    pub proposals: Vec<(String, Known<ProposalRecord>)>,
}
