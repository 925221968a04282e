//! An agent's prompt over HTTP, with twenty rules in force: response times at a steady rate (`BENCH_REQUESTS`, default
//! 500 a second, over eight connections, for `BENCH_SECONDS`, default 20), and those of conditional requests.
//!
//! Runs the daemon as a separate process on a real Redis; the rules are created as usual, from comments and approvals.

#![allow(
    clippy::disallowed_types,
    reason = "it starts redis-server and the daemon, runs git, plays gates and reviewers, and reads the clock"
)]

mod end_to_end {
    pub mod load;
    #[allow(dead_code, reason = "each benchmark uses a part of it")]
    pub mod processes;
}

use end_to_end::load::{load, number, report, wait};
use end_to_end::processes::{Daemon, Redis, Scratch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const TOKEN: &str = "a-token-for-the-benchmark-alone";
const PROMPT: &str = "/api/v1/agents/coding-agent/prompt";
const RULES: usize = 20;
const DEMANDS: [&str; 28] = [
    "Add error handling to the API handler",
    "Validate the input of the form",
    "Set a timeout on the network call",
    "Use structured logging instead of print",
    "Add a docstring to every public function",
    "Remove commented-out code",
    "Write a test for the failure path",
    "Pin the version of the dependency",
    "Update the changelog",
    "Do not log passwords",
    "Use parameterised queries against SQL injection",
    "Close the file handle after reading",
    "Add an index on the foreign key",
    "Check permissions before deleting",
    "Replace magic numbers with named constants",
    "Add a rollback to the migration",
    "Make the endpoint idempotent",
    "Paginate the list endpoint",
    "Escape HTML in the template",
    "Rename variables to say what they hold",
    "Split the long function into smaller ones",
    "Cache the result of the expensive query",
    "Retry with exponential backoff",
    "Add type hints",
    "Use UTC for timestamps",
    "Use Decimal instead of float for money",
    "Translate the user-facing strings",
    "Add metrics to the worker",
];

fn main() {
    // reqwest requires a provider even for plain HTTP.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let directory = Scratch::new("prompt");
    let redis = Redis::start(&directory.path);
    let token = directory.path.join("token");
    std::fs::write(&token, TOKEN).expect("a token");
    let settings = [
        ("FEEDBACKD__HTTP__API_TOKEN_FILE", token.as_path()),
        ("FEEDBACKD__HTTP__REQUESTS_PER_SECOND", Path::new("5000")),
        ("FEEDBACKD__PROPOSALS__MAX_OPEN_PER_AGENT", Path::new("50")),
        ("FEEDBACKD__PROPOSALS__BATCH_COUNT", Path::new("1")),
    ];
    let daemon = Daemon::start(&directory.path, &redis.url(), &settings);
    wait("the daemon answers", || daemon.get("/ready", "").is_ok());
    push_roster(&directory.path);
    let mut connection = redis.connect();
    say_everything(&mut connection);
    let rules = || rules(&daemon).len();
    let mut approved = BTreeSet::new();
    wait("twenty rules are in force", || {
        approve(&daemon, &mut connection, &mut approved);
        rules() >= RULES
    });
    let prompt = daemon.get(PROMPT, TOKEN).expect("a prompt");
    println!("{} rules in force; the answer has {} bytes", rules(), prompt.len());

    let (requests, seconds) = (number("BENCH_REQUESTS", 500), number("BENCH_SECONDS", 20));
    let cpu = daemon.cpu();
    let mut times = load(&daemon, &[PROMPT.to_owned()], TOKEN, requests, seconds);
    println!("  {requests} requests a second for {seconds} s, CPU {:.2} s", (daemon.cpu() - cpu).as_secs_f64());
    times.iter_mut().for_each(|(path, times)| report(path, times));

    let client = daemon.client();
    let ask = |known: &str| {
        let asked = client.get(daemon.url(PROMPT)).bearer_auth(TOKEN).header("if-none-match", known);
        asked.send().expect("an answer")
    };
    let tag = ask("\"\"").headers()["etag"].to_str().expect("a tag").to_owned();
    let mut known: Vec<_> = (0..1_000)
        .map(|_| {
            let begun = Instant::now();
            assert_eq!(ask(&tag).status(), 304);
            begun.elapsed()
        })
        .collect();
    report("known: 304", &mut known);
    daemon.stop();
}

/// Sends each demand from three reviewers.
fn say_everything(connection: &mut redis::Connection) {
    for (at, demand) in DEMANDS.iter().enumerate() {
        for (who, words) in [("eva", *demand), ("cem", *demand), ("dan", *demand)] {
            let decision = json!({
                "decision_id": format!("d-{at}-{who}"), "gate_id": "HITL-4", "task_id": format!("T-{at}"),
                "decision": "REJECTED", "reviewer_id": who, "timestamp": feedbackd::wiring::now(),
                "reviewer_comment": words, "agent": "coding-agent",
            });
            add(connection, "asdlc:events:hitl_decisions", &decision);
        }
    }
}

/// Has two people approve every new proposal.
fn approve(daemon: &Daemon, connection: &mut redis::Connection, approved: &mut BTreeSet<String>) {
    let listed = daemon.get("/api/v1/proposals?state=proposed&limit=100", TOKEN).expect("a list");
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    for proposal in listed["proposals"].as_array().into_iter().flatten() {
        let (id, hash) = (&proposal["proposal_id"], &proposal["content_hash"]);
        if approved.len() >= RULES || !approved.insert(id.to_string()) {
            continue;
        }
        for who in ["ann", "bob"] {
            let review = json!({
                "review_id": format!("{who}-{}", id.as_str().unwrap_or_default()), "proposal_id": id, "decision": "APPROVE",
                "reviewer_id": who, "timestamp": feedbackd::wiring::now(), "content_hash": hash,
            });
            add(connection, "asdlc:events:meta_hitl_decisions", &review);
        }
    }
}

fn add(connection: &mut redis::Connection, stream: &str, event: &Value) {
    let added: redis::RedisResult<String> =
        redis::cmd("XADD").arg(stream).arg("*").arg("data").arg(event.to_string()).query(connection);
    added.expect("added");
}

fn rules(daemon: &Daemon) -> Vec<Value> {
    let answer = daemon.get(PROMPT, TOKEN).expect("a prompt");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    answer["rules"].as_array().cloned().unwrap_or_default()
}

fn push_roster(directory: &Path) {
    let clone = directory.join("clone");
    let git = |at: &Path, arguments: &[&str]| {
        let people = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"];
        let done = Command::new("git").current_dir(at).args(people).args(arguments).status().expect("git is installed");
        assert!(done.success(), "git {arguments:?}");
    };
    git(directory, &["clone", "-q", "store.git", "clone"]);
    let roster = "reviewers:\n  - {id: ann, roles: [approver]}\n  - {id: bob, roles: [approver]}\n";
    std::fs::write(clone.join("reviewers.yaml"), roster).expect("written");
    git(&clone, &["commit", "-qam", "Name the approvers"]);
    git(&clone, &["push", "-q", "origin", "HEAD:main"]);
}
