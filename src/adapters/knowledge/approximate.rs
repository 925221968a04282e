//! Search for similar comments by way of a source of candidates.
//!
//! The vectors are also kept here, shared with the working set: a candidate's cosine is computed as in the exact scan,
//! and after a failure the candidates are refilled from here.

use crate::domain::clusters::MemberKey;
use crate::domain::clusters::rows::{RowQuery, Scope};
use crate::ports::{Knowledge, KnowledgeError, NearVector};
use crate::text::language::similarity::DemandVector;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Extra candidates beyond the requested number: their source rounds differently.
const SPARE: usize = 8;
const ONE: f32 = 32_767.0;

/// A source of rows in a scope that may be near. It need be neither correct nor complete.
pub trait Candidates: Send {
    /// Adds a row.
    ///
    /// # Errors
    /// A message.
    fn add(&mut self, scope: &str, row: u32, vector: &DemandVector) -> Result<(), String>;

    /// Ensures that all rows can be found.
    ///
    /// # Errors
    /// A message.
    fn flush(&mut self) -> Result<(), String>;

    /// Returns the rows of a scope that are probably nearest, unordered.
    ///
    /// # Errors
    /// A message.
    fn near(&mut self, scope: &str, vector: &DemandVector, count: usize) -> Result<Vec<u32>, String>;

    /// Removes everything. A failure surfaces in later calls.
    fn clear(&mut self);
}

/// Knowledge backed by candidates.
pub struct Approximate<C> {
    scopes: HashMap<String, Scope>,
    proposing: Mutex<ApproximateKnowledge<C>>,
}

struct ApproximateKnowledge<C> {
    candidates: C,
    /// Whether the candidates know all rows. Unknown after a failure: they are refilled before the next query.
    filled: bool,
}

impl<C: Candidates> Approximate<C> {
    /// Creates an empty one.
    pub fn new(candidates: C) -> Approximate<C> {
        Approximate { scopes: HashMap::new(), proposing: Mutex::new(ApproximateKnowledge { candidates, filled: true }) }
    }
}

impl<C: Candidates> ApproximateKnowledge<C> {
    /// Runs an operation on fully filled candidates.
    fn attempt<T>(
        &mut self,
        scopes: &HashMap<String, Scope>,
        what: impl FnOnce(&mut C) -> Result<T, String>,
    ) -> Result<T, KnowledgeError> {
        let done = self.fill(scopes).and_then(|()| self.candidates.flush()).and_then(|()| what(&mut self.candidates));
        self.filled = done.is_ok();
        done.map_err(KnowledgeError)
    }

    fn fill(&mut self, scopes: &HashMap<String, Scope>) -> Result<(), String> {
        if self.filled {
            return Ok(());
        }
        self.candidates.clear();
        for (name, scope) in scopes {
            for (row, vector) in scope.vectors() {
                self.candidates.add(name, row, vector)?;
            }
        }
        Ok(())
    }
}

impl<C: Candidates> Knowledge for Approximate<C> {
    fn add(&mut self, vectors: &[NearVector]) -> Result<(), KnowledgeError> {
        let proposing = self.proposing.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut added = Ok(());
        for NearVector { scope, key, vector } in vectors {
            let row = self.scopes.entry(scope.clone()).or_default().add(*key, vector, 0);
            if let (Some(row), Ok(()), true) = (row, &added, proposing.filled) {
                added = proposing.candidates.add(scope, row, vector);
            }
        }
        if let Err(why) = added {
            // The rows are kept, and refill the candidates before the next query.
            proposing.filled = false;
            return Err(KnowledgeError(why));
        }
        proposing.attempt(&self.scopes, |_| Ok(()))
    }

    fn nearest(
        &self,
        scope: &str,
        vector: &DemandVector,
        min_cosine: f64,
        limit: usize,
    ) -> Result<Vec<(MemberKey, f64)>, KnowledgeError> {
        let Some(rows) = self.scopes.get(scope) else { return Ok(Vec::new()) };
        let count = rows.len().min(limit.saturating_add(SPARE));
        let mut proposing = self.proposing.lock().unwrap_or_else(PoisonError::into_inner);
        let found = proposing.attempt(&self.scopes, |candidates| candidates.near(scope, vector, count))?;
        Ok(rows.nearest_of(found, &RowQuery::new(vector, min_cosine), limit))
    }

    fn repeats(&self, scope: &str, vector: &DemandVector) -> usize {
        self.scopes.get(scope).map_or(0, |rows| rows.repeats(vector))
    }

    fn clear(&mut self) {
        self.scopes.clear();
        let proposing = self.proposing.get_mut().unwrap_or_else(PoisonError::into_inner);
        proposing.candidates.clear();
        proposing.filled = true;
    }
}

/// The dimensions shared by words: more would add little and cost much.
const WORDS: usize = 256;

/// Expands a vector: all axes of concerns, then words, several per dimension.
pub(super) fn expand(vector: &DemandVector, axes: usize) -> Vec<f32> {
    let mut expanded = vec![0.0; axes + WORDS];
    for (axis, weight) in vector.axes() {
        let axis = usize::from(*axis);
        let word = axis.checked_sub(usize::from(DemandVector::WORDS)).map(|word| axes + word % WORDS);
        if let Some(place) = expanded.get_mut(word.unwrap_or(axis)) {
            *place += f32::from(*weight) / ONE;
        }
    }
    expanded
}
