//! Agents' calls to the API: rules and prompt as their keys in Redis hold them, 304 if nothing changed, and reports of
//! which rules entered a prompt.

use super::client::{Api, TOKEN};
use crate::harness::streams::{self, drain};
use crate::harness::wait_until;
use feedbackd::domain::records::record::InjectionRecord;
use serde_json::{Value, json};

pub const AGENT: &str = "coding-agent";
const PROMPT: &str = "/agents/coding-agent/prompt";

/// Starts a daemon with one rule in force, approved by Ann and Bob.
pub fn with_rule(settings: &[(&str, &str)]) -> Api {
    let api = Api::with(settings);
    api.site.push_roster(&["ann", "bob"]);
    let said = [
        ("d1", "eva", "REJECTED", "Missing error handling in API handler"),
        ("d2", "cem", "REJECTED", "API handler lacks error handling"),
        ("d3", "dan", "APPROVED_WITH_CHANGES", "Please add error handling to the API handler"),
    ];
    for (id, who, verdict, text) in said {
        streams::decide(&api.redis, &streams::decision(id, who, verdict, Some(text)));
    }
    drain(&api.redis, &api.site);
    let listed = api.get("/proposals?state=proposed").ok();
    let proposal = &listed["proposals"][0];
    for who in ["ann", "bob"] {
        let review = json!({
            "review_id": format!("yes-{who}"), "proposal_id": proposal["proposal_id"], "decision": "APPROVE",
            "reviewer_id": who, "timestamp": feedbackd::wiring::now(), "content_hash": proposal["content_hash"],
        });
        streams::review(&api.redis, &review);
    }
    wait_until("the rule is in the agent's key", || key(&api, "prompt").is_some());
    api
}

fn key(api: &Api, which: &str) -> Option<String> {
    api.redis.cli(&["GET", &format!("asdlc:rules:{which}:{AGENT}")])
}

#[test]
fn an_agent_gets_what_its_keys_hold_and_304_until_that_changes() {
    let api = with_rule(&[]);
    let answer = api.get(PROMPT);
    let prompt = answer.fits("get", "/agents/{agent}/prompt");
    assert_eq!(prompt["prompt"].as_str(), key(&api, "prompt").as_deref());
    let rules = api.get("/agents/coding-agent/rules").fits("get", "/agents/{agent}/rules");
    let active: Value = serde_json::from_str(&key(&api, "active").expect("a key")).expect("JSON");
    assert_eq!(rules["rules"], active);
    assert_eq!(prompt["rules"][0]["rule_id"], active[0]["id"]);

    let tag = answer.head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned();
    assert!(tag.starts_with('"'), "a strong one: {tag}");
    let known = format!("Authorization: Bearer {TOKEN}\r\nIf-None-Match: {tag}\r\n");
    let ask = || api.raw(&format!("GET /api/v1{PROMPT}"), &known, "").status;
    assert_eq!(ask(), 304);
    let stop = json!({"reviewer_id": "ann", "reason": "It misleads."}).to_string();
    assert_eq!(api.post("/rules/stop", &stop).ok()["accepted"], true);
    wait_until("the prompt is another one", || ask() == 200);
    assert_eq!(key(&api, "prompt"), None, "the key goes with it");
    let nothing = api.get(PROMPT).fits("get", "/agents/{agent}/prompt");
    assert_eq!((&nothing["prompt"], &nothing["rules"]), (&Value::Null, &json!([])));
}

#[test]
fn a_place_leaves_rules_for_others_out_and_nobody_else_has_them() {
    let api = with_rule(&[]);
    // A rule without a scope always applies.
    let here = api.get("/agents/coding-agent/prompt?path=src%2Fapi%2Fusers.rs&gate=HITL-4").ok();
    assert_eq!(here, api.get(PROMPT).ok());
    let other = api.get("/agents/prd-agent/rules").fits("get", "/agents/{agent}/rules");
    assert_eq!(other, json!({"agent": "prd-agent", "rules": []}));
    let refused = api.get("/agents/coding-agent/rules?gate=somewhere").problem(400);
    assert!(refused["detail"].as_str().unwrap().contains("HITL-1"), "{refused}");
    api.get("/agents/coding-agent/rules?paths=x").problem(400);
}

#[test]
fn what_entered_a_prompt_is_recorded_as_from_everybody() {
    let api = with_rule(&[]);
    let prompt = api.get(PROMPT).ok();
    let notice = json!({
        "rules": prompt["rules"], "prompt_hash": prompt["prompt_hash"], "session_id": "s-42", "injection_id": "inj-1",
    });
    for _ in 0..2 {
        let told = api.post("/agents/coding-agent/injected", &notice.to_string());
        assert_eq!(told.fits("post", "/agents/{agent}/injected")["id"], "inj-1");
    }
    drain(&api.redis, &api.site);
    let files = api.site.files("feedback/injections/");
    assert_eq!(files.len(), 1, "sent again it is the same: {files:?}");
    let record: InjectionRecord = feedbackd::text::yaml::parse(&files[0].1).expect("a record");
    assert_eq!((record.agent.as_str(), record.session_id.as_deref()), (AGENT, Some("s-42")));
    assert_eq!(json!(record.rules), prompt["rules"]);
    assert_eq!(json!(record.prompt_hash), prompt["prompt_hash"]);

    let made = api.site.run(&["--json", "token", "create", "--as", "ann", "--scope", "read"]);
    let made: Value = serde_json::from_str(&made.out).expect("JSON");
    let reader = format!("Authorization: Bearer {}\r\n", made["token"].as_str().expect("a token"));
    api.raw("POST /api/v1/agents/coding-agent/injected", &reader, &notice.to_string()).problem(403);
    for bad in [json!({}), json!({"rules": [{"rule_id": "x"}], "prompt_hash": "x"}), json!({"rule": []})] {
        api.post("/agents/coding-agent/injected", &bad.to_string()).problem(422);
    }
}
