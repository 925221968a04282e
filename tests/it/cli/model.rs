//! A cold start with a language model, as a process: its first output, what is learned, and a replay from a file.

use crate::harness::daemon::{Site, git};
use crate::harness::streams::decision;
use serde_json::{Value, json};
use std::path::PathBuf;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const NO_REDIS: &str = "redis://127.0.0.1:1";
const RULE: &str = "Return a typed error from every API endpoint, and log its cause with the request id.";

/// Writes events in which three people ask for the same in words that no vector joins.
fn events(site: &Site) -> PathBuf {
    let said = [
        ("d1", "ann", "Missing error handling in API handler"),
        ("d2", "bob", "This blows up when the disk is full"),
        ("d3", "cem", "And who tells the caller that the gateway is gone?"),
        ("d4", "ann", "Nice one, thanks"),
    ];
    let lines = said.map(|(id, who, text)| decision(id, who, "APPROVED_WITH_CHANGES", Some(text)).to_string());
    let file = site.path("events.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    file
}

/// Joins everything it is shown, except thanks.
fn answers(request: &Request) -> ResponseTemplate {
    let body: Value = request.body_json().unwrap();
    let user = body["messages"][1]["content"].as_str().unwrap();
    let data: Value = serde_json::from_str(user.lines().nth(2).unwrap()).unwrap();
    let each = |key: &str| data[key].as_array().into_iter().flatten();
    let readings = each("remarks").map(|shown| {
        let demands = match shown["remark"].as_str().unwrap().contains("thanks") {
            true => json!([]),
            false => json!([{ "demand": "Handle the errors of calls.", "way": "more", "general": true }]),
        };
        json!({ "id": shown["id"], "demands": demands })
    });
    let places = each("demands").map(|shown| json!({ "id": shown["id"], "to": "N1" }));
    let patterns = each("patterns").map(|shown| {
        let ids: Vec<&Value> = shown["comments"].as_array().unwrap().iter().map(|c| &c["id"]).collect();
        json!({ "pattern": shown["pattern"], "rules": [{ "rule": RULE, "settles": ids }], "worth": true })
    });
    let text = json!({
        "readings": readings.collect::<Vec<_>>(), "places": places.collect::<Vec<_>>(),
        "patterns": patterns.collect::<Vec<_>>(),
    });
    let text = format!("<think>Let me see {{</think>Here you are:\n```json\n{text}\n```");
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{ "message": { "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 100 },
    }))
}

fn rules(site: &Site) -> String {
    git(&site.path("store.git"), &["grep", "-h", "evidence_count", "main", "--", "feedback/rules"])
}

#[test]
fn a_history_is_learned_in_one_go_and_again_without_the_model() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(MockServer::start());
    runtime.block_on(Mock::given(method("POST")).respond_with(answers).mount(&server));
    let mut site = Site::new(NO_REDIS);
    let events = events(&site);
    for (key, value) in [("PROVIDER", "openai"), ("URL", server.uri().as_str()), ("MODEL", "some-model")] {
        site.set(&format!("MODEL__{key}"), value);
    }
    site.set("MODEL__PRICE__INPUT", "1.0");
    let kept = site.path("answers.jsonl");
    let (events, kept) = (events.to_str().unwrap(), kept.to_str().unwrap());
    let dry = site.run(&["replay", "--dry-run", events, "--model-answers", kept]);
    assert_eq!(dry.code, Some(0), "{dry:?}");
    assert!(dry.err.contains("asking some-model about ") && dry.err.contains("USD"), "{dry:?}");
    assert!(dry.err.contains("3 questions answered: 3300 tokens"), "{dry:?}");
    assert!(dry.out.contains("1 proposals created"), "{dry:?}");
    // The same answers, without a server.
    drop(server);
    drop(runtime);
    let real = site.run(&["replay", events, "--model-answers", kept]);
    assert_eq!(real.code, Some(0), "{real:?}");
    assert!(rules(&site).contains("evidence_count: 3"), "{}", rules(&site));
    let shown = site.run(&["proposals", "show", "RULE-2026-0001"]);
    assert!(shown.out.contains("typed error"), "{shown:?}");
    let without = site.run(&["replay", "--dry-run", events, "--no-model"]);
    assert!(!without.err.contains("asking") && without.out.contains("0 proposals created"), "{without:?}");
}

#[test]
fn another_model_can_be_named_for_one_run() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(MockServer::start());
    runtime.block_on(Mock::given(method("POST")).respond_with(answers).mount(&server));
    let mut site = Site::new(NO_REDIS);
    let events = events(&site);
    let replay =
        |site: &Site, model: &str| site.run(&["replay", "--dry-run", events.to_str().unwrap(), "--model", model]);
    let unknown = replay(&site, "nobody/some-model");
    assert_eq!(unknown.code, Some(4), "{unknown:?}");
    assert!(unknown.err.contains("nobody/some-model") && unknown.err.contains("PROVIDER/MODEL"), "{unknown:?}");
    for (key, value) in [("PROVIDER", "openai"), ("URL", server.uri().as_str()), ("MODEL", "some-model")] {
        site.set(&format!("MODEL__{key}"), value);
    }
    let other = replay(&site, "other-model");
    assert_eq!(other.code, Some(0), "{other:?}");
    assert!(other.err.contains("asking other-model about "), "{other:?}");
    let asked = runtime.block_on(server.received_requests()).unwrap();
    assert!(!asked.is_empty());
    for request in asked {
        assert_eq!(request.body_json::<Value>().unwrap()["model"], "other-model");
    }
}
