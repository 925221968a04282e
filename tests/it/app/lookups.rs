//! Lookups by id: no list is read.

use crate::harness::run::{Run, decision};
use feedbackd::app::queries::{Queries, QueryError};
use feedbackd::domain::channels::turn::TurnRow;
use feedbackd::domain::intake::event::StreamKind;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{Stored, StoredKind};
use feedbackd::ports::*;
use feedbackd::text::ids::CommitId;
use feedbackd::wiring;
use serde_json::json;
use std::ops::ControlFlow;

/// An index in which no list may be read.
struct WithoutLists(Box<dyn Index>);

impl Index for WithoutLists {
    fn find_records(
        &self,
        kind: StoredKind,
        which: Which<'_>,
        order: Order,
        visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        assert_ne!(which, Which::All, "all records of the kind {} are read", kind.name());
        self.0.find_records(kind, which, order, visit)
    }
    fn turns(&self, query: &TurnQuery<'_>) -> Result<Vec<TurnRow>, IndexError> {
        assert!(query.session.is_some() || query.limit > 0, "all turns are read");
        self.0.turns(query)
    }
    fn each_feedback(&self, _: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError> {
        panic!("all feedback is read")
    }
    fn count_about(&self, kind: StoredKind, subject: &str) -> Result<u64, IndexError> {
        self.0.count_about(kind, subject)
    }
    fn record_ids(&self, kind: StoredKind) -> Result<Vec<String>, IndexError> {
        self.0.record_ids(kind)
    }
    fn sessions(&self) -> Result<Vec<String>, IndexError> {
        self.0.sessions()
    }
    fn apply(&mut self, _: &[IndexUpdate], _: &CommitId) -> Result<(), IndexError> {
        unreachable!("it is only read")
    }
    fn stage(&mut self, _: &[IndexUpdate], _: &CommitId) -> Result<(), IndexError> {
        unreachable!("it is only read")
    }
    fn commit(&self) -> Result<Option<CommitId>, IndexError> {
        self.0.commit()
    }
    fn staged(&self) -> Result<Option<CommitId>, IndexError> {
        self.0.staged()
    }
    fn feedback(&self, id: &str) -> Result<Option<IndexedFeedback>, IndexError> {
        self.0.feedback(id)
    }
    fn list(&self, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError> {
        self.0.list(filter)
    }
    fn outcomes(&self, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError> {
        self.0.outcomes(query)
    }
    fn search(&self, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError> {
        self.0.search(words, limit)
    }
    fn submitted(&self) -> Result<IndexedSubmissions, IndexError> {
        self.0.submitted()
    }
    fn any_held_out(&self) -> Result<bool, IndexError> {
        self.0.any_held_out()
    }
    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError> {
        self.0.unreadable()
    }
    fn counts(&self) -> Result<Counts, IndexError> {
        self.0.counts()
    }
}

/// Returns what is near a missing id.
fn nearest<T: std::fmt::Debug>(answer: Result<T, QueryError>) -> Vec<String> {
    match answer {
        Err(QueryError::NotFound { nearest, .. }) => nearest,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_asked_for_by_its_id_reads_no_list() {
    let mut run = Run::new();
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
        decision("d4", "dee", "REJECTED", Some("The welcome mail for Norway says mandag twice, drop one")),
    ]);
    run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    let told = |id: &str, decision: &str| {
        json!({"follow_up_id": id, "forge": "github", "repository": "a/b", "number": "1", "what": "resolved",
            "decision_id": decision, "by": "ann", "timestamp": "2026-01-12T11:00:00Z"})
    };
    run.hear(StreamKind::MetaHitl, &[told("f-1", "d1"), told("f-2", "d2"), told("f-3", "d1")]);
    let said = json!({"turn_id": "t-1", "session_id": "s-1", "timestamp": "2026-01-12T10:00:00Z",
        "user_message": "hello", "response": "hi", "agent": "a"});
    run.hear(StreamKind::Turns, &[said]);
    let pipeline = run.pipeline.as_ref().unwrap();
    let snapshot = (wiring::asking(&run.config).unwrap().open)().unwrap();
    let index = WithoutLists(snapshot.index);
    let queries = Queries::new(pipeline.store(), &index);

    let page = queries.feedback_show("d1").unwrap();
    let cluster = page.cluster.unwrap().record;
    let rule = page.proposal.unwrap().record.proposal_id;
    assert_eq!(page.follow_ups.iter().map(|f| f.record.follow_up_id.as_str()).collect::<Vec<_>>(), ["f-1", "f-3"]);
    assert_eq!(queries.follow_ups("d1-late-2").unwrap().len(), 2, "a late part of it");
    let shown = queries.cluster_show(&cluster.cluster_id, 0).unwrap();
    assert_eq!((shown.cluster.record.cluster_id, shown.members.len()), (cluster.cluster_id.clone(), 2));
    assert_eq!(shown.proposal.unwrap().record.proposal_id, rule);
    assert!(queries.proposal_show(&rule).unwrap().path.starts_with(layout::PROPOSED));
    assert_eq!(nearest(queries.proposal_show("RULE-2026-0009")), [rule]);
    let opened = pipeline.index().ambiguous().unwrap().remove(0).1.feedback_id;
    assert!(!queries.ambiguous_show(&opened).unwrap().record.other_side.is_empty());
    assert!(queries.feedback_show(&opened).unwrap().ambiguous.is_some());
    assert!(nearest(queries.cluster_show(&format!("{}x", cluster.cluster_id), 0)).contains(&cluster.cluster_id));
    for (path, case) in pipeline.index().edge_cases().unwrap() {
        assert_eq!(queries.edge_case_show(&case.edge_case_id).unwrap().path, path);
    }
    assert_eq!(nearest(queries.turn_show("s-1", "t-2")), ["t-1"]);
    assert_eq!(nearest(queries.turn_show("s-2", "t-1")), ["s-1"]);
}
