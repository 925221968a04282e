//! The channels other than gate decisions: events in; records, answers and rules out.

use crate::harness::run::{Run, decision};
use feedbackd::app::pipeline::{EntryOutcome, ProcessedBatch};
use feedbackd::domain::intake::event::{RejectCode, StreamKind};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::message::Topic;
use feedbackd::domain::records::record::{DecisionRecord, ProposalRecord};
use serde_json::{Value, json};

/// Returns the data of the messages on a topic.
fn said(processed: &ProcessedBatch, topic: Topic) -> Vec<Value> {
    let on = processed.messages.iter().filter(|m| m.topic == topic);
    on.map(|m| serde_json::from_str(&m.data).unwrap()).collect()
}

fn turn(session: &str, n: u32, text: &str, response: &str) -> Value {
    json!({
        "turn_id": format!("turn_{n:06}"), "session_id": session, "timestamp": format!("2026-01-12T10:{n:02}:00Z"),
        "user_message": text, "response": response, "agent": "shop-agent",
        "strategy": {"name": "commerce_search", "query": "laptops under $1000"},
        "validation_outcome": "APPROVE", "quality_score": 0.85, "user_id": "henry",
    })
}

/// specification, "Turns: What is stored of a turn" and "Turns: The context text".
#[test]
fn a_correction_rejects_the_turn_before_it() {
    let mut run = Run::new();
    let first = turn("henry", 1, "find me laptops under $1000", "Here are three business laptops under $1000.");
    let second = turn("henry", 2, "No, I meant gaming laptops not business laptops", "Here are gaming laptops.");
    run.hear(StreamKind::Turns, std::slice::from_ref(&first));
    let open = run.json("feedback/turns/henry/turn_000001/metadata.json");
    assert_eq!(
        open,
        json!({
            "turn_id": "turn_000001", "session_id": "henry", "timestamp": "2026-01-12T10:01:00Z",
            "validation_outcome": "APPROVE", "quality_score": 0.85,
        })
    );
    let processed = run.hear(StreamKind::Turns, &[second.clone(), first]);
    assert!(matches!(processed.outcomes[..], [EntryOutcome::Heard(_), EntryOutcome::Duplicate(_)]));
    let metadata = run.json("feedback/turns/henry/turn_000001/metadata.json");
    let feedback = &metadata["user_feedback"];
    assert_eq!(feedback["status"], "rejected");
    assert_eq!(feedback["correction_type"], "explicit_correction");
    assert_eq!(feedback["detected_in_turn"], "turn_000002");
    assert_eq!(feedback["detected_at"], "2026-01-12T10:02:00Z");
    assert_eq!(feedback["user_said"], "No, I meant gaming laptops not business laptops");
    let told = said(&processed, Topic::TurnFeedback);
    assert_eq!(told.len(), 1);
    assert_eq!((&told[0]["turn_id"], &told[0]["satisfaction"]), (&json!("turn_000001"), &json!(-1.0)));
    let context = told[0]["context"].as_str().unwrap();
    for line in ["**Status:** REJECTED", "Do NOT reuse the strategy", "GAMING laptops", "gaming laptops under $1000"] {
        assert!(context.contains(line), "{line}:\n{context}");
    }
    // The request is ordinary feedback.
    let record = run.decision("turn-henry-turn_000001");
    assert_eq!(record.feedback.agent, "shop-agent");
    assert_eq!(record.reviewer_id, "henry");
    assert_eq!(record.source.stream, "asdlc:events:turns");
    // A repetition changes nothing.
    assert_eq!(run.hear(StreamKind::Turns, &[second]).commit, None);
}

/// specification, "Turns: Sessions": across a restart, too.
#[test]
fn a_session_in_which_nothing_follows_is_neutral_after_half_an_hour() {
    let mut run = Run::new();
    run.hear(StreamKind::Turns, &[turn("s", 1, "what is the weather in Oslo", "Rain, 4 degrees.")]);
    run.now = "2026-01-12T10:30:59Z".parse().unwrap();
    assert_eq!(run.tick().commit, None);
    run.restart();
    run.now = "2026-01-12T10:31:00Z".parse().unwrap();
    // After a start the streams are read first: a follow-up may be pending there.
    assert_eq!(run.tick().commit, None);
    let told = said(&run.tick(), Topic::TurnFeedback);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["feedback_type"], "neutral");
    let metadata = run.json("feedback/turns/s/turn_000001/metadata.json");
    assert_eq!(metadata["user_feedback"]["status"], "neutral");
    assert_eq!(metadata["user_feedback"]["detected_in_turn"], Value::Null);
    assert_eq!(run.tick().commit, None);
}

#[test]
fn beyond_so_many_conversations_the_longest_silent_are_over() {
    let mut run = Run::new();
    run.config.intake.max_sessions = 10;
    run.restart();
    let first = |n: u32| turn(&format!("s{n:02}"), 1, "what is the weather in Oslo", "Rain, 4 degrees.");
    let told = |processed: &ProcessedBatch| -> Vec<String> {
        said(processed, Topic::TurnFeedback).iter().map(|t| t["session_id"].as_str().unwrap().to_owned()).collect()
    };
    for n in 0..10 {
        // The later ones claim to be older; the time of arrival counts.
        let mut event = first(n);
        event["timestamp"] = format!("2026-01-12T10:00:{:02}Z", 30 - n).into();
        assert_eq!(told(&run.hear(StreamKind::Turns, &[event])), [""; 0]);
    }
    // One above the limit; one more is removed, so that not every further one needs a check.
    assert_eq!(told(&run.hear(StreamKind::Turns, &[first(10)])), ["s00", "s01"]);
    assert_eq!(told(&run.hear(StreamKind::Turns, &[first(11)])), [""; 0]);
    assert_eq!(told(&run.hear(StreamKind::Turns, &[first(12)])), ["s02", "s03"]);
}

/// specification, "Turns: Several corrections in a row".
#[test]
fn corrections_in_a_row_ask_for_care() {
    let mut run = Run::new();
    let texts = [
        "book a table for two",
        "No, that's wrong, I said four people",
        "That's still wrong. Four people!",
        "thanks, perfect",
    ];
    let mut told = Vec::new();
    for (n, text) in (1..).zip(texts) {
        // Counting continues across a restart.
        run.restart();
        told.extend(said(
            &run.hear(StreamKind::Turns, &[turn("t", n, text, "I booked a table.")]),
            Topic::TurnFeedback,
        ));
    }
    let row: Vec<_> = told.iter().map(|t| (t["rejections_in_a_row"].clone(), t["be_careful"].clone())).collect();
    assert_eq!(row, [(json!(1), json!(false)), (json!(2), json!(true)), (json!(0), json!(false))], "{told:#?}");
    assert!(told[1]["context"].as_str().unwrap().contains("Multiple rejections - be more careful"));
}

fn refinement(id: &str, minute: u32, feedback: &str) -> Value {
    json!({
        "refinement_id": id, "timestamp": format!("2026-02-01T10:{minute:02}:00Z"), "task_id": "T-1", "session_id": "s-1",
        "original_prompt": "review the code", "feedback": feedback, "agent": "coding-agent", "iteration": 1,
    })
}

/// specification, "Refinement: The log": the fields of an entry, and the success reported by the task's next event.
#[test]
fn a_failing_prompt_is_refined_and_its_success_is_noted() {
    let mut run = Run::new();
    run.now = "2026-02-01T12:00:00Z".parse().unwrap();
    let processed = run.hear(StreamKind::Refinements, &[refinement("r-1", 30, "wrong, I meant security review")]);
    let told = said(&processed, Topic::RefinedPrompts);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["signal"]["kind"], "user_rejection");
    assert_eq!(told[0]["actions_applied"][0], "request_clarification");
    let refined = told[0]["refined_prompt"].as_str().unwrap();
    assert!(refined.starts_with("review the code") && refined.contains("security review"), "{refined}");
    let path = "feedback/refinements/2026/02/01/r-1.yaml";
    let record: Value = run.read(path);
    let entry = &record["feedback_log"][0];
    for field in [
        "timestamp",
        "original_prompt",
        "feedback_type",
        "feedback_signal",
        "actions_applied",
        "refined_prompt",
        "iteration",
        "success",
    ] {
        assert!(entry.get(field).is_some(), "{field}: {entry:#}");
    }
    assert_eq!(entry["success"], Value::Null);
    run.restart();
    let fine = run.hear(StreamKind::Refinements, &[refinement("r-2", 40, "all good now, thank you")]);
    assert_eq!(said(&fine, Topic::RefinedPrompts)[0]["refined_prompt"], "review the code");
    let record: Value = run.read(path);
    assert_eq!(record["feedback_log"][0]["success"], true);
}

fn action(n: u32, kind: &str, action: &str) -> Value {
    json!({
        "action_id": format!("act-{n}"), "timestamp": format!("2026-01-12T10:00:{n:02}Z"), "session_id": "s-1",
        "agent": "kyc-agent", "supervisor": "lead-agent", "task_id": "T-9", "type": kind, "action": action,
        "user_input": "process KYC-2026-001_DOC_001.pdf", "inference": "unresolved_document_ids",
        "reason": if kind == "action" { Value::Null } else { json!("case metadata manager not initialized") },
        "data": {"document_ids": ["KYC-2026-001_DOC_001.pdf"]},
    })
}

/// Actions: structured feedback, escalation with all attempts, and what is learned survives a restart.
#[test]
fn failed_actions_are_answered_escalated_and_learned_from() {
    let mut run = Run::new();
    let first = run.hear(StreamKind::ActionResults, &[action(1, "action_failed", "direct_path")]);
    let told = said(&first, Topic::ActionFeedback);
    let inference = &told[0]["local_inferences"][0];
    assert_eq!(
        (&inference["type"], &inference["inference"]),
        (&json!("action_failed"), &json!("unresolved_document_ids"))
    );
    assert!(inference["feedback"].as_str().unwrap().contains("Case metadata manager not initialized"), "{inference:#}");
    assert!(!told[0]["suggestions"].as_array().unwrap().is_empty());
    assert_eq!(run.hear(StreamKind::ActionResults, &[action(1, "action_failed", "direct_path")]).commit, None);
    let mut alerts = Vec::new();
    for n in 2..=6 {
        alerts.extend(said(
            &run.hear(StreamKind::ActionResults, &[action(n, "action_failed", "direct_path")]),
            Topic::Alerts,
        ));
    }
    assert_eq!(alerts.len(), 1, "{alerts:#?}");
    assert_eq!(alerts[0]["kind"], "action_escalated");
    assert_eq!(
        alerts[0]["details"].as_array().unwrap().iter().filter(|d| d.as_str().unwrap().starts_with("tried ")).count(),
        5
    );
    run.hear(StreamKind::ActionResults, &[action(7, "action", "switch_to_case")]);
    run.restart();
    let mut again = action(8, "action_failed", "direct_path");
    again["task_id"] = json!("T-10");
    let told = said(&run.hear(StreamKind::ActionResults, &[again]), Topic::ActionFeedback);
    let best = &told[0]["suggestions"][0];
    assert!(best["action"].as_str().unwrap().contains("switch"), "{told:#?}");
    assert_eq!((&best["tried"], &best["succeeded"]), (&json!(1), &json!(1)));
}

fn review(n: u32, score: f64, issue: &str) -> Value {
    json!({
        "id": format!("0191f3a0-0000-7000-8000-00000000000{n}"), "timestamp": format!("2026-01-25T15:0{n}:00Z"),
        "iteration": {"number": n, "max": 9, "phase": if n == 1 { "initial" } else { "refinement" }},
        "target": {"type": "code", "path": "src/auth/validate.ts"},
        "feedback_items": [{
            "aspect": "security", "severity": "major", "issue": issue,
            "location": {"type": "function", "reference": "validateToken()"},
            "suggestion": {
                "action": "Add an input length check of at most 1000 characters before the regex is evaluated",
                "rationale": "Prevents exponential backtracking in the regex engine on malicious input",
            },
        }],
        "overall_assessment": {
            "score": score, "verdict": "refine", "confidence": 0.9,
            "summary": "The token validation lacks input sanitisation and must be mended before it can be accepted.",
        },
        "agent": "coding-agent", "reviewer_id": "rita",
    })
}

const REDOS: &str =
    "Function validateToken() does not limit its input before regex evaluation, so malicious tokens hang the server";

/// Review documents: recorded, tracked, alerted the third time; those that are not actionable are returned with
/// reasons.
#[test]
fn review_documents_are_validated_and_tracked() {
    let mut run = Run::new();
    run.now = "2026-01-25T16:00:00Z".parse().unwrap();
    let mut alerts = Vec::new();
    for n in 1..=4 {
        let processed = run.hear(StreamKind::IterationFeedback, &[review(n, 0.5 + 0.05 * f64::from(n), REDOS)]);
        alerts.extend(said(&processed, Topic::Alerts));
    }
    assert_eq!(alerts.len(), 1, "{alerts:#?}");
    assert_eq!((&alerts[0]["kind"], &alerts[0]["target"]), (&json!("repeated_issue"), &json!("src/auth/validate.ts")));
    let first: Value = run.read(&layout::iteration("src/auth/validate.ts", "0191f3a0-0000-7000-8000-000000000001"));
    let quality = &first["document"]["quality_tracking"];
    assert_eq!(quality["feedback_followed"], false, "{first:#}");
    assert_eq!(quality["improvement_delta"], 0.05);
    let record = run.decision("iteration-0191f3a0-0000-7000-8000-000000000001-1");
    assert_eq!((record.reviewer_id.as_str(), record.feedback.agent.as_str()), ("rita", "coding-agent"));
    let processed = run.hear(StreamKind::IterationFeedback, &[review(5, 0.8, "This could be better somehow, really")]);
    let [EntryOutcome::Rejected(rejection)] = &processed.outcomes[..] else { panic!("{:?}", processed.outcomes) };
    assert_eq!(rejection.code, RejectCode::InvalidDocument);
    assert!(
        rejection.message.contains("/feedback_items/0/issue") && rejection.message.contains("could be better"),
        "{}",
        rejection.message
    );
}

/// "What is learned from a conversation ... joins the same clusters and can become a rule."
#[test]
fn a_rule_rests_on_two_channels() {
    let mut run = Run::new();
    let mut first = turn("s-9", 1, "write the importer", "Done: the importer is written.");
    first["agent"] = json!("coding-agent");
    let mut second = turn("s-9", 2, "No, that's wrong: add an index on the customer column", "I added it.");
    (second["agent"], second["user_id"]) = (json!("coding-agent"), json!("uma"));
    run.hear(StreamKind::Turns, &[first, second]);
    run.send(&[decision("d1", "ann", "REJECTED", Some("Add an index on the customer column"))]);
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    let rules = run.paths(layout::PROPOSED);
    assert_eq!(
        rules.len(),
        1,
        "{:#?}",
        run.paths(layout::DECISIONS).iter().map(|p| run.read::<DecisionRecord>(p)).collect::<Vec<_>>()
    );
    let rule: ProposalRecord = run.read(&rules[0]);
    assert_eq!(rule.created_from_feedback_ids.len(), 2, "{rule:#?}");
    let sources: Vec<String> = rule.created_from_feedback_ids.iter().map(|id| run.decision(id).source.stream).collect();
    assert!(
        sources.iter().any(|s| s.ends_with("turns")) && sources.iter().any(|s| s.ends_with("hitl_decisions")),
        "{sources:?}"
    );
}

/// Derived data is the same after it was rebuilt.
#[test]
fn the_memory_of_the_channels_is_in_the_store() {
    let mut run = Run::new();
    run.now = "2026-01-25T16:00:00Z".parse().unwrap();
    run.hear(
        StreamKind::Turns,
        &[turn("a", 1, "find hotels in Rome", "Here are two."), turn("a", 2, "no, wrong, in Milan", "Here.")],
    );
    run.hear(
        StreamKind::ActionResults,
        &[action(1, "action_failed", "direct_path"), action(2, "action", "switch_to_case")],
    );
    run.hear(StreamKind::IterationFeedback, &[review(1, 0.5, REDOS)]);
    run.pipeline = None;
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    run.restart();
    let told = said(
        &run.hear(StreamKind::Turns, &[turn("a", 3, "No! I said Milan, not Rome", "Sorry.")]),
        Topic::TurnFeedback,
    );
    assert_eq!((&told[0]["turn_id"], &told[0]["rejections_in_a_row"]), (&json!("turn_000002"), &json!(2)));
    let told =
        said(&run.hear(StreamKind::ActionResults, &[action(3, "action_failed", "direct_path")]), Topic::ActionFeedback);
    assert_eq!(told[0]["attempt"], 3);
    run.hear(StreamKind::IterationFeedback, &[review(2, 0.7, REDOS)]);
    let first: Value = run.read(&layout::iteration("src/auth/validate.ts", "0191f3a0-0000-7000-8000-000000000001"));
    assert_eq!(first["document"]["quality_tracking"]["feedback_followed"], false);
}

#[test]
fn what_cannot_be_read_says_why() {
    let mut run = Run::new();
    for (kind, event, field) in [
        (
            StreamKind::Turns,
            json!({"turn_id": "t", "session_id": "s", "timestamp": "2026-01-12T10:00:00Z"}),
            "user_message",
        ),
        (StreamKind::Turns, json!({"turn_id": "t", "user_message": "hi"}), "session_id"),
        (StreamKind::Refinements, json!({"original_prompt": "x"}), "feedback"),
        (
            StreamKind::ActionResults,
            json!({"action_id": "a", "session_id": "s", "agent": "b", "type": "maybe"}),
            "type",
        ),
    ] {
        let processed = run.hear(kind, &[event]);
        let [EntryOutcome::Rejected(rejection)] = &processed.outcomes[..] else { panic!("{:?}", processed.outcomes) };
        assert_eq!(rejection.field.as_deref(), Some(field), "{}", rejection.message);
    }
}

/// Programs that report the same are not people asking for it, and an unnamed user is one in every session.
#[test]
fn programs_alone_and_one_user_in_two_sessions_make_no_rule() {
    let mut run = Run::new();
    for (n, who) in ["pytest", "jest", "go", "ci[bot]"].into_iter().enumerate() {
        let said = Some("The API handler lacks error handling");
        run.send(&[decision(&format!("p{n}"), who, "REJECTED", said)]);
    }
    assert_eq!(run.paths(layout::RULES), [""; 0]);
    assert!(
        run.decision("p3").evaluation.rationale.contains("programs"),
        "{}",
        run.decision("p3").evaluation.rationale
    );
    for session in ["one", "two", "three"] {
        let mut turns = [
            turn(session, 1, "find me laptops under $1000", "Here are three business laptops under $1000."),
            turn(session, 2, "No, I meant gaming laptops not business laptops", "Here are gaming laptops."),
        ];
        turns.iter_mut().for_each(|turn| drop(turn.as_object_mut().unwrap().remove("user_id")));
        run.hear(StreamKind::Turns, &turns);
    }
    run.tick();
    assert_eq!(run.paths(layout::RULES), [""; 0]);
    let whose = |id: &str| run.decision(id).reviewer_id;
    assert_eq!(whose("turn-one-turn_000001"), whose("turn-two-turn_000001"));
    // A person's comment was missing.
    run.send(&[decision("d1", "ann", "REJECTED", Some("The API handler lacks error handling"))]);
    run.tick();
    assert_eq!(run.paths(layout::RULES).len(), 1);
}

/// A field of an object is named with its path and a valid shape.
#[test]
fn what_is_missing_inside_a_field_is_named_with_its_path() {
    let mut run = Run::new();
    let mut event = turn("henry", 1, "find me laptops", "Here are three.");
    event["strategy"] = json!({ "query": "laptops" });
    let processed = run.hear(StreamKind::Turns, &[event]);
    let [EntryOutcome::Rejected(rejection)] = &processed.outcomes[..] else { panic!("{:?}", processed.outcomes) };
    assert_eq!((rejection.code, rejection.field.as_deref()), (RejectCode::InvalidField, Some("strategy")));
    assert_eq!(
        rejection.message,
        "The turn cannot be read at `strategy`: missing field `name`. `strategy` is a name, or an object with `name` \
         and, if there was one, `query`."
    );
}
