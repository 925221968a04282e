//! Decisions with comments: each comment is separate feedback, and the decision stays one record and one correction.

use crate::harness::run::{Run, decision, now};
use feedbackd::app::pipeline::EntryOutcome;
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::event::RejectCode;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::message::Topic;
use feedbackd::domain::records::record::{DecisionRecord, ProposalRecord};
use feedbackd::ports::{FeedbackFilter, Index, OutcomeQuery};
use feedbackd::wiring;
use serde_json::{Value, json};

/// Returns a review of one pull request with comments with the ids `c1`, `c2` and so on.
fn review(id: &str, reviewer: &str, verdict: &str, bodies: &[&str]) -> Value {
    let mut event = decision(id, reviewer, verdict, None);
    event["task_id"] = format!("octo/shop#{id}").into();
    let comments = bodies.iter().enumerate().map(|(at, body)| {
        json!({
            "comment_id": format!("c{}", at + 1), "body": body, "path": "src/api/handler.py", "line": 7 + at,
            "diff_hunk": "@@ -1,1 +1,2 @@\n import api\n+def handle(request):",
        })
    });
    event["comments"] = comments.collect();
    event
}

const DEMANDS: [&str; 3] = [
    "Missing error handling in API handler",
    "API handler lacks error handling",
    "Please add error handling to the API handler",
];

/// Returns the current index.
fn index(run: &Run) -> Box<dyn Index> {
    wiring::reindexing(&run.config).unwrap().files.snapshot().unwrap()
}

fn decisions(run: &Run) -> Vec<DecisionRecord> {
    run.paths(layout::DECISIONS).iter().map(|path| run.read(path)).collect()
}

#[test]
fn comments_of_reviews_make_the_pattern_that_they_make_one_by_one() {
    let mut run = Run::new();
    let processed = run.send(&[
        review("d1", "ann", "REJECTED", &["Rename this to parse_date.", DEMANDS[0]]),
        review("d2", "bob", "APPROVED_WITH_CHANGES", &[DEMANDS[1]]),
        review("d3", "cem", "APPROVED_WITH_CHANGES", &[DEMANDS[2], "Nice!"]),
    ]);
    let proposal: ProposalRecord = run.read(&run.paths(layout::PROPOSED)[0]);
    assert_eq!(proposal.created_from_feedback_ids, ["d1#c2", "d2#c1", "d3#c1"]);
    assert_eq!(proposal.reviewers, ["ann", "bob", "cem"]);
    // Each decision is one record.
    let records = decisions(&run);
    assert_eq!(records.len(), 3);
    let classes = |record: &DecisionRecord| -> Vec<Classification> {
        record.comments.iter().map(|comment| comment.evaluation.classification).collect()
    };
    assert_eq!(classes(&records[0]), [Classification::EdgeCase, Classification::GeneralizableHigh]);
    assert_eq!(classes(&records[2]), [Classification::GeneralizableHigh, Classification::Positive]);
    let [comment, _] = &records[2].comments[..] else { panic!("{:?}", records[2].comments) };
    assert_eq!((comment.comment.path.as_deref(), comment.comment.line), (Some("src/api/handler.py"), Some(7)));
    assert_eq!(comment.feedback.places[0].about.as_deref(), Some("handle"));
    // Each feedback is reported once, including that of the whole.
    let told: Vec<String> = processed
        .messages
        .iter()
        .filter(|message| message.topic == Topic::FeedbackEvaluated)
        .map(|message| {
            serde_json::from_str::<Value>(&message.data).unwrap()["feedback_id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(told, ["d1", "d1#c1", "d1#c2", "d2", "d2#c1", "d3", "d3#c1", "d3#c2"]);
    let subject = run.subject();
    assert!(subject.starts_with("Record 3 decisions with 5 comments"), "{subject}");
}

#[test]
fn in_every_rate_a_decision_counts_once() {
    let mut run = Run::new();
    run.send(&[
        review("d1", "ann", "APPROVED", &[DEMANDS[0], "Please add a test for the empty list."]),
        review("d2", "bob", "APPROVED", &["Nice!", "Thanks, that reads well."]),
        decision("d3", "cem", "APPROVED", None),
    ]);
    let index = index(&run);
    let query = OutcomeQuery { agent: "coding-agent".into(), ..OutcomeQuery::default() };
    let outcomes: Vec<(String, bool)> =
        index.outcomes(&query).unwrap().into_iter().map(|o| (o.id, o.is_correction)).collect();
    let expected = [("d1", true), ("d2", false), ("d3", false)].map(|(id, corrects)| (id.to_owned(), corrects));
    assert_eq!(outcomes, expected, "an approval whose comments ask for something corrects");
    let two = OutcomeQuery { latest_first: true, limit: 2, ..query };
    assert_eq!(index.outcomes(&two).unwrap().iter().map(|o| o.id.as_str()).collect::<Vec<_>>(), ["d3", "d2"]);
}

#[test]
fn a_comment_that_is_a_list_is_several_demands_with_ids_that_stay() {
    let mut run = Run::new();
    let list = "- Missing error handling in API handler\n- Rename this to parse_date.";
    run.send(&[review("d1", "ann", "REJECTED", &[list]), review("d2", "bob", "REJECTED", &[DEMANDS[1]])]);
    let record: DecisionRecord = run.read(&run.paths(layout::DECISIONS)[0]);
    let said: Vec<(&str, &str)> = record.comments.iter().map(|c| (c.feedback.feedback_id.as_str(), c.said())).collect();
    assert_eq!(said, [("d1#c1", "Missing error handling in API handler"), ("d1#c1.2", "Rename this to parse_date."),]);
    assert_eq!(record.comments[0].comment.body, list);
    assert_eq!(record.comments[1].comment.body, "", "the body stands once");
    assert_eq!(record.comments[0].evaluation.classification, Classification::GeneralizableHigh);
}

#[test]
fn what_is_said_of_one_task_however_often_is_one_occasion() {
    let mut run = Run::new();
    let mut events = [review("d1", "ann", "REJECTED", &[DEMANDS[0]]), review("d2", "bob", "REJECTED", &[DEMANDS[1]])];
    for event in &mut events {
        event["task_id"] = "octo/shop#1".into();
    }
    run.send(&events);
    assert_eq!(run.class("d1#c1"), Classification::GeneralizableLow);
    let rationale = run.decision("d1#c1").evaluation.rationale;
    assert!(rationale.contains("a second task is needed"), "{rationale}");
    run.send(&[review("d3", "ann", "REJECTED", &[DEMANDS[2]])]);
    assert_eq!(run.class("d1#c1"), Classification::GeneralizableHigh);
}

#[test]
fn a_comment_is_withdrawn_by_itself() {
    let mut run = Run::new();
    run.approvers(&["ana", "ben"]);
    run.send(&[
        review("d1", "ann", "REJECTED", &["Rename this to parse_date.", DEMANDS[0]]),
        review("d2", "bob", "REJECTED", &[DEMANDS[1]]),
    ]);
    assert_eq!(run.class("d1#c2"), Classification::GeneralizableHigh);
    run.review(&json!({
        "review_id": "r1", "decision": "RETRACT", "feedback_id": "d1#c2", "reviewer_id": "ana",
        "reason": "said in jest", "timestamp": now().to_string(),
    }));
    run.tick();
    let record: DecisionRecord = run.read(&run.paths(layout::DECISIONS)[0]);
    assert_eq!(record.comments[1].feedback.retracted_by.as_deref(), Some("r1"));
    assert_eq!(record.comments[0].feedback.retracted_by, None);
    assert_eq!(run.class("d2#c1"), Classification::EdgeCase);
}

#[test]
fn what_comments_teach_is_the_same_after_a_restart_and_in_an_index_made_anew() {
    let mut run = Run::new();
    run.send(&[
        review("d1", "ann", "REJECTED", &["Rename this to parse_date.", DEMANDS[0]]),
        review("d2", "bob", "APPROVED", &[DEMANDS[1]]),
    ]);
    run.restart();
    run.send(&[review("d3", "cem", "REJECTED", &[DEMANDS[2]])]);
    let clusters = |id: &str| run.decision(id).evaluation.cluster;
    assert_eq!(clusters("d1#c2"), clusters("d3#c1"));
    let before = run.paths("");
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    run.restart();
    let index = index(&run);
    let all: Vec<String> = index.list(&FeedbackFilter::default()).unwrap().into_iter().map(|f| f.id).collect();
    assert_eq!(all.len(), 7, "{all:?}");
    assert_eq!(run.paths(""), before);
}

#[test]
fn comments_are_read_in_a_flat_entry_and_redelivered_without_effect() {
    let mut run = Run::new();
    let event = review("d1", "ann", "REJECTED", &[DEMANDS[0]]);
    let mut entry = run.entry(&event);
    let fields = event.as_object().unwrap().iter();
    entry.fields = fields
        .map(|(name, value)| {
            (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes())
        })
        .collect();
    run.process(&[entry.clone()]);
    assert_eq!(decisions(&run)[0].comments.len(), 1);
    let processed = run.process(&[entry]);
    assert!(processed.commit.is_none(), "{processed:?}");
}

#[test]
fn comments_that_cannot_be_read_are_set_aside_with_what_is_wrong() {
    let mut run = Run::new();
    let cases = [
        (json!([{ "body": "x" }]), "comments[0].comment_id"),
        (json!([{ "comment_id": "a", "body": "x" }, { "comment_id": "a", "body": "y" }]), "comments[1].comment_id"),
        (json!([{ "comment_id": "a" }]), "comments[0].body"),
        (json!(["x"]), "comments[0]"),
        (json!({ "a": 1 }), "comments"),
    ];
    for (at, (comments, field)) in cases.into_iter().enumerate() {
        let mut event = decision(&format!("d{at}"), "ann", "REJECTED", None);
        event["comments"] = comments;
        let processed = run.send(&[event]);
        let EntryOutcome::Rejected(rejection) = &processed.outcomes[0] else { panic!("{:?}", processed.outcomes) };
        assert_eq!(rejection.field.as_deref(), Some(field), "{}", rejection.message);
        assert!(matches!(rejection.code, RejectCode::MissingField | RejectCode::InvalidField));
        assert!(rejection.message.contains(&format!("`{field}`")), "{}", rejection.message);
    }
}

#[test]
fn secrets_in_comments_never_reach_the_store() {
    let mut run = Run::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let mut event = review("d1", "ann", "REJECTED", &[&format!("Do not commit {secret}")]);
    event["comments"][0]["diff_hunk"] = format!("@@ -1 +1 @@\n+token = \"{secret}\"").into();
    event["comments"][0]["suggestion"] = format!("x = \"{secret}\"").into();
    run.send(&[event]);
    for path in run.paths("feedback/") {
        assert!(!run.text(&path).unwrap().contains(secret), "{path}");
    }
    assert_eq!(decisions(&run)[0].comments[0].feedback.redacted.len(), 1);
}
