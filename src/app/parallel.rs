//! The same work on each of many items, on all cores; the results keep the items' order.
//!
//! For work that depends on nothing but its item. What depends on order is done in order elsewhere.

use std::num::NonZero;
use std::thread;

/// Fewer items than this are not worth a thread.
const WORTH_A_THREAD: usize = 32;

/// Applies `work` to every item.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return items.into_iter().map(work).collect();
    }
    let share = items.len().div_ceil(threads);
    let mut items = items.into_iter();
    thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let share: Vec<T> = items.by_ref().take(share).collect();
                scope.spawn(move || share.into_iter().map(work).collect::<Vec<R>>())
            })
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.flat_map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
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
