//! The publisher's and the reader's side of the streams: what a gate and an agent do, for the demonstration.
//!
//! The daemon itself never adds to its own input.

use super::connection::{Connector, KeptConnection};
use super::options::RedisOptions;
use super::reply;
use super::request::ask;
use crate::ports::BusError;
use redis::{Cmd, cmd};

/// Adds one entry to a stream (key without the tenant's prefix).
///
/// # Errors
/// If Redis cannot be reached or refuses.
pub async fn append(options: &RedisOptions, stream: &str, fields: &[(String, String)]) -> Result<(), BusError> {
    let connector = Connector::new(options)?;
    let added = async {
        let mut connection = connector.open().await?;
        ask(&mut connection, &adding(&options.key(stream), fields)).await
    };
    added.await.map(|_| ()).map_err(|error| connector.explain(&error))
}

fn adding(key: &str, fields: &[(String, String)]) -> Cmd {
    let mut command = cmd("XADD");
    command.arg(key).arg("*");
    for (name, value) in fields {
        command.arg(name).arg(value);
    }
    command
}

/// Adds entries to one stream, for callers that block their own thread.
pub struct Appender {
    key: String,
    connection: KeptConnection,
}

impl Appender {
    /// Creates one for this stream (key without the tenant's prefix). Does not connect.
    ///
    /// # Errors
    /// [`BusError::Refused`] if the URL cannot be parsed.
    pub fn new(options: &RedisOptions, stream: &str) -> Result<Appender, BusError> {
        Ok(Appender { key: options.key(stream), connection: KeptConnection::new(options)? })
    }

    /// Adds one entry.
    ///
    /// # Errors
    /// As [`append`]. Without an answer, the entry may still have been added.
    pub fn append(&self, fields: &[(String, String)]) -> Result<(), BusError> {
        let command = adding(&self.key, fields);
        self.connection.ask(async |connection| ask(connection, &command).await.map(drop))
    }
}

/// Checks that these options are usable; does not connect.
///
/// # Errors
/// What is wrong with the URL or the certificates.
pub fn check(options: &RedisOptions) -> Result<(), BusError> {
    Connector::new(options).map(drop)
}

/// Writes a key of our own and removes it.
///
/// # Errors
/// As [`append`]: if it is full, a replica, or refuses to write for another reason.
pub async fn try_write(options: &RedisOptions) -> Result<(), BusError> {
    let connector = Connector::new(options)?;
    let key = options.key(&format!("feedbackd:doctor:{}", std::process::id()));
    let tried = async {
        let mut connection = connector.open().await?;
        // It expires if we cannot remove it.
        ask(&mut connection, cmd("SET").arg(&key).arg("it can be written").arg("PX").arg(5_000)).await?;
        ask(&mut connection, cmd("DEL").arg(&key)).await
    };
    tried.await.map(|_| ()).map_err(|error| connector.explain(&error))
}

/// Returns all entries of a stream (key without the tenant's prefix), oldest first; values that are not UTF-8 are
/// converted lossily.
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

/// Returns the text at a key (without the tenant's prefix).
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
