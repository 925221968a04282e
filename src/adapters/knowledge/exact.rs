//! The exact search: compares every distinct vector of a scope that shares an axis.

use crate::domain::clusters::MemberKey;
use crate::domain::clusters::rows::{RowQuery, Scope};
use crate::ports::{Knowledge, KnowledgeError, NearVector};
use crate::text::language::similarity::DemandVector;
use std::collections::HashMap;

/// Vectors by scope, in memory.
#[derive(Default)]
pub struct ExactScan {
    scopes: HashMap<String, Scope>,
}

impl Knowledge for ExactScan {
    fn add(&mut self, vectors: &[NearVector]) -> Result<(), KnowledgeError> {
        for NearVector { scope, key, vector } in vectors {
            if !self.scopes.contains_key(scope) {
                self.scopes.insert(scope.clone(), Scope::default());
            }
            if let Some(scope) = self.scopes.get_mut(scope) {
                scope.add(*key, vector, 0);
            }
        }
        Ok(())
    }

    fn nearest(
        &self,
        scope: &str,
        vector: &DemandVector,
        min_cosine: f64,
        limit: usize,
    ) -> Result<Vec<(MemberKey, f64)>, KnowledgeError> {
        let Some(scope) = self.scopes.get(scope) else { return Ok(Vec::new()) };
        Ok(scope.nearest(&RowQuery::new(vector, min_cosine), limit))
    }

    fn repeats(&self, scope: &str, vector: &DemandVector) -> usize {
        self.scopes.get(scope).map_or(0, |scope| scope.repeats(vector))
    }

    fn clear(&mut self) {
        self.scopes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clusters::rows::KEYS_PER_ROW;

    fn vector(values: &[f32]) -> DemandVector {
        let length = values.iter().map(|v| v * v).sum::<f32>().sqrt();
        DemandVector::new(&(0..).zip(values.iter().map(|v| v / length)).collect::<Vec<_>>())
    }

    fn known(vectors: &[(&str, u32, &[f32])]) -> ExactScan {
        let mut scan = ExactScan::default();
        let near = |(scope, key, values): &(&str, u32, &[f32])| NearVector {
            scope: (*scope).to_owned(),
            key: MemberKey(*key),
            vector: vector(values),
        };
        scan.add(&vectors.iter().map(near).collect::<Vec<_>>()).unwrap();
        scan
    }

    #[test]
    fn best_first_within_scope_and_limit() {
        let k = known(&[("a", 1, &[1.0, 0.0]), ("a", 2, &[1.0, 1.0]), ("a", 3, &[0.0, 1.0]), ("b", 4, &[1.0, 0.0])]);
        let keys = |scope, min, limit| -> Vec<u32> {
            let near = k.nearest(scope, &vector(&[1.0, 0.0]), min, limit).unwrap();
            near.into_iter().map(|(key, _)| key.0).collect()
        };
        assert_eq!(keys("a", 0.5, 10), [1, 2]);
        assert_eq!(keys("a", 0.5, 1), [1]);
        assert_eq!(keys("none", 0.5, 10), [0; 0]);
    }

    #[test]
    fn repeated_texts_share_a_row_and_are_all_found() {
        let many: Vec<(&str, u32, &[f32])> = (0..100).map(|key| ("a", key, &[1.0, 0.0][..])).collect();
        let k = known(&many);
        assert_eq!(k.nearest("a", &vector(&[1.0, 0.0]), 0.9, 1000).unwrap().len(), KEYS_PER_ROW);
        assert_eq!(k.repeats("a", &vector(&[1.0, 0.0])), KEYS_PER_ROW);
    }
}
