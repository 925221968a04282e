//! Applies the same function to many items on all cores, keeping the order of the results.
//!
//! For work that depends only on its item. Order-dependent work is done sequentially elsewhere.

use rayon::prelude::*;

/// Applies `work` to every item on long-lived threads: their cached state, such as that of large patterns, matters more
/// than the work of one batch.
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
