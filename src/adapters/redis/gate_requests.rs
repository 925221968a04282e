//! The hash behind a dispatcher's gate event: which one, and fetching it for a whole batch (specification, "The
//! dispatcher's events").
//!
//! What the join means is decided when the entry is decoded; here it is only fetched, so that decoding stays pure.

use super::connection::ask_all;
use super::options::RedisOptions;
use super::reply::{pairs, text};
use crate::domain::intake::event::{RawEntry, StreamKind};
use redis::aio::MultiplexedConnection;
use redis::{Pipeline, RedisResult};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The largest JSON that is looked into, in bytes. Gate events are far smaller.
const MAX_JSON: usize = 1 << 20;
/// The longest request id, in bytes.
const MAX_ID: usize = 1024;

/// The request that a `gate_approved` or `gate_rejected` event names, in any of the three encodings; `None` for
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

/// Fetches the hashes that the entries name, in one round trip, the tenant's own before the shared one.
pub(super) async fn attach(
    connection: &mut MultiplexedConnection,
    options: &RedisOptions,
    entries: &mut [RawEntry],
) -> RedisResult<()> {
    let wanted = wanted(entries);
    if wanted.is_empty() {
        return Ok(());
    }
    let mut pipeline = Pipeline::new();
    let mut owners = Vec::new();
    for (position, id) in wanted {
        let shared = format!("asdlc:gate_request:{id}");
        let own = options.key(&shared);
        if own != shared {
            pipeline.cmd("HGETALL").arg(own);
            owners.push(position);
        }
        pipeline.cmd("HGETALL").arg(shared);
        owners.push(position);
    }
    for (position, answer) in owners.into_iter().zip(ask_all(connection, &pipeline).await?) {
        let hash = match answer {
            Ok(reply) => pairs(reply)?
                .into_iter()
                .map(|(name, value)| Ok((name, text(value)?)))
                .collect::<RedisResult<BTreeMap<_, _>>>()?,
            // Somebody keeps something else under that name: for us the request is not there.
            Err(error) if error.code() == Some("WRONGTYPE") => continue,
            Err(error) => return Err(error),
        };
        if let Some(entry) = entries.get_mut(position)
            && entry.gate_request.is_none()
            && !hash.is_empty()
        {
            entry.gate_request = Some(hash);
        }
    }
    Ok(())
}

/// Whether any entry needs a look-up, so that a connection is opened only then.
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

/// An object, or the JSON text of one.
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
