//! Removes given values from streams and from the daemon's own keys. The caller decides what to remove. Anything stored
//! elsewhere is out of scope.

use super::connection::Connector;
use super::options::RedisOptions;
use super::reply;
use super::request::ask;
use super::scan::keys_from;
use crate::ports::BusError;
use redis::aio::MultiplexedConnection;
use redis::{ErrorKind, RedisError, RedisResult, Value, cmd};

/// Entries examined at a time.
const PAGE: usize = 500;

/// Removes the stream entries (key without the tenant's prefix) in which a name or a value matches, and returns their
/// number. Groups keep their positions.
///
/// # Errors
/// If Redis cannot be reached or rejects a command.
pub async fn remove_entries(
    options: &RedisOptions,
    stream: &str,
    is_it: &(dyn Fn(&str) -> bool + Sync),
) -> Result<usize, BusError> {
    let connector = Connector::new(options)?;
    let key = options.key(stream);
    let removed = async { of_stream(&mut connector.open().await?, &key, is_it).await };
    removed.await.map_err(|error| connector.explain(&error))
}

/// Returns the daemon's own keys, in order: all that begin with `feedbackd:`, without the tenant's prefix.
///
/// # Errors
/// Same as [`remove_entries`].
pub async fn own_keys(options: &RedisOptions) -> Result<Vec<String>, BusError> {
    let connector = Connector::new(options)?;
    let (start, tenant) = (options.key("feedbackd:"), options.key(""));
    let scanned = async {
        let keys = keys_from(&mut connector.open().await?, &start).await?;
        RedisResult::Ok(keys.iter().filter_map(|key| key.strip_prefix(&tenant)).map(str::to_owned).collect())
    };
    scanned.await.map_err(|error| connector.explain(&error))
}

/// Removes matches from one of our own keys (without the tenant's prefix): stream entries, set members, otherwise the
/// key itself. Returns how many were removed.
///
/// # Errors
/// Same as [`remove_entries`]; also if the key has a type that we do not use.
pub async fn remove_from_key(
    options: &RedisOptions,
    key: &str,
    is_it: &(dyn Fn(&str) -> bool + Sync),
) -> Result<usize, BusError> {
    let connector = Connector::new(options)?;
    let full = options.key(key);
    let removed = async {
        let mut connection = connector.open().await?;
        if is_it(key) {
            return count(ask(&mut connection, cmd("DEL").arg(&full)).await?);
        }
        match reply::text(ask(&mut connection, cmd("TYPE").arg(&full)).await?)?.as_str() {
            "stream" => of_stream(&mut connection, &full, is_it).await,
            "string" => {
                let text = match ask(&mut connection, cmd("GET").arg(&full)).await? {
                    Value::Nil => return Ok(0),
                    value => reply::text(value)?,
                };
                if !is_it(&text) {
                    return Ok(0);
                }
                count(ask(&mut connection, cmd("DEL").arg(&full)).await?)
            }
            kind @ ("set" | "zset") => {
                let (list, remove) = if kind == "set" { ("SMEMBERS", "SREM") } else { ("ZRANGE", "ZREM") };
                let mut all = cmd(list);
                all.arg(&full);
                if kind == "zset" {
                    all.arg(0).arg(-1);
                }
                let members = reply::texts(ask(&mut connection, &all).await?)?;
                let wanted: Vec<String> = members.into_iter().filter(|member| is_it(member)).collect();
                if wanted.is_empty() {
                    return Ok(0);
                }
                count(ask(&mut connection, cmd(remove).arg(&full).arg(&wanted)).await?)
            }
            "none" => Ok(0),
            kind => Err(RedisError::from((
                ErrorKind::UnexpectedReturnType,
                "not of a type that is scanned",
                kind.to_owned(),
            ))),
        }
    };
    removed.await.map_err(|error| connector.explain(&error))
}

fn count(value: Value) -> RedisResult<usize> {
    Ok(redis::from_redis_value(value)?)
}

async fn of_stream(
    connection: &mut MultiplexedConnection,
    key: &str,
    is_it: &(dyn Fn(&str) -> bool + Sync),
) -> RedisResult<usize> {
    let (mut from, mut removed) = ("-".to_owned(), 0);
    loop {
        let page = ask(connection, cmd("XRANGE").arg(key).arg(&from).arg("+").arg("COUNT").arg(PAGE)).await?;
        let entries = reply::array(page)?;
        let (count, mut wanted) = (entries.len(), Vec::new());
        for entry in entries {
            let mut parts = reply::array(entry)?;
            let fields = parts.pop();
            let Some(id) = parts.pop().map(reply::text).transpose()? else { continue };
            from = format!("({id}");
            let Some(fields) = fields.filter(|fields| *fields != Value::Nil) else { continue };
            for (name, value) in reply::pairs(fields)? {
                if is_it(&name) || is_it(&reply::text(value)?) {
                    wanted.push(id);
                    break;
                }
            }
        }
        if !wanted.is_empty() {
            removed += wanted.len();
            ask(connection, cmd("XDEL").arg(key).arg(&wanted)).await?;
        }
        if count < PAGE {
            return Ok(removed);
        }
    }
}
