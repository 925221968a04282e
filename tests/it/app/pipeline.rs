//! A batch in, a commit out: classes, clusters, proposals, tiebreaks and dead letters, on a real Git store.

use crate::harness::run::{Run, decision, git, now, push};
use feedbackd::app::pipeline::{EntryOutcome, ProcessedBatch};
use feedbackd::app::queries::{Comparisons, Queries, QueryError, SimilarTo};
use feedbackd::config::Config;
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::event::{GateRequest, RawEntry, RejectCode, StreamKind};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::message::Topic;
use feedbackd::domain::records::record::{
    AmbiguousRecord, ClusterRecord, EdgeCaseRecord, EdgeCaseStatus, ProposalRecord,
};
use feedbackd::ports::FeedbackFilter;
use feedbackd::wiring;
use serde_json::Value;
use std::collections::BTreeSet;

fn three_alike() -> [Value; 3] {
    [
        decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
        decision("d3", "cem", "APPROVED_WITH_CHANGES", Some("Please add error handling to the API handler")),
    ]
}

fn topics(processed: &ProcessedBatch) -> Vec<Topic> {
    processed.messages.iter().map(|m| m.topic).collect()
}

#[test]
fn three_similar_corrections_by_different_reviewers_make_one_proposal() {
    let mut run = Run::new();
    let processed = run.send(&three_alike());
    for id in ["d1", "d2", "d3"] {
        assert_eq!(run.class(id), Classification::GeneralizableHigh, "{id}");
    }
    let proposals = run.paths(layout::PROPOSED);
    assert_eq!(proposals, ["feedback/rules/proposed/RULE-2026-0001.yaml"]);
    let proposal: ProposalRecord = run.read(&proposals[0]);
    assert_eq!(proposal.created_from_feedback_ids, ["d1", "d2", "d3"]);
    assert_eq!(proposal.affected_agents, ["coding-agent"]);
    assert_eq!(proposal.reviewers, ["ann", "bob", "cem"]);
    assert!(proposal.classification_confidence >= 0.9);
    let cluster: ClusterRecord = run.read(&layout::cluster(&proposal.cluster_id));
    assert_eq!(cluster.proposal.as_deref(), Some("RULE-2026-0001"));
    assert_eq!((cluster.members, cluster.reviewer_count), (3, 3));
    assert_eq!(run.decision("d2").evaluation.cluster.as_deref(), Some(cluster.cluster_id.as_str()));
    assert_eq!(topics(&processed).iter().filter(|t| **t == Topic::RuleProposals).count(), 1);
    assert_eq!(topics(&processed).iter().filter(|t| **t == Topic::FeedbackEvaluated).count(), 3);
    let rationale = run.decision("d3").evaluation.rationale;
    assert!(rationale.contains("d1 by ann") && rationale.contains("3 different reviewers"), "{rationale}");
}

#[test]
fn a_lone_correction_is_an_edge_case_and_is_promoted_when_its_like_arrives() {
    let mut run = Run::new();
    let [first, second, _] = three_alike();
    run.send(&[first]);
    assert_eq!(run.class("d1"), Classification::EdgeCase);
    let path = "feedback/edge_cases/2026/0000/EDGE-2026-0001.yaml";
    let edge_case: EdgeCaseRecord = run.read(path);
    assert_eq!(edge_case.status, EdgeCaseStatus::Open);
    assert!(edge_case.why.contains("No one has asked coding-agent"), "{}", edge_case.why);
    run.send(&[second]);
    assert_eq!(run.class("d1"), Classification::GeneralizableHigh);
    assert_eq!(run.decision("d1").evaluation.revision, 2);
    let edge_case: EdgeCaseRecord = run.read(path);
    assert_eq!(edge_case.status, EdgeCaseStatus::Promoted);
    assert_eq!(edge_case.promoted_to, run.decision("d1").evaluation.cluster);
    assert!(edge_case.resolution.unwrap().contains("ann, bob"));
}

#[test]
fn one_reviewer_alone_stays_low_and_the_rationale_says_what_is_missing() {
    let mut run = Run::new();
    let mut events = three_alike();
    for event in &mut events {
        event["reviewer_id"] = "ann".into();
    }
    run.send(&events);
    assert_eq!(run.class("d3"), Classification::GeneralizableLow);
    assert!(run.decision("d3").evaluation.rationale.contains("a second person is needed"));
    assert_eq!(run.paths(layout::PROPOSED), [""; 0]);
}

#[test]
fn an_approval_against_an_earlier_correction_is_ambiguous_with_both_sides_and_an_alert() {
    let mut run = Run::new();
    run.send(&three_alike()[..1]);
    let processed = run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    assert_eq!(run.class("d9"), Classification::Ambiguous);
    let tiebreak: AmbiguousRecord = run.read("feedback/ambiguous/d9.yaml");
    assert_eq!(tiebreak.this_side.reviewer_id, "dee");
    assert_eq!(tiebreak.other_side[0].feedback_id, "d1");
    assert_eq!(tiebreak.other_side[0].reviewer_id, "ann");
    insta::assert_snapshot!(tiebreak.question, @"dee approved and does not want it (“No error handling needed in the API handler”) and ann rejected and wants it (“Missing error handling in API handler”). Which of the two applies to coding-agent?");
    assert!(topics(&processed).contains(&Topic::Alerts));
    assert_eq!(run.decision("d9").evaluation.contradicts[0].feedback_id, "d1");
    // The first one was settled and is unchanged.
    assert_eq!(run.class("d1"), Classification::EdgeCase);
}

#[test]
fn approvals_that_ask_for_nothing_are_positive() {
    let mut run = Run::new();
    run.send(&[decision("p1", "ann", "APPROVED", None), decision("p2", "bob", "approved", Some("LGTM, thanks!"))]);
    assert_eq!(run.class("p1"), Classification::Positive);
    assert_eq!(run.class("p2"), Classification::Positive);
}

#[test]
fn a_malformed_entry_is_set_aside_and_the_rest_goes_on() {
    let mut run = Run::new();
    let mut bad = decision("d1", "ann", "REJECTED", None);
    bad["decision"] = "MAYBE".into();
    let processed = run.send(&[bad, decision("d2", "bob", "APPROVED", None)]);
    let EntryOutcome::Rejected(rejection) = &processed.outcomes[0] else { panic!("{:?}", processed.outcomes) };
    assert_eq!(rejection.code, RejectCode::InvalidField);
    assert_eq!(rejection.field.as_deref(), Some("decision"));
    assert_eq!(run.class("d2"), Classification::Positive);
    assert_eq!(run.paths(layout::DEAD_LETTERS).len(), 1);
}

#[test]
fn repeating_a_batch_changes_nothing_not_even_after_a_restart() {
    let mut run = Run::new();
    let entries: Vec<RawEntry> = three_alike().iter().map(|e| run.entry(e)).collect();
    let first = run.process(&entries);
    assert!(first.commit.is_some());
    for _ in 0..2 {
        let again = run.process(&entries);
        assert_eq!(again.commit, None);
        assert_eq!(again.counts.duplicates, 3);
        run.restart();
    }
}

#[test]
fn publishing_resumes_from_git_with_the_same_messages() {
    let mut run = Run::new();
    let [first, second, third] = three_alike();
    let waiver = decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"));
    let batches = [run.send(&[first, decision("p1", "ann", "APPROVED", None)]), run.send(&[second, third, waiver])];
    let pipeline = run.pipeline.as_ref().unwrap();
    for batch in &batches {
        let commit = batch.commit.as_ref().unwrap();
        let again =
            feedbackd::app::publication::outbox::messages(pipeline.store(), batch.previous.as_ref(), commit).unwrap();
        assert_eq!(again, batch.messages);
        assert!(!again.is_empty());
    }
}

#[test]
fn the_same_decision_on_both_streams_is_one_record_that_has_what_either_knew() {
    let mut run = Run::new();
    let dispatcher = RawEntry {
        stream: "asdlc:events".into(),
        kind: StreamKind::Dispatcher,
        id: "1768000000000-1".into(),
        fields: [
            ("event_type", "gate_rejected"),
            ("session_id", "s-1"),
            ("timestamp", "2026-01-12T10:00:00+00:00"),
            ("metadata", r#"{"request_id":"r1","decision_id":"d1","reviewer":"ann","reason":"Missing error handling in API handler","conditions":[]}"#),
        ]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v.as_bytes().to_vec()))
        .collect(),
        gate_request: Some(GateRequest::Found(
            [("gate_type", "hitl_4_code"), ("requested_by", "coding-agent")].map(|(k, v)| (k.into(), v.into())).into(),
        )),
        oversize: None,
    };
    run.process(&[dispatcher]);
    let processed = run.send(&three_alike()[..1]);
    assert!(matches!(processed.outcomes[0], EntryOutcome::Duplicate(_)));
    assert_eq!(run.paths(layout::DECISIONS).len(), 1);
    let record = run.decision("d1");
    assert_eq!((record.session_id.as_deref(), record.epic_id.as_deref()), (Some("s-1"), Some("EP-1")));
    assert_eq!(record.evaluation.revision, 1);
}

/// An empty field counts as missing, whether the other event comes in the same batch or later.
#[test]
fn an_empty_field_is_completed_by_the_other_stream_whenever_that_comes() {
    let mut run = Run::new();
    let [mut first, ..] = three_alike();
    first["session_id"] = "".into();
    run.send(std::slice::from_ref(&first));
    let path = run.paths(layout::DECISIONS).remove(0);
    run.commit_file(&path, |file| format!("{file}session_id: ''\n"));
    first["session_id"] = "s-1".into();
    let twin = RawEntry { stream: "asdlc:events".into(), ..run.entry(&first) };
    run.process(&[twin]);
    assert_eq!(run.decision("d1").session_id.as_deref(), Some("s-1"));
}

#[test]
fn corrections_come_inline_or_as_files_below_the_root_and_secrets_do_not() {
    let mut run = Run::new();
    std::fs::create_dir(run.dir.path().join("corrections")).unwrap();
    let diff = "--- a/src/api.py\n+++ b/src/api.py\n@@ -1 +1,2 @@\n-pass\n+try:\n+    password = \"hunter2hunter2\"\n";
    std::fs::write(run.dir.path().join("corrections/one.patch"), diff).unwrap();
    let mut events = three_alike();
    events[0]["correction_diff"] = diff.into();
    events[1]["correction_diff_path"] = "one.patch".into();
    events[2]["correction_diff_path"] = "../one.patch".into();
    run.send(&events);
    for id in ["d1", "d2"] {
        let record = run.decision(id);
        let correction = record.feedback.correction.unwrap();
        assert_eq!(
            (correction.files, correction.lines_added, correction.lines_removed),
            (vec!["src/api.py".into()], 2, 1)
        );
        let stored = run.text(&correction.path).unwrap();
        assert!(stored.contains("+try:") && !stored.contains("hunter2"), "{stored}");
    }
    let record = run.decision("d3");
    assert_eq!(record.feedback.correction, None);
    assert!(record.feedback.correction_note.is_some());
}

#[test]
fn what_people_wrote_into_a_record_survives_a_re_evaluation() {
    let mut run = Run::new();
    let [first, second, _] = three_alike();
    run.send(&[first]);
    let path = run.paths(layout::DECISIONS).remove(0);
    let clone = run.clone_store();
    let file = clone.join(&path);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("# discussed in the team on Monday\n{text}")).unwrap();
    push(&clone, "Add a note");
    run.send(&[second]);
    let text = run.text(&path).unwrap();
    assert!(text.starts_with("# discussed in the team on Monday\n"), "{text}");
    assert!(text.contains("GENERALIZABLE_HIGH"), "{text}");
}

#[test]
fn patterns_that_are_less_sure_wait_for_the_next_batch_of_proposals() {
    let mut run = Run::new();
    run.config.proposals.immediate_threshold = 1.0;
    run.restart();
    let first = run.send(&three_alike());
    assert_eq!(first.counts.proposals, [""; 0]);
    let due = run.pipeline.as_ref().unwrap().proposals_due_at().unwrap();
    assert_eq!(due, now() + jiff::SignedDuration::from_mins(15));
    let processed = run.pipeline.as_mut().unwrap().process(&[], due).unwrap();
    assert_eq!(processed.counts.proposals, ["RULE-2026-0001"]);
    assert_eq!(run.pipeline.as_ref().unwrap().proposals_due_at(), None);
}

#[test]
fn what_is_recorded_is_found_again() {
    let mut run = Run::new();
    run.send(&three_alike());
    assert_eq!(run.send(&three_alike()).commit, None, "a repetition is no second record");
    let pipeline = run.pipeline.as_ref().unwrap();
    let queries = Queries::new(pipeline.store(), pipeline.index());
    let comparisons = Comparisons { queries, understanding: pipeline.understanding().as_ref() };
    assert_eq!(queries.feedback_show("d1").unwrap().record.reviewer_id, "ann");
    assert!(queries.feedback_show("d77").is_err());
    let similar = |id: &str| {
        let found = comparisons.similar(&SimilarTo::Feedback(id.to_owned()), 0.8, 0, &FeedbackFilter::default())?;
        Ok::<_, QueryError>(found.into_iter().map(|line| line.feedback.feedback_id).collect::<BTreeSet<_>>())
    };
    assert_eq!(similar("d1").unwrap(), BTreeSet::from(["d2".to_owned(), "d3".to_owned()]));
    assert!(similar("d77").is_err());
    let of = |agent: &str, limit| {
        let filter = FeedbackFilter { agent: Some(agent.to_owned()), limit, ..FeedbackFilter::default() };
        queries.feedback_list(&filter).unwrap().len()
    };
    assert_eq!((of("coding-agent", 2), of("prd-agent", 100)), (2, 0));
}

#[test]
fn the_stores_explanations_are_kept_current_and_what_people_wrote_is_kept() {
    let mut run = Run::new();
    let clone = run.clone_store();
    let (readme, schema) = (run.text("README.md").unwrap(), run.text("schemas/decision.json").unwrap());
    std::fs::write(clone.join("schemas/decision.json"), "{}").unwrap();
    std::fs::write(clone.join("README.md"), format!("{readme}an older text\n")).unwrap();
    std::fs::write(clone.join("reviewers.yaml"), "reviewers: [{id: ann, roles: [approver]}]\n").unwrap();
    push(&clone, "Look like a store of an older program");
    run.restart();
    assert_eq!(run.text("schemas/decision.json").unwrap(), schema);
    assert_eq!(run.text("README.md").unwrap(), readme);
    assert!(run.text("reviewers.yaml").unwrap().contains("ann"));
    git(&["pull", "-q", "--rebase"], &clone);
    std::fs::write(clone.join("README.md"), "Our own words.\n").unwrap();
    push(&clone, "Write a README of our own");
    run.restart();
    assert_eq!(run.text("README.md").unwrap(), "Our own words.\n");
}

#[test]
fn a_redelivery_never_writes_over_a_record_that_people_broke() {
    let mut run = Run::new();
    let entries = vec![run.entry(&three_alike()[0])];
    run.process(&entries);
    let clone = run.clone_store();
    let path = run.paths(layout::DECISIONS).remove(0);
    std::fs::write(clone.join(&path), "schema: [an edit that went wrong").unwrap();
    push(&clone, "Edit a record");
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    run.restart();
    assert_eq!(run.process(&entries).commit, None);
    assert_eq!(run.text(&path).unwrap(), "schema: [an edit that went wrong");
    assert_eq!(run.pipeline.as_ref().unwrap().index().counts().unwrap().unreadable, 1);
}

#[test]
fn a_proposal_names_the_feedback_that_speaks_against_it() {
    let mut run = Run::new();
    run.send(&three_alike());
    run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    let proposal: ProposalRecord = run.read("feedback/rules/proposed/RULE-2026-0001.yaml");
    assert_eq!(proposal.dissent, ["d9"]);
    assert_eq!(proposal.version, 1, "the text is the same, so approvals stand");
}

#[test]
fn a_clusters_title_is_peoples_to_change() {
    let mut run = Run::new();
    run.send(&three_alike()[..2]);
    let path = run.paths(layout::CLUSTERS).remove(0);
    let clone = run.clone_store();
    let text = run.text(&path).unwrap();
    let title = text.lines().find(|l| l.starts_with("title:")).unwrap();
    std::fs::write(clone.join(&path), text.replace(title, "title: Errors in handlers")).unwrap();
    push(&clone, "Name a cluster");
    run.send(&three_alike()[2..]);
    let cluster: ClusterRecord = run.read(&path);
    assert_eq!((cluster.title.as_str(), cluster.members), ("Errors in handlers", 3));
}

#[test]
fn only_a_store_on_its_own_branch_is_written_to() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.state.dir = dir.path().join("state");
    config.store.path = dir.path().join("other.git");
    git(&["init", "-q", "--bare", "-b", "main", config.store.path.to_str().unwrap()], dir.path());
    let work = dir.path().join("work");
    git(&["init", "-q", "-b", "main", work.to_str().unwrap()], dir.path());
    std::fs::write(work.join("code.rs"), "fn main() {}").unwrap();
    git(&["add", "."], &work);
    git(&["remote", "add", "origin", config.store.path.to_str().unwrap()], &work);
    git(&["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "Something else"], &work);
    git(&["push", "-q", "origin", "main"], &work);
    let refused = |config: &Config| wiring::pipeline(config).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(refused(&config).contains("not a store"), "{}", refused(&config));
    assert!(!config.state.dir.exists(), "nothing is left behind");
    config.store.path = dir.path().join("store.git");
    wiring::init_store(&config, false).unwrap();
    config.store.branch = "dev".into();
    assert!(refused(&config).contains("store.branch"), "{}", refused(&config));
}

#[test]
fn what_one_remark_makes_of_large_records_follows_in_later_batches() {
    let mut run = Run::new();
    let large = |n: usize| {
        let mut event = decision(&format!("d{n:02}"), "ann", "REJECTED", Some("Missing error handling in API handler"));
        event["notes"] = Value::from("x".repeat(900_000));
        event
    };
    for n in 0..20 {
        run.send(&[large(n)]);
    }
    let high =
        |run: &Run| (0..20).filter(|n| run.class(&format!("d{n:02}")) == Classification::GeneralizableHigh).count();
    assert_eq!(high(&run), 0, "one person alone makes no pattern");
    run.send(&[decision("e1", "bob", "REJECTED", Some("API handler lacks error handling"))]);
    assert_eq!(run.class("e1"), Classification::GeneralizableHigh);
    let at_once = high(&run);
    assert!((1..=11).contains(&at_once), "{at_once}");
    for _ in 0..3 {
        run.tick();
    }
    assert_eq!(high(&run), 20);
    assert_eq!(run.tick().commit, None, "and nothing is left to do");
}
