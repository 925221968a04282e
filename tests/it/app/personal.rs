//! Personal data on every input: removed from the store and from messages as configured, and clustering is unchanged.

use crate::harness::run::{Run, decision};
use feedbackd::config::Privacy;
use feedbackd::domain::intake::event::{RawEntry, StreamKind};
use feedbackd::wiring;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns made-up data, and the part of each that must not appear anywhere.
fn planted() -> [(&'static str, String, &'static str); 4] {
    let card = format!("4111 1111 {} 1111", "1111");
    [
        ("email", "ana.berg@firma.de".to_owned(), "ana.berg"),
        ("phone", "+49 228 1234567".to_owned(), "228 1234567"),
        ("card", card, "1111 1111"),
        ("iban", "DE89 3704 0044 0532 0130 00".to_owned(), "0044 0532"),
    ]
}

fn events(personal: &str, n: usize) -> Vec<(StreamKind, Value)> {
    let at = format!("2026-01-12T10:{n:02}:00Z");
    let id = |what: &str| format!("{what} {personal}");
    vec![
        (
            StreamKind::HitlDecisions,
            json!({"decision_id": id("d"), "gate_id": "hitl_4_code", "decision": "REJECTED", "reviewer_id": "r",
                "timestamp": at, "agent": id("a"), "task_id": id("t"), "session_id": id("s"), "tags": [personal],
                "reviewer_comment": format!("The handler lacks a timeout, ask {personal}"), "correction_diff": id("+x"),
                "correction_summary": personal, "nested": {"list": [personal], personal: 1}, "inner": json!({"a": personal}).to_string()}),
        ),
        (
            StreamKind::Dispatcher,
            json!({"event_type": "gate_rejected", "timestamp": at, "gate_id": "hitl_4_code", "session_id": id("s"),
                "metadata": {"decision_id": id("e"), "reviewer": "r", "reason": format!("Tell {personal}")}}),
        ),
        (
            StreamKind::Turns,
            json!({"turn_id": id("t"), "session_id": id("s"), "timestamp": at, "user_message": format!("No, {personal}"),
                "response": personal, "agent": id("a"), "strategy": {"name": personal, "query": personal}}),
        ),
        (
            StreamKind::Refinements,
            json!({"refinement_id": id("x"), "original_prompt": personal, "feedback": format!("Error: failed {personal}"),
                "timestamp": at, "tool": personal, "report": personal, "agent": id("a"), "session_id": id("s")}),
        ),
        (
            StreamKind::ActionResults,
            json!({"action_id": id("x"), "timestamp": at, "session_id": id("s"), "agent": id("a"), "user_input": personal,
                "type": "action_failed", "inference": personal, "action": personal, "reason": personal, "error": personal}),
        ),
        (
            StreamKind::IterationFeedback,
            json!({"id": id("i"), "feedback_items": [{"id": id("f"), "what": personal}], "agent": id("a"), "timestamp": at}),
        ),
        (
            StreamKind::MetaHitl,
            json!({"review_id": id("v"), "decision": "APPROVE", "proposal_id": id("p"), "reviewer_id": "r", "timestamp": at,
                "reason": personal}),
        ),
        // An undecodable entry is kept as a dead letter.
        (StreamKind::HitlDecisions, json!({"decision_id": id("z"), "gate_id": personal, "decision": personal})),
    ]
}

#[test]
fn no_personal_data_reaches_an_object_or_a_message() {
    let mut run = Run::new();
    let mut told = String::new();
    for (n, (_, personal, _)) in planted().iter().enumerate() {
        for (kind, event) in events(personal, n) {
            let stream = kind.usual_key();
            let entry = RawEntry { kind, stream: stream.clone(), ..run.entry(&event) };
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
            let fields = event.as_object().unwrap().iter().map(|(name, value)| (name.clone(), text(value))).collect();
            let flat = RawEntry { id: format!("{}1", entry.id), fields, ..entry.clone() };
            let processed = run.process(&[entry, flat]);
            told += &format!("{:?} {:?}", processed.messages, processed.outcomes);
        }
    }
    told += &format!("{:?}", run.tick().messages);
    let objects = run.objects();
    for (kind, _, part) in planted() {
        assert!(objects.contains(&format!("[REDACTED:{kind}]")), "{kind}");
        for (place, text) in [("message", &told), ("object", &objects)] {
            let at = text.find(part).map(|at| text[..at].chars().rev().take(160).collect::<Vec<_>>());
            let before: Option<String> = at.map(|chars| chars.into_iter().rev().collect());
            assert_eq!(before, None, "{kind} in {place}");
        }
    }
}

/// Returns which decisions share a cluster.
fn groups(privacy: Privacy) -> BTreeSet<BTreeSet<String>> {
    let mut run = Run::new();
    run.config.privacy.email = privacy;
    run.config.privacy.phone = privacy;
    run.config.privacy.key_file = run.dir.path().join("key");
    std::fs::write(&run.config.privacy.key_file, "0123456789abcdef0123456789abcdef\n").unwrap();
    run.pipeline = None;
    run.pipeline = Some(wiring::pipeline(&run.config).unwrap());
    let texts = [
        "The handler lacks a timeout, ask ana@firma.de",
        "The handler lacks a timeout, ask ben.k@firma.de (+49 228 1234567)",
        "Missing timeout in the handler. Ask ana@firma.de",
        "Please add unit tests for the parser; cc ana@firma.de",
        "The parser has no unit tests, says ben.k@firma.de",
        "Rename this variable",
    ];
    let who = ["ann", "bob", "cem"];
    for (n, text) in texts.iter().enumerate() {
        run.send(&[decision(&format!("d{n}"), who[n % 3], "REJECTED", Some(text))]);
    }
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for n in 0..texts.len() {
        let id = format!("d{n}");
        let cluster = run.decision(&id).evaluation.cluster.unwrap_or_else(|| id.clone());
        groups.entry(cluster).or_default().insert(id);
    }
    let stays = run.objects().contains("ben.k@firma.de");
    assert_eq!(stays, privacy == Privacy::Off);
    groups.into_values().collect()
}

#[test]
fn what_is_masked_groups_by_what_it_asks_for() {
    let alike = [["d0", "d1", "d2"].as_slice(), &["d3", "d4"], &["d5"]];
    let alike: BTreeSet<BTreeSet<String>> =
        alike.iter().map(|group| group.iter().map(|id| (*id).to_owned()).collect()).collect();
    assert_eq!(groups(Privacy::Masked), alike);
    assert_eq!(groups(Privacy::Pseudonym), alike);
    // With the addresses in them, comments that name the same person are similar: nothing gets worse.
    assert!(groups(Privacy::Off).len() <= alike.len());
}

#[test]
fn a_key_that_could_be_guessed_is_refused() {
    let mut run = Run::new();
    run.pipeline = None;
    run.config.privacy.key_file = run.dir.path().join("key");
    std::fs::write(&run.config.privacy.key_file, "short\n").unwrap();
    let error = wiring::pipeline(&run.config).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("privacy.key_file") && !error.contains("short"), "{error}");
}
