//! The map of the groups as it was made last: people look often, and it is the same as long as the store is.

use crate::app::showing::GroupMap;
use crate::domain::ids::CommitId;
use std::sync::{Arc, Mutex, PoisonError};

/// The map that was made last; it is true of one commit.
#[derive(Default)]
pub struct LastMap(Mutex<Option<(Option<CommitId>, Arc<GroupMap>)>>);

impl LastMap {
    /// The map at a commit, made anew where that is another one than last time.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn at<E>(
        &self,
        commit: Option<&CommitId>,
        make: impl FnOnce() -> Result<GroupMap, E>,
    ) -> Result<Arc<GroupMap>, E> {
        // Held while it is made: who asks meanwhile needs the same.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, map)) = last.as_ref().filter(|(of, _)| of.as_ref() == commit) {
            return Ok(Arc::clone(map));
        }
        let map = Arc::new(make()?);
        *last = Some((commit.cloned(), Arc::clone(&map)));
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_made_once_for_each_commit() {
        let last = LastMap::default();
        let commit = |digit: &str| CommitId(digit.repeat(40));
        let made = |commit: &CommitId, left_out: usize| {
            let make = || Ok::<_, ()>(GroupMap { left_out, ..GroupMap::default() });
            last.at(Some(commit), make).expect("made").left_out
        };
        assert_eq!([made(&commit("a"), 1), made(&commit("a"), 2), made(&commit("b"), 3)], [1, 1, 3]);
    }
}
