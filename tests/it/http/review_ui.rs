//! The review UI's calls, as it sends them: answers, effects, and permissions.

use crate::harness::audit::records;
use crate::harness::daemon::{Daemon, Site};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{self, DECISIONS, DISPATCHER, REVIEWS, add, decision, entries, is_drained};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{DecisionRecord, ProposalRecord, ReviewRecord};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tokio::net::TcpSocket;

/// A daemon behind the UI's server.
struct Ui {
    redis: RedisServer,
    daemon: Daemon,
    site: Site,
}

struct Answer {
    status: u16,
    body: Value,
}

impl Ui {
    fn start() -> Ui {
        Ui::with(&[])
    }

    /// Starts it. `admin` is Ann, but Cleo on requests from another server.
    fn with(settings: &[(&str, &str)]) -> Ui {
        let redis = RedisServer::start();
        let mut site = Site::new(&redis.url());
        site.set("REVIEW_UI__ENABLED", "true");
        site.set("REVIEW_UI__PEOPLE", "admin=ann, admin@127.0.0.2=cleo");
        settings.iter().for_each(|(key, value)| site.set(key, value));
        let daemon = site.start();
        daemon.wait_ready();
        Ui { redis, daemon, site }
    }

    /// Starts it with a proposal from three comments, and Ann, Bob and Cleo on the roster.
    fn with_proposal() -> Ui {
        let ui = Ui::start();
        ui.site.push_roster(&["ann", "bob", "cleo"]);
        let now = feedbackd::wiring::now();
        for (id, reviewer, verdict, comment) in [
            ("d1", "bob", "REJECTED", "Missing error handling in API handler"),
            ("d2", "eva", "REJECTED", "API handler lacks error handling"),
            ("d3", "cem", "APPROVED_WITH_CHANGES", "Please add error handling to the API handler"),
            ("d4", "eva", "REJECTED", "The changelog is not updated"),
        ] {
            let mut decision = decision(id, reviewer, verdict, Some(comment));
            decision["timestamp"] = json!(now);
            streams::decide(&ui.redis, &decision);
        }
        ui.drain();
        ui
    }

    fn drain(&self) {
        wait_until("everything is read", || is_drained(&self.redis, &self.site, ""));
    }

    fn get(&self, path: &str) -> Answer {
        Request::new(self, "127.0.0.1", "GET", path).send()
    }

    /// Sends it as the UI's server does: to its configured address, with the page's origin.
    fn post(&self, path: &str, body: &Value) -> Answer {
        self.posting("127.0.0.1", path, body).send()
    }

    fn posting(&self, from: &'static str, path: &str, body: &Value) -> Request {
        let request = Request::new(self, from, "POST", path).header("origin", "http://localhost:3000");
        request.header("sec-fetch-site", "same-origin").body(body)
    }

    fn listed(&self) -> Value {
        self.get("/feedback/rules/pending").ok()
    }

    fn approve(&self, from: &'static str, rule: &str) -> Answer {
        let body = json!({ "ruleId": rule, "decision": "approved", "decidedBy": "admin" });
        self.posting(from, &format!("/feedback/rules/{rule}/approve"), &body).send()
    }

    fn rule(&self) -> ProposalRecord {
        let found: Vec<(String, ProposalRecord)> = [layout::PROPOSED, layout::ACTIVE, "feedback/rules/rejected/"]
            .iter()
            .flat_map(|at| records(&self.site, at))
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_iter().next().expect("one").1
    }

    fn decisions(&self) -> Vec<DecisionRecord> {
        let found: Vec<(String, DecisionRecord)> = records(&self.site, layout::DECISIONS);
        found.into_iter().map(|(_, record)| record).collect()
    }
}

impl Answer {
    fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    fn problem(self, status: u16, says: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        let detail = self.body["detail"].as_str().expect("a detail");
        assert!(detail.contains(says), "{detail}");
        assert!(self.body["instance"].as_str().is_some_and(|path| path.starts_with("/api/feedback")), "{}", self.body);
        self.body
    }
}

/// A request being built.
struct Request {
    from: &'static str,
    port: u16,
    head: String,
    body: String,
}

impl Request {
    fn new(ui: &Ui, from: &'static str, method: &str, path: &str) -> Request {
        let port = ui.daemon.port();
        let head = format!("{method} /api{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
        Request { from, port, head, body: String::new() }
    }

    fn header(mut self, name: &str, value: &str) -> Request {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    fn body(self, body: &Value) -> Request {
        let body = body.to_string();
        let sized = self.header("content-type", "application/json").header("content-length", &body.len().to_string());
        Request { body, ..sized }
    }

    /// Sends it from its address.
    fn send(self) -> Answer {
        let mut text = String::new();
        let mut stream = connect(self.from, self.port);
        stream.write_all(format!("{}\r\n{}", self.head, self.body).as_bytes()).expect("sent");
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("an HTTP answer");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, body: serde_json::from_str(body).unwrap_or_else(|_| panic!("no JSON: {body}")) }
    }
}

/// Opens a connection from one of this machine's addresses.
fn connect(from: &str, port: u16) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let connected = runtime.block_on(async {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(from.parse().expect("an address"), 0))?;
        socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await?.into_std()
    });
    let stream = connected.expect("it listens");
    stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(Duration::from_secs(30)))).expect("set");
    stream
}

fn form(gate: &str, summary: &str) -> Value {
    json!({
        "gateId": gate, "decision": "rejected", "tags": ["quality", "scope"], "summary": summary, "severity": "high",
        "considerForImprovement": true, "durationSeconds": 42,
    })
}

#[test]
fn the_list_has_every_field_that_the_ui_reads() {
    let ui = Ui::with_proposal();
    let listed = ui.listed();
    assert_eq!(listed["total"], 1, "{listed:#}");
    let rule = &listed["rules"][0];
    let record = ui.rule();
    assert_eq!(rule["id"], record.proposal_id.as_str());
    assert_eq!(rule["ruleContent"], record.rule_content.as_str());
    assert!(rule["description"].as_str().is_some_and(|text| text.contains(&record.rule_content)), "{rule:#}");
    assert_eq!((&rule["proposedBy"], &rule["status"]), (&json!("feedbackd"), &json!("pending")));
    assert_eq!((&rule["affectedAgents"], &rule["evidenceCount"]), (&json!(["coding-agent"]), &json!(3)));
    assert_eq!(rule["feedbackIds"].as_array().map(Vec::len), Some(3));
    assert_eq!(rule["confidence"], json!(record.classification_confidence));
    // Three of four corrections, all at one gate; no approval shows that it is harmless.
    let impact = json!({ "estimatedReductionPercent": 75.0, "affectedGatesCount": 1, "riskLevel": "medium" });
    assert_eq!(rule["impact"], impact);
    let evidence = rule["evidence"].as_array().expect("evidence");
    let has = |kind: &str, text: &str| {
        evidence.iter().any(|one| one["type"] == kind && one["description"].as_str().is_some_and(|d| d.contains(text)))
    };
    assert!(has("pattern", "") && has("rejection", "bob at HITL-4: Missing error handling"), "{evidence:#?}");
    assert!(has("change", "cem at HITL-4") && has("risk", "no past approvals"), "{evidence:#?}");

    let kind = rule["ruleType"].as_str().expect("a type");
    let other = if kind == "GUIDELINE" { "CONSTRAINT" } else { "GUIDELINE" };
    for (query, total, shown) in [
        (format!("agent=coding-agent&ruleType={kind}&minConfidence=0.1&limit=5"), 1, 1),
        ("agent=prd-agent".to_owned(), 0, 0),
        (format!("ruleType={other}"), 0, 0),
        ("minConfidence=1".to_owned(), 0, 0),
    ] {
        let found = ui.get(&format!("/feedback/rules/pending?{query}")).ok();
        assert_eq!((&found["total"], found["rules"].as_array().map(Vec::len)), (&json!(total), Some(shown)), "{query}");
    }
    for (query, says) in
        [("limit=0", "limit"), ("minConfidence=2", "minConfidence"), ("ruleType=X", "ruleType"), ("agnet=x", "agnet")]
    {
        ui.get(&format!("/feedback/rules/pending?{query}")).problem(400, says);
    }
}

#[test]
fn two_people_approve_and_the_rule_comes_into_force() {
    let ui = Ui::with_proposal();
    let id = ui.rule().proposal_id;
    let first = ui.approve("127.0.0.1", &id).ok();
    assert_eq!((&first["success"], &first["ruleId"], &first["status"]), (&json!(true), &json!(id), &json!("pending")));
    let listed = ui.listed();
    assert_eq!(listed["rules"][0]["approvedBy"], "ann", "{listed:#}");
    assert_eq!(listed["rules"][0]["evidence"][0]["description"], "Approved by ann; 2 people are needed.");
    ui.approve("127.0.0.1", &id).problem(409, "ann");

    let second = ui.approve("127.0.0.2", &id).ok();
    assert_eq!(second["status"], "approved", "{second}");
    assert_eq!(ui.listed()["total"], 0);
    let record = ui.rule();
    assert!(record.status.in_force(), "{record:?}");
    let reviews: Vec<(String, ReviewRecord)> = records(&ui.site, layout::REVIEWS);
    let mut by: Vec<&str> = reviews.iter().map(|(_, review)| review.reviewer_id.as_str()).collect();
    by.sort_unstable();
    assert_eq!(by, ["ann", "ann", "cleo"]);
    assert_eq!(entries(&ui.redis, REVIEWS).len(), 3);
    ui.approve("127.0.0.1", &id).problem(409, "");
    ui.approve("127.0.0.1", "RULE-2026-9999").problem(404, "RULE-2026-9999");
}

#[test]
fn a_rejection_has_its_reason_and_another_text_is_a_new_version_that_is_approved() {
    let ui = Ui::with_proposal();
    let id = ui.rule().proposal_id;
    let text = "Handle every error of an API call: map it to a status code and log it.";
    let path = format!("/feedback/rules/{id}/approve");
    let changed = json!({ "ruleId": id, "decision": "approved", "decidedBy": "admin", "modifiedContent": text });
    let answer = ui.post(&path, &changed).ok();
    assert_eq!(answer["status"], "pending", "{answer}");
    let record = ui.rule();
    assert_eq!((record.version, record.rule_content.as_str(), record.approvals.len()), (2, text, 1));

    // Cleo's page may still show the first text.
    ui.approve("127.0.0.2", &id).problem(409, "has just changed");
    let listed = ui.listed();
    assert_eq!(listed["rules"][0]["proposedBy"], "ann", "{listed:#}");
    let unnamed =
        json!({ "ruleId": id, "decision": "rejected", "decidedBy": "admin", "contentHash": record.content_hash });
    ui.post(&format!("/feedback/rules/{id}/reject"), &unnamed).problem(422, "reason");
    let mut rejected = unnamed;
    rejected["reason"] = json!("Rejected by admin");
    let answer = ui.post(&format!("/feedback/rules/{id}/reject"), &rejected).ok();
    assert_eq!(answer["status"], "rejected", "{answer}");
    assert_eq!(ui.rule().reason.as_deref(), Some("Rejected by admin"));

    let other = json!({ "ruleId": "RULE-2026-0009", "decision": "approved", "decidedBy": "admin" });
    ui.post(&path, &other).problem(422, "`ruleId`");
    ui.post(&path, &json!({ "decision": "rejected", "decidedBy": "admin" })).problem(422, "`rejected`");
    ui.post(&path, &json!({ "decidedBy": "admin", "modified_content": "x" })).problem(422, "modified_content");
}

#[test]
fn what_the_form_says_is_a_decision_and_sent_again_the_same_one() {
    let ui = Ui::start();
    let begun = Instant::now();
    let answer = ui.post("/feedback/gates/HITL-2", &form("HITL-2", "Name the failure modes of the queue")).ok();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(answer["success"], true);
    let id = answer["feedbackId"].as_str().expect("an id").to_owned();
    assert_eq!(entries(&ui.redis, DECISIONS).len(), 1);
    ui.drain();
    let found = ui.decisions();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].feedback.feedback_id.as_str(), found[0].reviewer_id.as_str()), (id.as_str(), "ann"));
    assert_eq!((found[0].gate.to_string(), found[0].feedback.agent.as_str()), ("HITL-2".to_owned(), "design-agent"));
    assert_eq!(found[0].review_duration_seconds, Some(42));
    assert_eq!(found[0].tags, ["quality", "scope"]);
    assert_eq!(found[0].text().as_deref(), Some("Name the failure modes of the queue"));

    // Resent, by hand or by a client that lost the answer, it is evaluated by now.
    let again = ui.post("/feedback/gates/HITL-2", &form("HITL-2", "Name the failure modes of the queue")).ok();
    assert_eq!(again["feedbackId"], id.as_str());
    assert_eq!(again["classification"]["type"], "edge_case", "{again}");
    assert!(again["classification"]["confidence"].as_f64().is_some_and(|sure| (0.0..=1.0).contains(&sure)));
    assert_eq!(entries(&ui.redis, DECISIONS).len(), 1);

    let keyed = |key: &str, summary: &str| {
        let request = ui.posting("127.0.0.1", "/feedback/gates/HITL-2", &form("HITL-2", summary));
        request.header("idempotency-key", key).send()
    };
    let first = keyed("k-1", "Say who owns the schema").ok();
    assert_eq!(keyed("k-1", "Say who owns the schema").ok()["feedbackId"], first["feedbackId"]);
    assert_ne!(keyed("k-2", "Say who owns the schema").ok()["feedbackId"], first["feedbackId"]);
    keyed("k-1", "Something else").problem(422, "Idempotency-Key");
    assert_eq!(entries(&ui.redis, DECISIONS).len(), 3);
}

#[test]
fn a_gate_request_tells_gate_agent_and_session() {
    let ui = Ui::start();
    let request = |id: &str, status: &str| {
        let key = format!("asdlc:gate_request:{id}");
        let _: i64 = ui.redis.cli(&[
            "HSET",
            &key,
            "gate_type",
            "hitl_3_plan",
            "requested_by",
            "planning-agent",
            "session_id",
            "s-7",
            "task_id",
            "T-9",
            "status",
            status,
        ]);
    };
    request("4f1c", "pending");
    let id = ui.post("/feedback/gates/4f1c", &form("4f1c", "Split the second task")).ok()["feedbackId"].clone();
    ui.drain();
    let found = ui.decisions();
    assert_eq!(found[0].feedback.feedback_id.as_str(), id);
    assert_eq!((found[0].gate.to_string(), found[0].gate_id.as_str()), ("HITL-3".to_owned(), "hitl_3_plan"));
    assert_eq!(found[0].feedback.agent, "planning-agent");
    assert_eq!((found[0].session_id.as_deref(), found[0].task_id.as_deref()), (Some("s-7"), Some("T-9")));
    assert_eq!(found[0].extra["request_id"], "4f1c");

    // The UI decides at the gate first; the form's content belongs to that decision.
    request("5a2d", "approved");
    let metadata = json!({ "request_id": "5a2d", "decision_id": "dec-5", "reviewer": "operator", "reason": "" });
    let now = feedbackd::wiring::now().to_string();
    let fields = [("event_type", "gate_approved"), ("session_id", "s-7"), ("timestamp", now.as_str())];
    let metadata = metadata.to_string();
    add(&ui.redis, DISPATCHER, &[&fields[..], &[("metadata", metadata.as_str())]].concat());
    let id = ui.post("/feedback/gates/5a2d", &form("5a2d", "Estimate each task")).ok()["feedbackId"].clone();
    assert_eq!(id, "dec-5");
    ui.drain();
    let found = ui.decisions();
    assert_eq!(found.len(), 2, "{found:#?}");
    let joined = found.iter().find(|record| record.decision_id == "dec-5").expect("it is there");
    assert_eq!((joined.reviewer_id.as_str(), joined.text().as_deref()), ("operator", Some("Estimate each task")));

    ui.post("/feedback/gates/none-such", &form("none-such", "x")).problem(404, "none-such");
}

#[test]
fn nobody_counts_whom_the_configuration_does_not_name() {
    let ui = Ui::with(&[("REVIEW_UI__PEOPLE", ""), ("REDIS__TENANT", "acme")]);
    ui.site.push_roster(&["ann"]);
    let body = json!({ "decision": "approved", "decidedBy": "ann" });
    ui.post("/feedback/rules/RULE-2026-0001/approve", &body).problem(403, "review_ui.people");
    ui.post("/feedback/gates/HITL-1", &form("HITL-1", "x")).problem(403, "`admin` is not a known person");

    let pending = "/feedback/rules/pending";
    let asked = |tenant: &str| Request::new(&ui, "127.0.0.1", "GET", pending).header("x-tenant-id", tenant).send();
    asked("acme").ok();
    asked("other").problem(404, "`acme`, not `other`");
    // Pages of another origin, and of an unlisted one.
    for (origin, site) in [("http://evil.example", "cross-site"), ("http://review.example.org", "same-site")] {
        let request = Request::new(&ui, "127.0.0.1", "POST", "/feedback/rules/RULE-2026-0001/approve");
        let answer = request.header("origin", origin).header("sec-fetch-site", site).body(&body).send();
        answer.problem(403, "another origin");
    }
}

#[test]
fn a_proxy_on_this_machine_is_not_the_uis_server() {
    let ui = Ui::start();
    let list = |ui: &Ui| Request::new(ui, "127.0.0.1", "GET", "/feedback/rules/pending");
    list(&ui).send().ok();
    for header in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] {
        list(&ui).header(header, "192.0.2.7").send().problem(403, "review_ui.token_file");
    }
    // One without an origin is identified by the public name it serves.
    let public = Ui::with(&[("HTTP__HOSTS", "feedback.example.org")]);
    list(&public).send().problem(403, "http.hosts");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("token");
    std::fs::write(&file, "the-token-of-the-server\n").expect("written");
    let shown = file.display().to_string();
    let ui = Ui::with(&[("HTTP__HOSTS", "feedback.example.org"), ("REVIEW_UI__TOKEN_FILE", &shown)]);
    list(&ui).send().problem(401, "review_ui.token_file");
    list(&ui).header("Authorization", "Bearer another-token-than-it").send().problem(401, "");
    list(&ui).header("Authorization", "Bearer the-token-of-the-server").send().ok();
}

#[test]
fn other_machines_are_not_answered_unless_they_are_listed() {
    let ui = Ui::with(&[("REVIEW_UI__PEERS", "127.0.0.2")]);
    ui.get("/feedback/rules/pending").problem(403, "review_ui.peers");
    Request::new(&ui, "127.0.0.2", "GET", "/feedback/rules/pending").send().ok();
    let off = Ui::with(&[("REVIEW_UI__ENABLED", "false")]);
    off.get("/feedback/rules/pending").problem(404, "review_ui.enabled");
}
