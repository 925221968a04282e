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
    rows: Vec<Row>,
    row_of: HashMap<Embedding, u32>,
    /// Every key with its row, in the order in which they came.
    arrivals: Vec<(u32, u32)>,
}

struct Row {
    vector: Embedding,
    sketch: Sketch,
    keys: Vec<u32>,
}

/// What is enough to pass most rows over: with no axis in common, only the words' parts can make two vectors near, and
/// these by no more than their lengths.
#[derive(Clone, Copy)]
struct Sketch {
    /// A bit for each axis of the profile; several axes may share one.
    axes: u64,
    /// The length of the words' part, a little too large rather than too small.
    words: f32,
}

impl Sketch {
    fn of(vector: &Embedding) -> Sketch {
        let axes = vector.profile().iter().fold(0, |bits, (axis, _)| bits | 1 << (axis % 64));
        let words = cosine_of(dot(vector.dense(), vector.dense())).max(0.0).sqrt();
        Sketch { axes, words: words as f32 * 1.0001 + 1e-4 }
    }

    fn may_reach(self, other: Sketch, cosine: f32) -> bool {
        self.axes & other.axes != 0 || self.words * other.words >= cosine
    }
}

/// What is looked for.
struct Wanted<'a> {
    vector: &'a Embedding,
    sketch: Sketch,
    cosine: f32,
    least: i32,
}

impl<'a> Wanted<'a> {
    fn new(vector: &'a Embedding, min_cosine: f64) -> Wanted<'a> {
        Wanted { vector, sketch: Sketch::of(vector), cosine: min_cosine as f32, least: least_dot(min_cosine) }
    }

    /// The product with a row's vector, where it is large enough.
    #[inline(always)]
    fn product(&self, row: &Row) -> Option<i32> {
        let (a, b) = (self.vector, &row.vector);
        if !self.sketch.may_reach(row.sketch, self.cosine) || a.dense().len() != b.dense().len() {
            return None;
        }
        let product = a.profile_dot(b) + dot(a.dense(), b.dense());
        (product >= self.least).then_some(product)
    }
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
        let mut near = scan(&scope.rows, &Wanted::new(vector, min_cosine));
        let first = |row: u32| scope.rows[row as usize].keys.first();
        let best_first = |a: &(i32, u32), b: &(i32, u32)| b.0.cmp(&a.0).then_with(|| first(a.1).cmp(&first(b.1)));
        // Every row has a key, so more rows than `limit` are never needed.
        if near.len() > limit && limit > 0 {
            near.select_nth_unstable_by(limit - 1, best_first);
            near.truncate(limit);
        }
        near.sort_unstable_by(best_first);
        let with_keys = |(dot, row): &(i32, u32)| {
            let cosine = cosine_of(*dot);
            scope.rows[*row as usize].keys.iter().map(move |key| (*key, cosine))
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
        let Some(scope) = self.scopes.get(scope) else { return Vec::new() };
        let wanted = Wanted::new(vector, min_cosine);
        let from = scope.arrivals.partition_point(|(key, _)| *key < since);
        let mut near: Vec<(u32, f64)> = scope.arrivals[from..]
            .iter()
            .filter_map(|(key, row)| Some((*key, cosine_of(wanted.product(&scope.rows[*row as usize])?))))
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
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let row = *self.row_of.entry(vector.clone()).or_insert(next);
        if row == next {
            self.rows.push(Row { vector: vector.clone(), sketch: Sketch::of(vector), keys: Vec::with_capacity(1) });
        }
        let keys = &mut self.rows[row as usize].keys;
        if keys.len() < KEYS_PER_ROW && !keys.contains(&key) {
            keys.push(key);
            self.arrivals.push((key, row));
        }
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
