//! The streams as the programs on the other side see them: gates write, agents and reviewers read.

use super::daemon::Site;
use super::redis::RedisServer;
use super::wait_until;
use redis::Value as Reply;
use redis::streams::StreamRangeReply;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const DECISIONS: &str = "asdlc:events:hitl_decisions";
pub const DISPATCHER: &str = "asdlc:events";
pub const REVIEWS: &str = "asdlc:events:meta_hitl_decisions";
pub const TURNS: &str = "asdlc:events:turns";
pub const REFINEMENTS: &str = "asdlc:events:refinements";
pub const ACTIONS: &str = "asdlc:events:action_results";
pub const ITERATIONS: &str = "asdlc:events:iteration_feedback";
/// Every stream that the daemon reads.
pub const READ: [&str; 7] = [DECISIONS, DISPATCHER, REVIEWS, TURNS, REFINEMENTS, ACTIONS, ITERATIONS];
pub const EVALUATED: &str = "asdlc:events:feedback_evaluated";
pub const PROPOSALS: &str = "asdlc:events:rule_proposals";
pub const RULES: &str = "asdlc:events:rules";
pub const OUTCOMES: &str = "asdlc:events:review_outcomes";
pub const ALERTS: &str = "asdlc:events:alerts";
pub const DEAD_LETTERS: &str = "asdlc:events:dead_letters";
pub const GROUP: &str = "feedbackd";

/// An entry of a stream.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: String,
    pub fields: BTreeMap<String, String>,
}

impl Entry {
    /// Returns the data as JSON.
    pub fn data(&self) -> Value {
        serde_json::from_str(&self.fields["data"]).expect("data is JSON")
    }

    /// Returns its idempotency key.
    pub fn key(&self) -> &str {
        &self.fields["idempotency_key"]
    }
}

/// Returns all entries of a stream.
pub fn entries(redis: &RedisServer, key: &str) -> Vec<Entry> {
    let reply: StreamRangeReply = redis.cli(&["XRANGE", key, "-", "+"]);
    reply
        .ids
        .into_iter()
        .map(|entry| Entry {
            id: entry.id,
            fields: entry
                .map
                .into_iter()
                .map(|(name, value)| (name, String::from_utf8_lossy(&bytes(value)).into_owned()))
                .collect(),
        })
        .collect()
}

/// Adds an entry, field by field.
pub fn add(redis: &RedisServer, key: &str, fields: &[(&str, &str)]) -> String {
    let mut words = vec!["XADD", key, "*"];
    words.extend(fields.iter().flat_map(|(name, value)| [*name, *value]));
    redis.cli(&words)
}

/// Adds a decision as one JSON field.
pub fn decide(redis: &RedisServer, event: &Value) -> String {
    add(redis, DECISIONS, &[("data", &event.to_string())])
}

/// Adds a review as one JSON field.
pub fn review(redis: &RedisServer, review: &Value) -> String {
    add(redis, REVIEWS, &[("data", &review.to_string())])
}

/// Returns a decision at the fourth gate, on the coding agent's work.
pub fn decision(id: &str, reviewer: &str, verdict: &str, comment: Option<&str>) -> Value {
    json!({
        "decision_id": id, "gate_id": "HITL-4", "epic_id": "EP-1", "task_id": "T-1", "decision": verdict,
        "reviewer_id": reviewer, "timestamp": "2026-01-12T10:00:00Z", "review_duration_seconds": 30,
        "agent_output_sha": "ba4220b8f472a8d1e2972bb999efbac1c47bfe1c", "reviewer_comment": comment,
        "tags": ["code"], "agent": "coding-agent",
    })
}

/// Returns how many entries were delivered but not acknowledged.
pub fn pending(redis: &RedisServer, key: &str) -> i64 {
    let summary: Vec<Reply> = redis.cli(&["XPENDING", key, GROUP]);
    redis::from_redis_value(summary[0].clone()).expect("a number")
}

/// Reports whether every entry of every stream was delivered and acknowledged, and everything in the store published.
pub fn is_drained(redis: &RedisServer, site: &Site, prefix: &str) -> bool {
    READ.iter().all(|stream| is_read(redis, &format!("{prefix}{stream}")))
        && published(redis, prefix).as_deref() == Some(site.git(&["rev-parse", "main"]).trim())
}

/// Waits for that, as long as there is progress.
pub fn drain(redis: &RedisServer, site: &Site) {
    drain_of(redis, site, "");
}

/// Waits for that for keys with this prefix.
pub fn drain_of(redis: &RedisServer, site: &Site, prefix: &str) {
    let mut drained = false;
    while !drained {
        let head = site.git(&["rev-parse", "main"]);
        wait_until("everything is read, published and acknowledged, or more of it", || {
            drained = is_drained(redis, site, prefix);
            drained || site.git(&["rev-parse", "main"]) != head
        });
    }
}

/// Returns the last published commit, as stored in Redis.
pub fn published(redis: &RedisServer, prefix: &str) -> Option<String> {
    let keys: Vec<String> = redis.cli(&["KEYS", &format!("{prefix}feedbackd:outbox:*")]);
    keys.first().and_then(|key| redis.try_cli(&["GET", key]).ok()?)
}

fn is_read(redis: &RedisServer, key: &str) -> bool {
    let info: redis::RedisResult<Vec<BTreeMap<String, Reply>>> = redis.try_cli(&["XINFO", "GROUPS", key]);
    let Some(group) = info.ok().and_then(|groups| groups.into_iter().next()) else { return false };
    let read = |name: &str| redis::from_redis_value::<String>(group[name].clone()).expect("text");
    let last: BTreeMap<String, Reply> = redis.cli(&["XINFO", "STREAM", key]);
    let last: String = redis::from_redis_value(last["last-generated-id"].clone()).expect("an id");
    read("pending") == "0" && read("last-delivered-id") == last
}

fn bytes(value: Reply) -> Vec<u8> {
    redis::from_redis_value(value).expect("a string")
}
