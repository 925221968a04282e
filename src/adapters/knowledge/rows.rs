//! The distinct vectors of one scope with their keys, and the order of what is found among them.
//!
//! Repeated texts cost nothing: they share one row. How near rows are found is not decided here.

use crate::domain::language::similarity::{Embedding, cosine_of, dot, least_dot};
use std::collections::HashMap;

/// How many keys one row remembers. A text repeated more often adds nothing that could be cited.
pub(super) const KEYS_PER_ROW: usize = 16;

/// The vectors of one scope.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) rows: Vec<Row>,
    row_of: HashMap<Embedding, u32>,
    /// Every key with its row, in the order in which they came.
    arrivals: Vec<(u32, u32)>,
}

/// A vector and whose it is.
pub(super) struct Row {
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
pub(super) struct Wanted<'a> {
    vector: &'a Embedding,
    sketch: Sketch,
    cosine: f32,
    least: i32,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(vector: &'a Embedding, min_cosine: f64) -> Wanted<'a> {
        Wanted { vector, sketch: Sketch::of(vector), cosine: min_cosine as f32, least: least_dot(min_cosine) }
    }

    /// The product with a row's vector, where it is large enough.
    #[inline(always)]
    pub(super) fn product(&self, row: &Row) -> Option<i32> {
        let (a, b) = (self.vector, &row.vector);
        if !self.sketch.may_reach(row.sketch, self.cosine) || a.dense().len() != b.dense().len() {
            return None;
        }
        let product = a.profile_dot(b) + dot(a.dense(), b.dense());
        (product >= self.least).then_some(product)
    }
}

impl Scope {
    /// Adds a key; the row that was made for it, where its vector is a new one.
    pub(super) fn add(&mut self, key: u32, vector: &Embedding) -> Option<u32> {
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
        (row == next).then_some(row)
    }

    /// The keys of rows with their products, best first, ties by key; at most `limit`.
    pub(super) fn best(&self, mut near: Vec<(i32, u32)>, limit: usize) -> Vec<(u32, f64)> {
        let first = |row: u32| self.rows[row as usize].keys.first();
        let best_first = |a: &(i32, u32), b: &(i32, u32)| b.0.cmp(&a.0).then_with(|| first(a.1).cmp(&first(b.1)));
        // Every row has a key, so more rows than `limit` are never needed.
        if near.len() > limit && limit > 0 {
            near.select_nth_unstable_by(limit - 1, best_first);
            near.truncate(limit);
        }
        near.sort_unstable_by(best_first);
        let with_keys = |(dot, row): &(i32, u32)| {
            let cosine = cosine_of(*dot);
            self.rows[*row as usize].keys.iter().map(move |key| (*key, cosine))
        };
        near.iter().flat_map(with_keys).take(limit).collect()
    }

    /// The keys from `since` on that are near enough, best first, ties by key; at most `limit`.
    pub(super) fn nearest_since(&self, since: u32, wanted: &Wanted<'_>, limit: usize) -> Vec<(u32, f64)> {
        let from = self.arrivals.partition_point(|(key, _)| *key < since);
        let mut near: Vec<(u32, f64)> = self.arrivals[from..]
            .iter()
            .filter_map(|(key, row)| Some((*key, cosine_of(wanted.product(&self.rows[*row as usize])?))))
            .collect();
        near.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(limit);
        near
    }
}
