//! Updating the index to the store: every way leads to the same content.

use crate::harness::words::{self, Words};
use feedbackd::adapters::index::{IndexOrigin, SqliteFiles, SqliteIndex};
use feedbackd::adapters::memory::MemoryStore;
use feedbackd::app::admin::reindex::{CHUNK, ReindexError, catch_up, check, rebuild};
use feedbackd::app::comments::analyzer::Analyzer;
use feedbackd::app::queries::reader::{ReadAccess, ReindexAccess};
use feedbackd::domain::channels::turn::TurnRow;
use feedbackd::domain::records::record::{Stored, StoredKind};
use feedbackd::domain::testing::sample::{self, decision, decision_path};
use feedbackd::ports::*;
use feedbackd::text::ids::CommitId;
use feedbackd::text::language::catalogue::Catalogue;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// Commits files; empty content removes a file.
pub fn commit(store: &mut MemoryStore, files: &[(String, String)]) -> CommitId {
    let mut change = ChangeSet { subject: "Change".into(), ..ChangeSet::default() };
    for (path, content) in files {
        if content.is_empty() {
            change.removes.push(path.clone());
        } else {
            change.writes.push(FileWrite { path: path.clone(), content: content.clone().into_bytes() });
        }
    }
    let head = store.head().unwrap();
    match store.commit(head.as_ref(), &change).unwrap() {
        CommitOutcome::Committed(id) | CommitOutcome::Unchanged(id) => id,
        CommitOutcome::Moved(_) => panic!("nobody else commits"),
    }
}

pub fn text(record: &Stored) -> String {
    record.text().unwrap()
}

pub fn made() -> IndexOrigin {
    IndexOrigin { embedder: words::understanding().id().into(), layout: 1 }
}

fn file(n: u32) -> (String, String) {
    let record = decision(n);
    (decision_path(&record), text(&Stored::from(record)))
}

fn gone(n: u32) -> (String, String) {
    (decision_path(&decision(n)), String::new())
}

fn empty() -> SqliteIndex {
    SqliteIndex::scratch(&made()).unwrap()
}

fn difference(store: &MemoryStore, index: &dyn Index) -> String {
    let head = store.head().unwrap().unwrap();
    check(store, index, &mut empty(), &words::understanding(), &head).unwrap().to_string()
}

/// An index that fails after so many chunks.
struct Failing<'a> {
    inner: &'a mut SqliteIndex,
    chunks: usize,
}

impl Failing<'_> {
    fn strike(&mut self) -> Result<(), IndexError> {
        self.chunks = self.chunks.checked_sub(1).ok_or_else(|| IndexError::Io("the disk is full".into()))?;
        Ok(())
    }
}

impl Index for Failing<'_> {
    fn find_records(
        &self,
        kind: StoredKind,
        which: Which<'_>,
        order: Order,
        visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        self.inner.find_records(kind, which, order, visit)
    }
    fn count_about(&self, kind: StoredKind, subject: &str) -> Result<u64, IndexError> {
        self.inner.count_about(kind, subject)
    }
    fn record_ids(&self, kind: StoredKind) -> Result<Vec<String>, IndexError> {
        self.inner.record_ids(kind)
    }
    fn turns(&self, query: &TurnQuery<'_>) -> Result<Vec<TurnRow>, IndexError> {
        self.inner.turns(query)
    }
    fn sessions(&self) -> Result<Vec<String>, IndexError> {
        self.inner.sessions()
    }
    fn apply(&mut self, updates: &[IndexUpdate], commit: &CommitId) -> Result<(), IndexError> {
        self.strike()?;
        self.inner.apply(updates, commit)
    }
    fn stage(&mut self, updates: &[IndexUpdate], towards: &CommitId) -> Result<(), IndexError> {
        self.strike()?;
        self.inner.stage(updates, towards)
    }
    fn commit(&self) -> Result<Option<CommitId>, IndexError> {
        self.inner.commit()
    }
    fn staged(&self) -> Result<Option<CommitId>, IndexError> {
        self.inner.staged()
    }
    fn each_feedback(&self, visit: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError> {
        self.inner.each_feedback(visit)
    }
    fn feedback(&self, id: &str) -> Result<Option<IndexedFeedback>, IndexError> {
        self.inner.feedback(id)
    }
    fn list(&self, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError> {
        self.inner.list(filter)
    }
    fn outcomes(&self, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError> {
        self.inner.outcomes(query)
    }
    fn search(&self, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError> {
        self.inner.search(words, limit)
    }
    fn submitted(&self) -> Result<IndexedSubmissions, IndexError> {
        self.inner.submitted()
    }
    fn any_held_out(&self) -> Result<bool, IndexError> {
        self.inner.any_held_out()
    }
    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError> {
        self.inner.unreadable()
    }
    fn counts(&self) -> Result<Counts, IndexError> {
        self.inner.counts()
    }
}

/// After an interruption, while the store moves on and removes what was just indexed, a retry is correct.
#[test]
fn what_was_stopped_half_way_is_finished_first() {
    let many = |range: std::ops::Range<u32>| range.map(file).collect::<Vec<_>>();
    let chunk = CHUNK as u32;
    for filled in [false, true] {
        for chunks in 0..3 {
            let mut store = MemoryStore::new();
            let mut index = empty();
            let first = commit(&mut store, &[file(9_000)]);
            if filled {
                catch_up(&store, &mut index, &words::understanding(), &first).unwrap();
            }
            let second = commit(&mut store, &many(0..2 * chunk + 10));
            let stopped =
                catch_up(&store, &mut Failing { inner: &mut index, chunks }, &words::understanding(), &second);
            assert!(matches!(stopped, Err(ReindexError::Index(IndexError::Io(_)))));
            assert_eq!(index.commit().unwrap(), filled.then(|| first.clone()), "nothing is claimed");
            // The first chunk's records are removed before the index is available again.
            let third = commit(&mut store, &(0..100).map(gone).collect::<Vec<_>>());
            catch_up(&store, &mut index, &words::understanding(), &third).unwrap();
            assert_eq!((index.commit().unwrap(), index.staged().unwrap()), (Some(third), None));
            assert_eq!(difference(&store, &index), "");
            assert_eq!(index.counts().unwrap().by_class[2], u64::from(2 * chunk + 10 - 100 + 1));
        }
    }
}

#[test]
fn an_index_of_another_store_is_stale() {
    let (mut ours, mut theirs) = (MemoryStore::new(), MemoryStore::new());
    let here = commit(&mut ours, &[file(1)]);
    let there = commit(&mut theirs, &[file(2)]);
    let mut index = empty();
    catch_up(&theirs, &mut index, &words::understanding(), &there).unwrap();
    let refused = catch_up(&ours, &mut index, &words::understanding(), &here);
    assert!(matches!(refused, Err(ReindexError::Index(IndexError::Stale(why))) if why.contains("does not have")));
    assert!(check(&ours, &index, &mut empty(), &words::understanding(), &here).is_err());
    assert!(rebuild(&ours, &mut index, &words::understanding(), &here).is_err(), "it is not empty");
}

#[test]
fn check_names_what_differs() {
    let mut store = MemoryStore::new();
    let files: Vec<_> = sample::one_of_each().iter().map(|(path, r)| (path.clone(), text(r))).collect();
    let head = commit(&mut store, &[files.as_slice(), &[file(2)]].concat());
    let mut index = empty();
    catch_up(&store, &mut index, &words::understanding(), &head).unwrap();
    assert_eq!(difference(&store, &index), "");
    let mut changed = decision(1);
    changed.evaluation.cluster = Some("CLUSTER-x".into());
    let vector = words::understanding().rule_text(&changed.text().unwrap(), None).unwrap();
    let mut cluster = sample::cluster("dec-1");
    cluster.members = 7;
    index
        .apply(
            &[
                IndexUpdate::Written { path: decision_path(&changed), record: changed.into(), vector },
                IndexUpdate::Written { path: gone(3).0, record: decision(3).into(), vector: None },
                IndexUpdate::Removed { path: gone(2).0 },
                IndexUpdate::Removed { path: sample::one_of_each()[3].0.clone() },
                IndexUpdate::of(cluster),
            ],
            &head,
        )
        .unwrap();
    insta::assert_snapshot!(difference(&store, &index), @r#"
    - feedback dec-2: in the store, not in the index
    - edge case feedback/edge_cases/2026/0000/EDGE-2026-0001.yaml: in the store, not in the index
    + feedback dec-3: in the index, not in the store
    ~ feedback dec-1 cluster: index "CLUSTER-x", store null
    ~ cluster feedback/clusters/CLUSTER-16d1a47d71b1.yaml members: index 7, store 2
    "#);
}

#[test]
fn what_an_unreadable_file_was_is_no_difference() {
    let mut store = MemoryStore::new();
    let mut index = empty();
    let first = commit(&mut store, &[file(1), file(2)]);
    catch_up(&store, &mut index, &words::understanding(), &first).unwrap();
    let second = commit(&mut store, &[(file(1).0, "schema: [oops".into())]);
    catch_up(&store, &mut index, &words::understanding(), &second).unwrap();
    assert!(index.feedback("dec-1").unwrap().is_some());
    assert_eq!(index.counts().unwrap().unreadable, 1);
    assert_eq!(difference(&store, &index), "");
}

/// An embedder that counts its calls.
struct Counting(Arc<Mutex<Vec<usize>>>, Words);

impl Embedder for Counting {
    fn embed(
        &self,
        texts: &[String],
    ) -> Result<Vec<Option<feedbackd::text::language::similarity::Embedding>>, feedbackd::ports::EmbedError> {
        self.0.lock().unwrap().push(texts.len());
        self.1.embed(texts)
    }
    fn id(&self) -> &str {
        self.1.id()
    }
}

#[test]
fn every_text_is_embedded_once() {
    let mut store = MemoryStore::new();
    let head = commit(&mut store, &(0..CHUNK as u32 + 5).map(file).collect::<Vec<_>>());
    let calls = Arc::new(Mutex::new(vec![]));
    let understanding = Analyzer::new(Arc::new(Counting(Arc::clone(&calls), Words)), Catalogue::default()).unwrap();
    rebuild(&store, &mut empty(), &understanding, &head).unwrap();
    assert_eq!(*calls.lock().unwrap(), vec![1; CHUNK + 5]);
}

#[test]
fn reading_needs_no_index_and_writes_none() {
    let directory = tempfile::tempdir().unwrap();
    let files = SqliteFiles { path: directory.path().join("index.db"), made: made() };
    let mut store = MemoryStore::new();
    let open = |store: &MemoryStore| ReadAccess::open(Box::new(store.clone()), &files).unwrap();
    let shown = |reading: &ReadAccess| {
        (reading.queries().status(&Default::default()).unwrap().feedback, reading.notice().map(str::to_owned))
    };
    commit(&mut store, &[file(1)]);
    let (found, notice) = shown(&open(&store));
    assert_eq!(found, 1);
    assert!(notice.unwrap().contains("the index was not used: there is none"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);

    let reindexing = || ReindexAccess {
        store: Box::new(store.clone()),
        files: Box::new(files.clone()),
        understanding: words::understanding(),
    };
    assert_eq!(reindexing().rebuild().unwrap().records, 1);
    assert!(reindexing().check().unwrap().is_empty());
    assert_eq!(shown(&open(&store)), (1, None));

    let mut later = store.clone();
    commit(&mut later, &[file(2), file(3)]);
    let (found, notice) = shown(&open(&store));
    assert_eq!(found, 3);
    assert_eq!(notice.as_deref(), Some("the index is 2 changes behind the store; it was read with them"));
    assert!(reindexing().check().unwrap().is_empty(), "to lag behind is no difference");

    let unlike = SqliteFiles { made: IndexOrigin { embedder: "another".into(), ..made() }, ..files.clone() };
    let notice = |files: &SqliteFiles| shown(&ReadAccess::open(Box::new(store.clone()), files).unwrap()).1.unwrap();
    assert!(notice(&unlike).contains("it was built with embedder"), "{}", notice(&unlike));
    let any = SqliteFiles { made: IndexOrigin::with_any_embedder(made().layout), ..files.clone() };
    assert!(notice(&any).contains("is 2 changes behind"), "{}", notice(&any));
    assert_eq!(files.open().unwrap().counts().unwrap().by_class[2], 1, "nothing was written");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any history, indexed in any steps, gives the index built from its end.
    #[test]
    fn every_way_leads_to_the_same_index(history in prop::collection::vec(prop::collection::vec((0..12u32, 0..4u8), 0..6), 1..8), steps: Vec<bool>) {
        let mut store = MemoryStore::new();
        let mut index = empty();
        commit(&mut store, &[file(99)]);
        for (at, edits) in history.iter().enumerate() {
            let files: Vec<_> = edits.iter().map(|(n, what)| match what {
                0 => gone(*n),
                1 => file(*n),
                2 => {
                    let mut record = decision(*n);
                    record.evaluation.revision = at as u32 + 2;
                    record.reviewer_comment = Some(format!("Changed in step {at}"));
                    (decision_path(&record), text(&Stored::from(record)))
                }
                _ => {
                    let mut record = sample::cluster(&format!("dec-{n}"));
                    record.members = at as u64;
                    (feedbackd::domain::records::layout::cluster(&record.cluster_id), text(&Stored::from(record)))
                }
            }).collect();
            let head = commit(&mut store, &files);
            if steps.get(at).copied().unwrap_or(false) {
                catch_up(&store, &mut index, &words::understanding(), &head).unwrap();
            }
        }
        let head = store.head().unwrap().unwrap();
        catch_up(&store, &mut index, &words::understanding(), &head).unwrap();
        prop_assert_eq!(difference(&store, &index), "");
        prop_assert_eq!(index.search("missing", 0).unwrap().len(), {
            let mut anew = empty();
            rebuild(&store, &mut anew, &words::understanding(), &head).unwrap();
            anew.search("missing", 0).unwrap().len()
        });
    }
}
