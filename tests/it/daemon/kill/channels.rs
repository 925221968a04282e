//! All five sources at once, with the daemon killed meanwhile: nothing is lost or duplicated.

use super::site;
use crate::harness::audit::{fsck, records};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{
    ACTIONS, ITERATIONS, READ, REFINEMENTS, TURNS, add, decide, decision, drain, entries, pending,
};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{DecisionRecord, ProposalRecord};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How many events each source sends.
const EVENTS: u32 = 200;
/// The numbers of events after which the daemon is killed.
const KILLED_AT: [u32; 3] = [40, 110, 170];
/// How many turns a conversation has.
const TURNS_EACH: u32 = 10;

#[test]
fn five_sources_at_once_survive_a_kill() {
    let redis = RedisServer::start();
    let site = site(&redis);
    let mut daemon = site.start();
    for n in 0..EVENTS {
        decide(&redis, &gate(n));
        for (stream, event) in
            [(TURNS, turn(n)), (REFINEMENTS, refinement(n)), (ACTIONS, action(n)), (ITERATIONS, review(n))]
        {
            add(&redis, stream, &[("data", &event.to_string())]);
        }
        if KILLED_AT.contains(&n) {
            daemon.kill9();
            daemon = site.start();
        }
    }
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    for stream in READ {
        assert_eq!(pending(&redis, stream), 0, "{stream}");
    }
    assert_eq!(entries(&redis, "asdlc:events:dead_letters").len(), 0);
    // Every event has its record, and every answer was sent once.
    let turns = site.files(layout::TURNS);
    let named = |name: &str| turns.iter().filter(|(path, _)| path.ends_with(name)).count();
    let sessions = EVENTS / TURNS_EACH;
    assert_eq!(named("/turn.json"), EVENTS as usize);
    assert_eq!(named("/metadata.json"), EVENTS as usize);
    assert_eq!(named("/feedback.json"), (EVENTS - sessions) as usize, "the last turn of a session is still open");
    assert_eq!(site.files(layout::REFINEMENTS).len(), EVENTS as usize);
    assert_eq!(site.files(layout::ACTIONS).len(), EVENTS as usize);
    assert_eq!(site.files(layout::ITERATIONS).len(), EVENTS as usize);
    for (topic, count) in [
        ("asdlc:events:turn_feedback", EVENTS - sessions),
        ("asdlc:events:refined_prompts", EVENTS),
        ("asdlc:events:action_feedback", EVENTS),
    ] {
        let sent = entries(&redis, topic);
        let keys: BTreeSet<&str> = sent.iter().map(|entry| entry.key()).collect();
        assert_eq!((sent.len(), keys.len()), (count as usize, count as usize), "{topic}");
    }
    let decisions: Vec<(String, DecisionRecord)> = records(&site, layout::DECISIONS);
    let ids: BTreeSet<&str> = decisions.iter().map(|(_, d)| d.decision_id.as_str()).collect();
    assert_eq!(ids.len(), decisions.len(), "a decision has two records");
    assert!((0..EVENTS).all(|n| ids.contains(format!("d-{n}").as_str())));
    // One rule, whose evidence came on two streams.
    let rules: Vec<(String, ProposalRecord)> = records(&site, layout::RULES);
    let streams = |rule: &ProposalRecord| -> BTreeSet<&str> {
        let of = |id: &String| decisions.iter().find(|(_, d)| d.feedback.feedback_id == *id);
        rule.created_from_feedback_ids.iter().filter_map(of).map(|(_, d)| d.source.stream.as_str()).collect()
    };
    assert!(rules.iter().any(|(_, rule)| streams(rule).len() >= 2), "{rules:#?}");
    fsck(&site);
    let said = site.run(&["reindex", "--check"]);
    assert_eq!(said.code, Some(0), "the index differs from the store: {said:?}");
}

fn at(n: u32) -> String {
    format!("2026-01-12T{:02}:{:02}:00Z", 8 + n / 60, n % 60)
}

fn gate(n: u32) -> Value {
    let (verdict, remark) = if n.is_multiple_of(20) {
        ("REJECTED", Some("Add an index on the customer column"))
    } else {
        ("APPROVED", None)
    };
    decision(&format!("d-{n}"), "ann", verdict, remark)
}

/// Returns a turn. Parallel conversations would have the same times, so they are sequential.
fn turn(n: u32) -> Value {
    let place = n % TURNS_EACH;
    let text = match place {
        0 => "write the importer",
        3 => "No, that's wrong: add an index on the customer column",
        _ => "thanks, and now the next file please",
    };
    json!({
        "turn_id": format!("turn_{n:06}"), "session_id": format!("s-{}", n / TURNS_EACH), "timestamp": at(n),
        "user_message": text, "response": "Done: the importer is written.", "agent": "coding-agent",
        "user_id": format!("user-{}", n / TURNS_EACH), "validation_outcome": "APPROVE", "quality_score": 0.8,
    })
}

fn refinement(n: u32) -> Value {
    json!({
        "refinement_id": format!("r-{n}"), "timestamp": at(n), "original_prompt": "write the importer",
        "feedback": "FAILED tests/test_importer.py::test_empty - AssertionError: expected 0 rows\n1 failed, 3 passed in 0.1s",
        "exit_code": 1, "tool": "pytest", "agent": "coding-agent",
    })
}

fn action(n: u32) -> Value {
    json!({
        "action_id": format!("a-{n}"), "timestamp": at(n), "session_id": format!("s-{}", n / 4), "agent": "kyc-agent",
        "task_id": format!("T-{}", n / 4), "type": if n % 4 == 3 { "action" } else { "action_failed" },
        "action": if n % 4 == 3 { "switch_to_case" } else { "direct_path" }, "inference": "unresolved_document_ids",
        "reason": "case metadata manager not initialized", "user_input": "process the document",
    })
}

fn review(n: u32) -> Value {
    json!({
        "id": format!("0191f3a0-0000-7000-8000-{n:012}"), "timestamp": at(n),
        "iteration": {"number": 2, "max": 5, "phase": "refinement"},
        "target": {"type": "code", "path": format!("src/file-{}.rs", n % 50)},
        "feedback_items": [{
            "aspect": "correctness", "severity": "major",
            "issue": "Function parse() panics on empty input, so the importer stops in the middle of a file",
            "location": {"type": "function", "reference": "parse()"},
            "suggestion": {
                "action": "Return an error from parse() for empty input and handle it in the importer",
                "rationale": "The importer goes on with the next row instead of stopping",
            },
        }],
        "overall_assessment": {
            "score": 0.6, "verdict": "refine", "confidence": 0.9,
            "summary": "The parser must not panic on empty input before this change can be accepted by the team.",
        },
        "agent": "coding-agent", "reviewer_id": "rita",
    })
}
