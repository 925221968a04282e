//! The distinct vectors of one scope with their keys, and the order of what is found among them.
//!
//! Repeated texts cost nothing: they share one row. How near rows are found is not decided here.

use super::keys::MemberKey;
use crate::domain::language::similarity::{Embedding, cosine_of, dot, least_dot};
use std::collections::HashMap;

/// How many keys one row remembers. A text repeated more often adds nothing that could be cited.
pub const KEYS_PER_ROW: usize = 16;

/// The vectors of one scope.
#[derive(Default)]
pub struct Scope {
    pub rows: Vec<Row>,
    row_of: HashMap<Embedding, u32>,
    /// Every key with its row, in the order in which they came.
    arrivals: Vec<(MemberKey, u32)>,
}

/// A vector and whose it is.
pub struct Row {
    vector: Embedding,
    sketch: Sketch,
    keys: Vec<MemberKey>,
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

    fn may_share_axes(self, other: Sketch) -> bool {
        self.axes & other.axes != 0
    }
}

/// What is looked for.
pub struct Wanted<'a> {
    vector: &'a Embedding,
    sketch: Sketch,
    cosine: f32,
    least: i32,
}

impl<'a> Wanted<'a> {
    pub fn new(vector: &'a Embedding, min_cosine: f64) -> Wanted<'a> {
        Wanted { vector, sketch: Sketch::of(vector), cosine: min_cosine as f32, least: least_dot(min_cosine) }
    }

    /// The product with a row's vector, where it is large enough.
    #[inline(always)]
    pub fn product(&self, row: &Row) -> Option<i32> {
        let (a, b) = (self.vector, &row.vector);
        let shares_axes = self.sketch.may_share_axes(row.sketch);
        let may_reach = shares_axes || self.sketch.words * row.sketch.words >= self.cosine;
        if !may_reach || a.dense().len() != b.dense().len() {
            return None;
        }
        // A profile is not even read where it adds nothing: most of the time of a scan is waiting for memory.
        let profile = if shares_axes { a.profile_dot(b) } else { 0 };
        let product = profile + dot(a.dense(), b.dense());
        (product >= self.least).then_some(product)
    }
}

impl Scope {
    /// Adds a key; the row that was made for it, where its vector is a new one. `elsewhere` is how many keys its vector has
    /// in another part of the same scope.
    pub fn add(&mut self, key: MemberKey, vector: &Embedding, elsewhere: usize) -> Option<u32> {
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let row = *self.row_of.entry(vector.clone()).or_insert(next);
        if row == next {
            self.rows.push(Row { vector: vector.clone(), sketch: Sketch::of(vector), keys: Vec::with_capacity(1) });
        }
        let keys = &mut self.rows[row as usize].keys;
        if keys.len() + elsewhere < KEYS_PER_ROW && !keys.contains(&key) {
            keys.push(key);
            self.arrivals.push((key, row));
        }
        (row == next).then_some(row)
    }

    /// How many keys have exactly this vector, as far as they are kept.
    pub fn repeats(&self, vector: &Embedding) -> usize {
        self.row_of.get(vector).map_or(0, |row| self.rows[*row as usize].keys.len())
    }

    /// The rows and their vectors.
    pub fn vectors(&self) -> impl Iterator<Item = (u32, &Embedding)> {
        (0..).zip(self.rows.iter().map(|row| &row.vector))
    }

    /// The keys of rows with their products, best first, ties by key; at most `limit`.
    pub fn best(&self, mut near: Vec<(i32, u32)>, limit: usize) -> Vec<(MemberKey, f64)> {
        let first = |row: u32| self.rows[row as usize].keys.first();
        let best_first = |a: &(i32, u32), b: &(i32, u32)| b.0.cmp(&a.0).then_with(|| first(a.1).cmp(&first(b.1)));
        // A row without keys is one that has enough of them elsewhere.
        near.retain(|(_, row)| first(*row).is_some());
        // Every other row has a key, so more rows than `limit` are never needed.
        if near.len() > limit && limit > 0 {
            near.select_nth_unstable_by(limit - 1, best_first);
            near.truncate(limit);
        }
        let with_keys = |(dot, row): &(i32, u32)| {
            let cosine = cosine_of(*dot);
            self.rows[*row as usize].keys.iter().map(move |key| (*key, cosine))
        };
        let mut keys: Vec<(MemberKey, f64)> = near.iter().flat_map(with_keys).collect();
        keys.sort_unstable_by(best_key_first);
        keys.truncate(limit);
        keys
    }

    /// The keys after `after` that are near enough, best first, ties by key; at most `limit`.
    pub fn nearest_after(&self, after: MemberKey, wanted: &Wanted<'_>, limit: usize) -> Vec<(MemberKey, f64)> {
        let from = self.arrivals.partition_point(|(key, _)| *key <= after);
        let mut near: Vec<(MemberKey, f64)> = self.arrivals[from..]
            .iter()
            .filter_map(|(key, row)| Some((*key, cosine_of(wanted.product(&self.rows[*row as usize])?))))
            .collect();
        near.sort_unstable_by(best_key_first);
        near.truncate(limit);
        near
    }
}

/// The larger cosine first, then the key that came first.
pub fn best_key_first(a: &(MemberKey, f64), b: &(MemberKey, f64)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

/// The rows whose product with a vector is large enough, with that product.
pub fn scan(rows: &[Row], wanted: &Wanted<'_>) -> Vec<(i32, u32)> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { wide_scan(rows, wanted) };
    }
    plain_scan(rows, wanted)
}

/// The same code, compiled for registers of 256 bits: twice as fast.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide_scan(rows: &[Row], wanted: &Wanted<'_>) -> Vec<(i32, u32)> {
    plain_scan(rows, wanted)
}

/// A loop, for a closure would be a function of its own, which is not compiled for wider registers.
#[inline(always)]
fn plain_scan(rows: &[Row], wanted: &Wanted<'_>) -> Vec<(i32, u32)> {
    let mut near = Vec::new();
    for (index, row) in (0..).zip(rows) {
        if let Some(product) = wanted.product(row) {
            near.push((product, index));
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn embedding() -> impl Strategy<Value = Embedding> {
        let words =
            prop::collection::vec(-1.0..1.0f32, 24).prop_filter_map("no direction", |v| Embedding::from_f32(&v));
        let profile = prop::collection::btree_map(0..200u16, 0.01..1.0f32, 0..4);
        (words, profile, 0.0..1.0f64)
            .prop_map(|(words, profile, share)| words.with_profile(&profile.into_iter().collect::<Vec<_>>(), share))
    }

    proptest! {
        #[test]
        fn a_scan_finds_what_the_cosine_says(
            vectors in prop::collection::vec(embedding(), 1..40),
            wanted in embedding(),
            min in -1.0..1.0f64,
        ) {
            let mut scope = Scope::default();
            for (key, vector) in (0..).map(MemberKey).zip(&vectors) {
                scope.add(key, vector, 0);
            }
            let near = scope.vectors().filter(|(_, vector)| vector.cosine(&wanted) >= min).map(|(row, _)| row);
            let found = scan(&scope.rows, &Wanted::new(&wanted, min)).into_iter().map(|(_, row)| row);
            prop_assert!(near.eq(found));
        }
    }
}
