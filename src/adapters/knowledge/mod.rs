//! What finds near remarks: an exact scan over all distinct vectors of a scope, or something that proposes candidates.
//!
//! The exact scan is the default: simple, and fast up to some ten thousand distinct texts per agent. What stands beside
//! it, a Chroma server or an approximate index in memory (feature `usearch`), only proposes rows; their cosines are always
//! computed here, so that all say the same of what they find.

mod approximate;
mod chroma;
mod rows;
#[cfg(feature = "usearch")]
mod usearch;

pub use approximate::{Approximate, Candidates};
pub use chroma::{Chroma, ChromaOptions};
#[cfg(feature = "usearch")]
pub use usearch::Usearch;

use crate::domain::language::similarity::Embedding;
use crate::ports::Knowledge;
use rows::{Row, Scope, Wanted};
use std::collections::HashMap;

/// Vectors by scope, in memory.
#[derive(Default)]
pub struct ExactScan {
    scopes: HashMap<String, Scope>,
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
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        scope.best(scan(&scope.rows, &Wanted::new(vector, min_cosine)), limit)
    }

    fn nearest_since(
        &self,
        scope: &str,
        since: u32,
        vector: &Embedding,
        min_cosine: f64,
        limit: usize,
    ) -> Vec<(u32, f64)> {
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        scope.nearest_since(since, &Wanted::new(vector, min_cosine), limit)
    }

    fn clear(&mut self) {
        self.scopes.clear();
    }
}

/// The rows whose product with a vector is large enough, with that product.
fn scan(rows: &[Row], wanted: &Wanted<'_>) -> Vec<(i32, u32)> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { scan_wide(rows, wanted) };
    }
    scan_rows(rows, wanted)
}

/// The same code, compiled for registers of 256 bits: twice as fast.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_wide(rows: &[Row], wanted: &Wanted<'_>) -> Vec<(i32, u32)> {
    scan_rows(rows, wanted)
}

#[inline(always)]
fn scan_rows(rows: &[Row], wanted: &Wanted<'_>) -> Vec<(i32, u32)> {
    (0..).zip(rows).filter_map(|(index, row)| Some((wanted.product(row)?, index))).collect()
}

#[cfg(test)]
mod tests {
    use super::rows::KEYS_PER_ROW;
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
