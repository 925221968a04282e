//! `/api/v1` of a running daemon: the answer to each call, its conformance to the OpenAPI document, who may call, and
//! what is rejected.

pub mod agents;
pub mod client;
mod deciding;
mod example_clients;

use crate::harness::daemon::Site;
use crate::harness::redis::RedisServer;
use crate::harness::streams;
use crate::harness::wait_until;
use client::{Api, TOKEN, raw};
use feedbackd::domain::channels::iteration;
use serde_json::{Value, json};

const TURNS: &str = "asdlc:events:turns";
const ACTIONS: &str = "asdlc:events:action_results";

/// Every call known to clients.
const CALLS: [(&str, &str); 61] = [
    ("post", "/api/v1/validate"),
    ("post", "/api/v1/detect"),
    ("post", "/api/v1/refine"),
    ("post", "/api/v1/turns/judge"),
    ("get", "/api/v1/turns"),
    ("get", "/api/v1/turns/search"),
    ("get", "/api/v1/turns/{session}/{turn}"),
    ("get", "/api/v1/actions"),
    ("post", "/api/v1/actions/suggest"),
    ("get", "/api/v1/rules/stopped"),
    ("post", "/api/v1/rules/stop"),
    ("post", "/api/v1/rules/resume"),
    ("post", "/api/v1/rules/{rule}/stop"),
    ("post", "/api/v1/rules/{rule}/resume"),
    ("get", "/api/v1/agents/{agent}/rules"),
    ("get", "/api/v1/agents/{agent}/prompt"),
    ("post", "/api/v1/agents/{agent}/injected"),
    ("get", "/api/v1/openapi.json"),
    ("get", "/api/v1/asyncapi.json"),
    ("get", "/api/v1/proposals"),
    ("get", "/api/v1/proposals/{proposal}"),
    ("post", "/api/v1/proposals/{proposal}/approve"),
    ("post", "/api/v1/proposals/{proposal}/reject"),
    ("post", "/api/v1/proposals/{proposal}/modify"),
    ("get", "/api/v1/rules"),
    ("get", "/api/v1/rules/{rule}"),
    ("post", "/api/v1/rules/{rule}/retire"),
    ("post", "/api/v1/rules/{rule}/rollback"),
    ("get", "/api/v1/groups"),
    ("get", "/api/v1/groups/{group}"),
    ("post", "/api/v1/groups/{group}/merge"),
    ("post", "/api/v1/groups/{group}/split"),
    ("post", "/api/v1/groups/{group}/word"),
    ("post", "/api/v1/groups/same"),
    ("post", "/api/v1/groups/apart"),
    ("post", "/api/v1/groups/sort"),
    ("get", "/api/v1/contradictions"),
    ("get", "/api/v1/contradictions/{feedback}"),
    ("post", "/api/v1/contradictions/{feedback}/resolve"),
    ("get", "/api/v1/feedback"),
    ("get", "/api/v1/feedback/search"),
    ("get", "/api/v1/feedback/similar"),
    ("get", "/api/v1/feedback/{feedback}"),
    ("post", "/api/v1/feedback/{feedback}/mark"),
    ("post", "/api/v1/feedback/{feedback}/move"),
    ("post", "/api/v1/feedback/{feedback}/retract"),
    ("get", "/api/v1/inbox"),
    ("get", "/api/v1/roster"),
    ("post", "/api/v1/roster/approve"),
    ("post", "/api/v1/roster/reject"),
    ("get", "/api/v1/reviews/{review}"),
    ("get", "/api/v1/proposals/{proposal}/signing"),
    ("get", "/api/v1/imports"),
    ("post", "/api/v1/imports/{import}/withdraw"),
    ("post", "/api/v1/inbox/{item}/snooze"),
    ("post", "/api/v1/inbox/{item}/wake"),
    ("get", "/api/v1/dead-letters"),
    ("get", "/api/v1/dead-letters/{entry}"),
    ("get", "/api/v1/dead-letters/{entry}/original"),
    ("get", "/api/v1/demands"),
    ("post", "/api/v1/dead-letters/{entry}/send"),
];

#[test]
fn the_document_is_openapi_3_1_and_has_every_call() {
    let api = Api::start();
    let document = api.get("/openapi.json").ok();
    assert_eq!(document["openapi"], "3.1.0");
    for field in ["/info/title", "/info/version", "/components/securitySchemes/token/scheme"] {
        assert!(document.pointer(field).is_some_and(Value::is_string), "{field}");
    }
    let mut listed = Vec::new();
    let mut ids = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (verb, operation) in item.as_object().expect("a path item") {
            listed.push((verb.as_str(), path.as_str()));
            ids.push(operation["operationId"].as_str().expect("an id"));
            assert!(operation["summary"].is_string() && operation["description"].is_string(), "{path}");
            assert!(
                document["tags"]
                    .as_array()
                    .is_some_and(|tags| tags.iter().any(|tag| tag["name"] == operation["tags"][0]))
            );
            assert_eq!(operation["requestBody"].is_object(), verb == "post", "{path}");
            for part in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
                let declared = json!({"name": part, "in": "path", "required": true, "schema": {"type": "string"}});
                assert!(operation["parameters"].as_array().expect("parameters").contains(&declared), "{path}: {part}");
            }
            let responses = operation["responses"].as_object().expect("responses");
            for (status, response) in responses.iter().filter(|(status, _)| *status != "304") {
                assert!(response["description"].is_string(), "{path} {status}");
                let kind = if status == "200" { "application/json" } else { "application/problem+json" };
                assert!(response["content"][kind]["schema"].is_object(), "{path} {status}");
            }
            for status in ["200", "401", "403", "413", "421", "429", "503"] {
                assert!(responses.contains_key(status), "{path} {status}");
            }
        }
    }
    listed.sort_unstable();
    let mut calls = CALLS;
    calls.sort_unstable();
    assert_eq!(listed, calls);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CALLS.len(), "{ids:?}");

    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        assert!(jsonschema::meta::is_valid(schema), "{name}");
    }
    let mut references = Vec::new();
    collect_references(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("a reference within the document");
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

#[test]
fn documents_are_validated() {
    let api = Api::start();
    let good = document();
    let answer = api.post("/validate", &good.to_string()).fits("post", "/validate");
    assert_eq!(answer["valid"], true, "{answer}");
    let yaml = format!("id: {}\n{}", good["id"], "verdict: accept\n");
    let refused = api.post("/validate", &yaml).problem(422);
    assert_eq!(refused["valid"], false);
    let rules: Vec<&str> = refused["findings"].as_array().unwrap().iter().filter_map(|f| f["rule"].as_str()).collect();
    assert!(rules.iter().any(|rule| rule.starts_with("schema.")), "{rules:?}");

    let mut vague = good;
    vague["feedback_items"][1]["issue"] = json!("This could be improved somehow, I think");
    let refused = api.post("/validate", &vague.to_string()).problem(422);
    let at = |finding: &Value| finding["path"] == "/feedback_items/1/issue" && finding["level"] == "error";
    assert!(refused["findings"].as_array().unwrap().iter().any(at), "{refused}");

    for unreadable in ["", "{\"a\": ", "a: 1\n---\nb: 2\n"] {
        api.post("/validate", unreadable).problem(400);
    }
}

#[test]
fn outputs_are_read_and_prompts_refined() {
    let api = Api::start();
    let failed = json!({"text": "E   assert 5 == 4\nFAILED tests/test_sum.py::test_sum\n1 failed, 3 passed", "tool": "pytest", "exit_code": 1});
    let answer = api.post("/detect", &failed.to_string()).fits("post", "/detect");
    assert_eq!(answer["signal"]["kind"], "verification_failure", "{answer}");
    assert_eq!(answer["signal"]["facts"]["failing_tests"], json!(["tests/test_sum.py::test_sum"]));
    let fine = json!({"text": "4 passed, 0 failed", "tool": "pytest", "exit_code": 0});
    assert_eq!(api.post("/detect", &fine.to_string()).fits("post", "/detect"), json!({"signal": null}));

    let prompt = "Write a function that adds two numbers.";
    let mut request = json!({"prompt": prompt, "feedback": failed["text"], "tool": "pytest", "exit_code": 1});
    let refined = api.post("/refine", &request.to_string()).fits("post", "/refine");
    assert!(refined["refined_prompt"].as_str().unwrap().starts_with(prompt), "{refined}");
    assert_eq!(refined["iterations"][0]["iteration"], 1, "{refined}");
    request["iteration"] = json!(4);
    let late = api.post("/refine", &request.to_string()).fits("post", "/refine");
    assert_eq!((&late["stopped"], &late["refined_prompt"]), (&json!("max_iterations"), &json!(prompt)));
    request["iteration"] = json!(0);
    api.post("/refine", &request.to_string()).problem(422);
}

#[test]
fn turns_are_judged_listed_searched_and_shown() {
    let api = Api::start();
    let said = [
        ("turn_000001", "find a hamster toy", "I found these books about hamsters. Anything else?", 0.9),
        ("turn_000002", "No, I meant a live hamster", "Here are three breeders of hamsters near you.", 0.8),
        ("turn_000003", "Thanks, that is perfect! Now book a flight to Berlin", "It is booked.", 0.7),
    ];
    for (minute, (turn, query, response, quality)) in said.iter().enumerate() {
        let event = json!({
            "turn_id": turn, "session_id": "s/1", "timestamp": format!("2026-01-12T10:0{minute}:00Z"),
            "user_message": query, "response": response, "quality_score": quality, "validation_outcome": "APPROVE",
            "strategy": {"name": "commerce_search", "query": query},
        });
        streams::add(&api.redis, TURNS, &[("data", &event.to_string())]);
    }
    let listed = |path: &str| api.get(path).fits("get", "/turns")["turns"].as_array().unwrap().clone();
    wait_until("two turns are judged", || {
        let all = listed("/turns?session=s%2F1");
        all.len() == 3 && all.iter().filter(|turn| turn["user_feedback_status"] != "neutral").count() == 2
    });
    let ids = |turns: &[Value]| turns.iter().map(|t| t["turn_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&listed("/turns")), ["turn_000003", "turn_000002", "turn_000001"]);
    assert_eq!(ids(&listed("/turns?limit=1")), ["turn_000003"]);
    assert_eq!(ids(&listed("/turns?status=rejected")), ["turn_000001"]);
    assert_eq!(ids(&listed("/turns?session=s%2F1&status=accepted&limit=5")), ["turn_000002"]);
    assert!(listed("/turns?session=nobody").is_empty());

    let found = api.get("/turns/search?q=hamster").fits("get", "/turns/search");
    let found = found["strategies"].as_array().unwrap();
    assert_eq!(found.len(), 1, "the rejected one is left out: {found:?}");
    assert_eq!(found[0]["row"]["turn_id"], "turn_000002");
    assert_eq!(found[0]["formula"], "0.80 * 0.6 + 0.5 * 0.4 = 0.68");
    let inflected = api.get("/turns/search?q=hamsters").fits("get", "/turns/search");
    assert_eq!(inflected["strategies"][0], found[0]);
    let meant = api.get("/turns/search?q=airline+tickets").fits("get", "/turns/search");
    assert_eq!(meant["strategies"][0]["row"]["turn_id"], "turn_000003", "no word is shared: {meant}");
    assert_eq!(api.get("/turns/search?q=parliament").ok(), json!({"strategies": []}));

    let page = api.get("/turns/s%2F1/turn_000001").fits("get", "/turns/{session}/{turn}");
    assert_eq!(page["turn"]["turn"]["user_message"], said[0].1);
    assert_eq!(page["metadata"]["user_feedback"]["status"], "rejected");
    let open = api.get("/turns/s%2F1/turn_000003").fits("get", "/turns/{session}/{turn}");
    assert_eq!(open["feedback"], Value::Null);

    // The call and the stream agree.
    let request = json!({
        "previous_query": said[0].1, "previous_response": said[0].2, "text": said[1].1, "turn_id": "turn_000001",
        "detected_in_turn": "turn_000002", "strategy": {"name": "commerce_search", "query": said[0].1},
    });
    let judged = api.post("/turns/judge", &request.to_string()).fits("post", "/turns/judge");
    for (name, value) in judged.as_object().unwrap() {
        assert_eq!(page["feedback"][name], *value, "{name}");
    }
    assert!(judged["context"].as_str().unwrap().contains("Do NOT reuse the strategy from Turn 1"), "{judged}");

    let missing = api.get("/turns/nobody/turn_000001").problem(404);
    assert_eq!(missing["detail"], "there is no session `nobody`");
    assert_eq!(missing["instance"], "/api/v1/turns/nobody/turn_000001");
    let missing = api.get("/turns/s%2F1/turn_000009").problem(404);
    assert!(missing["detail"].as_str().unwrap().starts_with("there is no turn `turn_000009`; near: "), "{missing}");
    for bad in ["?status=angry", "?limit=0", "?limit=501", "?limit=x", "?sesion=s", "?limit=1&limit=2"] {
        api.get(&format!("/turns{bad}")).problem(400);
    }
    api.get("/turns/search").problem(400);
    api.get("/turns/s/%FF").problem(400);
}

#[test]
fn a_catalogue_that_changes_is_told_of_and_the_api_answers_on() {
    let api = Api::start();
    let push = |text: &'static str| api.site.push("catalogue/ours.yaml", |_| text.to_owned());
    let told = || api.daemon.ready().1["checks"]["catalogue"].clone();
    push("concerns: 7\n");
    wait_until("the broken file is told of", || told()["ok"] == false);
    assert!(told()["message"].as_str().unwrap().starts_with("catalogue/ours.yaml: "), "{}", told());
    assert_eq!(api.daemon.ready().0, 200, "it goes on with the catalogue it has");
    assert_eq!(api.daemon.metric("feedbackd_catalogue_errors"), 1.0);
    push("more_phrasings: {err.swallowed: [the gizmo ate it]}\n");
    wait_until("the mended file is in use", || told()["ok"] == true);
    assert_eq!(api.daemon.metric("feedbackd_catalogue_errors"), 0.0);
    // The index is a different one now.
    assert_eq!(api.get("/turns").fits("get", "/turns")["turns"], json!([]));
    let log = api.daemon.log();
    assert_eq!(log.matches("feedbackd catalogue lint").count(), 1, "{log}");
    assert!(log.contains("took_ms"), "{log}");
}

#[test]
fn suggestions_follow_what_helped() {
    let api = Api::start();
    let event = |id: &str, session: &str, minute: u32, kind: &str, action: &str| {
        json!({
            "action_id": id, "timestamp": format!("2026-01-12T10:{minute:02}:00Z"), "session_id": session,
            "agent": "kyc-agent", "user_input": "process DOC_001.pdf", "type": kind, "inference": "unresolved_document_ids",
            "action": action, "reason": "file not found in the case folder",
        })
    };
    let asked = event("a-9", "s-9", 30, "action_failed", "direct_path");
    let first = api.post("/actions/suggest", &asked.to_string()).fits("post", "/actions/suggest");
    let tried = |answer: &Value| -> u64 {
        let all = answer["results"][0]["suggestions"].as_array().unwrap();
        assert!(!all.is_empty());
        all.iter().find(|one| one["action"] == "ask_the_archive").map_or(0, |one| one["tried"].as_u64().unwrap())
    };
    assert_eq!(tried(&first), 0);

    for (id, minute, kind, action) in
        [("a-1", 1, "action_failed", "direct_path"), ("a-2", 2, "action", "ask_the_archive")]
    {
        streams::add(&api.redis, ACTIONS, &[("data", &event(id, "s-1", minute, kind, action).to_string())]);
    }
    let history = |path: &str| {
        let answer = api.get(path).fits("get", "/actions");
        let ids =
            answer["actions"].as_array().unwrap().iter().map(|a| a["result"]["action_id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    wait_until("both actions are recorded", || history("/actions?session=s-1").len() == 2);
    assert_eq!(history("/actions?session=s-1"), ["a-2", "a-1"]);
    assert_eq!(history("/actions?limit=1"), ["a-2"]);
    assert!(history("/actions?session=s-2").is_empty());

    let learned = api.post("/actions/suggest", &asked.to_string()).fits("post", "/actions/suggest");
    assert_eq!(tried(&learned), 1, "{learned}");
    assert_eq!(history("/actions").len(), 2, "what is only asked is not recorded");
    let refused = api.post("/actions/suggest", r#"{"type": "action_failed"}"#).problem(422);
    assert!(refused["detail"].as_str().unwrap().contains("session_id"), "{refused}");
}

#[test]
fn an_approver_stops_rules_and_resumes_them() {
    let api = Api::start();
    api.site.push_roster(&["ann", "bob"]);
    let by = |who: &str| json!({"reviewer_id": who, "reason": "An agent deletes files."}).to_string();
    let stopped = || api.get("/rules/stopped").ok()["all"]["by"].clone();

    let refused = api.post("/rules/stop", &by("eve")).problem(403);
    assert!(refused["detail"].as_str().unwrap().contains("roster"), "{refused}");
    api.post("/rules/stop", r#"{"reviewer_id": "ann"}"#).problem(422);
    api.post("/rules/stop", r#"{"reviewer_id": "ann", "reason": " "}"#).problem(422);
    api.post("/rules/stop", r#"{"reviewer_id": "ann", "reason": "x", "review_id": "mine"}"#).problem(422);
    api.post("/rules/RULE-2026-0099/stop", &by("ann")).problem(404);
    assert_eq!(stopped(), Value::Null);

    assert_eq!(api.post("/rules/stop", &by("ann")).fits("post", "/rules/stop")["accepted"], true);
    assert_eq!(stopped(), "ann");
    api.post("/rules/stop", &by("bob")).problem(409);

    let own = json!({
        "reviewer_id": "bob", "reason": "It was not a rule.", "review_id": "mine-1", "timestamp": "2026-11-23T10:00:00Z",
    });
    for _ in 0..2 {
        assert_eq!(api.post("/rules/resume", &own.to_string()).ok()["id"], "mine-1", "sent again it is the same");
    }
    assert_eq!(stopped(), Value::Null);
    let mut other = own;
    other["reviewer_id"] = json!("ann");
    api.post("/rules/resume", &other.to_string()).problem(409);
}

#[test]
fn only_programs_with_the_token_may_call() {
    let api = Api::start();
    let host = format!("127.0.0.1:{}", api.daemon.port());
    let ask = |more: &str| api.raw("GET /api/v1/turns", more, "");
    assert_eq!(ask(&format!("Authorization: Bearer {TOKEN}\r\n")).status, 200);
    assert_eq!(ask(&format!("Authorization: bearer {TOKEN}\r\nOrigin: http://{host}\r\n")).status, 200);

    let answer = ask("");
    answer.problem(401);
    assert!(answer.head.contains("www-authenticate: Bearer realm=\"feedbackd\"\r\n"), "{}", answer.head);
    for wrong in [
        "Authorization: Bearer nearly\r\n".to_owned(),
        "Authorization: Bearer \r\n".to_owned(),
        format!("Authorization: Bearer {TOKEN}x\r\n"),
        format!("Authorization: Basic {TOKEN}\r\n"),
        format!("Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer {TOKEN}\r\n"),
    ] {
        ask(&wrong).problem(401);
    }
    for origin in ["http://evil.example", "null", &format!("http://{host}.evil.example"), &host] {
        ask(&format!("Authorization: Bearer {TOKEN}\r\nOrigin: {origin}\r\n")).problem(403);
    }
    // Even what exists is hidden without the token.
    for path in ["/api/v1/nothing", "/api/v1/openapi.json", "/api/v1/turns/judge", "/api/v1/turns/s/t"] {
        api.raw(&format!("GET {path}"), "", "").problem(401);
    }
    // The others are unchanged.
    for path in ["/health", "/metrics"] {
        assert_eq!(api.raw(&format!("GET {path}"), "", "").status, 200, "{path}");
    }
}

#[test]
fn what_cannot_be_read_is_a_problem() {
    let api = Api::start();
    for (path, body, status) in [
        ("/detect", "{\"text\": ", 400),
        ("/detect", "", 400),
        ("/detect", "{}", 422),
        ("/detect", r#"{"text": 7}"#, 422),
        ("/detect", r#"{"text": "x", "exitcode": 1}"#, 422),
        ("/turns/judge", r#"{"previous_query": "x", "text": " "}"#, 422),
        ("/nothing", "{}", 404),
    ] {
        api.post(path, body).problem(status);
    }
    api.get("/detect").problem(405);
    let largest = json!({ "text": "" }).to_string();
    let fill = |more: usize| format!("{{\"text\":\"{}\"}}", "x".repeat(1024 * 1024 - largest.len() + more));
    assert_eq!(api.post("/detect", &fill(0)).status, 200, "1 MiB passes");
    api.post("/detect", &fill(1)).problem(413);
}

/// Everything that must fail, concurrently, while the stream is read.
#[test]
fn whatever_is_refused_the_stream_is_served() {
    let api = Api::with(&[("HTTP__MAX_BODY_BYTES", "2048"), ("HTTP__BODY_TIMEOUT_SECONDS", "1")]);
    let mut held = Vec::new();
    for _ in 0..200 {
        held.push(std::net::TcpStream::connect(("127.0.0.1", api.daemon.port())).expect("it listens"));
    }
    // Overload: only probes are answered, and the stream is served.
    let refused = |reason: &str| api.daemon.metric(&format!("feedbackd_http_refused_total{{reason=\"{reason}\"}}"));
    wait_until("connections are refused", || refused("connections") >= 100.0);
    for n in 0..20 {
        let event = streams::decision(&format!("d-{n}"), "ann", "APPROVED", None);
        streams::decide(&api.redis, &event);
    }
    streams::drain(&api.redis, &api.site);
    // It is over once its connections are gone and several calls in a row get a slot.
    drop(held);
    wait_until("calls are answered", || (0..8).all(|_| api.raw("GET /api/v1/turns", "", "").status == 401));
    api.raw("GET /api/v1/turns", "Authorization: Bearer wrong\r\n", "").problem(401);
    api.raw("GET /api/v1/turns", "Origin: http://evil.example\r\n", "").problem(403);
    let large = format!("{{\"text\":\"{}\"}}", "x".repeat(2048));
    let large = api.post("/detect", &large).problem(413);
    assert!(large["detail"].as_str().unwrap().contains("2048"), "{large}");
    let slow = client::unfinished(&api.daemon, "POST /api/v1/detect", "{\"te").problem(408);
    assert!(slow["detail"].as_str().unwrap().contains("1 seconds"), "{slow}");
    assert_eq!(api.daemon.ready().0, 200);
    for (reason, least) in [("token", 2.0), ("origin", 1.0), ("body", 1.0), ("slow_body", 1.0)] {
        assert!(refused(reason) >= least, "{reason}: {}", refused(reason));
    }
}

#[test]
fn what_is_sent_is_not_logged() {
    let api = Api::with(&[("LOG__LEVEL", "trace")]);
    for (path, body) in [
        ("/detect", r#"{"text": "no, zzmarker is wrong"}"#),
        ("/detect", r#"{"text": "zzmarker", "zzmarker": 1}"#),
        ("/refine", r#"{"prompt": "zzmarker", "feedback": "zzmarker is wrong"}"#),
        ("/validate", "zzmarker: 1"),
        ("/turns/judge", r#"{"previous_query": "zzmarker", "text": "no, the other zzmarker"}"#),
        ("/actions/suggest", r#"{"type": "action_failed", "inference": "zzmarker", "session_id": "s", "agent": "a"}"#),
    ] {
        assert!(api.post(path, body).status < 500, "{path}");
    }
    api.get("/turns/search?q=zzmarker").ok();
    let log = api.daemon.log();
    assert!(log.contains("TRACE") && !log.contains("zzmarker"), "{log}");
    assert!(!log.contains(TOKEN), "{log}");
}

#[test]
fn without_a_token_for_programs_none_is_taken() {
    let redis = RedisServer::start();
    let daemon = Site::new(&redis.url()).start();
    for header in [String::new(), format!("Authorization: Bearer {TOKEN}\r\n"), "Authorization: Bearer \r\n".to_owned()]
    {
        let problem = raw(&daemon, "GET /api/v1/turns", &header, "").problem(401);
        let detail = problem["detail"].as_str().unwrap();
        let expected = if !header.contains(TOKEN) { "http.api_token_file" } else { "unknown token" };
        assert!(detail.contains(expected), "{problem}");
    }
}

#[test]
fn a_token_that_could_be_guessed_is_refused() {
    let mut site = Site::new("redis://127.0.0.1:1/0");
    let file = site.path("token");
    std::fs::write(&file, "secret\n").expect("written");
    site.set("HTTP__API_TOKEN_FILE", &file.display().to_string());
    let said = site.run(&["serve"]);
    assert_ne!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("http.api_token_file") && said.err.contains("16 or more"), "{said:?}");
    assert!(!said.err.contains("secret"), "{said:?}");
}

/// Returns the specification's example (specification, "Review documents"), with a UUID.
fn document() -> Value {
    let schema: Value = serde_json::from_str(iteration::SCHEMA).expect("JSON");
    let mut example = schema["examples"][0].clone();
    example["id"] = json!("3f2b8c1e-7d4a-4e09-9b56-0c1d2e3f4a5b");
    example
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect_references(value, found)),
        _ => {}
    }
}
