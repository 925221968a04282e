//! Candidates from approximate in-memory indexes (HNSW), one per scope. Only in builds with the feature `usearch`.
//!
//! Nothing is written to disk: it is filled when the working set is loaded.

use super::approximate::{Candidates, expand};
use crate::text::language::similarity::DemandVector;
use std::collections::HashMap;
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

/// Neighbours examined when adding a vector and when searching: more than the default, as with Chroma, because what is
/// not found is not counted.
const EXPANSION: usize = 200;
/// Initial capacity in vectors; it doubles.
const ROOM: usize = 64;

/// Approximate indexes by scope.
pub struct Usearch {
    axes: usize,
    scopes: HashMap<String, Index>,
}

impl Usearch {
    /// Creates an empty one. `axes` is the maximum number of axes in a vector's profile.
    pub fn new(axes: usize) -> Usearch {
        Usearch { axes, scopes: HashMap::new() }
    }
}

impl Candidates for Usearch {
    fn add(&mut self, scope: &str, row: u32, vector: &DemandVector) -> Result<(), String> {
        let expanded = expand(vector, self.axes);
        if !self.scopes.contains_key(scope) {
            self.scopes.insert(scope.to_owned(), empty(expanded.len())?);
        }
        let Some(index) = self.scopes.get(scope) else { return Ok(()) };
        // It does not grow automatically.
        if index.size() >= index.capacity() {
            reserve(index, 2 * index.capacity())?;
        }
        index.add(u64::from(row), &expanded).map_err(words)
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn near(&mut self, scope: &str, vector: &DemandVector, count: usize) -> Result<Vec<u32>, String> {
        let Some(index) = self.scopes.get(scope) else { return Ok(Vec::new()) };
        let found = index.search(&expand(vector, self.axes), count).map_err(words)?;
        Ok(found.keys.into_iter().filter_map(|row| u32::try_from(row).ok()).collect())
    }

    fn clear(&mut self) {
        self.scopes.clear();
    }
}

/// Creates an index without vectors.
fn empty(dimensions: usize) -> Result<Index, String> {
    let index = Index::new(&IndexOptions {
        dimensions,
        metric: MetricKind::Cos,
        quantization: ScalarKind::F16,
        expansion_add: EXPANSION,
        expansion_search: EXPANSION,
        ..IndexOptions::default()
    });
    let index = index.map_err(words)?;
    reserve(&index, ROOM)?;
    Ok(index)
}

/// Reserves room for this many vectors, and for one caller at a time: others wait at [`super::Approximate`].
fn reserve(index: &Index, capacity: usize) -> Result<(), String> {
    index.reserve_capacity_and_threads(capacity, 1).map_err(words)
}

fn words(error: impl std::fmt::Display) -> String {
    format!("the approximate index in memory: {error}")
}
