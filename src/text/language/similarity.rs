//! Comparison of texts by similarity.
//!
//! A raw cosine means little on its own. It is calibrated so that at 0.8 about four of five such pairs make the same
//! demand.

use std::collections::BTreeMap;
use std::sync::Arc;

const ONE: f64 = 32_767.0;
/// Separates the parts of a vector's bytes; no axis has this number.
const BETWEEN: u16 = u16::MAX;

/// An embedder's vector of a text's words: unit length, 16-bit fixed point; cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Embedding(Arc<[i16]>);

impl Embedding {
    /// Normalizes a vector. `None` if it has no direction (zero, or not finite).
    pub fn from_f32(values: &[f32]) -> Option<Embedding> {
        let norm = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
        if !norm.is_finite() || norm < 1e-9 {
            return None;
        }
        Some(Embedding(values.iter().map(|v| fixed(f64::from(*v) / norm)).collect()))
    }

    /// Returns the fixed-point components, 32767 for 1.
    pub fn components(&self) -> &[i16] {
        &self.0
    }

    /// Parses what [`Embedding::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Embedding> {
        let (values, rest) = bytes.as_chunks::<2>();
        let valid = rest.is_empty() && !values.is_empty();
        valid.then(|| Embedding(values.iter().map(|b| i16::from_le_bytes(*b)).collect()))
    }

    /// Returns the components, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().copied().flat_map(i16::to_le_bytes).collect()
    }

    /// Returns the cosine, -1 to 1. 0 for vectors of different embedders.
    pub fn cosine(&self, other: &Embedding) -> f64 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        cosine_of(self.0.iter().zip(&*other.0).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum())
    }
}

/// The demand of a comment or rule in comparison form: how much it is about each of a few of many axes; cheap to clone.
///
/// The first axes are concerns of the catalogue; those from [`DemandVector::WORDS`] on are words. The less certain the
/// demand, the shorter the vector; one about nothing known is near nothing. Integers make sums independent of order, so
/// that a cluster rebuilt from the store is identical to the one that grew online.
///
/// It also stores concerns that are possible but too unlikely for comparison: people are asked about these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DemandVector {
    axes: Arc<[(u16, i16)]>,
    /// Concerns by axis with their probabilities, sorted by axis.
    faint: Arc<[(u16, i16)]>,
}

impl DemandVector {
    /// The first axis that is a word.
    pub const WORDS: u16 = 4096;

    /// Builds a vector from axes with their components, -1 to 1; the sum of their squares must be less than 2. Of a
    /// repeated axis the first one counts.
    pub fn new(axes: &[(u16, f32)]) -> DemandVector {
        let mut axes: Vec<(u16, i16)> = axes.iter().map(|(axis, w)| (*axis, fixed(f64::from(*w)))).collect();
        axes.retain(|(_, w)| *w != 0);
        axes.sort_by_key(|(axis, _)| *axis);
        axes.dedup_by_key(|(axis, _)| *axis);
        DemandVector { axes: axes.into(), faint: Arc::default() }
    }

    /// Adds possible concerns that are too unlikely for comparison, to ask people about: axes with their probabilities.
    pub fn with_faint(self, faint: &[(u16, f32)]) -> DemandVector {
        DemandVector { faint: DemandVector::new(faint).axes, ..self }
    }

    /// Returns the axes with their components, 32767 for 1, sorted by axis.
    pub fn axes(&self) -> &[(u16, i16)] {
        &self.axes
    }

    /// Returns the possible concerns, by axis, each with its probability: those used for comparison, then those too
    /// unlikely for it.
    pub fn possible(&self) -> impl Iterator<Item = (u16, f64)> {
        let compared = self.axes.iter().take_while(|(axis, _)| *axis < DemandVector::WORDS);
        let compared = compared.map(|(axis, w)| (*axis, cosine_of(i32::from(*w) * i32::from(*w))));
        compared.chain(self.faint.iter().map(|(axis, p)| (*axis, f64::from(*p) / ONE)))
    }

    /// Returns the axis of the heaviest concern; of ties the first. `None` if no concern is likely.
    pub fn main_axis(&self) -> Option<u16> {
        let concerns = self.axes.iter().take_while(|(axis, _)| *axis < DemandVector::WORDS);
        concerns
            .fold(None, |best: Option<(u16, i16)>, (axis, w)| match best {
                Some(best) if best.1 >= *w => Some(best),
                _ => Some((*axis, *w)),
            })
            .map(|(axis, _)| axis)
    }

    /// Returns the dot product, 2^30 for equal vectors of unit length.
    ///
    /// Cannot overflow: every partial sum is less than 2^31 (Cauchy-Schwarz).
    pub fn dot(&self, other: &DemandVector) -> i32 {
        let (mut a, mut b) = (&*self.axes, &*other.axes);
        let mut sum = 0;
        while let ([(x, v), rest_of_a @ ..], [(y, w), rest_of_b @ ..]) = (a, b) {
            if x == y {
                sum += i32::from(*v) * i32::from(*w);
            }
            if x <= y {
                a = rest_of_a;
            }
            if y <= x {
                b = rest_of_b;
            }
        }
        sum
    }

    /// Returns the uncalibrated likelihood that both demand the same; -1 to 1.
    pub fn cosine(&self, other: &DemandVector) -> f64 {
        cosine_of(self.dot(other))
    }

    /// Parses what [`DemandVector::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<DemandVector> {
        let (pairs, rest) = bytes.as_chunks::<4>();
        let pair = |b: &[u8; 4]| (u16::from_le_bytes([b[0], b[1]]), i16::from_le_bytes([b[2], b[3]]));
        let pairs: Vec<(u16, i16)> = pairs.iter().map(pair).collect();
        let mut parts = pairs.split(|(axis, _)| *axis == BETWEEN);
        let (axes, faint) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let sorted = |part: &[(u16, i16)]| part.is_sorted_by(|a, b| a.0 < b.0);
        let valid = rest.is_empty() && parts.next().is_none() && sorted(axes) && sorted(faint);
        valid.then(|| DemandVector { axes: axes.into(), faint: faint.into() })
    }

    /// Returns the axes with their components, then the faint ones, all little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let pair = |(axis, w): &(u16, i16)| {
            let ([a, b], [c, d]) = (axis.to_le_bytes(), w.to_le_bytes());
            [a, b, c, d]
        };
        let between = (!self.faint.is_empty()).then_some((BETWEEN, 0));
        self.axes.iter().chain(&between).chain(self.faint.iter()).flat_map(pair).collect()
    }
}

fn fixed(value: f64) -> i16 {
    (value * ONE).round().clamp(-ONE, ONE) as i16
}

/// Returns the cosine for a dot product.
pub fn cosine_of(dot: i32) -> f64 {
    f64::from(dot) / (ONE * ONE)
}

/// Returns the smallest dot product whose cosine is at least this one.
pub fn least_dot(cosine: f64) -> i32 {
    let near = (cosine * ONE * ONE) as i32;
    // Division rounds: `cosine_of` defines the boundary.
    (near.saturating_sub(2)..=near.saturating_add(2)).find(|dot| cosine_of(*dot) >= cosine).unwrap_or(near)
}

/// The sum of a cluster's vectors, exact in any order of addition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorSum {
    axes: BTreeMap<u16, i64>,
    /// The sum of the vectors' own squares.
    squares: i64,
    /// The square of the sum: the products of all pairs, including each with itself.
    square: i128,
    count: u64,
}

impl VectorSum {
    /// Adds one vector.
    pub fn add(&mut self, vector: &DemandVector) {
        for (axis, v) in vector.axes() {
            let (sum, v) = (self.axes.entry(*axis).or_default(), i64::from(*v));
            self.square += i128::from(v) * i128::from(2 * *sum + v);
            *sum += v;
        }
        self.squares += i64::from(vector.dot(vector));
        self.count += 1;
    }

    /// Returns the number of vectors.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean cosine between all pairs of vectors in the sum; 1 for fewer than two.
    pub fn mean_pairwise_cosine(&self) -> f64 {
        if self.count < 2 {
            return 1.0;
        }
        let n = self.count as f64;
        (self.square - i128::from(self.squares)) as f64 / (ONE * ONE) / (n * (n - 1.0))
    }

    /// Returns the mean cosine between a vector and the vectors in the sum: the average link.
    pub fn mean_cosine(&self, vector: &DemandVector) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let axis = |(axis, v): &(u16, i16)| self.axes.get(axis).map_or(0, |s| s * i64::from(*v));
        let product: i64 = vector.axes().iter().map(axis).sum();
        product as f64 / (ONE * ONE) / self.count as f64
    }

    /// Returns the mean cosine between the vectors of two sums.
    pub fn mean_cross_cosine(&self, other: &VectorSum) -> f64 {
        if self.count == 0 || other.count == 0 {
            return 0.0;
        }
        let axis = |(axis, a): (&u16, &i64)| other.axes.get(axis).map_or(0, |b| i128::from(*a) * i128::from(*b));
        let product: i128 = self.axes.iter().map(axis).sum();
        product as f64 / (ONE * ONE) / (self.count as f64 * other.count as f64)
    }
}

/// Maps a raw cosine to a similarity with the same meaning for every source.
///
/// Piecewise linear through (0, 0), (t80, 0.8) and (1, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    t80: f64,
}

impl Calibration {
    /// `t80` is the raw cosine at which about 80 % of the pairs mean the same; it must be between 0 and 1.
    pub fn new(t80: f64) -> Calibration {
        assert!(t80 > 0.0 && t80 < 1.0, "t80 must lie between 0 and 1, it is {t80}");
        Calibration { t80 }
    }

    /// Returns the calibrated similarity, 0 to 1.
    pub fn similarity(&self, cosine: f64) -> f64 {
        let c = cosine.clamp(0.0, 1.0);
        if c <= self.t80 { 0.8 * c / self.t80 } else { 0.8 + 0.2 * (c - self.t80) / (1.0 - self.t80) }
    }

    /// Returns the raw cosine of a calibrated similarity.
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
        fn a_sum_does_not_depend_on_order(mut vs in prop::collection::vec(vector(), 1..20)) {
            let sum = |vs: &[DemandVector]| vs.iter().fold(VectorSum::default(), |mut s, v| { s.add(v); s });
            let forward = sum(&vs);
            vs.reverse();
            prop_assert_eq!(forward, sum(&vs));
        }

        #[test]
        fn a_sum_knows_the_mean_of_its_pairs(vs in prop::collection::vec(vector(), 2..12), other in vector()) {
            let mut sum = VectorSum::default();
            vs.iter().for_each(|v| sum.add(v));
            let pairs: Vec<f64> =
                vs.iter().enumerate().flat_map(|(at, a)| vs[..at].iter().map(|b| a.cosine(b))).collect();
            let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
            prop_assert!((sum.mean_pairwise_cosine() - mean(&pairs)).abs() < 1e-9);
            let links: Vec<f64> = vs.iter().map(|v| v.cosine(&other)).collect();
            prop_assert!((sum.mean_cosine(&other) - mean(&links)).abs() < 1e-9);
        }

        #[test]
        fn bytes_round_trip(v in vector(), faint in vector()) {
            prop_assert_eq!(DemandVector::from_bytes(&v.to_bytes()), Some(v.clone()));
            let probabilities: Vec<(u16, f32)> =
                faint.axes().iter().map(|(axis, w)| (*axis, f32::from(*w) / 32_767.0)).collect();
            let both = v.clone().with_faint(&probabilities);
            prop_assert_eq!(both.cosine(&faint), v.cosine(&faint));
            prop_assert_eq!(DemandVector::from_bytes(&both.to_bytes()), Some(both));
        }
    }

    /// Of unit length at most.
    fn vector() -> impl Strategy<Value = DemandVector> {
        prop::collection::btree_map(0..2000u16, -0.3..0.3f32, 0..10)
            .prop_map(|axes| DemandVector::new(&axes.into_iter().collect::<Vec<_>>()))
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

    #[test]
    fn the_main_axis_is_a_concern() {
        let of = |axes: &[(u16, f32)]| DemandVector::new(axes).main_axis();
        assert_eq!(of(&[(3, 0.4), (9, 0.5), (DemandVector::WORDS, 0.7)]), Some(9));
        assert_eq!(of(&[(3, 0.5), (9, 0.5)]), Some(3));
        assert_eq!(of(&[(DemandVector::WORDS, 0.7)]), None);
        assert_eq!(of(&[]), None);
    }
}
