//! State of the server and the streams, for `doctor`, `status` and `/ready`.
//!
//! Read-only. Unknown values are `None` and shown as unknown, never as 0 (specification, "Reading Redis").

use super::connection::Connector;
use super::options::{RedisOptions, Topology};
use super::reply;
use super::request::ask;
use crate::domain::records::message::Topic;
use crate::ports::{BusError, BusState, BusStream};
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Value, cmd};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use strum::VariantNames;

/// Consumers that read within this many milliseconds count as running.
const LATELY_MS: u64 = 300_000;

/// Result of a probe. Its existence means that the server answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Probe {
    /// PING round-trip time in milliseconds.
    pub ping_ms: f64,
    /// The server's version.
    pub version: String,
    /// `master` or `slave`.
    pub role: String,
    /// `standalone`, `cluster` or `sentinel`.
    pub mode: String,
    /// The eviction policy, e.g. `noeviction`.
    pub maxmemory_policy: Option<String>,
    /// The memory limit in bytes; 0 means none.
    pub maxmemory: Option<u64>,
    /// Memory in use, in bytes.
    pub used_memory: Option<u64>,
    /// Whether the append-only file is on.
    pub appendonly: Option<bool>,
    /// The streams being read.
    pub streams: Vec<StreamState>,
    /// Result streams whose key holds another type, with that type.
    pub wrong_out: Vec<(String, String)>,
    /// Number of dead letters in the stream.
    pub dead_letters: u64,
    /// How the server was found.
    #[serde(skip)]
    pub topology: Topology,
    /// Names that this group's daemon has had.
    #[serde(skip)]
    pub names: BTreeSet<String>,
}

/// A stream and our group on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamState {
    /// Its key, with the tenant's prefix.
    pub key: String,
    /// The key's type if it is not a stream; nothing else is known then.
    pub wrong_type: Option<String>,
    /// Number of entries; 0 if there is no stream yet.
    pub length: u64,
    /// Entries ever added; `None` if the stream does not exist yet.
    pub entries_added: Option<u64>,
    /// Our group; `None` if it has not been created yet.
    pub group: Option<Group>,
}

/// State of the consumer group on one stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Entries delivered but not yet acknowledged.
    pub pending: u64,
    /// Entries ever read, if Redis knows.
    pub entries_read: Option<u64>,
    /// ID of the last delivered entry.
    pub last_delivered_id: String,
    /// Entries not yet delivered; `None` if unknown.
    pub lag: Option<u64>,
    /// Entries trimmed unread since the last one delivered; `None` if unknown.
    pub trimmed_unread: Option<u64>,
    /// Entries trimmed while pending and not yet recorded as lost.
    pub lost: u64,
    /// The group's consumers.
    pub consumers: Vec<Consumer>,
}

/// A consumer in the group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Consumer {
    /// Its name.
    pub name: String,
    /// Its pending entries.
    pub pending: u64,
    /// Milliseconds since it last read or claimed.
    pub idle_ms: u64,
}

/// A problem to fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The problem.
    pub problem: String,
    /// How to fix it.
    pub hint: String,
    /// Whether it blocks entries; if not, it is only a risk.
    pub is_problem: bool,
}

/// Probes the server on its own connection.
///
/// # Errors
/// [`BusError`] if the server cannot be reached or rejects a command.
pub async fn probe(options: &RedisOptions) -> Result<Probe, BusError> {
    let connector = Connector::new(options)?;
    let looked = async {
        let mut connection = connector.open().await?;
        look(&mut connection, options).await
    };
    looked.await.map_err(|error| connector.explain(&error))
}

impl Probe {
    /// Returns what an operator should fix, worst first.
    pub fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut note = |is_problem: bool, problem: String, hint: &str| {
            found.push(Finding { problem, hint: hint.into(), is_problem });
        };
        match (self.mode.as_str(), &self.topology) {
            // Single-key commands work there; atomic multi-key operations do not.
            ("cluster", Topology::Single | Topology::Sentinel(_)) => note(
                true,
                "this is a Redis Cluster node: keys that must change in one step are on different nodes".to_owned(),
                "set redis.mode = \"cluster\" and redis.tenant, or point redis.url at a single server",
            ),
            ("sentinel", _) => note(
                true,
                "this is a Redis Sentinel, which stores no streams".to_owned(),
                "set redis.mode = \"sentinel\" and redis.sentinel_master, or point redis.url at the server itself",
            ),
            ("standalone", Topology::Cluster) => note(
                false,
                "redis.mode is cluster, but this server is no node of a cluster".to_owned(),
                "set redis.mode = \"single\" and redis.hash_tags = true, which keeps the names of the keys",
            ),
            _ => {}
        }
        for stream in &self.streams {
            if let Some(kind) = &stream.wrong_type {
                let what = format!("{} is a {kind}, not a stream: nothing is read from it", stream.key);
                note(true, what, "rename or remove the key, or configure another");
            }
        }
        for (key, kind) in &self.wrong_out {
            let what = format!("{key} is a {kind}, not a stream: nothing can be published to it");
            note(true, what, "rename or remove the key");
        }
        if let (Some(limit @ 1..), Some(used)) = (self.maxmemory, self.used_memory)
            && used >= limit / 10 * 9
        {
            let what = format!("Redis uses {} of the {} MiB that it may use", used >> 20, limit >> 20);
            note(used >= limit, what, "raise its maxmemory, or trim streams that all consumers have read (XTRIM)");
        }
        let mut add = |problem: String, hint: &str| note(false, problem, hint);
        if self.major_version().is_some_and(|major| major < 7) {
            add(format!("Redis {} is too old", self.version), "install Redis 7.0 or later");
        }
        if self.role != "master" {
            add("this server is a replica".into(), "point redis.url at the primary");
        }
        for stream in &self.streams {
            let Some(group) = &stream.group else { continue };
            if let Some(count @ 1..) = group.trimmed_unread {
                add(
                    format!("{count} entries of {} were trimmed before they were read", stream.key),
                    "let the publisher keep more (a larger MAXLEN), or add workers; replay them from its history",
                );
            }
            if group.lost > 0 {
                add(
                    format!("{} entries of {} were trimmed while pending", group.lost, stream.key),
                    "the running daemon records them as lost; replay them from the publisher's history",
                );
            }
        }
        if let Some(policy) = self.maxmemory_policy.as_deref().filter(|policy| *policy != "noeviction")
            && self.maxmemory != Some(0)
        {
            add(
                format!("the eviction policy is {policy}: streams may be deleted"),
                "CONFIG SET maxmemory-policy noeviction",
            );
        }
        if self.appendonly == Some(false) {
            add(
                "the append-only file is off: if Redis crashes, everything since its last snapshot is lost".into(),
                "CONFIG SET appendonly yes",
            );
        }
        found
    }

    /// Converts the state to the port's type.
    pub fn state(&self, options: &RedisOptions) -> BusState {
        let kind = |key: &str| options.streams.iter().find(|(name, _)| options.key(name) == key).map(|(_, kind)| *kind);
        let streams = self.streams.iter().map(|stream| BusStream {
            key: stream.key.clone(),
            kind: kind(&stream.key),
            pending: stream.group.as_ref().map(|group| group.pending),
            // Before the group exists, every entry is pending.
            lag: stream.group.as_ref().map_or(Some(stream.length), |group| group.lag),
        });
        BusState {
            version: self.version.clone(),
            memory: self.used_memory,
            memory_limit: self.maxmemory,
            dead_letters: self.dead_letters,
            streams: streams.collect(),
            others: self.others(&options.consumer),
        }
    }

    /// Returns the other consumers of our group (all but `ours`) that hold entries or have read within the last few
    /// minutes. Consumers that ended holding nothing are ignored.
    pub fn others(&self, ours: &str) -> Vec<String> {
        let groups = self.streams.iter().filter_map(|stream| stream.group.as_ref());
        let members = groups.flat_map(|group| &group.consumers).filter(|member| member.name != ours);
        // Our former names no longer read; their entries are taken over.
        let members = members.filter(|member| !self.names.contains(&member.name));
        let alive = members.filter(|member| member.pending > 0 || member.idle_ms < LATELY_MS);
        let names: BTreeSet<&str> = alive.map(|member| member.name.as_str()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn major_version(&self) -> Option<u32> {
        self.version.split('.').next()?.parse().ok()
    }
}

async fn look(connection: &mut MultiplexedConnection, options: &RedisOptions) -> RedisResult<Probe> {
    let start = Instant::now();
    ask(connection, &cmd("PING")).await?;
    let ping_ms = start.elapsed().as_secs_f64() * 1000.0;
    let info = parse_info(&reply::text(ask(connection, &cmd("INFO")).await?)?);
    let fact = |name: &str| info.get(name).cloned();
    let number = |name: &str| fact(name).and_then(|text| text.parse().ok());
    let mut streams = Vec::new();
    // A Sentinel has no keys, and says so by an error.
    let is_sentinel = fact("redis_mode").as_deref() == Some("sentinel");
    for (name, _) in options.streams.iter().filter(|_| !is_sentinel) {
        streams.push(look_at_stream(connection, options, options.key(name)).await?);
    }
    let mut wrong_out = Vec::new();
    for name in Topic::VARIANTS.iter().filter(|_| !is_sentinel) {
        let key = options.key(&format!("asdlc:events:{name}"));
        let kind = reply::text(ask(connection, cmd("TYPE").arg(&key)).await?)?;
        if kind != "stream" && kind != "none" {
            wrong_out.push((key, kind));
        }
    }
    let letters = cmd("XLEN").arg(options.dead_letters_key()).to_owned();
    Ok(Probe {
        ping_ms,
        version: fact("redis_version").unwrap_or_else(|| "unknown".into()),
        role: fact("role").unwrap_or_else(|| "unknown".into()),
        mode: fact("redis_mode").unwrap_or_else(|| "unknown".into()),
        maxmemory_policy: fact("maxmemory_policy"),
        maxmemory: number("maxmemory"),
        used_memory: number("used_memory"),
        appendonly: fact("aof_enabled").map(|text| text == "1"),
        streams,
        // If the key holds another type, that was reported above.
        dead_letters: ask(connection, &letters).await.ok().as_ref().and_then(count).unwrap_or(0),
        wrong_out,
        topology: options.topology.clone(),
        names: match ask(connection, cmd("SMEMBERS").arg(options.names_key())).await {
            Ok(names) => reply::texts(names)?.into_iter().collect(),
            Err(_) => BTreeSet::new(),
        },
    })
}

async fn look_at_stream(
    connection: &mut MultiplexedConnection,
    options: &RedisOptions,
    key: String,
) -> RedisResult<StreamState> {
    let kind = reply::text(ask(connection, cmd("TYPE").arg(&key)).await?)?;
    let mut state = StreamState { key, wrong_type: None, length: 0, entries_added: None, group: None };
    match kind.as_str() {
        "stream" => {}
        "none" => return Ok(state),
        _ => {
            state.wrong_type = Some(kind);
            return Ok(state);
        }
    }
    let stream = facts(ask(connection, cmd("XINFO").arg("STREAM").arg(&state.key)).await?)?;
    state.length = stream.get("length").and_then(count).unwrap_or(0);
    state.entries_added = stream.get("entries-added").and_then(count);
    for group in reply::array(ask(connection, cmd("XINFO").arg("GROUPS").arg(&state.key)).await?)? {
        let group = facts(group)?;
        if fact_text(&group, "name").as_deref() != Some(&options.group) {
            continue;
        }
        let last_delivered_id = fact_text(&group, "last-delivered-id").unwrap_or_else(|| "0-0".into());
        let consumers = cmd("XINFO").arg("CONSUMERS").arg(&state.key).arg(&options.group).to_owned();
        let lost = cmd("SCARD").arg(options.lost_key(&state.key)).to_owned();
        let entries_read = group.get("entries-read").and_then(count);
        state.group = Some(Group {
            pending: group.get("pending").and_then(count).unwrap_or(0),
            entries_read,
            lag: group.get("lag").and_then(count),
            trimmed_unread: trimmed_unread(&Position {
                first: fact_text(&stream, "recorded-first-entry-id").as_deref().and_then(parse_id),
                deleted: fact_text(&stream, "max-deleted-entry-id").as_deref().and_then(parse_id),
                delivered: parse_id(&last_delivered_id),
                added: state.entries_added,
                read: entries_read,
                length: state.length,
            }),
            last_delivered_id,
            lost: count(&ask(connection, &lost).await?).unwrap_or(0),
            consumers: reply::array(ask(connection, &consumers).await?)?
                .into_iter()
                .map(consumer)
                .collect::<RedisResult<_>>()?,
        });
    }
    Ok(state)
}

fn consumer(reply: Value) -> RedisResult<Consumer> {
    let facts = facts(reply)?;
    Ok(Consumer {
        name: fact_text(&facts, "name").unwrap_or_default(),
        pending: facts.get("pending").and_then(count).unwrap_or(0),
        idle_ms: facts.get("idle").and_then(count).unwrap_or(0),
    })
}

type EntryId = (u64, u64);

/// A group's position in its stream.
struct Position {
    first: Option<EntryId>,
    deleted: Option<EntryId>,
    delivered: Option<EntryId>,
    added: Option<u64>,
    read: Option<u64>,
    length: u64,
}

/// Returns how many entries vanished between the last one delivered and the first remaining one.
fn trimmed_unread(position: &Position) -> Option<u64> {
    let delivered = position.delivered?;
    let first = position.first.filter(|_| position.length > 0);
    if first.is_some_and(|first| first <= delivered) {
        // Nothing past the group was trimmed, but single entries may have been deleted.
        return position.deleted.is_none_or(|deleted| deleted <= delivered).then_some(0);
    }
    // A new group has read nothing. In other cases Redis may have lost count.
    let read = if delivered == (0, 0) { 0 } else { position.read? };
    position.added?.checked_sub(read)?.checked_sub(position.length)
}

fn parse_id(text: &str) -> Option<EntryId> {
    let (milliseconds, sequence) = text.split_once('-')?;
    Some((milliseconds.parse().ok()?, sequence.parse().ok()?))
}

fn parse_info(text: &str) -> BTreeMap<String, String> {
    text.lines().filter_map(|line| line.trim().split_once(':')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

fn facts(reply: Value) -> RedisResult<BTreeMap<String, Value>> {
    Ok(reply::pairs(reply)?.into_iter().collect())
}

fn fact_text(facts: &BTreeMap<String, Value>, name: &str) -> Option<String> {
    facts.get(name).cloned().and_then(|value| reply::text(value).ok())
}

fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_trimmed_unread_is_counted_or_unknown() {
        let check = |first, deleted, delivered, added, read, length, expected| {
            let id = |ms: u64| (ms > 0).then_some((ms, 0));
            let position = Position {
                first: id(first),
                deleted: id(deleted),
                delivered: Some((delivered, 0)),
                added: Some(added),
                read,
                length,
            };
            assert_eq!(trimmed_unread(&position), expected);
        };
        check(0, 0, 0, 0, None, 0, Some(0)); // an empty stream and a new group
        check(1, 0, 0, 3, None, 3, Some(0)); // nothing read, nothing trimmed
        check(3, 0, 0, 3, None, 1, Some(2)); // two trimmed before the group's first read
        check(5, 0, 2, 5, Some(2), 1, Some(2)); // two trimmed past the group, which Redis reports as a lag
        check(5, 0, 2, 5, None, 1, None); // the same, but Redis lost count
        check(1, 0, 2, 5, Some(2), 5, Some(0)); // all there
        check(1, 4, 2, 5, Some(2), 4, None); // one deleted in the part that is not read yet
    }
}
