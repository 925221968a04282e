//! An index whose lists are read once per commit and shared by all callers.
//!
//! Nearly every page needs all rules and all clusters, and reading them is most of its cost. Long lists are not kept:
//! they are not worth their memory.

use crate::domain::channels::turn::TurnRow;
use crate::domain::records::index_update::IndexUpdate;
use crate::domain::records::record::{Stored, StoredKind};
use crate::ports::{
    Counts, FeedbackFilter, Index, IndexError, IndexedFeedback, IndexedSubmissions, Order, Outcome, OutcomeQuery,
    TurnQuery, Which,
};
use crate::text::ids::CommitId;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum length of a kept list; longer ones are read each time.
const LONGEST: usize = 5_000;
/// The kinds that pages read in full.
const LISTS: [StoredKind; 5] =
    [StoredKind::Rule, StoredKind::Cluster, StoredKind::Ambiguous, StoredKind::Review, StoredKind::EdgeCase];

type List = Arc<Vec<(String, Stored)>>;

/// What was read at the last requested commit.
#[derive(Default)]
pub struct CachedLists(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    of: Option<CommitId>,
    read: Vec<(StoredKind, Order, List)>,
    /// The kinds with lists too long to keep.
    long: Vec<StoredKind>,
}

impl Lists {
    fn read(&self, kind: StoredKind, order: Order) -> Option<List> {
        let mut read = self.read.iter();
        read.find(|(of, by, _)| (*of, *by) == (kind, order)).map(|(.., list)| Arc::clone(list))
    }
}

/// An index at one commit, with what was already read of it.
pub struct CachedIndex<'r> {
    index: Box<dyn Index>,
    of: CommitId,
    remembered: &'r CachedLists,
}

impl<'r> CachedIndex<'r> {
    /// Wraps an index that reflects this commit while open.
    pub fn new(index: Box<dyn Index>, of: CommitId, remembered: &'r CachedLists) -> CachedIndex<'r> {
        CachedIndex { index, of, remembered }
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.remembered.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Index for CachedIndex<'_> {
    fn find_records(
        &self,
        kind: StoredKind,
        which: Which<'_>,
        order: Order,
        visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        // Lookups by key are not cached.
        if which != Which::All || !LISTS.contains(&kind) {
            return self.index.find_records(kind, which, order, visit);
        }
        // Held during the read: concurrent callers need the same data.
        let mut lists = self.lists();
        if lists.of.as_ref() != Some(&self.of) {
            // A caller at another commit starts over; two alternating callers both get correct answers.
            *lists = Lists { of: Some(self.of.clone()), ..Lists::default() };
        }
        if let Some(list) = lists.read(kind, order) {
            drop(lists);
            tell(&list, visit);
            return Ok(());
        }
        if lists.long.contains(&kind) {
            drop(lists);
            return self.index.find_records(kind, which, order, visit);
        }
        let mut list = Vec::new();
        self.index.find_records(kind, which, order, &mut |path, record| {
            list.push((path, record));
            if list.len() > LONGEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if list.len() > LONGEST {
            lists.long.push(kind);
            drop(lists);
            return self.index.find_records(kind, which, order, visit);
        }
        let list = Arc::new(list);
        lists.read.push((kind, order, Arc::clone(&list)));
        drop(lists);
        tell(&list, visit);
        Ok(())
    }

    fn count_about(&self, kind: StoredKind, subject: &str) -> Result<u64, IndexError> {
        self.index.count_about(kind, subject)
    }

    fn record_ids(&self, kind: StoredKind) -> Result<Vec<String>, IndexError> {
        self.index.record_ids(kind)
    }

    fn commit(&self) -> Result<Option<CommitId>, IndexError> {
        self.index.commit()
    }

    fn apply(&mut self, updates: &[IndexUpdate], commit: &CommitId) -> Result<(), IndexError> {
        self.of = commit.clone();
        self.index.apply(updates, commit)
    }

    fn stage(&mut self, updates: &[IndexUpdate], towards: &CommitId) -> Result<(), IndexError> {
        self.index.stage(updates, towards)
    }

    fn staged(&self) -> Result<Option<CommitId>, IndexError> {
        self.index.staged()
    }

    fn each_feedback(&self, visit: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError> {
        self.index.each_feedback(visit)
    }

    fn feedback(&self, id: &str) -> Result<Option<IndexedFeedback>, IndexError> {
        self.index.feedback(id)
    }

    fn list(&self, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError> {
        self.index.list(filter)
    }

    fn outcomes(&self, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError> {
        self.index.outcomes(query)
    }

    fn search(&self, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError> {
        self.index.search(words, limit)
    }

    fn submitted(&self) -> Result<IndexedSubmissions, IndexError> {
        self.index.submitted()
    }

    fn any_held_out(&self) -> Result<bool, IndexError> {
        self.index.any_held_out()
    }

    fn turns(&self, query: &TurnQuery<'_>) -> Result<Vec<TurnRow>, IndexError> {
        self.index.turns(query)
    }

    fn sessions(&self) -> Result<Vec<String>, IndexError> {
        self.index.sessions()
    }

    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError> {
        self.index.unreadable()
    }

    fn counts(&self) -> Result<Counts, IndexError> {
        self.index.counts()
    }
}

/// Visits a list until the visitor stops it.
fn tell(list: &[(String, Stored)], visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>) {
    let mut all = list.iter();
    let _ = all.try_for_each(|(path, record)| visit(path.clone(), record.clone()));
}
