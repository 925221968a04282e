//! Vectors and their calibrated similarity.
//!
//! A raw cosine says little by itself: for short remarks 0.8 is almost never reached. So each embedder's cosine is
//! mapped such that 0.8 means that about four of five such pairs ask for the same.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A vector of unit length at most, in 16-bit fixed point; cheap to clone.
///
/// It has two parts: what an embedder made of the words, and a profile: how likely the remark is to be about each of a
/// few of many axes. The product of two profiles is the probability that both are about the same, so a remark that is
/// about nothing known is near to nothing. Together they have unit length at most.
/// Integers make sums independent of their order, so that a group rebuilt from the store is identical to the one
/// that grew online.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Embedding(Arc<Parts>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Parts {
    /// Axes with their components, sorted by axis; others are zero.
    profile: Box<[(u16, i16)]>,
    dense: Box<[i16]>,
}

const ONE: f64 = 32_767.0;

impl Embedding {
    /// Normalises a vector of words. `None` where it has no direction (zero, or not finite).
    pub fn from_f32(values: &[f32]) -> Option<Embedding> {
        let norm = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
        if !norm.is_finite() || norm < 1e-9 {
            return None;
        }
        let dense = values.iter().map(|v| fixed(f64::from(*v) / norm)).collect();
        Some(Embedding(Arc::new(Parts { profile: Box::default(), dense })))
    }

    /// A vector of words joined with a profile: the components of the profile as they are, and the words' part shrunk to
    /// this length. The squares of both together must not exceed 1; what is missing to 1 is alike to nothing.
    pub fn with_profile(&self, profile: &[(u16, f32)], words: f64) -> Embedding {
        let mut axes: Vec<(u16, i16)> = profile.iter().map(|(axis, w)| (*axis, fixed(f64::from(*w)))).collect();
        axes.retain(|(_, w)| *w != 0);
        axes.sort_unstable_by_key(|(axis, _)| *axis);
        axes.dedup_by_key(|(axis, _)| *axis);
        let dense = self.0.dense.iter().map(|v| fixed(f64::from(*v) / ONE * words.clamp(0.0, 1.0))).collect();
        Embedding(Arc::new(Parts { profile: axes.into(), dense }))
    }

    /// The axis that weighs most in the profile; of equals the first. `None` where there is no profile.
    pub fn main_axis(&self) -> Option<u16> {
        let heaviest = self.0.profile.iter().rev().max_by_key(|(_, weight)| *weight);
        heaviest.map(|(axis, _)| *axis)
    }

    /// The fixed-point components of the words' part, 32767 for 1.
    pub fn dense(&self) -> &[i16] {
        &self.0.dense
    }

    /// The axes of the profile with their components, sorted by axis.
    pub fn profile(&self) -> &[(u16, i16)] {
        &self.0.profile
    }

    /// The product of the profiles' components, see [`dot`].
    pub fn profile_dot(&self, other: &Embedding) -> i32 {
        let (mut a, mut b) = (self.0.profile.iter().peekable(), other.0.profile.iter().peekable());
        let mut sum = 0;
        while let (Some((x, v)), Some((y, w))) = (a.peek(), b.peek()) {
            if x == y {
                sum += i32::from(*v) * i32::from(*w);
            }
            let (x, y) = (*x, *y);
            if x <= y {
                a.next();
            }
            if y <= x {
                b.next();
            }
        }
        sum
    }

    /// Reads what [`Embedding::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Embedding> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let mut values = pairs.iter().map(|b| i16::from_le_bytes(*b));
        let axes = usize::try_from(values.next()?).ok()?;
        let mut profile = Vec::with_capacity(axes.min(64));
        for _ in 0..axes {
            profile.push((values.next()?.cast_unsigned(), values.next()?));
        }
        let dense: Box<[i16]> = values.collect();
        let sorted = profile.is_sorted_by(|a, b| a.0 < b.0);
        let valid = rest.is_empty() && sorted && !(dense.is_empty() && profile.is_empty());
        valid.then(|| Embedding(Arc::new(Parts { profile: profile.into(), dense })))
    }

    /// How many axes the profile has, the axes with their components, then the words' components; all little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let axes = i16::try_from(self.0.profile.len()).unwrap_or(i16::MAX);
        let profile = self.0.profile.iter().flat_map(|(axis, w)| [axis.cast_signed(), *w]);
        let values = std::iter::once(axes).chain(profile).chain(self.0.dense.iter().copied());
        values.flat_map(i16::to_le_bytes).collect()
    }

    /// The cosine, -1 to 1. 0 for vectors of different embedders.
    pub fn cosine(&self, other: &Embedding) -> f64 {
        if self.0.dense.len() != other.0.dense.len() {
            return 0.0;
        }
        cosine_of(self.profile_dot(other) + dot(&self.0.dense, &other.0.dense))
    }
}

fn fixed(value: f64) -> i16 {
    (value * ONE).round() as i16
}

/// The product of two unit vectors' components, 2^30 for equal ones.
///
/// Cannot overflow: every partial sum stays within 2^30 (Cauchy-Schwarz), but for rounding. Inlined, so that
/// whoever compares many is compiled for wider registers.
#[inline(always)]
pub fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum()
}

/// The cosine behind a [`dot`] product.
pub fn cosine_of(dot: i32) -> f64 {
    f64::from(dot) / (ONE * ONE)
}

/// The least [`dot`] product whose cosine is at least this one.
pub fn least_dot(cosine: f64) -> i32 {
    let near = (cosine * ONE * ONE) as i32;
    // Division rounds: the boundary is where `cosine_of` says.
    (near.saturating_sub(2)..=near.saturating_add(2)).find(|dot| cosine_of(*dot) >= cosine).unwrap_or(near)
}

/// The sum of a group's vectors, exact whatever the order of addition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorSum {
    profile: BTreeMap<u16, i64>,
    dense: Vec<i64>,
    count: u64,
}

impl VectorSum {
    /// Adds one vector.
    pub fn add(&mut self, vector: &Embedding) {
        if self.dense.is_empty() {
            self.dense = vec![0; vector.dense().len()];
        }
        for (sum, v) in self.dense.iter_mut().zip(vector.dense()) {
            *sum += i64::from(*v);
        }
        for (axis, v) in vector.profile() {
            *self.profile.entry(*axis).or_default() += i64::from(*v);
        }
        self.count += 1;
    }

    /// How many vectors it holds.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean cosine between all pairs of vectors in the sum; 1 for fewer than two.
    pub fn mean_pairwise_cosine(&self) -> f64 {
        if self.count < 2 {
            return 1.0;
        }
        let n = self.count as f64;
        let squares = self.dense.iter().chain(self.profile.values()).map(|c| i128::from(*c) * i128::from(*c));
        let square: i128 = squares.sum();
        ((square as f64 / (ONE * ONE)) - n) / (n * (n - 1.0))
    }

    /// The mean cosine between a vector and the vectors in the sum: the average link.
    pub fn mean_cosine(&self, vector: &Embedding) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let dense: i64 = self.dense.iter().zip(vector.dense()).map(|(s, v)| s * i64::from(*v)).sum();
        let axis = |(axis, v): &(u16, i16)| self.profile.get(axis).map_or(0, |s| s * i64::from(*v));
        let profile: i64 = vector.profile().iter().map(axis).sum();
        (dense + profile) as f64 / (ONE * ONE) / self.count as f64
    }

    /// The mean cosine between the vectors of two sums.
    pub fn mean_cross_cosine(&self, other: &VectorSum) -> f64 {
        if self.count == 0 || other.count == 0 {
            return 0.0;
        }
        let dense: i128 = self.dense.iter().zip(&other.dense).map(|(a, b)| i128::from(*a) * i128::from(*b)).sum();
        let axis = |(axis, a): (&u16, &i64)| other.profile.get(axis).map_or(0, |b| i128::from(*a) * i128::from(*b));
        let profile: i128 = self.profile.iter().map(axis).sum();
        (dense + profile) as f64 / (ONE * ONE) / (self.count as f64 * other.count as f64)
    }
}

/// Maps an embedder's raw cosine to a similarity that means the same for every embedder.
///
/// Piecewise linear through (0, 0), (t80, 0.8) and (1, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    t80: f64,
}

impl Calibration {
    /// `t80` is the raw cosine at which about 80 % of the pairs mean the same; it must lie between 0 and 1.
    pub fn new(t80: f64) -> Calibration {
        assert!(t80 > 0.0 && t80 < 1.0, "t80 must lie between 0 and 1, it is {t80}");
        Calibration { t80 }
    }

    /// The calibrated similarity, 0 to 1.
    pub fn similarity(&self, cosine: f64) -> f64 {
        let c = cosine.clamp(0.0, 1.0);
        if c <= self.t80 { 0.8 * c / self.t80 } else { 0.8 + 0.2 * (c - self.t80) / (1.0 - self.t80) }
    }

    /// The raw cosine of a calibrated similarity.
    pub fn cosine(&self, similarity: f64) -> f64 {
        let s = similarity.clamp(0.0, 1.0);
        if s <= 0.8 { s * self.t80 / 0.8 } else { self.t80 + (s - 0.8) * (1.0 - self.t80) / 0.2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn calibration_is_monotone_and_inverts(a in 0.0..1.0f64, b in 0.0..1.0f64, t80 in 0.05..0.95f64) {
            let c = Calibration::new(t80);
            prop_assert_eq!(a < b, c.similarity(a) < c.similarity(b));
            prop_assert!((c.cosine(c.similarity(a)) - a).abs() < 1e-9);
        }

        #[test]
        fn a_sum_does_not_depend_on_order(mut vs in prop::collection::vec(prop::collection::vec(-1.0..1.0f32, 8), 1..20)) {
            let sum = |vs: &[Vec<f32>]| vs.iter().filter_map(|v| Embedding::from_f32(v)).fold(VectorSum::default(), |mut s, v| { s.add(&v); s });
            let forward = sum(&vs);
            vs.reverse();
            prop_assert_eq!(forward, sum(&vs));
        }

        #[test]
        fn bytes_round_trip(v in prop::collection::vec(0.1..1.0f32, 1..300), axes in prop::collection::btree_map(0..900u16, 0.01..0.2f32, 0..12), words in 0.01..0.7f64) {
            let axes: Vec<(u16, f32)> = axes.into_iter().collect();
            let e = Embedding::from_f32(&v).unwrap().with_profile(&axes, words);
            prop_assert_eq!(Embedding::from_bytes(&e.to_bytes()), Some(e.clone()));
            let square: f64 = axes.iter().map(|(_, w)| f64::from(*w) * f64::from(*w)).sum::<f64>() + words * words;
            prop_assert!((e.cosine(&e) - square).abs() < 1e-2);
        }
    }

    proptest! {
        #[test]
        fn the_least_dot_is_the_boundary(cosine in -1.0..1.0f64) {
            let least = least_dot(cosine);
            prop_assert!(cosine_of(least) >= cosine && cosine_of(least - 1) < cosine);
        }
    }

    #[test]
    fn fixed_points() {
        let c = Calibration::new(0.66);
        assert_eq!(c.similarity(0.0), 0.0);
        assert!((c.similarity(0.66) - 0.8).abs() < 1e-12);
        assert_eq!(c.similarity(1.0), 1.0);
        assert_eq!(c.similarity(-0.5), 0.0);
    }

    #[test]
    fn no_direction_no_vector() {
        assert_eq!(Embedding::from_f32(&[0.0; 4]), None);
        assert_eq!(Embedding::from_f32(&[f32::NAN, 1.0]), None);
    }
}
