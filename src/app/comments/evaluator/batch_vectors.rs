//! Vectors of the current batch, compared exactly and in addition to the knowledge store, which adds them once the
//! batch is durable.

use super::vectors::near_vector;
use crate::domain::clusters::rows::{RowQuery, Scope};
use crate::domain::clusters::{Member, MemberKey};
use crate::ports::{Knowledge, NearVector};
use crate::text::language::similarity::DemandVector;
use std::collections::HashMap;

/// Vectors not yet in the knowledge store.
#[derive(Default)]
pub struct BatchVectors {
    scopes: HashMap<String, Scope>,
    vectors: Vec<NearVector>,
}

impl BatchVectors {
    /// Adds the vector of a comment that is not earlier than any other.
    pub fn add(&mut self, key: MemberKey, member: &Member, knowledge: &dyn Knowledge) {
        let near = near_vector(key, member);
        let elsewhere = knowledge.repeats(&near.scope, &near.vector);
        self.scopes.entry(near.scope.clone()).or_default().add(key, &near.vector, elsewhere);
        self.vectors.push(near);
    }

    /// Vectors to add to the knowledge store.
    pub fn vectors(&self) -> &[NearVector] {
        &self.vectors
    }

    /// Returns the nearest in a scope, best first.
    pub(super) fn nearest(&self, scope: &str, vector: &DemandVector, min: f64, limit: usize) -> Vec<(MemberKey, f64)> {
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        scope.nearest(&RowQuery::new(vector, min), limit)
    }

    /// Returns the nearest in a scope that came after a comment, best first.
    pub(super) fn nearest_after(
        &self,
        after: MemberKey,
        scope: &str,
        vector: &DemandVector,
        min: f64,
        limit: usize,
    ) -> Vec<(MemberKey, f64)> {
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        scope.nearest_after(after, &RowQuery::new(vector, min), limit)
    }
}
