//! Which commands the user of the URL may not run, for `doctor`.
//!
//! Each is tried in a way that changes nothing: with a group or an id that cannot exist, or on a key of our own that is
//! removed. The server checks rights first, so what else it says does not matter. It does not look into the server's
//! list of users, which needs the rights of an administrator.

use super::connection::Connector;
use super::options::{RedisOptions, Topology};
use super::request::{ask, ask_all};
use crate::domain::records::message::Topic;
use crate::ports::BusError;
use redis::{Pipeline, RedisResult, cmd};
use std::collections::BTreeMap;
use strum::VariantNames;

/// A missing right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRight {
    /// The command, as an access list writes it: `client|kill`.
    pub command: String,
    /// The keys on which it was refused; empty if it takes none.
    pub keys: Vec<String>,
    /// Whether the daemon does its work without it, if less well.
    pub is_optional: bool,
}

/// Tries every command that is used, and returns those that are refused.
///
/// # Errors
/// If Redis cannot be reached.
pub async fn missing_rights(options: &RedisOptions) -> Result<Vec<MissingRight>, BusError> {
    let connector = Connector::new(options)?;
    let tried = async {
        let mut connection = connector.open().await?;
        let trials = trials(options);
        let mut pipeline = Pipeline::new();
        for trial in &trials {
            let mut words = trial.words.iter();
            pipeline.cmd(words.next().map_or("PING", String::as_str)).arg(words.collect::<Vec<_>>());
        }
        let answers = ask_all(&mut connection, &pipeline).await?;
        let _ = ask(&mut connection, cmd("DEL").arg(own_key(options))).await;
        RedisResult::Ok(refused(&trials, &answers))
    };
    tried.await.map_err(|error| connector.explain(&error))
}

fn refused(trials: &[Trial], answers: &[RedisResult<redis::Value>]) -> Vec<MissingRight> {
    let mut missing: BTreeMap<&str, MissingRight> = BTreeMap::new();
    for (trial, answer) in trials.iter().zip(answers) {
        if answer.as_ref().is_err_and(|error| error.code() == Some("NOPERM")) {
            let right = missing.entry(&trial.name).or_insert_with(|| MissingRight {
                command: trial.name.clone(),
                keys: Vec::new(),
                is_optional: OPTIONAL.contains(&trial.name.as_str()),
            });
            right.keys.extend(trial.key.clone());
        }
    }
    missing.into_values().collect()
}

/// Without these, former members stay in the group, and a few entries are read later.
const OPTIONAL: [&str; 6] = ["client|setname", "client|id", "client|list", "client|kill", "xgroup|delconsumer", "role"];

struct Trial {
    /// As an access list writes it.
    name: String,
    key: Option<String>,
    words: Vec<String>,
}

/// Returns a trial of each command on each key on which it is used. `KEY` stands for the key; no stream has the
/// group `NO-GROUP`.
fn trials(options: &RedisOptions) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut add = |name: &str, arguments: &str, key: Option<&str>| {
        let words = name.split('|').chain(arguments.split_whitespace());
        let words = words.map(|word| match word {
            "KEY" => key.unwrap_or(word).to_owned(),
            word => word.to_owned(),
        });
        let words = words.collect();
        trials.push(Trial { name: name.to_owned(), key: key.map(str::to_owned), words });
    };
    for (name, arguments) in [
        ("info", ""),
        ("time", ""),
        ("scan", "0 COUNT 1"),
        ("client|setname", "feedbackd-doctor"),
        ("client|id", ""),
        ("client|list", "ID 1"),
        ("client|kill", "ID 0"),
        ("script|load", "return"),
    ] {
        add(name, arguments, None);
    }
    if matches!(options.topology, Topology::Sentinel(_)) {
        add("role", "", None);
    }
    for (stream, _) in &options.streams {
        let stream = options.key(stream);
        for (name, arguments) in [
            ("xreadgroup", "GROUP NO-GROUP doctor COUNT 1 STREAMS KEY 0"),
            ("xgroup|create", "KEY NO-GROUP no-id"),
            ("xgroup|setid", "KEY NO-GROUP 0"),
            ("xgroup|delconsumer", "KEY NO-GROUP doctor"),
            ("xack", "KEY NO-GROUP 0-1"),
            ("xautoclaim", "KEY NO-GROUP doctor 3600000 0"),
            ("xpending", "KEY NO-GROUP"),
            ("xrange", "KEY 0-1 0-1"),
            ("xlen", "KEY"),
            ("xinfo|stream", "KEY"),
            ("xinfo|groups", "KEY"),
            ("xinfo|consumers", "KEY NO-GROUP"),
            ("type", "KEY"),
        ] {
            add(name, arguments, Some(&stream));
        }
    }
    for topic in Topic::VARIANTS {
        let stream = options.key(&format!("asdlc:events:{topic}"));
        for (name, arguments) in [("xadd", "KEY no-id a b"), ("xdel", "KEY 0-1"), ("xlen", "KEY"), ("type", "KEY")] {
            add(name, arguments, Some(&stream));
        }
    }
    let own = own_key(options);
    for (name, arguments) in [
        ("set", "KEY 1 PX 5000"),
        ("get", "KEY"),
        ("exists", "KEY"),
        ("type", "KEY"),
        ("eval", "return 1 KEY"),
        ("evalsha", "0000000000000000000000000000000000000000 1 KEY"),
        // The key holds a text, so that none of these changes it.
        ("sadd", "KEY a"),
        ("srem", "KEY a"),
        ("scard", "KEY"),
        ("smembers", "KEY"),
        ("sismember", "KEY a"),
        ("zadd", "KEY 1 a"),
        ("zcard", "KEY"),
        ("zscore", "KEY a"),
        ("zremrangebyscore", "KEY 0 0"),
        ("hget", "KEY a"),
        ("hset", "KEY a b"),
        ("hmget", "KEY a"),
        ("xadd", "KEY no-id a b"),
        ("xrange", "KEY 0-1 0-1"),
        ("xdel", "KEY 0-1"),
        ("del", "KEY"),
    ] {
        add(name, arguments, Some(&own));
    }
    // No agent has such a name: there is a space in it.
    let rules = options.active_rules_key(" feedbackd-doctor");
    for (name, arguments) in
        [("get", "KEY"), ("mget", "KEY"), ("set", "KEY 1 NX XX"), ("del", "KEY"), ("exists", "KEY")]
    {
        add(name, arguments, Some(&rules));
    }
    let request = options.key("asdlc:gate_request:feedbackd-doctor");
    for (name, arguments) in [("hget", "KEY a"), ("hstrlen", "KEY a")] {
        add(name, arguments, Some(&request));
    }
    trials
}

fn own_key(options: &RedisOptions) -> String {
    options.key(&format!("feedbackd:doctor:{}", std::process::id()))
}
