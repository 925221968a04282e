//! The pipeline's working set for the channels: the same for a running program and for a restarted one, however wrong
//! the senders' clocks are.

use super::rules::{RULE, review, rule, with_proposal};
use crate::harness::run::{Run, decision, now};
use feedbackd::app::pipeline::{EntryOutcome, ProcessedBatch};
use feedbackd::domain::channels::action::Suggestion;
use feedbackd::domain::intake::event::{RejectCode, StreamKind};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::message::Topic;
use feedbackd::wiring;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the data of the messages on a topic.
fn said(processed: &ProcessedBatch, topic: Topic) -> Vec<Value> {
    let on = processed.messages.iter().filter(|m| m.topic == topic);
    on.map(|m| serde_json::from_str(&m.data).unwrap()).collect()
}

fn action(id: &str, at: Timestamp, session: &str, kind: &str) -> Value {
    json!({
        "action_id": id, "timestamp": at.to_string(), "session_id": session, "task_id": "T-9", "agent": "kyc-agent",
        "type": kind, "action": "direct_path", "inference": "unresolved_document_ids", "reason": "case not set",
        "user_input": "process the document",
    })
}

fn turn(session: &str, n: u32, at: &str, text: &str) -> Value {
    json!({
        "turn_id": format!("turn_{n:06}"), "session_id": session, "timestamp": at, "user_message": text,
        "response": "Here are three business laptops.", "agent": "shop-agent",
    })
}

fn refinement(id: &str, at: &str) -> Value {
    json!({
        "refinement_id": id, "timestamp": at, "task_id": "T-1", "session_id": "s-1", "agent": "coding-agent",
        "original_prompt": "review the code", "feedback": "wrong, I meant security review",
    })
}

fn document(n: u32, at: &str) -> Value {
    json!({
        "id": format!("0191f3a0-0000-7000-8000-00000000000{n}"), "timestamp": at,
        "iteration": {"number": n, "max": 9, "phase": if n == 1 { "initial" } else { "refinement" }},
        "target": {"type": "code", "path": "src/auth/validate.ts"},
        "feedback_items": [{
            "aspect": "security", "severity": "major",
            "issue": "Function validateToken() does not limit its input before regex evaluation, so tokens hang the server",
            "location": {"type": "function", "reference": "validateToken()"},
            "suggestion": {
                "action": "Add an input length check of at most 1000 characters before the regex is evaluated",
                "rationale": "Prevents exponential backtracking in the regex engine on malicious input",
            },
        }],
        "overall_assessment": {
            "score": 0.6, "verdict": "refine", "confidence": 0.9,
            "summary": "The token validation lacks input sanitisation and must be mended before it can be accepted.",
        },
        "agent": "coding-agent", "reviewer_id": "rita",
    })
}

/// On every stream, an impossible time becomes a dead letter that says so; nothing is recorded of it.
#[test]
fn times_out_of_bounds_are_refused_on_every_stream() {
    let mut run = with_proposal();
    let at = |mut event: Value, time: &str| {
        event["timestamp"] = time.into();
        event
    };
    let injection =
        json!({"injection_id": "i-1", "agent": "coder", "rules": [], "base_hash": "b0", "prompt_hash": "b1"});
    let dispatched = json!({"event_type": "gate_approved", "session_id": "s", "gate_id": "HITL-2",
        "metadata": {"decision_id": "d9", "reviewer": "ann"}});
    let events = [
        (StreamKind::HitlDecisions, decision("d9", "ann", "REJECTED", Some("Missing error handling"))),
        (StreamKind::Dispatcher, dispatched),
        (StreamKind::MetaHitl, review("rev-1", "cleo", "APPROVE", Value::Null)),
        (StreamKind::MetaHitl, injection),
        (StreamKind::Turns, turn("s", 1, "", "find laptops")),
        (StreamKind::Refinements, refinement("r-1", "")),
        (StreamKind::ActionResults, action("a-1", now(), "s", "action_failed")),
        (StreamKind::IterationFeedback, document(1, "")),
    ];
    for (kind, event) in events {
        for time in ["2099-01-01T00:00:00Z", "9998-12-31T00:00:00Z", "2026-01-13T12:00:01Z", "1969-12-31T23:59:59Z"] {
            let processed = run.hear(kind, &[at(event.clone(), time)]);
            let [EntryOutcome::Rejected(rejection)] = &processed.outcomes[..] else {
                panic!("{kind:?} {time}: {:?}", processed.outcomes)
            };
            assert_eq!((rejection.code, rejection.field.as_deref()), (RejectCode::InvalidField, Some("timestamp")));
            let why = if time.starts_with("19") { "not before 1970" } else { "at most a day ahead of the clock here" };
            assert!(rejection.message.contains(why), "{}", rejection.message);
        }
        let processed = run.hear(kind, &[at(event, "2026-01-13T12:00:00Z")]);
        assert!(!matches!(processed.outcomes[..], [EntryOutcome::Rejected(_)]), "{:?}", processed.outcomes);
    }
}

/// An approval of 2099 does not count, now or then.
#[test]
fn an_approval_from_the_future_does_not_count() {
    let mut run = with_proposal();
    for who in ["cleo", "dora"] {
        let approval = review(who, who, "APPROVE", json!({"timestamp": "2099-01-01T00:00:00Z"}));
        assert!(matches!(run.review(&approval).outcomes[..], [EntryOutcome::Rejected(_)]));
    }
    assert!(rule(&run, RULE).0.starts_with(layout::PROPOSED));
    assert_eq!(rule(&run, RULE).1.approvals, []);
}

/// Returns all messages about several weeks of actions, refinements and review documents, with or without a restart
/// between any two events.
fn weeks(restarts: bool) -> Vec<Value> {
    let mut run = Run::new();
    let mut told = Vec::new();
    let mut hear = |run: &mut Run, day: i64, kind: StreamKind, event: Value| {
        run.now = now() + SignedDuration::from_hours(24 * day);
        if restarts {
            run.restart();
        }
        let processed = run.hear(kind, &[event]);
        assert!(processed.commit.is_some(), "{:?}", processed.outcomes);
        let topics = [Topic::ActionFeedback, Topic::Alerts, Topic::RefinedPrompts];
        told.extend(topics.into_iter().flat_map(|topic| said(&processed, topic)));
    };
    let on = |day: i64| now() + SignedDuration::from_hours(24 * day);
    hear(&mut run, 0, StreamKind::ActionResults, action("a-1", on(0), "s-1", "action_failed"));
    hear(&mut run, 0, StreamKind::Refinements, refinement("r-1", "2026-01-12T10:00:00Z"));
    hear(&mut run, 0, StreamKind::IterationFeedback, document(1, "2026-01-12T10:00:00Z"));
    hear(&mut run, 1, StreamKind::ActionResults, action("a-2", on(1), "s-1", "action_failed"));
    // Three weeks later another session; earlier events are old then.
    hear(&mut run, 22, StreamKind::ActionResults, action("b-1", on(22), "s-2", "action_failed"));
    hear(&mut run, 22, StreamKind::ActionResults, action("a-3", on(22), "s-1", "action_failed"));
    // A late one.
    hear(&mut run, 23, StreamKind::ActionResults, action("a-0", on(-3), "s-1", "action_failed"));
    hear(&mut run, 23, StreamKind::ActionResults, action("a-4", on(23), "s-1", "action_failed"));
    hear(&mut run, 23, StreamKind::ActionResults, action("a-5", on(23), "s-1", "action"));
    hear(&mut run, 23, StreamKind::Refinements, refinement("r-3", "2026-01-14T10:00:00Z"));
    hear(&mut run, 23, StreamKind::Refinements, refinement("r-2", "2026-01-13T10:00:00Z"));
    hear(&mut run, 23, StreamKind::Refinements, refinement("r-4", "2026-01-15T10:00:00Z"));
    for (n, hour) in [(2, 11), (4, 13), (3, 12), (5, 14)] {
        hear(&mut run, 24, StreamKind::IterationFeedback, document(n, &format!("2026-02-05T{hour}:00:00Z")));
    }
    for id in ["r-1", "r-2", "r-3", "r-4"] {
        let path = run.paths(layout::REFINEMENTS).into_iter().find(|p| p.ends_with(&format!("/{id}.yaml"))).unwrap();
        let record: Value = run.read(&path);
        told.push(json!({"of": id, "log": record["feedback_log"]}));
    }
    for path in run.paths(layout::ITERATIONS) {
        let record: Value = run.read(&path);
        told.push(
            json!({"of": path, "quality": record["document"]["quality_tracking"], "tracking": record["tracking"]}),
        );
    }
    told
}

#[test]
fn a_program_that_was_started_anew_says_what_one_that_runs_says() {
    let (running, started) = (weeks(false), weeks(true));
    let attempts: Vec<&Value> = running.iter().filter_map(|told| told.get("attempt")).collect();
    assert_eq!(attempts, [1, 2, 1, 3, 1, 5, 6], "the attempts of one chain, however long ago they were");
    for (a, b) in running.iter().zip(&started) {
        assert_eq!(a, b);
    }
    assert_eq!(running.len(), started.len());
}

/// The numbers continue in a chain with more actions than are kept.
#[test]
fn a_long_chain_goes_on_after_a_restart() {
    let mut run = Run::new();
    let at = |n: i64| now() - SignedDuration::from_hours(1) + SignedDuration::from_secs(n);
    let many: Vec<Value> = (1..=260).map(|n| action(&format!("a-{n:03}"), at(n), "s-1", "action_failed")).collect();
    run.hear(StreamKind::ActionResults, &many[..130]);
    run.restart();
    run.hear(StreamKind::ActionResults, &many[130..]);
    let told = |run: &mut Run, n: i64| {
        let heard = run.hear(StreamKind::ActionResults, &[action(&format!("a-{n:03}"), at(n), "s-1", "action_failed")]);
        said(&heard, Topic::ActionFeedback)[0]["attempt"].clone()
    };
    assert_eq!(told(&mut run, 261), 261);
    run.restart();
    assert_eq!(told(&mut run, 262), 262);
}

/// A store may hold an action of 2099, written before such times were rejected: it does not age the others.
#[test]
fn an_action_of_2099_in_the_store_makes_nothing_be_forgotten() {
    let mut run = Run::new();
    run.hear(StreamKind::ActionResults, &[action("a-1", now(), "s-1", "action_failed")]);
    let path = run.paths(layout::ACTIONS).remove(0);
    let record = run.text(&path).unwrap();
    let day = now().strftime("%Y-%m-%d").to_string();
    let later = record.replace("a-1", "a-9").replace(&day, "2099-01-01").replace("s-1", "s-9");
    run.commit_file("feedback/actions/2099/01/01/a-9.json", |_| later);
    run.restart();
    let heard = run.hear(StreamKind::ActionResults, &[action("a-2", now(), "s-1", "action_failed")]);
    assert_eq!(said(&heard, Topic::ActionFeedback)[0]["attempt"], 2);
}

/// A sender with a fast clock is treated like others, across a restart as well.
#[test]
fn a_turn_of_tomorrow_does_not_silence_its_session() {
    for restarts in [false, true] {
        let mut run = Run::new();
        let mut told = Vec::new();
        let turns = [
            turn("s", 1, "2026-01-13T08:00:00Z", "find me laptops under $1000"),
            turn("s", 2, "2026-01-12T12:01:00Z", "No, I meant gaming laptops not business laptops"),
            turn("s", 3, "2026-01-12T12:02:00Z", "No, that is still wrong, gaming laptops"),
            // This one is late, and has no effect.
            turn("s", 4, "2026-01-12T12:01:30Z", "gaming laptops"),
            turn("s", 5, "2026-01-12T12:03:00Z", "thanks, perfect"),
        ];
        for (minute, event) in (1..).zip(turns) {
            run.now = now() + minute.minutes();
            if restarts {
                run.restart();
            }
            told.extend(said(&run.hear(StreamKind::Turns, &[event]), Topic::TurnFeedback));
        }
        let told: Vec<_> = told.iter().map(|t| (t["turn_id"].clone(), t["feedback_type"].clone())).collect();
        let of = |n: u32, what: &str| (json!(format!("turn_{n:06}")), json!(what));
        assert_eq!(told, [of(1, "rejected"), of(2, "rejected"), of(3, "accepted")], "restarts: {restarts}");
    }
}

/// Nor does one of 2099 that was stored before such times were rejected; its session ends like others.
#[test]
fn a_turn_of_2099_in_the_store_is_followed_and_ends() {
    let poisoned = || {
        let mut run = Run::new();
        run.hear(StreamKind::Turns, &[turn("s", 1, "2026-01-12T10:00:00Z", "find me laptops under $1000")]);
        for file in ["turn.json", "metadata.json"] {
            run.commit_file(&format!("feedback/turns/s/turn_000001/{file}"), |text| {
                text.replace("2026-01-12", "2099-01-12")
            });
        }
        run.restart();
        run.now = now() + 20.minutes();
        run
    };
    let mut run = poisoned();
    let second = turn("s", 2, "2026-01-12T12:20:00Z", "No, I meant gaming laptops not business laptops");
    let told = said(&run.hear(StreamKind::Turns, &[second]), Topic::TurnFeedback);
    assert_eq!((told.len(), &told[0]["feedback_type"]), (1, &json!("rejected")));

    let mut run = poisoned();
    run.now = now() + 40.minutes();
    run.tick();
    let told = said(&run.tick(), Topic::TurnFeedback);
    assert_eq!((told.len(), &told[0]["feedback_type"]), (1, &json!("neutral")));
    assert!(told[0]["detected_at"].as_str().unwrap().starts_with("2026-"), "{told:#?}");
}

/// Suggestions computed outside the pipeline equal the pipeline's for the same event, even if the store has to be read.
#[test]
fn suggestions_are_those_of_the_pipeline() {
    let mut run = Run::new();
    let on = |day: i64, second: i64| now() + SignedDuration::from_hours(24 * day) + SignedDuration::from_secs(second);
    let mut worked = action("a-2", on(0, 2), "s-1", "action");
    worked["action"] = "switch_to_case".into();
    run.hear(StreamKind::ActionResults, &[action("a-1", on(0, 1), "s-1", "action_failed"), worked]);
    run.now = on(20, 0);
    run.hear(StreamKind::ActionResults, &[action("b-1", on(20, 0), "s-2", "action_failed")]);
    run.hear(StreamKind::ActionResults, &[action("a-3", on(20, 1), "s-1", "action_failed")]);
    let event = action("a-4", on(20, 2), "s-1", "action_failed");
    let ask = |run: &Run, beside: bool| -> Vec<Suggestion> {
        let mut service = wiring::asking(&run.config).unwrap();
        service.clock = Arc::new(Still(run.now));
        if beside {
            service.learned = Arc::clone(run.pipeline.as_ref().unwrap().learned());
        }
        service.suggest(event.clone()).unwrap().remove(0).suggestions
    };
    let (beside, alone) = (ask(&run, true), ask(&run, false));
    let told = said(&run.hear(StreamKind::ActionResults, std::slice::from_ref(&event)), Topic::ActionFeedback);
    let suggestions = serde_json::to_value(&beside).unwrap();
    assert!(!beside.is_empty());
    assert_eq!(told[0]["suggestions"], suggestions);
    assert_eq!(beside, alone);
}

/// A stopped clock.
struct Still(Timestamp);

impl feedbackd::ports::Clock for Still {
    fn now(&self) -> Timestamp {
        self.0
    }
}
