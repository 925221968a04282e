//! A publisher's and a reader's seat at the streams: what a gate and an agent do, for the demonstration.
//!
//! The daemon itself never adds to its own input.

use super::connection::{Connector, ask};
use super::options::RedisOptions;
use super::reply;
use crate::ports::BusError;
use redis::cmd;

/// Adds one entry to a stream (key without the tenant's prefix).
///
/// # Errors
/// When Redis cannot be reached or refuses.
pub async fn append(options: &RedisOptions, stream: &str, fields: &[(String, String)]) -> Result<(), BusError> {
    let connector = Connector::new(options)?;
    let added = async {
        let mut connection = connector.open().await?;
        let mut command = cmd("XADD");
        command.arg(options.key(stream)).arg("*");
        for (name, value) in fields {
            command.arg(name).arg(value);
        }
        ask(&mut connection, &command).await
    };
    added.await.map(|_| ()).map_err(|error| connector.explain(&error))
}

/// Whether these options can be used at all; nothing is contacted.
///
/// # Errors
/// What is wrong with the URL or the certificates.
pub fn check(options: &RedisOptions) -> Result<(), BusError> {
    Connector::new(options).map(drop)
}

/// Writes a key of our own and removes it.
///
/// # Errors
/// As [`append`]: where it is full, a replica, or refuses to write for another reason.
pub async fn try_write(options: &RedisOptions) -> Result<(), BusError> {
    let connector = Connector::new(options)?;
    let key = options.key(&format!("feedbackd:doctor:{}", std::process::id()));
    let tried = async {
        let mut connection = connector.open().await?;
        // It goes by itself where we cannot take it away.
        ask(&mut connection, cmd("SET").arg(&key).arg("it can be written").arg("PX").arg(5_000)).await?;
        ask(&mut connection, cmd("DEL").arg(&key)).await
    };
    tried.await.map(|_| ()).map_err(|error| connector.explain(&error))
}

/// All entries of a stream (key without the tenant's prefix), the oldest first; values that are not UTF-8 are shown as
/// well as they can be.
///
/// # Errors
/// As [`append`].
pub async fn entries(options: &RedisOptions, stream: &str) -> Result<Vec<Vec<(String, String)>>, BusError> {
    let connector = Connector::new(options)?;
    let read = async {
        let mut connection = connector.open().await?;
        let mut found = Vec::new();
        for entry in
            reply::array(ask(&mut connection, cmd("XRANGE").arg(options.key(stream)).arg("-").arg("+")).await?)?
        {
            let Some(fields) = reply::array(entry)?.pop() else { continue };
            let fields = reply::pairs(fields)?.into_iter().map(|(name, value)| Ok((name, reply::text(value)?)));
            found.push(fields.collect::<redis::RedisResult<Vec<_>>>()?);
        }
        Ok(found)
    };
    read.await.map_err(|error| connector.explain(&error))
}

/// The text at a key (without the tenant's prefix).
///
/// # Errors
/// As [`append`].
pub async fn text_at(options: &RedisOptions, key: &str) -> Result<Option<String>, BusError> {
    let connector = Connector::new(options)?;
    let read = async {
        let mut connection = connector.open().await?;
        match ask(&mut connection, cmd("GET").arg(options.key(key))).await? {
            redis::Value::Nil => Ok(None),
            value => reply::text(value).map(Some),
        }
    };
    read.await.map_err(|error| connector.explain(&error))
}
