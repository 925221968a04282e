//! Repositories to poll immediately: a forge reported an event without its content, or may have sent one that was not
//! received.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The polled repositories by forge and name, each with whether an immediate poll is requested. Clones share state.
#[derive(Clone, Debug, Default)]
pub struct PollTriggers(Arc<BTreeMap<(String, String), AtomicBool>>);

impl PollTriggers {
    /// Creates it with no requests.
    pub fn of(polled: impl IntoIterator<Item = (String, String)>) -> PollTriggers {
        PollTriggers(Arc::new(polled.into_iter().map(|of| (of, AtomicBool::new(false))).collect()))
    }

    /// Requests a poll of one repository; ignores ones that are not polled.
    pub fn wake(&self, forge: &str, repository: &str) {
        if let Some(woken) = self.0.get(&(forge.to_owned(), repository.to_owned())) {
            woken.store(true, Ordering::Release);
        }
    }

    /// Requests a poll of all of a forge's repositories.
    pub fn wake_all(&self, forge: &str) {
        for ((of, _), woken) in self.0.iter() {
            if of == forge {
                woken.store(true, Ordering::Release);
            }
        }
    }

    /// Returns and clears a repository's request; the caller must then poll.
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
        let wakes = PollTriggers::of([of("a", "x"), of("a", "y"), of("b", "x")]);
        let copy = wakes.clone();
        wakes.wake("a", "x");
        wakes.wake("a", "unknown");
        assert!(copy.take("a", "x") && !copy.take("a", "x") && !copy.take("a", "y") && !copy.take("a", "unknown"));
        wakes.wake_all("a");
        assert!(copy.take("a", "x") && copy.take("a", "y") && !copy.take("b", "x"));
    }
}
