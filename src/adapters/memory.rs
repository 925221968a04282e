//! The store in memory, for tests and for `replay --dry-run`.
//!
//! Behaves like the Git store, including history, but is not persistent and has no lock. Handles are cheap to clone and
//! share one store, so that a second one can act as the person who commits in between. Each file keeps its versions, so
//! a commit costs what it changes, regardless of the store's size.

use crate::domain::records::layout::{ROOT, ROSTER};
use crate::ports::{
    ChangeSet, CommitInfo, CommitOutcome, FileChange, JoinOutcome, Signatures, StoreError, StoreReader, StoreWriter,
    Trace,
};
use crate::text::ids::CommitId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store in memory. It has no clock: a commit's time is its number.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<History>>);

#[derive(Debug, Default)]
struct History {
    /// Oldest first; a commit's number is its index.
    commits: Vec<Commit>,
    numbers: BTreeMap<CommitId, usize>,
    /// For each path, its contents and the commit each dates from; `None` from its removal.
    files: BTreeMap<String, Vec<(usize, Content)>>,
}

#[derive(Debug)]
struct Commit {
    info: CommitInfo,
    touched: Vec<String>,
}

type Content = Option<Arc<[u8]>>;

impl MemoryStore {
    /// Creates a store without commits.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Returns all files at a commit, in path order.
    pub fn files(&self, at: &CommitId) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let history = self.history();
        let number = history.number(at)?;
        let present = history.files.keys().filter_map(|path| Some((path.clone(), history.at(path, number)?.to_vec())));
        Ok(present.collect())
    }

    fn history(&self) -> MutexGuard<'_, History> {
        // A panic while the lock is held leaves no state that would break another handle.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoreReader for MemoryStore {
    fn head(&self) -> Result<Option<CommitId>, StoreError> {
        Ok(self.history().head())
    }

    fn read(&self, at: &CommitId, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let history = self.history();
        let number = history.number(at)?;
        Ok(history.at(path, number).map(|c| c.to_vec()))
    }

    fn files_in(&self, at: &CommitId, directory: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let history = self.history();
        let number = history.number(at)?;
        let below = format!("{}/", directory.trim_end_matches('/'));
        let names = history.files.keys().filter_map(|path| Some((path, path.strip_prefix(&below)?)));
        let files = names.filter(|(_, name)| !name.contains('/'));
        Ok(files.filter_map(|(path, name)| Some((name.to_owned(), history.at(path, number)?.to_vec()))).collect())
    }

    fn for_each_change(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        visit: &mut dyn FnMut(FileChange) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // The lock is not held while visiting, as the visitor may read the store.
        let changes: Vec<(String, Content)> = {
            let history = self.history();
            let to = history.number(to)?;
            let from = from.map(|f| history.number(f)).transpose()?;
            let (low, high) = match from {
                Some(from) => (from.min(to) + 1, from.max(to)),
                None => (0, to),
            };
            let touched: BTreeSet<&String> =
                history.commits.get(low..=high).unwrap_or_default().iter().flat_map(|c| &c.touched).collect();
            let visible = |path: &str| path == ROSTER || path.strip_prefix(ROOT).is_some_and(|p| p.starts_with('/'));
            touched
                .into_iter()
                .filter(|path| visible(path))
                .map(|path| (path, from.and_then(|n| history.at(path, n)), history.at(path, to)))
                .filter(|(_, before, after)| before != after)
                .map(|(path, _, after)| (path.clone(), after))
                .collect()
        };
        changes.into_iter().try_for_each(|(path, c)| visit(FileChange { path, content: c.map(|c| c.to_vec()) }))
    }

    fn commits(&self, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<CommitInfo>, StoreError> {
        let history = self.history();
        let to = history.number(to)?;
        let first = match from.and_then(|f| history.numbers.get(f)) {
            Some(from) if *from <= to => from + 1,
            _ => 0,
        };
        Ok(history.commits[first..=to].iter().map(|c| c.info.clone()).collect())
    }

    fn contains(&self, commit: &CommitId, other: &CommitId) -> Result<bool, StoreError> {
        let history = self.history();
        let number = history.number(commit)?;
        Ok(history.numbers.get(other).is_some_and(|other| *other <= number))
    }

    fn history(&self, to: &CommitId, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, StoreError> {
        let history = self.history();
        let to = history.number(to)?;
        let mut found = Vec::new();
        for number in (0..=to).rev().take_while(|_| !paths.is_empty()) {
            let commit = &history.commits[number];
            if found.len() < limit && commit.touched.iter().any(|path| paths.contains(path)) {
                found.push(commit.info.clone());
                let before = |path: &String| number.checked_sub(1).and_then(|n| history.at(path, n)).is_some();
                if !paths.iter().any(before) {
                    break;
                }
            }
        }
        Ok(found)
    }

    fn trace(&self, from: Option<&CommitId>, to: &CommitId, paths: &[&str]) -> Result<Trace, StoreError> {
        let history = self.history();
        let to = history.number(to)?;
        let after = from.and_then(|from| history.numbers.get(from)).filter(|from| **from <= to).map(|from| from + 1);
        let is_one = |path: &String| {
            paths.iter().any(|wanted| path == wanted || (wanted.ends_with('/') && path.starts_with(wanted)))
        };
        let commits = history.commits.get(after.unwrap_or(0)..=to).unwrap_or_default();
        let root = history.commits.first().filter(|_| after.is_none()).map(|first| first.info.id.clone());
        let changed = commits.iter().filter(|commit| commit.touched.iter().any(is_one));
        Ok(Trace { root, commits: changed.map(|commit| commit.info.clone()).collect() })
    }

    /// Nothing in it is signed.
    fn signatures(&self, to: &CommitId, _: &[String]) -> Result<Signatures, StoreError> {
        self.history().number(to).map(|_| Signatures::default())
    }
}

impl StoreWriter for MemoryStore {
    fn commit(&mut self, expected: Option<&CommitId>, change: &ChangeSet) -> Result<CommitOutcome, StoreError> {
        let mut history = self.history();
        let head = history.head();
        match (&head, expected) {
            (Some(head), expected) if expected != Some(head) => return Ok(CommitOutcome::Moved(head.clone())),
            (None, Some(expected)) => return Err(unknown(expected)),
            _ => {}
        }
        let number = history.commits.len();
        // If a path occurs twice the last one counts; what is written and removed is removed.
        let mut wanted: BTreeMap<&str, Option<&[u8]>> =
            change.writes.iter().map(|w| (w.path.as_str(), Some(w.content.as_slice()))).collect();
        wanted.extend(change.removes.iter().map(|path| (path.as_str(), None)));
        wanted.retain(|path, content| history.at(path, number).as_deref() != *content);
        if let (true, Some(head)) = (wanted.is_empty(), &head) {
            return Ok(CommitOutcome::Unchanged(head.clone()));
        }
        let id = id(head.as_ref(), &wanted, &change.subject);
        for (path, content) in &wanted {
            history.files.entry((*path).to_owned()).or_default().push((number, content.map(Arc::from)));
        }
        let touched = wanted.into_keys().map(str::to_owned).collect();
        let seconds = i64::try_from(number).unwrap_or(i64::MAX);
        let info = CommitInfo {
            id: id.clone(),
            parent: head,
            author: "memory".into(),
            seconds,
            subject: change.subject.clone(),
        };
        history.commits.push(Commit { info, touched });
        history.numbers.insert(id.clone(), number);
        Ok(CommitOutcome::Committed(id))
    }

    /// It has one line of history, so other commits are never in it.
    fn join(&mut self, other: &CommitId) -> Result<JoinOutcome, StoreError> {
        let head = self.head()?;
        let contains = head.map(|head| self.contains(&head, other)).transpose()?;
        Ok(if contains == Some(true) { JoinOutcome::Contained } else { JoinOutcome::Unrelated })
    }

    fn maintain(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl History {
    fn head(&self) -> Option<CommitId> {
        self.commits.last().map(|c| c.info.id.clone())
    }

    fn number(&self, id: &CommitId) -> Result<usize, StoreError> {
        self.numbers.get(id).copied().ok_or_else(|| unknown(id))
    }

    fn at(&self, path: &str, number: usize) -> Content {
        let versions = self.files.get(path)?;
        let later = versions.partition_point(|(since, _)| *since <= number);
        versions.get(later.checked_sub(1)?)?.1.clone()
    }
}

fn unknown(id: &CommitId) -> StoreError {
    StoreError::Git(format!("the store has no commit {id}"))
}

fn id(parent: Option<&CommitId>, files: &BTreeMap<&str, Option<&[u8]>>, subject: &str) -> CommitId {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(parent.map_or("", |p| p.0.as_str()).as_bytes());
    part(subject.as_bytes());
    for (path, content) in files {
        part(path.as_bytes());
        part(&[u8::from(content.is_some())]);
        part(content.unwrap_or_default());
    }
    CommitId(hasher.finalize().to_hex()[..40].to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::FileWrite;

    fn change(writes: &[(&str, &str)], removes: &[&str]) -> ChangeSet {
        ChangeSet {
            writes: writes.iter().map(|(p, c)| FileWrite { path: (*p).into(), content: (*c).into() }).collect(),
            removes: removes.iter().map(|p| (*p).into()).collect(),
            subject: "Change".into(),
            ..ChangeSet::default()
        }
    }

    fn committed(store: &mut MemoryStore, change: &ChangeSet) -> CommitId {
        let head = store.head().unwrap();
        match store.commit(head.as_ref(), change).unwrap() {
            CommitOutcome::Committed(id) => id,
            other => panic!("{other:?}"),
        }
    }

    fn changes(store: &MemoryStore, from: Option<&CommitId>, to: &CommitId) -> Vec<String> {
        let mut seen = vec![];
        let mut visit = |c: FileChange| {
            seen.push(format!("{}={}", c.path, c.content.map_or("-".into(), |c| String::from_utf8(c).unwrap())));
            Ok(())
        };
        store.for_each_change(from, to, &mut visit).unwrap();
        seen
    }

    #[test]
    fn every_commit_stays_as_it_was() {
        let mut store = MemoryStore::new();
        let first =
            committed(&mut store, &change(&[("feedback/a", "1"), ("feedback/b", "1"), ("README.md", "x")], &[]));
        let second = committed(&mut store, &change(&[("feedback/a", "2"), (ROSTER, "r")], &["feedback/b"]));
        let third = committed(&mut store, &change(&[("feedback/a", "1")], &[]));
        assert_eq!(changes(&store, None, &first), ["feedback/a=1", "feedback/b=1"]);
        assert_eq!(changes(&store, Some(&first), &second), ["feedback/a=2", "feedback/b=-", "reviewers.yaml=r"]);
        assert_eq!(changes(&store, Some(&first), &third), ["feedback/b=-", "reviewers.yaml=r"]);
        assert_eq!(changes(&store, Some(&second), &first), ["feedback/a=1", "feedback/b=1", "reviewers.yaml=-"]);
        assert_eq!(store.read(&first, "feedback/b").unwrap().as_deref(), Some(&b"1"[..]));
        assert_eq!(store.read(&second, "feedback/b").unwrap(), None);
        let names = |at: &CommitId, directory: &str| {
            store.files_in(at, directory).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(
            (names(&first, "feedback/"), names(&second, "feedback")),
            (vec!["a".into(), "b".into()], vec!["a".into()])
        );
        assert_eq!(names(&first, "feed"), [""; 0]);
        let ids = |from: Option<&CommitId>| {
            store.commits(from, &third).unwrap().into_iter().map(|c| c.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(Some(&first)), [second.clone(), third.clone()]);
        assert_eq!(ids(None), [first.clone(), second, third.clone()]);
        assert_eq!(ids(Some(&CommitId("elsewhere".into()))).len(), 3);
        assert!(store.read(&CommitId("elsewhere".into()), "feedback/a").is_err());
    }

    #[test]
    fn a_repeated_change_is_no_commit_and_a_moved_head_is_told() {
        let mut store = MemoryStore::new();
        let first = committed(&mut store, &change(&[("feedback/a", "1")], &[]));
        let again = change(&[("feedback/a", "0"), ("feedback/a", "1")], &["feedback/none"]);
        assert_eq!(store.commit(Some(&first), &again).unwrap(), CommitOutcome::Unchanged(first.clone()));
        let second = committed(&mut store.clone(), &change(&[("feedback/a", "2")], &[]));
        let late = change(&[("feedback/a", "3")], &[]);
        assert_eq!(store.commit(Some(&first), &late).unwrap(), CommitOutcome::Moved(second.clone()));
        assert_eq!(store.commit(None, &late).unwrap(), CommitOutcome::Moved(second));
    }
}
