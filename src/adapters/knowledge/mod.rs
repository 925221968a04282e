//! The embedded knowledge store: an exact scan over all distinct vectors of a scope.
//!
//! Exact and simple up to some ten thousand distinct texts per agent; an approximate index would stand behind the
//! same port. Repeated texts cost nothing: they share one row.

use crate::domain::similarity::Embedding;
use crate::ports::Knowledge;
use std::collections::HashMap;

/// How many keys one row remembers. A text repeated more often adds nothing that could be cited.
const KEYS_PER_ROW: usize = 16;

/// Vectors by scope, in memory.
#[derive(Default)]
pub struct ExactScan {
    scopes: HashMap<String, Scope>,
}

#[derive(Default)]
struct Scope {
    rows: Vec<(Embedding, Vec<u32>)>,
    row_of: HashMap<Embedding, usize>,
}

impl Knowledge for ExactScan {
    fn add(&mut self, scope: &str, key: u32, vector: &Embedding) {
        if !self.scopes.contains_key(scope) {
            self.scopes.insert(scope.to_owned(), Scope::default());
        }
        let Some(scope) = self.scopes.get_mut(scope) else { return };
        let row = *scope.row_of.entry(vector.clone()).or_insert_with(|| {
            scope.rows.push((vector.clone(), Vec::new()));
            scope.rows.len() - 1
        });
        let keys = &mut scope.rows[row].1;
        if keys.len() < KEYS_PER_ROW && !keys.contains(&key) {
            keys.push(key);
        }
    }

    fn nearest(&self, scope: &str, vector: &Embedding, min_cosine: f64, limit: usize) -> Vec<(u32, f64)> {
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        let mut near: Vec<(usize, f64)> = scope
            .rows
            .iter()
            .enumerate()
            .map(|(row, (other, _))| (row, vector.cosine(other)))
            .filter(|(_, cosine)| *cosine >= min_cosine)
            .collect();
        near.sort_by(|a, b| {
            b.1.total_cmp(&a.1).then_with(|| scope.rows[a.0].1.first().cmp(&scope.rows[b.0].1.first()))
        });
        near.iter().flat_map(|(row, cosine)| scope.rows[*row].1.iter().map(|key| (*key, *cosine))).take(limit).collect()
    }

    fn clear(&mut self) {
        self.scopes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(values: &[f32]) -> Embedding {
        Embedding::from_f32(values).unwrap()
    }

    #[test]
    fn best_first_within_scope_and_limit() {
        let mut k = ExactScan::default();
        k.add("a", 1, &vector(&[1.0, 0.0]));
        k.add("a", 2, &vector(&[1.0, 1.0]));
        k.add("a", 3, &vector(&[0.0, 1.0]));
        k.add("b", 4, &vector(&[1.0, 0.0]));
        let keys = |min, limit| -> Vec<u32> {
            k.nearest("a", &vector(&[1.0, 0.0]), min, limit).into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(keys(0.5, 10), [1, 2]);
        assert_eq!(keys(-1.0, 10), [1, 2, 3]);
        assert_eq!(keys(-1.0, 1), [1]);
        assert!(k.nearest("none", &vector(&[1.0, 0.0]), -1.0, 10).is_empty());
    }

    #[test]
    fn repeated_texts_share_a_row_and_are_all_found() {
        let mut k = ExactScan::default();
        for key in 0..100 {
            k.add("a", key, &vector(&[1.0, 0.0]));
        }
        assert_eq!(k.nearest("a", &vector(&[1.0, 0.0]), 0.9, 1000).len(), KEYS_PER_ROW);
    }
}
