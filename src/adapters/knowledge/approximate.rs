//! Near remarks by way of something that proposes candidates.
//!
//! The vectors stay here as well, shared with the memory: a candidate's cosine is computed as the exact scan does it, and
//! what came since an earlier search is compared without asking anybody.

use super::rows::{Scope, Wanted};
use crate::domain::language::similarity::Embedding;
use crate::ports::{Knowledge, KnowledgeError};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Candidates beyond what is asked for: what proposes them rounds otherwise.
const SPARE: usize = 8;
const ONE: f32 = 32_767.0;

/// Something that knows which rows of a scope may be near. It need not be right, nor complete.
pub trait Candidates: Send {
    /// Adds a row.
    ///
    /// # Errors
    /// In words.
    fn add(&mut self, scope: &str, row: u32, vector: &Embedding) -> Result<(), String>;

    /// Makes sure that all rows can be found.
    ///
    /// # Errors
    /// In words.
    fn flush(&mut self) -> Result<(), String>;

    /// The rows of a scope that are probably nearest, in no order.
    ///
    /// # Errors
    /// In words.
    fn near(&mut self, scope: &str, vector: &Embedding, count: usize) -> Result<Vec<u32>, String>;

    /// Forgets everything. What fails in that is said by what follows.
    fn clear(&mut self);
}

/// Knowledge by way of candidates.
pub struct Approximate<C> {
    scopes: HashMap<String, Scope>,
    asked: Mutex<Asked<C>>,
}

struct Asked<C> {
    candidates: C,
    failure: Option<String>,
}

impl<C: Candidates> Approximate<C> {
    /// Knows nothing yet.
    pub fn new(candidates: C) -> Approximate<C> {
        Approximate { scopes: HashMap::new(), asked: Mutex::new(Asked { candidates, failure: None }) }
    }

    fn asked(&self) -> MutexGuard<'_, Asked<C>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Candidates> Asked<C> {
    /// Does something that may fail; after a failure nothing more is tried.
    fn attempt<T: Default>(&mut self, what: impl FnOnce(&mut C) -> Result<T, String>) -> T {
        if self.failure.is_some() {
            return T::default();
        }
        what(&mut self.candidates).unwrap_or_else(|failure| {
            self.failure = Some(failure);
            T::default()
        })
    }
}

impl<C: Candidates> Knowledge for Approximate<C> {
    fn settle(&mut self) -> Result<(), KnowledgeError> {
        let asked = self.asked.get_mut().unwrap_or_else(PoisonError::into_inner);
        asked.attempt(Candidates::flush);
        asked.failure.take().map_or(Ok(()), |failure| Err(KnowledgeError(failure)))
    }

    fn add(&mut self, scope: &str, key: u32, vector: &Embedding) {
        let rows = self.scopes.entry(scope.to_owned()).or_default();
        if let Some(row) = rows.add(key, vector) {
            let asked = self.asked.get_mut().unwrap_or_else(PoisonError::into_inner);
            asked.attempt(|candidates| candidates.add(scope, row, vector));
        }
    }

    fn nearest(&self, scope: &str, vector: &Embedding, min_cosine: f64, limit: usize) -> Vec<(u32, f64)> {
        let Some(rows) = self.scopes.get(scope) else { return Vec::new() };
        let count = rows.rows.len().min(limit.saturating_add(SPARE));
        let mut found = self.asked().attempt(|candidates| {
            candidates.flush()?;
            candidates.near(scope, vector, count)
        });
        found.sort_unstable();
        found.dedup();
        let wanted = Wanted::new(vector, min_cosine);
        let product = |row: u32| Some((wanted.product(rows.rows.get(row as usize)?)?, row));
        rows.best(found.into_iter().filter_map(product).collect(), limit)
    }

    fn nearest_since(
        &self,
        scope: &str,
        since: u32,
        vector: &Embedding,
        min_cosine: f64,
        limit: usize,
    ) -> Vec<(u32, f64)> {
        let Some(rows) = self.scopes.get(scope) else { return Vec::new() };
        rows.nearest_since(since, &Wanted::new(vector, min_cosine), limit)
    }

    fn clear(&mut self) {
        self.scopes.clear();
        let asked = self.asked.get_mut().unwrap_or_else(PoisonError::into_inner);
        asked.failure = None;
        asked.candidates.clear();
    }
}

/// A vector with all of its axes, then its words: unit length, some hundred dimensions.
pub(super) fn expand(vector: &Embedding, axes: usize) -> Vec<f32> {
    let mut expanded = vec![0.0; axes];
    for (axis, weight) in vector.profile() {
        if let Some(place) = expanded.get_mut(usize::from(*axis)) {
            *place = f32::from(*weight) / ONE;
        }
    }
    expanded.extend(vector.dense().iter().map(|v| f32::from(*v) / ONE));
    expanded
}
