//! The vectors of a batch in hand: compared exactly, beside what the knowledge store holds, which takes them up once the
//! batch is durable.

use super::vectors::near_vector;
use crate::domain::clusters::rows::{Scope, Wanted};
use crate::domain::clusters::{Member, MemberKey};
use crate::ports::{Knowledge, NearVector};
use crate::text::language::similarity::DemandVector;
use std::collections::HashMap;

/// Vectors that the knowledge store does not hold yet.
#[derive(Default)]
pub struct Added {
    scopes: HashMap<String, Scope>,
    vectors: Vec<NearVector>,
}

impl Added {
    /// Adds the vector of a remark that is no earlier than all others.
    pub fn add(&mut self, key: MemberKey, member: &Member, knowledge: &dyn Knowledge) {
        let near = near_vector(key, member);
        let elsewhere = knowledge.repeats(&near.scope, &near.vector);
        self.scopes.entry(near.scope.clone()).or_default().add(key, &near.vector, elsewhere);
        self.vectors.push(near);
    }

    /// What the knowledge store is to take up.
    pub fn vectors(&self) -> &[NearVector] {
        &self.vectors
    }

    /// The nearest in a scope, best first.
    pub(super) fn nearest(&self, scope: &str, vector: &DemandVector, min: f64, limit: usize) -> Vec<(MemberKey, f64)> {
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        scope.nearest(&Wanted::new(vector, min), limit)
    }

    /// The nearest in a scope that came after a remark, best first.
    pub(super) fn nearest_after(
        &self,
        after: MemberKey,
        scope: &str,
        vector: &DemandVector,
        min: f64,
        limit: usize,
    ) -> Vec<(MemberKey, f64)> {
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        scope.nearest_after(after, &Wanted::new(vector, min), limit)
    }
}
