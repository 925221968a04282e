//! Vectors and their calibrated similarity.
//!
//! A raw cosine says little by itself: for short remarks 0.8 is almost never reached. So each embedder's cosine is
//! mapped such that 0.8 means that about four of five such pairs ask for the same.

use std::sync::Arc;

/// A unit vector in 16-bit fixed point; cheap to clone.
///
/// Integers make sums independent of their order, so that a cluster rebuilt from the store is identical to the one
/// that grew online.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Embedding(Arc<[i16]>);

const ONE: f64 = 32_767.0;

impl Embedding {
    /// Normalises a vector. `None` where it has no direction (zero, or not finite).
    pub fn from_f32(values: &[f32]) -> Option<Embedding> {
        let norm = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
        if !norm.is_finite() || norm < 1e-9 {
            return None;
        }
        Some(Embedding(values.iter().map(|v| (f64::from(*v) / norm * ONE).round() as i16).collect()))
    }

    /// The fixed-point components, 32767 for 1.
    pub fn components(&self) -> &[i16] {
        &self.0
    }

    /// Reads what [`Embedding::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Embedding> {
        if bytes.is_empty() || !bytes.len().is_multiple_of(2) {
            return None;
        }
        Some(Embedding(bytes.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b)).collect()))
    }

    /// Little-endian components.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    /// The cosine, -1 to 1. 0 for vectors of different length.
    pub fn cosine(&self, other: &Embedding) -> f64 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        cosine_of(dot(&self.0, &other.0))
    }
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
    components: Vec<i64>,
    count: u64,
}

impl VectorSum {
    /// Adds one vector.
    pub fn add(&mut self, vector: &Embedding) {
        if self.components.is_empty() {
            self.components = vec![0; vector.0.len()];
        }
        for (sum, v) in self.components.iter_mut().zip(vector.0.iter()) {
            *sum += i64::from(*v);
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
        let square: i128 = self.components.iter().map(|c| i128::from(*c) * i128::from(*c)).sum();
        ((square as f64 / (ONE * ONE)) - n) / (n * (n - 1.0))
    }

    /// The mean cosine between a vector and the vectors in the sum: the average link.
    pub fn mean_cosine(&self, vector: &Embedding) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let dot: i64 = self.components.iter().zip(vector.0.iter()).map(|(s, v)| s * i64::from(*v)).sum();
        dot as f64 / (ONE * ONE) / self.count as f64
    }

    /// The mean cosine between the vectors of two sums: the average link of two groups.
    pub fn mean_cross_cosine(&self, other: &VectorSum) -> f64 {
        if self.count == 0 || other.count == 0 {
            return 0.0;
        }
        // Products of long sums could leave 64 bits; a ratio needs no more than a float's precision.
        let dot: f64 = self.components.iter().zip(&other.components).map(|(a, b)| *a as f64 * *b as f64).sum();
        dot / (ONE * ONE) / self.count as f64 / other.count as f64
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
        fn bytes_round_trip(v in prop::collection::vec(0.1..1.0f32, 1..300)) {
            let e = Embedding::from_f32(&v).unwrap();
            prop_assert_eq!(Embedding::from_bytes(&e.to_bytes()), Some(e.clone()));
            prop_assert!((e.cosine(&e) - 1.0).abs() < 1e-3);
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
