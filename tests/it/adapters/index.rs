//! The conformance suite of the index, run against SQLite; and the robustness of SQLite's files.

use feedbackd::adapters::index::{IndexOrigin, SqliteFiles, SqliteIndex};
use feedbackd::app::queries::cached_index::{CachedIndex, CachedLists};
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::place::RemarkedPlace;
use feedbackd::domain::intake::submission::{Mark, Marked};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::*;
use feedbackd::domain::testing::sample::{self, decision, decision_path, moment};
use feedbackd::ports::*;
use feedbackd::text::ids::{CommitId, Gate};
use feedbackd::text::language::similarity::DemandVector;
use jiff::ToSpan;
use std::fs;
use std::path::PathBuf;

const MARKS: [Mark; 3] = [Mark::Nothing, Mark::Particular, Mark::Demand];

fn made() -> IndexOrigin {
    IndexOrigin { embedder: "words/1".into(), layout: 1 }
}

fn fresh() -> Box<dyn Index> {
    Box::new(SqliteIndex::scratch(&made()).unwrap())
}

fn commit(n: u32) -> CommitId {
    CommitId(format!("{n:040x}"))
}

fn update(record: DecisionRecord) -> IndexUpdate {
    let vector = Some(DemandVector::new(&[(3, 0.5), (7, record.timestamp.as_second() as f32 % 7.0 / 10.0)]));
    IndexUpdate::Written { path: decision_path(&record), record: record.into(), vector }
}

fn change(n: u32, edit: impl FnOnce(&mut DecisionRecord)) -> DecisionRecord {
    let mut record = decision(n);
    edit(&mut record);
    record
}

fn ids(found: &[IndexedFeedback]) -> Vec<&str> {
    found.iter().map(|f| f.id.as_str()).collect()
}

fn all(index: &dyn Index) -> Vec<IndexedFeedback> {
    let mut all = vec![];
    index.each_feedback(&mut |f| all.push(f)).unwrap();
    all
}

fn list(index: &dyn Index, filter: FeedbackFilter) -> Vec<String> {
    index.list(&filter).unwrap().into_iter().map(|f| f.id).collect()
}

#[test]
fn what_went_in_comes_out() {
    let mut index = fresh();
    assert_eq!(index.commit().unwrap(), None);
    let mut n = 0;
    let mut expected = vec![];
    for verdict in ["APPROVED", "REJECTED", "APPROVED_WITH_CHANGES"] {
        for class in Classification::ALL {
            for direction in ["more", "less", "unclear"] {
                n += 1;
                let record = change(n, |r| {
                    r.decision = serde_json::from_str(&format!("\"{verdict}\"")).unwrap();
                    r.evaluation.classification = class;
                    r.evaluation.confidence = 0.1 + 0.2;
                    r.feedback.stance.direction = serde_json::from_str(&format!("\"{direction}\"")).unwrap();
                    r.gate = Gate::new(99).unwrap();
                    r.reviewer_comment = (n % 2 == 0).then(|| "Zeilen\n\0\u{202e}漢".into());
                    r.tenant_id = (n % 3 == 0).then(|| "acme".into());
                    r.evaluation.cluster = (n % 4 == 0).then(|| "CLUSTER-a".into());
                    r.feedback.edge_case = (n % 5 == 0).then(|| "EDGE-2026-0001".into());
                    r.session_id = (n % 7 == 0).then(|| "session-1".into());
                    r.task_id = (n % 2 == 1).then(|| format!("octo/shop#{n}"));
                    if n % 6 == 0 {
                        r.extra.insert("forge".into(), serde_json::json!({ "repository": "octo/shop" }));
                        r.feedback.places = vec![RemarkedPlace { file: "a/ü.rs".into(), ..RemarkedPlace::default() }];
                    }
                    r.feedback.marked = MARKS.get(n as usize % 5).map(|mark| Marked {
                        mark: *mark,
                        demand: None,
                        by: "rev-1".into(),
                        like: None,
                    });
                });
                let vector = (n % 2 == 0).then(|| DemandVector::new(&[(n as u16, 0.5), (1000, 0.5)]));
                expected.push(IndexedFeedback::new(&decision_path(&record), &record, vector.clone()));
                let update = IndexUpdate::Written { path: decision_path(&record), record: record.into(), vector };
                index.apply(&[update], &commit(n)).unwrap();
            }
        }
    }
    assert_eq!(all(index.as_ref()), expected);
    assert_eq!(index.feedback("dec-9").unwrap().as_ref(), Some(&expected[8]));
    assert_eq!(index.feedback("dec-999").unwrap(), None);
    assert_eq!(index.commit().unwrap(), Some(commit(45)));
    assert_eq!(index.counts().unwrap().by_class, [9; 5]);
}

#[test]
fn feedback_comes_in_the_order_of_time_to_the_nanosecond() {
    let mut index = fresh();
    let at = |id: &str, nanos: i64| {
        update(change(1, |r| {
            r.decision_id = id.into();
            r.feedback.feedback_id = id.into();
            r.timestamp = moment(1) + nanos.nanoseconds();
        }))
    };
    let before_1970 = update(change(2, |r| r.timestamp = "1969-12-31T23:59:58.5Z".parse().unwrap()));
    let just_before_1970 = update(change(3, |r| r.timestamp = "1969-12-31T23:59:59.9Z".parse().unwrap()));
    let updates = [at("c", 2), at("b", 1), at("z", 0), at("a", 2), just_before_1970, before_1970];
    index.apply(&updates, &commit(1)).unwrap();
    assert_eq!(ids(&all(index.as_ref())), ["dec-2", "dec-3", "z", "b", "a", "c"]);
    let latest = FeedbackFilter { limit: 3, ..FeedbackFilter::default() };
    assert_eq!(list(index.as_ref(), latest), ["c", "a", "b"]);
    let since = FeedbackFilter { since: Some(moment(1) + 1.nanoseconds()), ..FeedbackFilter::default() };
    assert_eq!(list(index.as_ref(), since), ["c", "a", "b"]);
}

#[test]
fn outcomes_are_those_of_one_agent_in_order() {
    let mut index = fresh();
    let of = |n: u32, edit: fn(&mut DecisionRecord)| update(change(n, edit));
    let updates = [
        of(1, |r| r.session_id = Some("s-1".into())),
        of(2, |r| r.gate = Gate::new(2).unwrap()),
        of(3, |r| r.feedback.agent = "design-agent".into()),
        of(4, |r| r.tenant_id = Some("acme".into())),
        of(5, |r| {
            r.decision = serde_json::from_str("\"APPROVED\"").unwrap();
            r.evaluation.classification = Classification::Positive;
        }),
        of(6, |r| {
            r.decision = serde_json::from_str("\"APPROVED\"").unwrap();
            r.evaluation.cluster = Some("CLUSTER-a".into());
        }),
        of(7, |r| r.evaluation.classification = Classification::Positive),
    ];
    index.apply(&updates, &commit(1)).unwrap();
    let prd = OutcomeQuery { agent: "prd-agent".into(), ..OutcomeQuery::default() };
    let found =
        |query: OutcomeQuery| -> Vec<String> { index.outcomes(&query).unwrap().into_iter().map(|o| o.id).collect() };
    let all = index.outcomes(&prd).unwrap();
    let first = Outcome {
        id: "dec-1".into(),
        at: moment(1),
        gate: all[0].gate,
        clusters: vec![],
        is_correction: true,
        session: Some("s-1".into()),
    };
    assert_eq!(all[0], first);
    assert_eq!(all.iter().map(|o| o.is_correction).collect::<Vec<_>>(), [true, true, false, true, true]);
    assert_eq!(all[3].clusters, ["CLUSTER-a"]);
    assert_eq!(found(prd.clone()), ["dec-1", "dec-2", "dec-5", "dec-6", "dec-7"]);
    assert_eq!(found(OutcomeQuery { tenant: "acme".into(), ..prd.clone() }), ["dec-4"]);
    assert_eq!(found(OutcomeQuery { limit: 2, ..prd.clone() }), ["dec-1", "dec-2"]);
    assert_eq!(found(OutcomeQuery { limit: 2, latest_first: true, ..prd.clone() }), ["dec-7", "dec-6"]);
    let (since, until) = (Some(moment(2)), Some(moment(6)));
    assert_eq!(found(OutcomeQuery { since, until, ..prd.clone() }), ["dec-2", "dec-5"]);
    let gates = vec![Gate::new(2).unwrap(), Gate::new(3).unwrap()];
    assert_eq!(found(OutcomeQuery { gates, ..prd }), ["dec-2"]);
    assert_eq!(found(OutcomeQuery::default()), [""; 0]);
}

#[test]
fn taking_a_change_up_twice_is_taking_it_up_once() {
    let mut index = fresh();
    let (path, _) = sample::one_of_each().remove(0);
    let updates = every_kind();
    index.apply(&updates, &commit(1)).unwrap();
    let once = (all(index.as_ref()), index.counts().unwrap(), index.proposals().unwrap());
    index.apply(&updates, &commit(2)).unwrap();
    assert_eq!((all(index.as_ref()), index.counts().unwrap(), index.proposals().unwrap()), once);
    assert_eq!(index.search("acceptance", 0).unwrap().len(), 1);
    assert_eq!(index.feedback("dec-1").unwrap().unwrap().path, path);
}

#[test]
fn a_rewritten_record_replaces_the_old_one() {
    let mut index = fresh();
    index.apply(&[update(decision(1)), update(decision(2))], &commit(1)).unwrap();
    let again = change(1, |r| {
        r.reviewer_comment = Some("Now about security".into());
        r.evaluation.classification = Classification::GeneralizableHigh;
        r.evaluation.cluster = Some("CLUSTER-a".into());
        r.evaluation.revision = 2;
    });
    index.apply(&[update(again)], &commit(2)).unwrap();
    assert_eq!(ids(&index.search("security", 0).unwrap()), ["dec-1"]);
    assert_eq!(ids(&index.search("acceptance", 0).unwrap()), ["dec-2"]);
    let members = FeedbackFilter { cluster: Some("CLUSTER-a".into()), ..FeedbackFilter::default() };
    assert_eq!(list(index.as_ref(), members), ["dec-1"]);
    assert_eq!(index.counts().unwrap().by_class, [1, 0, 1, 0, 0]);
}

#[test]
fn a_moved_record_is_one_record() {
    let moved = "feedback/decisions/HITL-1/2026/02/01/00/dec-1.yaml";
    let to = IndexUpdate::Written { path: moved.into(), record: decision(1).into(), vector: None };
    let from = IndexUpdate::Removed { path: decision_path(&decision(1)) };
    for order in [[to.clone(), from.clone()], [from, to]] {
        let mut index = fresh();
        index.apply(&[update(decision(1))], &commit(1)).unwrap();
        index.apply(&order, &commit(2)).unwrap();
        let found = all(index.as_ref());
        assert_eq!(found.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), [moved]);
        assert_eq!(index.search("acceptance", 0).unwrap().len(), 1);
    }
}

#[test]
fn an_edited_id_at_the_same_path_replaces_the_old_one() {
    let mut index = fresh();
    index.apply(&[update(decision(1)), update(decision(2))], &commit(1)).unwrap();
    let renamed = change(1, |r| r.feedback.feedback_id = "other".into());
    let path = decision_path(&decision(1));
    index
        .apply(&[IndexUpdate::Written { path: path.clone(), record: renamed.into(), vector: None }], &commit(2))
        .unwrap();
    assert_eq!(ids(&all(index.as_ref())), ["other", "dec-2"]);
    // And onto an id that exists elsewhere: both rows rival the new one.
    let taken = change(1, |r| r.feedback.feedback_id = "dec-2".into());
    index.apply(&[IndexUpdate::Written { path, record: taken.into(), vector: None }], &commit(3)).unwrap();
    assert_eq!(ids(&all(index.as_ref())), ["dec-2"]);
    assert_eq!(index.search("story", 0).unwrap().len(), 1);
}

#[test]
fn what_is_removed_is_gone_whatever_it_was() {
    let mut index = fresh();
    index.apply(&every_kind(), &commit(1)).unwrap();
    assert_eq!(
        index.counts().unwrap(),
        Counts {
            by_class: [0, 0, 1, 0, 0],
            clusters: 1,
            pending_proposals: 1,
            open_edge_cases: 1,
            open_ambiguous: 1,
            dead_letters: 1,
            unreadable: 0,
        }
    );
    let removed: Vec<_> = sample::one_of_each().into_iter().map(|(path, _)| IndexUpdate::Removed { path }).collect();
    index.apply(&removed, &commit(2)).unwrap();
    assert_eq!(index.counts().unwrap(), Counts::default());
    assert!(index.search("acceptance", 0).unwrap().is_empty());
    assert!(index.clusters().unwrap().is_empty() && index.edge_cases().unwrap().is_empty());
}

#[test]
fn an_unreadable_file_is_listed_until_it_is_mended_or_gone() {
    let mut index = fresh();
    let path = decision_path(&decision(1));
    let broken = |path: &str| IndexUpdate::Unreadable { path: path.into(), message: "line 3: no".into() };
    index.apply(&[update(decision(1))], &commit(1)).unwrap();
    index.apply(&[broken(&path), broken("feedback/clusters/x.yaml")], &commit(2)).unwrap();
    assert_eq!(index.counts().unwrap().unreadable, 2);
    assert_eq!(index.unreadable().unwrap()[1], (path.clone(), "line 3: no".into()));
    assert!(index.feedback("dec-1").unwrap().is_some(), "what was known stays");
    let gone = IndexUpdate::Removed { path: "feedback/clusters/x.yaml".into() };
    index.apply(&[update(decision(1)), gone], &commit(3)).unwrap();
    assert_eq!(index.unreadable().unwrap(), []);
}

#[test]
fn records_are_listed_in_their_order_with_their_state() {
    let mut index = fresh();
    let large = ClusterRecord { members: 9, ..sample::cluster("dec-9") };
    let rule =
        |n, path: &str| IndexUpdate::Written { path: path.into(), record: sample::proposal(n).into(), vector: None };
    let resolved = "feedback/ambiguous/resolved/dec-2.yaml";
    index
        .apply(
            &[
                IndexUpdate::of(sample::cluster("dec-1")),
                IndexUpdate::of(large.clone()),
                rule(1, "feedback/rules/proposed/RULE-2026-0001.yaml"),
                rule(2, "feedback/rules/active/RULE-2026-0002.yaml"),
                IndexUpdate::Written { path: resolved.into(), record: sample::ambiguous(2).into(), vector: None },
                IndexUpdate::Written {
                    path: layout::ambiguous("dec-1"),
                    record: sample::ambiguous(1).into(),
                    vector: None,
                },
                IndexUpdate::Written {
                    path: layout::edge_case(2026, 1),
                    record: EdgeCaseRecord { status: EdgeCaseStatus::Promoted, ..sample::edge_case(1) }.into(),
                    vector: None,
                },
            ],
            &commit(1),
        )
        .unwrap();
    assert_eq!(index.clusters().unwrap(), [large, sample::cluster("dec-1")]);
    let proposals: Vec<_> = index.proposals().unwrap().into_iter().map(|(_, p)| p.proposal_id).collect();
    assert_eq!(proposals, ["RULE-2026-0002", "RULE-2026-0001"]);
    assert_eq!(index.ambiguous().unwrap()[0].0, resolved);
    let counts = index.counts().unwrap();
    assert_eq!((counts.pending_proposals, counts.open_ambiguous, counts.open_edge_cases), (1, 1, 0));
}

/// Whole seconds have no fraction in text, and shorter fractions come after longer ones.
#[test]
fn turns_of_one_second_come_in_their_order() {
    let turn = |n: usize, time: &str| {
        let record = format!(
            "{{\"schema\": \"feedbackd.turn/1\", \"turn\": {{\"turn_id\": \"t-{n}\", \"session_id\": \"s\", \"timestamp\": \"{time}\", \
             \"user_message\": \"find laptops\", \"response\": \"\"}}, \"source\": {{\"stream\": \"turns\", \"entry_id\": \"1-0\"}}}}"
        );
        IndexUpdate::of(Stored::from_json(StoredKind::Turn, &record).unwrap())
    };
    let times = ["09:59:59.999Z", "10:00:00Z", "10:00:00.12Z", "10:00:00.123Z", "10:00:00.5Z", "10:00:01Z"];
    let updates: Vec<_> = (0..).zip(times).map(|(n, time)| turn(n, &format!("2026-01-12T{time}"))).collect();
    let mut index = fresh();
    index.apply(&updates, &commit(1)).unwrap();
    let found = index.turns(&TurnQuery::default()).unwrap();
    assert_eq!(
        found.iter().map(|row| row.turn_id.as_str()).collect::<Vec<_>>(),
        ["t-5", "t-4", "t-3", "t-2", "t-1", "t-0"]
    );
    assert_eq!(found[1].timestamp, "2026-01-12T10:00:00.5Z".parse().unwrap());
    let latest =
        index.turns(&TurnQuery { session: Some(&found[0].session_id), limit: 2, ..TurnQuery::default() }).unwrap();
    assert_eq!(latest, found[..2]);
    assert_eq!(index.turns(&TurnQuery { session: Some("another"), ..TurnQuery::default() }).unwrap(), []);
    assert_eq!(index.sessions().unwrap(), [found[0].session_id.clone()]);
}

#[test]
fn what_is_looked_up_by_a_key_is_what_the_list_has() {
    let mut index = fresh();
    let updates: Vec<_> = sample::one_of_each().into_iter().map(|(_, record)| IndexUpdate::of(record)).collect();
    index.apply(&updates, &commit(1)).unwrap();
    for (path, record) in sample::one_of_each().into_iter().filter(|(_, r)| r.kind() != StoredKind::Decision) {
        let kind = record.kind();
        let found = |which: Which<'_>| {
            let mut found = vec![];
            index
                .find_records(kind, which, Order::GreatestFirst, &mut |path, record| {
                    found.push((path, record));
                    std::ops::ControlFlow::Break(())
                })
                .unwrap();
            found
        };
        let row = record.row(&path);
        assert_eq!(found(Which::Id(row.id)), [(path.clone(), record.clone())]);
        assert_eq!(found(Which::Id("another")), []);
        assert!(index.record_ids(kind).unwrap().contains(&row.id.to_owned()));
        let Some(subject) = row.subject.as_deref() else { continue };
        assert_eq!(found(Which::About(subject)), [(path.clone(), record.clone())]);
        assert_eq!(index.count_about(kind, subject).unwrap(), 1);
        assert_eq!((found(Which::About("another")), index.count_about(kind, "another").unwrap()), (vec![], 0));
    }
}

#[test]
fn lists_that_are_remembered_are_those_of_the_commit_that_is_asked_at() {
    let disk = OnDisk::new();
    let titles = |index: &dyn Index| -> Vec<(String, String)> {
        index.proposals().unwrap().into_iter().map(|(path, record)| (path, record.title)).collect()
    };
    let write = |n: u32, title: &str| {
        let record = ProposalRecord { title: title.to_owned(), ..sample::proposal(n) };
        let path = format!("feedback/rules/proposed/RULE-2026-{n:04}.yaml");
        IndexUpdate::Written { path, record: record.into(), vector: None }
    };
    let mut writer = disk.files().create().unwrap();
    writer.apply(&[write(1, "one"), write(2, "two")], &commit(1)).unwrap();
    let remembered = CachedLists::default();
    let first = disk.files().snapshot().unwrap();
    let before = titles(first.as_ref());
    let first = CachedIndex::new(first, commit(1), &remembered);
    assert_eq!([titles(&first), titles(&first)], [before.clone(), before.clone()]);
    let mut oldest_first = Vec::new();
    let index: &dyn Index = &first;
    index.each_record(StoredKind::Rule, Order::LeastFirst, &mut |path, _| oldest_first.push(path)).unwrap();
    assert_eq!(oldest_first, before.iter().rev().map(|(path, _)| path.clone()).collect::<Vec<_>>());

    writer.apply(&[write(1, "another")], &commit(2)).unwrap();
    let second = disk.files().snapshot().unwrap();
    let after = titles(second.as_ref());
    let second = CachedIndex::new(second, commit(2), &remembered);
    assert_eq!(titles(&second), after);
    assert_ne!(before, after);
    // Queries at the earlier commit still return that commit's state.
    assert_eq!(titles(&first), before);
    assert_eq!(titles(&second), after);
}

#[test]
fn filters_narrow_together() {
    let mut index = fresh();
    let record = |n, agent: &str, reviewer: &str| {
        update(change(n, |r| {
            r.feedback.agent = agent.into();
            r.reviewer_id = reviewer.into();
            r.tenant_id = (n == 4).then(|| "acme".into());
        }))
    };
    let updates = [record(1, "a", "x"), record(2, "a", "y"), record(3, "b", "x"), record(4, "a", "x")];
    index.apply(&updates, &commit(1)).unwrap();
    let only = |edit: &dyn Fn(&mut FeedbackFilter)| {
        let mut filter = FeedbackFilter { agent: Some("a".into()), reviewer: Some("x".into()), ..Default::default() };
        edit(&mut filter);
        list(index.as_ref(), filter)
    };
    assert_eq!(only(&|_| {}), ["dec-4", "dec-1"]);
    assert_eq!(only(&|f| f.tenant = Some(String::new())), ["dec-1"]);
    assert_eq!(only(&|f| f.gate = Gate::new(2)), [""; 0]);
    assert_eq!(only(&|f| f.classification = Some(Classification::EdgeCase)), ["dec-4", "dec-1"]);
    assert_eq!(only(&|f| f.agent = Some("a' OR 1 --".into())), [""; 0]);
}

#[test]
fn words_are_words_and_never_syntax() {
    let mut index = fresh();
    let said = |n, text: &str| update(change(n, |r| r.reviewer_comment = Some(text.into())));
    let updates = [
        said(1, "Missing tests for the API handler"),
        said(2, "Add a test, and NOT another endpoint"),
        said(3, "Größe fehlt"),
    ];
    index.apply(&updates, &commit(1)).unwrap();
    let found = |words: &str| {
        let mut ids: Vec<String> = index.search(words, 0).unwrap().into_iter().map(|f| f.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(found("tests"), ["dec-1", "dec-2"]);
    assert_eq!(found("handler api"), ["dec-1"]);
    assert_eq!(found("grosse"), [""; 0]);
    assert_eq!(found("GRÖSSE"), [""; 0]);
    assert_eq!(found("größe"), ["dec-3"]);
    assert_eq!(found("test NOT another"), ["dec-2"]);
    for odd in ["", "  ", "\"", "* OR", "text:x", "NEAR(a b)", "a\"b", "(", "-", "^x", "\0", "a\0b", "'; DROP"] {
        found(odd);
    }
    assert_eq!(index.search("test", 1).unwrap().len(), 1);
}

#[test]
fn a_part_of_the_way_claims_nothing() {
    let mut index = fresh();
    index.apply(&[update(decision(1))], &commit(1)).unwrap();
    index.stage(&[update(decision(2))], &commit(2)).unwrap();
    assert_eq!(index.commit().unwrap(), Some(commit(1)));
    assert_eq!(index.staged().unwrap(), Some(commit(2)));
    index.apply(&[], &commit(2)).unwrap();
    assert_eq!((index.commit().unwrap(), index.staged().unwrap()), (Some(commit(2)), None));
    assert_eq!(all(index.as_ref()).len(), 2);
}

fn every_kind() -> Vec<IndexUpdate> {
    let each = sample::one_of_each().into_iter();
    each.map(|(path, record)| IndexUpdate::Written { path, record, vector: None }).collect()
}

// The following tests are about SQLite's files.

struct OnDisk {
    directory: tempfile::TempDir,
}

impl OnDisk {
    fn new() -> OnDisk {
        OnDisk { directory: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("state/index.db")
    }

    fn files(&self) -> SqliteFiles {
        SqliteFiles { path: self.path(), made: made() }
    }

    fn filled(&self, records: u32) {
        let mut index = self.files().create().unwrap();
        let updates: Vec<_> = (1..=records).map(|n| update(decision(n))).chain(every_kind()).collect();
        index.apply(&updates, &commit(records)).unwrap();
    }
}

fn stale<T>(result: Result<T, IndexError>) -> String {
    match result {
        Err(IndexError::Stale(why)) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it opened"),
    }
}

#[test]
fn an_index_that_was_made_otherwise_is_stale() {
    let disk = OnDisk::new();
    assert!(stale(disk.files().open()).contains("there is none"));
    assert!(stale(disk.files().snapshot()).contains("there is none"));
    disk.filled(3);
    assert_eq!(disk.files().open().unwrap().commit().unwrap(), Some(commit(3)));
    let with = |embedder: &str, layout| SqliteFiles {
        made: IndexOrigin { embedder: embedder.into(), layout },
        ..disk.files()
    };
    assert!(stale(with("other/2", 1).open()).contains("embedder words/1"));
    assert!(stale(with("words/1", 2).snapshot()).contains("layout 1"));
    for content in [&b""[..], b"not a database at all, but long enough to look at", &[0; 4096]] {
        fs::write(disk.path(), content).unwrap();
        stale(disk.files().open());
        stale(disk.files().snapshot());
    }
    assert_eq!(disk.files().create().unwrap().commit().unwrap(), None);
}

#[test]
fn one_writes_and_others_read_what_was_there_when_they_came() {
    let disk = OnDisk::new();
    disk.filled(2);
    let mut writer = disk.files().open().unwrap();
    for refused in [disk.files().open(), disk.files().create()] {
        assert!(matches!(refused, Err(IndexError::Io(why)) if why.contains("another process")));
    }
    let reader = disk.files().snapshot().unwrap();
    writer.apply(&[update(decision(7))], &commit(7)).unwrap();
    assert_eq!((reader.commit().unwrap(), reader.feedback("dec-7").unwrap()), (Some(commit(2)), None));
    assert_eq!(disk.files().snapshot().unwrap().commit().unwrap(), Some(commit(7)));
    let mut copy = disk.files().copy().unwrap();
    copy.apply(&[update(decision(8))], &commit(8)).unwrap();
    assert_eq!(copy.counts().unwrap().by_class[2], 4);
    assert_eq!(writer.feedback("dec-8").unwrap(), None);
    drop(writer);
    disk.files().open().unwrap();
}

/// For any flipped bit, the index reports an error or answers as before.
#[test]
fn a_turned_bit_is_noticed_or_harmless() {
    let disk = OnDisk::new();
    disk.filled(40);
    let look = |index: &dyn Index| -> Result<_, IndexError> {
        let mut seen = vec![];
        index.each_feedback(&mut |f| seen.push(f))?;
        let others = (index.clusters()?, index.proposals()?, index.edge_cases()?, index.ambiguous()?);
        Ok((seen, others, index.commit()?))
    };
    let good = look(disk.files().open().unwrap().as_ref()).unwrap();
    let sound = fs::read(disk.path()).unwrap();
    let mut noticed = 0;
    for round in 0..300usize {
        let mut damaged = sound.clone();
        let at = round.wrapping_mul(7_919 * 131) % sound.len();
        damaged[at] ^= 1 << (round % 8);
        fs::write(disk.path(), &damaged).unwrap();
        match disk.files().open().and_then(|index| look(index.as_ref())) {
            Err(IndexError::Stale(_)) => noticed += 1,
            Err(IndexError::Io(why)) => panic!("byte {at}: {why}"),
            Ok(answer) => assert!(answer == good, "byte {at} changed the answer"),
        }
    }
    assert!(noticed > 30, "only {noticed} were noticed");
}

/// Timings of `apply`; the bound is generous, for a loaded machine and an unoptimised build.
#[test]
fn taking_up_a_batch_is_fast() {
    let disk = OnDisk::new();
    let mut index = disk.files().create().unwrap();
    let vector = DemandVector::new(&[(7, 0.8), (300, 0.4)]);
    let mut spent = std::time::Duration::ZERO;
    let batches = 20;
    for batch in 0..batches {
        let updates: Vec<_> = (0..512)
            .map(|n| {
                let record = change(batch * 512 + n, |r| {
                    r.reviewer_comment =
                        Some(format!("The error handling of endpoint {n} is missing; add a test for case {batch}"));
                    r.feedback.feedback_id = format!("dec-{:08x}", n.wrapping_mul(2_654_435_761) ^ batch);
                });
                let path = decision_path(&record);
                IndexUpdate::Written { path, record: record.into(), vector: Some(vector.clone()) }
            })
            .collect();
        let start = std::time::Instant::now();
        index.apply(&updates, &commit(batch)).unwrap();
        spent += start.elapsed();
    }
    let each = spent / (batches * 512);
    eprintln!("{each:?} a record");
    assert!(each.as_micros() < 500, "{each:?} a record");
    assert_eq!(index.counts().unwrap().by_class[2], u64::from(batches) * 512);
}
