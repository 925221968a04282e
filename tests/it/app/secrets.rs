//! No secret on any input reaches a Git object or a message, and an id that held one still names one thing.

use crate::harness::run::{Run, decision};
use feedbackd::app::pipeline::{EntryOutcome, ProcessedBatch};
use feedbackd::domain::intake::event::{RawEntry, StreamKind};
use serde_json::{Value, json};

/// Returns secrets, built here so that no file contains a whole one. Each is planted where nothing indicates it.
fn planted() -> Vec<(&'static str, String)> {
    let tail = "q7Wq4LKwNkX4fNdfF1lYuht56MX4vZbCtecQ";
    vec![
        ("AWS access key", format!("AK{}{}", "IA", "Q7WQ4LKWNKX4FNDF")),
        ("GitHub token", format!("gh{}{tail}", "p_")),
        ("GitLab token", format!("gl{}{}", "pat-", &tail[..20])),
        ("Slack token", format!("xo{}123456789012-{}", "xb-", &tail[..24])),
        ("Stripe key", format!("sk_{}{}", "live_", &tail[..24])),
        ("npm token", format!("np{}{tail}", "m_")),
        ("JWT", format!("ey{}{tail}.eyJ{tail}.{tail}", "JhbGci")),
        ("password in a URL", format!("postgres://app:{}@db/x", &tail[..12])),
        ("password", format!("password={}", &tail[..12])),
        ("option", format!("mysql -u root -p{}", &tail[..12])),
        ("hex behind a name", format!("api_token={}", "0a1b2c3d4e5f60718293a4b5c6d7e8f9")),
        ("hidden", format!("gh{}{}\u{200b}{}", "p_", &tail[..9], &tail[9..])),
    ]
}

/// What must not appear anywhere: the random part of each.
const PARTS: [&str; 4] = ["q7Wq4LKw", "Q7WQ4LKW", "0a1b2c3d4e5f6071", "q7Wq4LKwN\u{200b}"];

/// Returns events of every stream with the secret in every id, name, text, unknown field and field name.
fn events(secret: &str, n: usize) -> Vec<(StreamKind, Value)> {
    let at = format!("2026-01-12T10:{n:02}:00Z");
    let id = |what: &str| format!("{what} {secret}");
    let mut all = vec![
        (
            StreamKind::HitlDecisions,
            json!({"decision_id": id("d"), "gate_id": "hitl_4_code", "decision": "REJECTED", "reviewer_id": id("r"),
                "timestamp": at, "agent": id("a"), "epic_id": id("e"), "task_id": id("t"), "session_id": id("s"),
                "reviewer_comment": format!("The handler lacks a timeout: {secret}"), "tags": [secret],
                "correction_summary": secret, "tenant_id": id("n"), "nested": {"list": [secret]}}),
        ),
        (
            StreamKind::Turns,
            json!({"turn_id": id("t"), "session_id": id("s"), "timestamp": at, "user_message": format!("No, {secret}"),
                "response": secret, "agent": id("a"), "user_id": id("u"), "tenant_id": id("n"),
                "strategy": {"name": secret, "query": secret}}),
        ),
        (
            StreamKind::Refinements,
            json!({"refinement_id": id("x"), "original_prompt": secret, "feedback": format!("Error: failed {secret}"),
                "timestamp": at, "tool": secret, "report": secret, "agent": id("a"), "user_id": id("u"),
                "session_id": id("s"), "task_id": id("t"), "tenant_id": id("n"), "exit_code": 1}),
        ),
        (
            StreamKind::ActionResults,
            json!({"action_id": id("x"), "timestamp": at, "session_id": id("s"), "agent": id("a"), "supervisor": id("b"),
                "task_id": id("t"), "tenant_id": id("n"), "user_input": secret, "type": "action_failed",
                "inference": secret, "action": secret, "reason": secret, "error": secret}),
        ),
        (
            StreamKind::IterationFeedback,
            json!({"id": id("i"), "feedback_items": [{"id": id("f"), "what": secret}], "reviewer_id": id("r"),
                "agent": id("a"), "tenant_id": id("n"), "timestamp": at}),
        ),
        (
            StreamKind::MetaHitl,
            json!({"review_id": id("v"), "decision": "APPROVE", "proposal_id": id("p"), "reviewer_id": id("r"),
                "timestamp": at, "reason": secret, "tenant_id": id("n")}),
        ),
        (
            StreamKind::MetaHitl,
            json!({"injection_id": id("v"), "agent": id("a"), "session_id": id("s"), "timestamp": at,
                "rules": [{"rule_id": id("p"), "version": 1}], "base_hash": secret, "prompt_hash": secret}),
        ),
    ];
    for (_, event) in &mut all {
        event[format!("field {secret}")] = json!("x");
    }
    // An undecodable entry is kept as a dead letter.
    all.push((StreamKind::HitlDecisions, json!({"decision_id": id("d"), "gate_id": secret, "decision": secret})));
    all
}

fn entries(run: &mut Run, secret: &str, n: usize) -> Vec<RawEntry> {
    let mut entries = Vec::new();
    for (kind, event) in events(secret, n) {
        let stream = kind.usual_key();
        entries.push(RawEntry { kind, stream: stream.clone(), ..run.entry(&event) });
        // The same as flat fields.
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
        let fields = event.as_object().unwrap().iter().map(|(name, value)| (name.clone(), text(value))).collect();
        let id = format!("1768000001000-{n}{}", entries.len());
        entries.push(RawEntry { stream, kind, id, fields, gate_request: None, oversize: None });
    }
    entries
}

#[test]
fn no_secret_reaches_an_object_or_a_message() {
    let mut run = Run::new();
    let mut said: Vec<ProcessedBatch> = Vec::new();
    for (n, (_, secret)) in planted().iter().enumerate() {
        let entries = entries(&mut run, secret, n);
        said.push(run.process(&entries));
    }
    said.push(run.tick());
    let told = format!("{:?}", said.iter().map(|p| (&p.messages, &p.outcomes)).collect::<Vec<_>>());
    let objects = run.objects();
    assert!(objects.contains("[REDACTED:") && objects.contains("redacted-"), "something was stored");
    let mut left = Vec::new();
    for part in PARTS {
        for (place, text) in [("message or outcome", &told), ("object", &objects)] {
            left.extend(text.match_indices(part).take(5).map(|(at, _)| {
                let from = (0..=at.saturating_sub(160)).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
                format!("{place}: {}", &text[from..at])
            }));
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n\n"));
}

#[test]
fn an_id_that_held_a_secret_still_names_one_thing() {
    let mut run = Run::new();
    let secret = format!("gh{}q7Wq4LKwNkX4fNdfF1lYuht56MX4vZbCtecQ", "p_");
    let turn = |n: u32, session: &str, text: &str| {
        json!({"turn_id": format!("{secret}{n}"), "session_id": session, "timestamp": format!("2026-01-12T10:{n:02}:00Z"),
            "user_message": text, "response": "Here are business laptops.", "user_id": secret})
    };
    let first = turn(1, &secret, "find me laptops under $1000");
    let second = turn(2, &secret, "No, I meant gaming laptops not business laptops");
    run.hear(StreamKind::Turns, std::slice::from_ref(&first));
    // The same turn again is a repetition; the second is a different one in the same session.
    let processed = run.hear(StreamKind::Turns, &[first, second]);
    assert!(matches!(processed.outcomes[..], [EntryOutcome::Duplicate(_), EntryOutcome::Heard(_)]));
    let sessions: std::collections::BTreeSet<String> =
        run.paths("feedback/turns/").iter().filter_map(|path| path.split('/').nth(2).map(str::to_owned)).collect();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    // The second is known to correct the first: the findings on a turn are in its metadata.
    let told: Vec<Value> = run
        .paths("feedback/turns/")
        .iter()
        .filter(|path| path.ends_with("/metadata.json"))
        .map(|path| run.json(path))
        .collect();
    let judged: Vec<&Value> = told.iter().filter(|turn| !turn["user_feedback"].is_null()).collect();
    assert_eq!((told.len(), judged.len()), (2, 1));
    let (feedback, second) = (&judged[0]["user_feedback"], told.iter().find(|turn| turn["user_feedback"].is_null()));
    assert_eq!(feedback["correction_type"], "explicit_correction");
    assert_eq!(feedback["detected_in_turn"], second.unwrap()["turn_id"]);
    // Two different reviewers stay two.
    let other = secret.replace("q7Wq", "q7Wr");
    let by = |id: &str, who: &str| decision(id, who, "REJECTED", Some("The handler lacks a timeout"));
    run.send(&[by("d-1", &secret), by("d-2", &secret), by("d-3", &other)]);
    let names: Vec<String> = ["d-1", "d-2", "d-3"].iter().map(|id| run.decision(id).reviewer_id).collect();
    assert_eq!(names[0], names[1]);
    assert_ne!(names[0], names[2]);
}
