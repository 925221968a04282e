//! The hash behind a dispatcher's gate event: which one, and fetching it for a whole batch (specification, "The
//! dispatcher's events").
//!
//! The join is interpreted when the entry is decoded; here it is only fetched, so that decoding stays pure.

use super::connection::KeptConnection;
use super::options::{RedisOptions, Topology};
use super::reply::text;
use super::request::ask_all;
use crate::domain::intake::decode::GATE_REQUEST_FIELDS;
use crate::domain::intake::event::{GateRequest, RawEntry, StreamKind};
use crate::ports::BusError;
use redis::aio::MultiplexedConnection;
use redis::{Pipeline, RedisResult};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The largest JSON that is parsed, in bytes. Gate events are far smaller.
const MAX_JSON: usize = 1 << 20;
/// The longest request id, in bytes.
const MAX_ID: usize = 1024;

/// Returns the request that a `gate_approved` or `gate_rejected` event names, in any of the three encodings; `None` for
/// every other entry.
pub fn request_id(fields: &[(String, Vec<u8>)]) -> Option<String> {
    let field = |name: &str| fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_slice());
    if let Some(kind) = field("event_type") {
        let metadata = object(field("metadata")?)?;
        return is_gate_event(std::str::from_utf8(kind).ok()?).then(|| id_in(&metadata)).flatten();
    }
    let mut event = ["data", "payload", "event", "json"].into_iter().find_map(field).and_then(object)?;
    if event.contains_key("specversion") {
        event = as_object(event.remove("data")?)?;
    }
    let is_gate = event.get("event_type").and_then(Value::as_str).is_some_and(is_gate_event);
    let metadata = as_object(event.remove("metadata").filter(|_| is_gate)?)?;
    id_in(&metadata)
}

/// The relevant fields of single gate requests, for callers that block their own thread.
pub struct GateRequests {
    options: RedisOptions,
    connection: KeptConnection,
}

impl GateRequests {
    /// Does not connect.
    ///
    /// # Errors
    /// [`BusError::Refused`] if the URL cannot be parsed.
    pub fn new(options: RedisOptions) -> Result<GateRequests, BusError> {
        Ok(GateRequests { connection: KeptConnection::new(&options)?, options })
    }

    /// Returns the relevant fields of one, if it exists.
    ///
    /// # Errors
    /// If Redis cannot be reached or refuses.
    pub fn find(&self, id: &str) -> Result<Option<GateRequest>, BusError> {
        self.connection.ask(async |connection| gate_request(connection, &self.options, id).await)
    }
}

/// Returns the relevant fields of one gate request, if it exists.
pub(super) async fn gate_request(
    connection: &mut MultiplexedConnection,
    options: &RedisOptions,
    id: &str,
) -> RedisResult<Option<GateRequest>> {
    let metadata = serde_json::json!({ "request_id": id }).to_string().into_bytes();
    let mut asking = [RawEntry {
        stream: String::new(),
        kind: StreamKind::Dispatcher,
        id: String::new(),
        fields: vec![("event_type".to_owned(), b"gate_approved".to_vec()), ("metadata".to_owned(), metadata)],
        gate_request: None,
        oversize: None,
    }];
    attach(connection, options, &mut asking).await?;
    Ok(asking.into_iter().find_map(|entry| entry.gate_request))
}

/// Fetches the relevant fields of the hashes that the entries name, the tenant's own before the shared one, in two
/// round trips: first the size, then the content if it is not too large. Other fields are not transferred. In a cluster
/// the shared one may be on another server, so only the tenant's own is looked up.
pub(super) async fn attach(
    connection: &mut MultiplexedConnection,
    options: &RedisOptions,
    entries: &mut [RawEntry],
) -> RedisResult<()> {
    let mut keys = Vec::new();
    for (position, id) in wanted(entries) {
        let shared = format!("asdlc:gate_request:{id}");
        let own = options.key(&shared);
        let (is_shared, may_share) = (own == shared, options.topology != Topology::Cluster);
        keys.push((position, own));
        if !is_shared && may_share {
            keys.push((position, shared));
        }
    }
    let sizes = of_each(connection, "HSTRLEN", &keys, number).await?;
    let most = options.largest_request as u64;
    let (mut few, mut found) = (Vec::new(), Vec::new());
    for (key, sizes) in keys.into_iter().zip(sizes) {
        // The key holds something else: treat the request as missing.
        let bytes = sizes.map_or(0, |sizes| sizes.iter().sum());
        if bytes > most {
            found.push((key.0, GateRequest::TooLarge { bytes, most }));
        } else if bytes > 0 {
            few.push(key);
        }
    }
    for ((position, _), values) in few.iter().zip(of_each(connection, "HGET", &few, text_or_none).await?) {
        let named = GATE_REQUEST_FIELDS.iter().zip(values.unwrap_or_default());
        let hash: BTreeMap<_, _> = named.filter_map(|(name, value)| Some(((*name).to_owned(), value?))).collect();
        found.push((*position, GateRequest::Found(hash)));
    }
    found.sort_by_key(|(position, _)| *position);
    for (position, request) in found {
        if let Some(entry) = entries.get_mut(position) {
            entry.gate_request.get_or_insert(request);
        }
    }
    Ok(())
}

/// Runs a command on each relevant field of each of these hashes; `None` if the key holds something else.
async fn of_each<T>(
    connection: &mut MultiplexedConnection,
    command: &str,
    keys: &[(usize, String)],
    read: fn(redis::Value) -> RedisResult<T>,
) -> RedisResult<Vec<Option<Vec<T>>>> {
    let mut pipeline = Pipeline::new();
    for (_, key) in keys {
        for field in GATE_REQUEST_FIELDS {
            pipeline.cmd(command).arg(key).arg(field);
        }
    }
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut answers = ask_all(connection, &pipeline).await?.into_iter();
    let mut all = Vec::new();
    for _ in keys {
        let answers: Vec<_> = answers.by_ref().take(GATE_REQUEST_FIELDS.len()).collect();
        let is_another = |answer: &RedisResult<_>| answer.as_ref().is_err_and(|e| e.code() == Some("WRONGTYPE"));
        all.push(if answers.iter().any(is_another) {
            None
        } else {
            Some(answers.into_iter().map(|answer| read(answer?)).collect::<RedisResult<_>>()?)
        });
    }
    Ok(all)
}

fn number(reply: redis::Value) -> RedisResult<u64> {
    Ok(text(reply)?.parse().unwrap_or(u64::MAX))
}

fn text_or_none(reply: redis::Value) -> RedisResult<Option<String>> {
    if matches!(reply, redis::Value::Nil) { Ok(None) } else { text(reply).map(Some) }
}

/// Returns the entries that need a look-up, so that a connection is opened only then.
pub(super) fn wanted(entries: &[RawEntry]) -> Vec<(usize, String)> {
    let named = |entry: &RawEntry| (entry.kind == StreamKind::Dispatcher).then(|| request_id(&entry.fields)).flatten();
    entries.iter().enumerate().filter_map(|(position, entry)| Some((position, named(entry)?))).collect()
}

fn is_gate_event(kind: &str) -> bool {
    matches!(kind.trim().to_ascii_lowercase().as_str(), "gate_approved" | "gate_rejected")
}

fn id_in(metadata: &Map<String, Value>) -> Option<String> {
    let id = match metadata.get("request_id")? {
        Value::String(id) => id.trim().to_owned(),
        Value::Number(id) => id.to_string(),
        _ => return None,
    };
    (!id.is_empty() && id.len() <= MAX_ID).then_some(id)
}

/// Returns an object, or parses the JSON text of one.
fn as_object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map),
        Value::String(text) => object(text.as_bytes()),
        _ => None,
    }
}

fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    if bytes.len() > MAX_JSON {
        return None;
    }
    serde_json::from_slice(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(fields: &[(&str, &str)], expected: Option<&str>) {
        let fields: Vec<_> = fields.iter().map(|(n, v)| ((*n).to_owned(), v.as_bytes().to_vec())).collect();
        assert_eq!(request_id(&fields).as_deref(), expected, "{fields:?}");
    }

    #[test]
    fn every_encoding_names_the_request() {
        let metadata = r#"{"request_id": "r-1", "reviewer": "ann"}"#;
        check(&[("event_type", "gate_approved"), ("metadata", metadata)], Some("r-1"));
        check(&[("event_type", " GATE_REJECTED"), ("metadata", metadata)], Some("r-1"));
        let plain = r#"{"event_type": "gate_approved", "metadata": {"request_id": "r-2"}}"#;
        check(&[("payload", plain)], Some("r-2"));
        check(&[("json", r#"{"event_type": "gate_approved", "metadata": "{\"request_id\": 3}"}"#)], Some("3"));
        let cloud = format!(r#"{{"specversion": "1.0", "type": "x", "data": {plain}}}"#);
        check(&[("data", &cloud)], Some("r-2"));
    }

    #[test]
    fn other_entries_name_none() {
        let metadata = r#"{"request_id": "r-1"}"#;
        check(&[], None);
        check(&[("event_type", "task_started"), ("metadata", metadata)], None);
        check(&[("event_type", "gate_approved")], None);
        check(&[("event_type", "gate_approved"), ("metadata", "{")], None);
        check(&[("event_type", "gate_approved"), ("metadata", r#"{"request_id": ""}"#)], None);
        check(&[("event_type", "gate_approved"), ("metadata", r#"{"request_id": {}}"#)], None);
        check(&[("data", r#"{"event_type": "task_started", "metadata": {"request_id": "r"}}"#)], None);
        check(&[("data", r#"{"specversion": "1.0"}"#)], None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(value in prop::collection::vec(any::<u8>(), 0..200), text in ".{0,200}") {
            for bytes in [value, text.into_bytes()] {
                request_id(&[("event_type".into(), b"gate_approved".to_vec()), ("metadata".into(), bytes.clone())]);
                request_id(&[("data".into(), bytes)]);
            }
        }
    }
}
