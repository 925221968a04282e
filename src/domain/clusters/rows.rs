//! The distinct vectors of one scope with their keys, and the search for near ones.
//!
//! Repeated texts cost nothing: they share one row. A vector has few axes, and two that share none are not near, so
//! each axis has a list of its rows with their weights. Near rows are found by adding up along the lists of the telling
//! axes, so most rows are never examined.

use super::keys::MemberKey;
use crate::text::language::similarity::{DemandVector, cosine_of, least_dot};
use std::cell::RefCell;
use std::collections::HashMap;

/// Number of keys stored for a row. More repetitions of a text add nothing to cite.
pub const KEYS_PER_ROW: usize = 16;

/// The vectors of one scope.
#[derive(Default)]
pub struct Scope {
    rows: Vec<Row>,
    row_of: HashMap<DemandVector, u32>,
    rows_with: HashMap<u16, RowsWith>,
    /// Every key with its row, in order of arrival.
    arrivals: Vec<(MemberKey, u32)>,
}

/// The rows that have an axis, and its weight in each.
#[derive(Default)]
struct RowsWith {
    rows: Vec<u32>,
    weights: Vec<i16>,
}

/// A vector and its keys.
struct Row {
    vector: DemandVector,
    keys: Vec<MemberKey>,
}

/// A search query.
pub struct RowQuery<'a> {
    vector: &'a DemandVector,
    /// The axes, with weights, of which a vector must have at least one to be near enough.
    telling: Vec<(u16, i16)>,
    /// All other axes.
    others: Vec<(u16, i16)>,
    least: i32,
}

impl<'a> RowQuery<'a> {
    /// Creates a search for at least this cosine with a vector; must be above 0.
    pub fn new(vector: &'a DemandVector, min_cosine: f64) -> RowQuery<'a> {
        let mut telling = vector.axes().to_vec();
        telling.sort_unstable_by_key(|(axis, weight)| (std::cmp::Reverse(weight.unsigned_abs()), *axis));
        let others = telling.split_off(count_telling(&telling, min_cosine));
        RowQuery { vector, telling, others, least: least_dot(min_cosine) }
    }

    /// Returns the product with a row's vector, if it is large enough.
    fn product(&self, row: &Row) -> Option<i32> {
        let product = self.vector.dot(&row.vector);
        (product >= self.least).then_some(product)
    }
}

/// Returns how many of the axes, heaviest first, must be searched: the others together are too short to reach the
/// cosine. For words, these are the frequent ones with long lists.
fn count_telling(axes: &[(u16, i16)], min_cosine: f64) -> usize {
    let square = |weight: i16| cosine_of(i32::from(weight) * i32::from(weight));
    let mut rest: f64 = axes.iter().map(|(_, weight)| square(*weight)).sum();
    // Vectors are rounded and may be slightly longer than 1.
    let too_short = |rest: f64| rest.max(0.0).sqrt() < min_cosine - 1e-3;
    let needed = axes.iter().take_while(|(_, weight)| {
        let needed = !too_short(rest);
        rest -= square(*weight);
        needed
    });
    needed.count()
}

/// Marks rows not met yet; no row adds up to this.
const NOT_MET: i32 = i32::MIN;

/// The sums of the rows, and the rows that were met.
#[derive(Default)]
struct Sums {
    of: Vec<i32>,
    rows: Vec<u32>,
}

impl Sums {
    /// Adds the products of an axis along its list.
    fn add(&mut self, list: &RowsWith, weight: i16) {
        for (row, other) in list.rows.iter().zip(&list.weights) {
            let sum = &mut self.of[*row as usize];
            if *sum == NOT_MET {
                self.rows.push(*row);
                *sum = 0;
            }
            *sum += i32::from(weight) * i32::from(*other);
        }
    }

    /// Adds the products only for rows already met.
    fn add_to_known(&mut self, list: &RowsWith, weight: i16) {
        for (row, other) in list.rows.iter().zip(&list.weights) {
            let sum = &mut self.of[*row as usize];
            if *sum != NOT_MET {
                *sum += i32::from(weight) * i32::from(*other);
            }
        }
    }

    /// Drains every row with its sum.
    fn drain(&mut self) -> impl Iterator<Item = (i32, u32)> {
        self.rows.drain(..).map(|row| (std::mem::replace(&mut self.of[row as usize], NOT_MET), row))
    }
}

thread_local! {
    /// Per thread: otherwise, a scope of a million rows would be cleared for each comment.
    static SUMS: RefCell<Sums> = RefCell::default();
}

/// Maximum ratio of a list's length to the number of found rows at which it is walked for exact products.
const WALKED: usize = 2;

impl Scope {
    /// Adds a key; returns the new row if its vector is new. `elsewhere` is the number of keys that its vector has in
    /// another part of the same scope.
    pub fn add(&mut self, key: MemberKey, vector: &DemandVector, elsewhere: usize) -> Option<u32> {
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let row = *self.row_of.entry(vector.clone()).or_insert(next);
        if row == next {
            self.rows.push(Row { vector: vector.clone(), keys: Vec::with_capacity(1) });
            for (axis, weight) in vector.axes() {
                let list = self.rows_with.entry(*axis).or_default();
                list.rows.push(row);
                list.weights.push(*weight);
            }
        }
        let keys = &mut self.rows[row as usize].keys;
        if keys.len() + elsewhere < KEYS_PER_ROW && !keys.contains(&key) {
            keys.push(key);
            self.arrivals.push((key, row));
        }
        (row == next).then_some(row)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Reports whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of stored keys with exactly this vector.
    pub fn repeats(&self, vector: &DemandVector) -> usize {
        self.row_of.get(vector).map_or(0, |row| self.rows[*row as usize].keys.len())
    }

    /// Iterates over the rows and their vectors.
    pub fn vectors(&self) -> impl Iterator<Item = (u32, &DemandVector)> {
        (0..).zip(self.rows.iter().map(|row| &row.vector))
    }

    /// Returns the keys that are near enough, best first, ties by key; at most `limit`.
    pub fn nearest(&self, wanted: &RowQuery<'_>, limit: usize) -> Vec<(MemberKey, f64)> {
        self.best(self.near(wanted), limit)
    }

    /// Returns the same, restricted to these rows. Missing rows, or those not near enough, are skipped.
    pub fn nearest_of(&self, rows: Vec<u32>, wanted: &RowQuery<'_>, limit: usize) -> Vec<(MemberKey, f64)> {
        self.best(self.near_of(rows, wanted), limit)
    }

    /// Returns all rows that are near enough, with their products.
    fn near(&self, wanted: &RowQuery<'_>) -> Vec<(i32, u32)> {
        SUMS.with_borrow_mut(|sums| {
            if sums.of.len() < self.rows.len() {
                sums.of.resize(self.rows.len(), NOT_MET);
            }
            for (axis, weight) in &wanted.telling {
                if let Some(list) = self.rows_with.get(axis) {
                    sums.add(list, *weight);
                }
            }
            // Add the other axes: along their lists, or individually for each row that may be near enough.
            let found = sums.rows.len();
            let mut left = 0.0;
            for (axis, weight) in &wanted.others {
                match self.rows_with.get(axis) {
                    Some(list) if list.rows.len() <= WALKED * found => sums.add_to_known(list, *weight),
                    Some(_) => left += f64::from(*weight) * f64::from(*weight),
                    None => {}
                }
            }
            // By Cauchy-Schwarz, for vectors that may be slightly longer than 1.
            let left = (f64::sqrt(left) * 32_767.0 * 1.001).ceil() as i32;
            let may_be = sums.drain().filter(|(sum, _)| sum.saturating_add(left) >= wanted.least);
            let product = |(sum, row): (i32, u32)| {
                if left == 0 { Some((sum, row)) } else { Some((wanted.product(&self.rows[row as usize])?, row)) }
            };
            may_be.filter_map(product).collect()
        })
    }

    fn near_of(&self, mut rows: Vec<u32>, wanted: &RowQuery<'_>) -> Vec<(i32, u32)> {
        rows.sort_unstable();
        rows.dedup();
        let product = |row: u32| Some((wanted.product(self.rows.get(row as usize)?)?, row));
        rows.into_iter().filter_map(product).collect()
    }

    fn best(&self, mut near: Vec<(i32, u32)>, limit: usize) -> Vec<(MemberKey, f64)> {
        let first = |row: u32| self.rows[row as usize].keys.first();
        let best_first = |a: &(i32, u32), b: &(i32, u32)| b.0.cmp(&a.0).then_with(|| first(a.1).cmp(&first(b.1)));
        // A row without keys has enough of them elsewhere.
        near.retain(|(_, row)| first(*row).is_some());
        // Every other row has a key, so at most `limit` rows are needed.
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

    /// Returns the keys after `after` that are near enough, best first, ties by key; at most `limit`.
    pub fn nearest_after(&self, after: MemberKey, wanted: &RowQuery<'_>, limit: usize) -> Vec<(MemberKey, f64)> {
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

/// Orders by larger cosine, then by earlier key.
pub fn best_key_first(a: &(MemberKey, f64), b: &(MemberKey, f64)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DemandVector> {
        prop::collection::btree_map(0..30u16, -0.5..0.5f32, 0..9)
            .prop_filter("of unit length at most", |axes| {
                axes.values().map(|weight| weight * weight).sum::<f32>() <= 1.0
            })
            .prop_map(|axes| DemandVector::new(&axes.into_iter().collect::<Vec<_>>()))
    }

    proptest! {
        #[test]
        fn the_lists_find_what_the_cosine_says(
            vectors in prop::collection::vec(vector(), 1..40),
            wanted in vector(),
            min in 0.01..1.0f64,
        ) {
            let mut scope = Scope::default();
            for (key, vector) in (0..).map(MemberKey).zip(&vectors) {
                scope.add(key, vector, 0);
            }
            let near = scope.vectors().filter(|(_, vector)| vector.cosine(&wanted) >= min);
            let near: Vec<(i32, u32)> = near.map(|(row, vector)| (vector.dot(&wanted), row)).collect();
            let mut found = scope.near(&RowQuery::new(&wanted, min));
            found.sort_unstable_by_key(|(_, row)| *row);
            prop_assert_eq!(near, found);
        }
    }
}
