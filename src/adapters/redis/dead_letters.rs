//! Dead letters in their stream, and sending one back to its own. Resent ones are recorded in a separate hash.

use super::connection::KeptConnection;
use super::gate_requests::{gate_request, request_id};
use super::options::RedisOptions;
use super::reply;
use super::request::ask;
use crate::domain::intake::event::{GateRequest, StreamKind};
use crate::ports::{BusError, DeadLetters, EntryFields, SentAgain};
use redis::{RedisResult, Script, Value, cmd};

/// Letters read per page, latest first.
const PAGE: usize = 200;

/// Dead letters in Redis.
pub struct RedisLetters {
    options: RedisOptions,
    connection: KeptConnection,
    send: Script,
}

impl RedisLetters {
    /// Does not connect.
    ///
    /// # Errors
    /// [`BusError::Refused`] if the URL cannot be parsed.
    pub fn new(options: RedisOptions) -> Result<RedisLetters, BusError> {
        let send = Script::new(include_str!("scripts/send_again.lua"));
        Ok(RedisLetters { connection: KeptConnection::new(&options)?, send, options })
    }
}

impl DeadLetters for RedisLetters {
    fn find(&self, key: &str) -> Result<Option<EntryFields>, BusError> {
        let letters = self.options.dead_letters_key();
        self.connection.ask(async |connection| {
            let mut to = "+".to_owned();
            loop {
                let page = cmd("XREVRANGE").arg(&letters).arg(&to).arg("-").arg("COUNT").arg(PAGE).to_owned();
                let entries = reply::array(ask(connection, &page).await?)?;
                let count = entries.len();
                for entry in entries {
                    let mut halves = reply::array(entry)?;
                    let fields = reply::pairs(halves.pop().unwrap_or(Value::Nil))?;
                    let Some(id) = halves.pop().map(reply::text).transpose()? else { continue };
                    to = format!("({id}");
                    let fields = fields.into_iter().map(|(name, value)| Ok((name, reply::text(value)?)));
                    let fields = fields.collect::<RedisResult<EntryFields>>()?;
                    if fields.iter().any(|(name, value)| name == "idempotency_key" && value == key) {
                        return Ok(Some(fields));
                    }
                }
                if count < PAGE {
                    return Ok(None);
                }
            }
        })
    }

    fn gate_request(&self, kind: StreamKind, fields: &[(String, Vec<u8>)]) -> Result<Option<GateRequest>, BusError> {
        match request_id(fields).filter(|_| kind == StreamKind::Dispatcher) {
            Some(id) => self.connection.ask(async |connection| gate_request(connection, &self.options, &id).await),
            None => Ok(None),
        }
    }

    fn sent(&self, keys: &[String]) -> Result<Vec<Option<SentAgain>>, BusError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let command = cmd("HMGET").arg(self.options.sent_again_key()).arg(keys).to_owned();
        let note = |value| match value {
            Value::Nil => Ok(None),
            value => Ok(Some(note(&reply::text(value)?)?)),
        };
        self.connection
            .ask(async |connection| reply::array(ask(connection, &command).await?)?.into_iter().map(note).collect())
    }

    fn send_once(
        &self,
        key: &str,
        stream: &str,
        fields: &[(String, String)],
        wanted: &SentAgain,
    ) -> Result<Result<SentAgain, SentAgain>, BusError> {
        let mut call = self.send.key(stream);
        call.key(self.options.sent_again_key());
        call.arg(key).arg(serde_json::to_string(wanted).unwrap_or_default());
        for (name, value) in fields {
            call.arg(name).arg(value);
        }
        self.connection.ask(async |connection| {
            let (done, text): (i64, String) = call.invoke_async(connection).await?;
            let note = note(&text)?;
            Ok(if done == 1 { Ok(note) } else { Err(note) })
        })
    }
}

fn note(text: &str) -> RedisResult<SentAgain> {
    serde_json::from_str(text).map_err(|error| {
        let what = "the record of a resent dead letter cannot be read";
        (redis::ErrorKind::UnexpectedReturnType, what, error.to_string()).into()
    })
}
