//! The embedded knowledge store: an exact scan over all distinct vectors of a scope.
//!
//! Exact and simple up to some ten thousand distinct texts per agent; an approximate index would stand behind the
//! same port. Repeated texts cost nothing: they share one row.

use crate::domain::similarity::{Embedding, cosine_of, dot, least_dot};
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
    /// The components of all rows, one row after the other: a scan reads them in one go.
    matrix: Vec<i16>,
    /// How many components a row has.
    width: usize,
    /// The keys of each row.
    keys: Vec<Vec<u32>>,
    row_of: HashMap<Embedding, u32>,
    /// Every key with its row, in the order in which they came.
    arrivals: Vec<(u32, u32)>,
}

impl Knowledge for ExactScan {
    fn add(&mut self, scope: &str, key: u32, vector: &Embedding) {
        if !self.scopes.contains_key(scope) {
            self.scopes.insert(scope.to_owned(), Scope::default());
        }
        if let Some(scope) = self.scopes.get_mut(scope) {
            scope.add(key, vector);
        }
    }

    fn nearest(&self, scope: &str, vector: &Embedding, min_cosine: f64, limit: usize) -> Vec<(u32, f64)> {
        let Some(scope) = self.scopes.get(scope).filter(|s| s.width == vector.components().len()) else {
            return Vec::new();
        };
        let mut near = scan(&scope.matrix, vector.components(), least_dot(min_cosine));
        let first = |row: u32| scope.keys[row as usize].first();
        let best_first = |a: &(i32, u32), b: &(i32, u32)| b.0.cmp(&a.0).then_with(|| first(a.1).cmp(&first(b.1)));
        // Every row has a key, so more rows than `limit` are never needed.
        if near.len() > limit && limit > 0 {
            near.select_nth_unstable_by(limit - 1, best_first);
            near.truncate(limit);
        }
        near.sort_unstable_by(best_first);
        let with_keys = |(dot, row): &(i32, u32)| {
            let cosine = cosine_of(*dot);
            scope.keys[*row as usize].iter().map(move |key| (*key, cosine))
        };
        near.iter().flat_map(with_keys).take(limit).collect()
    }

    fn nearest_since(
        &self,
        scope: &str,
        since: u32,
        vector: &Embedding,
        min_cosine: f64,
        limit: usize,
    ) -> Vec<(u32, f64)> {
        let Some(scope) = self.scopes.get(scope).filter(|s| s.width == vector.components().len()) else {
            return Vec::new();
        };
        let least = least_dot(min_cosine);
        let from = scope.arrivals.partition_point(|(key, _)| *key < since);
        let mut near: Vec<(u32, f64)> = scope.arrivals[from..]
            .iter()
            .map(|(key, row)| (*key, dot(vector.components(), scope.row(*row))))
            .filter(|(_, dot)| *dot >= least)
            .map(|(key, dot)| (key, cosine_of(dot)))
            .collect();
        near.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(limit);
        near
    }

    fn clear(&mut self) {
        self.scopes.clear();
    }
}

impl Scope {
    fn add(&mut self, key: u32, vector: &Embedding) {
        if self.keys.is_empty() {
            self.width = vector.components().len();
        }
        if vector.components().len() != self.width {
            // Of another embedder: it can be compared with nothing here.
            return;
        }
        let next = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        let row = *self.row_of.entry(vector.clone()).or_insert(next);
        if row == next {
            self.matrix.extend_from_slice(vector.components());
            self.keys.push(Vec::with_capacity(1));
        }
        let keys = &mut self.keys[row as usize];
        if keys.len() < KEYS_PER_ROW && !keys.contains(&key) {
            keys.push(key);
            self.arrivals.push((key, row));
        }
    }

    fn row(&self, row: u32) -> &[i16] {
        let start = row as usize * self.width;
        &self.matrix[start..start + self.width]
    }
}

/// The rows of a matrix whose product with a vector is at least so large, with that product.
fn scan(matrix: &[i16], vector: &[i16], least: i32) -> Vec<(i32, u32)> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { scan_wide(matrix, vector, least) };
    }
    scan_rows(matrix, vector, least)
}

/// The same code, compiled for registers of 256 bits: twice as fast.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_wide(matrix: &[i16], vector: &[i16], least: i32) -> Vec<(i32, u32)> {
    scan_rows(matrix, vector, least)
}

#[inline(always)]
fn scan_rows(matrix: &[i16], vector: &[i16], least: i32) -> Vec<(i32, u32)> {
    let mut near = Vec::new();
    for (row, other) in (0..).zip(matrix.chunks_exact(vector.len().max(1))) {
        let dot = dot(vector, other);
        if dot >= least {
            near.push((dot, row));
        }
    }
    near
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
    fn what_came_since_a_key_is_found_alone() {
        let mut k = ExactScan::default();
        for (key, x) in [(1, 1.0), (2, 0.0), (5, 1.0), (7, 3.0), (9, -1.0)] {
            k.add("a", key, &vector(&[x, 1.0]));
        }
        let keys = |since, limit| -> Vec<u32> {
            k.nearest_since("a", since, &vector(&[1.0, 1.0]), 0.5, limit).into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(keys(0, 9), [1, 5, 7, 2]);
        assert_eq!(keys(2, 9), [5, 7, 2]);
        assert_eq!(keys(3, 1), [5]);
        assert!(keys(8, 9).is_empty());
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
