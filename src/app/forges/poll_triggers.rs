//! Which repositories are to be asked at once rather than at the next look: a forge said of something whose words it did
//! not send, or may have said something that nobody heard.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The repositories that are asked for, by forge and name, each with whether somebody wants that at once. All copies are one.
#[derive(Clone, Debug, Default)]
pub struct Wakes(Arc<BTreeMap<(String, String), AtomicBool>>);

impl Wakes {
    /// None of them is to be asked at once.
    pub fn of(polled: impl IntoIterator<Item = (String, String)>) -> Wakes {
        Wakes(Arc::new(polled.into_iter().map(|of| (of, AtomicBool::new(false))).collect()))
    }

    /// One of them is to be asked; another that is not asked for is passed over.
    pub fn wake(&self, forge: &str, repository: &str) {
        if let Some(woken) = self.0.get(&(forge.to_owned(), repository.to_owned())) {
            woken.store(true, Ordering::Release);
        }
    }

    /// All of a forge are.
    pub fn wake_all(&self, forge: &str) {
        for ((of, _), woken) in self.0.iter() {
            if of == forge {
                woken.store(true, Ordering::Release);
            }
        }
    }

    /// Whether it is to be asked; who is told so asks.
    pub fn take(&self, forge: &str, repository: &str) -> bool {
        let woken = self.0.get(&(forge.to_owned(), repository.to_owned()));
        woken.is_some_and(|woken| woken.swap(false, Ordering::AcqRel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wish_is_told_once() {
        let of = |forge: &str, repository: &str| (forge.to_owned(), repository.to_owned());
        let wakes = Wakes::of([of("a", "x"), of("a", "y"), of("b", "x")]);
        let copy = wakes.clone();
        wakes.wake("a", "x");
        wakes.wake("a", "unknown");
        assert!(copy.take("a", "x") && !copy.take("a", "x") && !copy.take("a", "y") && !copy.take("a", "unknown"));
        wakes.wake_all("a");
        assert!(copy.take("a", "x") && copy.take("a", "y") && !copy.take("b", "x"));
    }
}
