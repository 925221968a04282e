//! The Model Context Protocol as clients speak it, in both revisions, with raw messages: over HTTP to a daemon, and over
//! standard input and output.

mod http;
mod stdio;

use serde_json::{Value, json};

/// Returns a request of a client of the revision 2026-07-28: each is self-contained.
fn modern(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Returns a request of an older client.
fn older(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn hello() -> Value {
    let client = json!({"name": "a test", "version": "1"});
    older(1, "initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}))
}

/// Returns every tool, with valid arguments.
fn calls() -> [(&'static str, Value); 5] {
    let outcome = json!({
        "agent": "coding-agent", "session_id": "s-1", "type": "action_failed", "action": "run_tests",
        "inference": "test_failed", "error": "assert 5 == 4",
    });
    [
        ("rules", json!({"agent": "coding-agent", "paths": ["src/api/users.rs"]})),
        ("similar_remarks", json!({"text": "The API handler has no error handling"})),
        ("validate_review", json!({"document": "verdict: accept"})),
        ("suggest_actions", outcome.clone()),
        ("report_outcome", outcome),
    ]
}
