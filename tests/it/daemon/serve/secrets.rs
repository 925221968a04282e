//! No secret of any kind, in any place of any stream and in any encoding, reaches the store, the index, the log or
//! published messages. Only the dead-letter stream holds undecodable entries verbatim.

use super::World;
use crate::harness::streams::{DEAD_LETTERS, add};
use aho_corasick::AhoCorasick;
use corpus::{WAYS, kinds};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

#[path = "../../../../src/text/redact/corpus.rs"]
#[allow(dead_code, reason = "the tests of the room use more of it")]
mod corpus;

/// What each event needs to be decoded; the secret is planted in each of `fields`.
struct Sort {
    stream: &'static str,
    needed: Value,
    fields: &'static [&'static str],
}

fn sorts(n: usize) -> Vec<Sort> {
    let at = format!("2026-01-12T{:02}:{:02}:00Z", n / 60 % 24, n % 60);
    let sort = |stream, needed, fields| Sort { stream, needed, fields };
    vec![
        sort(
            "asdlc:events:hitl_decisions",
            json!({"gate_id": "hitl_4_code", "decision": "REJECTED", "timestamp": at}),
            &[
                "decision_id",
                "reviewer_id",
                "agent",
                "epic_id",
                "task_id",
                "session_id",
                "reviewer_comment",
                "correction_summary",
                "correction_diff",
                "agent_output_sha",
                "unknown",
            ],
        ),
        sort(
            "asdlc:events",
            json!({"event_type": "gate_rejected", "timestamp": at, "gate_type": "hitl_2_design"}),
            &[
                "session_id",
                "task_id",
                "metadata.decision_id",
                "metadata.reviewer",
                "metadata.reason",
                "metadata.unknown",
            ],
        ),
        sort(
            "asdlc:events:turns",
            json!({"timestamp": at}),
            &[
                "turn_id",
                "session_id",
                "user_message",
                "response",
                "agent",
                "user_id",
                "strategy.name",
                "strategy.query",
            ],
        ),
        sort(
            "asdlc:events:refinements",
            json!({"timestamp": at, "exit_code": 1}),
            &[
                "refinement_id",
                "original_prompt",
                "feedback",
                "tool",
                "report",
                "agent",
                "user_id",
                "session_id",
                "task_id",
            ],
        ),
        sort(
            "asdlc:events:action_results",
            json!({"timestamp": at, "type": "action_failed"}),
            &[
                "action_id",
                "session_id",
                "agent",
                "supervisor",
                "task_id",
                "user_input",
                "inference",
                "action",
                "reason",
                "error",
            ],
        ),
        sort(
            "asdlc:events:iteration_feedback",
            json!({"timestamp": at, "feedback_items": [{"id": "f-1", "what": "Name it"}]}),
            &["id", "reviewer_id", "agent", "unknown"],
        ),
        sort(
            "asdlc:events:meta_hitl_decisions",
            json!({"decision": "APPROVE", "timestamp": at}),
            &["review_id", "proposal_id", "reviewer_id", "reason", "content_hash", "unknown"],
        ),
        sort(
            "asdlc:events:meta_hitl_decisions",
            json!({"timestamp": at, "rules": [{"rule_id": "RULE-2026-0001", "version": 1}]}),
            &["injection_id", "agent", "session_id", "base_hash", "prompt_hash"],
        ),
        sort(
            "asdlc:events:meta_hitl_decisions",
            json!({"import": {"imported_at": at, "rules": [{"line": 1, "text": "Name the units"}]}}),
            &["import.name", "import.imported_by", "import.file_hash", "import.unknown"],
        ),
        // Undecodable.
        sort(
            "asdlc:events:hitl_decisions",
            json!({"timestamp": at}),
            &["decision_id", "gate_id", "decision", "unknown"],
        ),
    ]
}

/// Sets a text at `a` or `a.b`.
fn put(event: &mut Value, place: &str, text: String) {
    match place.split_once('.') {
        Some((outer, inner)) => {
            if !event[outer].is_object() {
                event[outer] = Value::Object(Map::new());
            }
            event[outer][inner] = text.into();
        }
        None => event[place] = text.into(),
    }
}

#[test]
fn no_secret_of_any_kind_is_anywhere() {
    let started = Instant::now();
    let world = World::with(&[("LOG__LEVEL", "trace")]);
    let kinds = kinds();
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut places = BTreeSet::new();
    for (n, kind) in kinds.iter().enumerate() {
        for (m, sort) in sorts(n).into_iter().enumerate() {
            let mut event = sort.needed.clone();
            for (at, field) in sort.fields.iter().enumerate() {
                // In an id, its suffix differs for each event.
                let (_, write) = WAYS[(n + m + at) % WAYS.len()];
                let (text, secrets) = write(kind);
                wanted.extend(secrets.iter().flat_map(|secret| secret.lines()).map(str::to_owned));
                put(&mut event, field, format!("{text} {m}{at}"));
                places.insert(format!("{} {m} {field}", sort.stream));
            }
            let (text, secrets) = WAYS[0].1(kind);
            wanted.extend(secrets.iter().flat_map(|secret| secret.lines()).map(str::to_owned));
            event[format!("field {text}")] = json!([{"list": [text]}]);
            places.insert(format!("{} {m} name of a field", sort.stream));
            // Every other event as flat fields.
            let flat = n % 2 == 1 && event.get("import").is_none();
            let fields: Vec<(String, String)> = match event.as_object().filter(|_| flat) {
                Some(object) => {
                    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    object.iter().map(|(name, value)| (name.clone(), text(value))).collect()
                }
                None => vec![("data".to_owned(), event.to_string())],
            };
            let fields: Vec<(&str, &str)> =
                fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            add(&world.redis, sort.stream, &fields);
        }
    }
    world.drain();
    // Short pieces of a secret appear in hashes by chance.
    wanted.retain(|text| text.trim().len() >= 7);
    let store = world.site.store();
    let mut all: Vec<(String, String)> = vec![("the log".to_owned(), world.daemon.log())];
    let git = |words: &[&str]| {
        let output = std::process::Command::new("git").args(words).current_dir(&store).output().expect("git runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    all.push(("messages and names".to_owned(), git(&["log", "--all", "--name-only", "--format=%B %an"])));
    all.push(("an object".to_owned(), git(&["cat-file", "--batch-all-objects", "--batch", "--unordered"])));
    files(&world.site.state(), &mut |path, bytes| {
        all.push((path.display().to_string(), String::from_utf8_lossy(bytes).into_owned()));
    });
    let read: BTreeSet<&str> = sorts(0).iter().map(|sort| sort.stream).collect();
    let keys: Vec<String> = world.redis.cli(&["KEYS", "*"]);
    for key in keys.iter().filter(|key| !read.contains(key.as_str()) && *key != DEAD_LETTERS) {
        let held: redis::Value = match world.redis.cli::<String>(&["TYPE", key]).as_str() {
            "stream" => world.redis.cli(&["XRANGE", key, "-", "+"]),
            "string" => world.redis.cli(&["GET", key]),
            "hash" => world.redis.cli(&["HGETALL", key]),
            "set" => world.redis.cli(&["SMEMBERS", key]),
            _ => world.redis.cli(&["ZRANGE", key, "0", "-1"]),
        };
        all.push((key.clone(), format!("{key} {held:?}")));
    }
    let wanted: Vec<String> = wanted.into_iter().collect();
    let search = AhoCorasick::new(&wanted).expect("texts");
    let mut left = Vec::new();
    for (place, text) in &all {
        for found in search.find_iter(text) {
            let from = (0..=found.start().saturating_sub(100)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            left.push(format!("{place}: {:?}", &text[from..found.end()]));
        }
    }
    let marks: usize = all.iter().map(|(_, text)| text.matches("[REDACTED:").count()).sum();
    let refused = crate::harness::streams::entries(&world.redis, DEAD_LETTERS).len();
    println!(
        "{} kinds x {} places in {} ways: {} texts looked for in {} bytes, found {}, {marks} marks, {refused} refused; {:.1?}",
        kinds.len(),
        places.len(),
        WAYS.len(),
        wanted.len(),
        all.iter().map(|(_, text)| text.len()).sum::<usize>(),
        left.len(),
        started.elapsed()
    );
    assert!(kinds.len() >= 70 && places.len() >= 35, "{} x {}", kinds.len(), places.len());
    // Most of it was decoded, and is stored without its secrets.
    assert!(marks > 10 * kinds.len() && refused < kinds.len() * sorts(0).len() / 2, "{marks} marks, {refused} refused");
    assert!(left.is_empty(), "{}:\n{}", left.len(), left.iter().take(40).cloned().collect::<Vec<_>>().join("\n"));
}

fn files(directory: &Path, each: &mut dyn FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, each),
            path => each(&path, &std::fs::read(&path).unwrap_or_default()),
        }
    }
}
