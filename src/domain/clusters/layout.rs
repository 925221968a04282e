//! Positions in a plane for things of which only the distances are known.
//!
//! Classical scaling gives the initial positions; moving each thing to where the distances to all others fit best
//! (SMACOF, de Leeuw 1977) gives the final ones. Equal distances always give equal positions. It knows nothing about
//! what is placed.

/// A position in the plane.
pub type Place = (f64, f64);

/// Number of rounds of moves; beyond that, little changes for several hundred things.
const ROUNDS: usize = 120;
/// Number of multiplications to find a vector's main direction.
const TURNS: usize = 60;
/// Minimum distance between two things, so that both are visible.
const LEAST: f64 = 0.12;
/// Offset of the initial positions from classical scaling: equal things would never separate otherwise.
const APART: f64 = 1e-3;
/// The angle between consecutive things on a spiral that fills the plane evenly.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// Places `count` things around (0, 0). `distance` is called once for each pair and returns 0 to 1, the same in both
/// directions. Takes time quadratic in `count`.
pub fn places(count: usize, mut distance: impl FnMut(usize, usize) -> f64) -> Vec<Place> {
    let mut far = vec![vec![0.0; count]; count];
    for (a, b) in (0..count).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let apart = distance(a, b).clamp(LEAST, 1.0);
        (far[a][b], far[b][a]) = (apart, apart);
    }
    let mut places = classical(&far);
    for (n, place) in places.iter_mut().enumerate() {
        let (angle, out) = (n as f64 * GOLDEN_ANGLE, APART * ((n + 1) as f64).sqrt());
        *place = (place.0 + out * angle.cos(), place.1 + out * angle.sin());
    }
    for _ in 0..ROUNDS {
        places = (0..count).map(|a| moved(a, &places, &far[a])).collect();
    }
    places
}

/// Returns where one thing fits best while the others stay: the mean of their target positions.
fn moved(a: usize, places: &[Place], far: &[f64]) -> Place {
    let (mut x, mut y) = (0.0, 0.0);
    for (b, other) in places.iter().enumerate().filter(|(b, _)| *b != a) {
        let (dx, dy) = (places[a].0 - other.0, places[a].1 - other.1);
        let share = far[b] / dx.hypot(dy).max(f64::EPSILON);
        (x, y) = (x + share * dx, y + share * dy);
    }
    let all = places.len() as f64;
    (x / all, y / all)
}

/// Returns the two main axes of the distances (Torgerson 1952).
fn classical(far: &[Vec<f64>]) -> Vec<Place> {
    let count = far.len();
    let square = |row: &Vec<f64>| row.iter().map(|d| d * d).sum::<f64>() / count.max(1) as f64;
    let means: Vec<f64> = far.iter().map(square).collect();
    let mean = means.iter().sum::<f64>() / count.max(1) as f64;
    let product = |a: usize, b: usize| (means[a] + means[b] - mean - far[a][b] * far[a][b]) / 2.0;
    let products: Vec<Vec<f64>> = (0..count).map(|a| (0..count).map(|b| product(a, b)).collect()).collect();
    let first = main_axis(&products, None);
    let second = main_axis(&products, Some(&first));
    first.into_iter().zip(second).collect()
}

/// Returns the coordinates on the axis that explains most, or most of what another one leaves.
fn main_axis(products: &[Vec<f64>], beside: Option<&[f64]>) -> Vec<f64> {
    let mut axis: Vec<f64> = (0..products.len()).map(|n| (n as f64 * GOLDEN_ANGLE).sin() + 0.1).collect();
    let mut length = 0.0;
    for _ in 0..TURNS {
        let mut next: Vec<f64> = products.iter().map(|row| dot(row, &axis)).collect();
        if let Some(other) = beside {
            let share = dot(&next, other) / dot(other, other).max(f64::EPSILON);
            next.iter_mut().zip(other).for_each(|(x, o)| *x -= share * o);
        }
        length = dot(&next, &next).sqrt();
        if length < f64::EPSILON {
            return vec![0.0; products.len()];
        }
        axis = next.into_iter().map(|x| x / length).collect();
    }
    axis.into_iter().map(|x| x * length.sqrt()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apart(places: &[Place], a: usize, b: usize) -> f64 {
        (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1)
    }

    #[test]
    fn distances_of_a_plane_are_kept() {
        let corners = [(0.0, 0.0), (0.8, 0.0), (0.8, 0.5), (0.0, 0.5), (0.4, 0.25)];
        let far = |a: usize, b: usize| {
            let (a, b): (Place, Place) = (corners[a], corners[b]);
            (a.0 - b.0).hypot(a.1 - b.1)
        };
        let found = places(corners.len(), far);
        for (a, b) in (0..5).flat_map(|a| (0..a).map(move |b| (a, b))) {
            assert!((apart(&found, a, b) - far(a, b)).abs() < 0.02, "{a} and {b}: {found:?}");
        }
    }

    #[test]
    fn near_ones_lie_nearer_than_others() {
        // Three families of twenty, with nothing in common.
        let found = places(60, |a, b| if a % 3 == b % 3 { 0.2 } else { 1.0 });
        let pairs = (0..60).flat_map(|a| (0..a).map(move |b| (a, b)));
        let (kin, strange): (Vec<_>, Vec<_>) = pairs.partition(|(a, b)| a % 3 == b % 3);
        let far = |pairs: &[(usize, usize)]| pairs.iter().map(|(a, b)| apart(&found, *a, *b)).collect::<Vec<_>>();
        let most = far(&kin).into_iter().fold(0.0, f64::max);
        let least = far(&strange).into_iter().fold(f64::MAX, f64::min);
        assert!(most < least, "{most} {least}");
    }

    proptest! {
        #[test]
        fn every_thing_has_a_place_of_its_own(count in 0_usize..30, kinds in 1_usize..4) {
            let found = places(count, |a, b| if a % kinds == b % kinds { 0.0 } else { 1.0 });
            prop_assert_eq!(found.len(), count);
            prop_assert!(found.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
            for (a, b) in (0..count).flat_map(|a| (0..a).map(move |b| (a, b))) {
                prop_assert!(apart(&found, a, b) > 1e-4, "{} and {}", a, b);
            }
            prop_assert_eq!(places(count, |a, b| if a % kinds == b % kinds { 0.0 } else { 1.0 }), found);
        }
    }
}
