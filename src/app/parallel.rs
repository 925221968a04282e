//! The same work on each of many items, on all cores; the results keep the items' order.
//!
//! For work that depends on nothing but its item. What depends on order is done in order elsewhere.

use rayon::prelude::*;

/// Applies `work` to every item, on threads that stay: what they keep warm for themselves, such as the states of large
/// patterns, is worth more than the work on one batch.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    items.into_par_iter().map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn results_stand_in_the_order_of_the_items(items in prop::collection::vec(0u32..1000, 0..500)) {
            let expected: Vec<u32> = items.iter().map(|n| n * 2).collect();
            prop_assert_eq!(map(items, |n| n * 2), expected);
        }
    }
}
