//! Lists keys by their beginning, in small steps; nothing blocks on it.

use super::reply;
use super::request::ask;
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Value, cmd};
use std::collections::BTreeSet;

/// Keys per SCAN call.
const SCANNED: usize = 1000;

/// Returns the keys that begin with a text, in order. A name that is not UTF-8 is not ours, and is left out.
pub(super) async fn keys_from(connection: &mut MultiplexedConnection, start: &str) -> RedisResult<BTreeSet<String>> {
    let pattern = format!("{}*", literally(start));
    let (mut cursor, mut keys) = ("0".to_owned(), BTreeSet::new());
    loop {
        let mut scan = cmd("SCAN");
        scan.arg(&cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(SCANNED);
        let mut page = reply::array(ask(connection, &scan).await?)?.into_iter();
        cursor = page.next().map(reply::text).transpose()?.unwrap_or_else(|| "0".to_owned());
        let found = reply::array(page.next().unwrap_or(Value::Nil))?;
        keys.extend(found.into_iter().filter_map(|key| reply::text(key).ok()).filter(|key| key.starts_with(start)));
        if cursor == "0" {
            return Ok(keys);
        }
    }
}

/// Escapes a text so that it matches only itself as a Redis pattern.
fn literally(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '^' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
