//! Dead letters in their stream, and one of them back to its own. What was sent again is noted in a hash beside it.

use super::connection::{Connector, alone, ask};
use super::gate_requests::{gate_request, request_id};
use super::options::RedisOptions;
use super::reply;
use crate::domain::intake::event::{GateRequest, StreamKind};
use crate::ports::{BusError, EntryFields, Letters, SentAgain};
use redis::{RedisResult, Script, Value, cmd};

/// How many letters are looked at in one go, the latest first.
const PAGE: usize = 200;

/// Dead letters in Redis. Each call has a connection and a thread's time of its own: there are few.
pub struct RedisLetters {
    options: RedisOptions,
    connector: Connector,
    send: Script,
}

impl RedisLetters {
    /// Nothing is contacted.
    ///
    /// # Errors
    /// [`BusError::Refused`] when the URL cannot be read.
    pub fn new(options: RedisOptions) -> Result<RedisLetters, BusError> {
        let send = Script::new(include_str!("scripts/send_again.lua"));
        Ok(RedisLetters { connector: Connector::new(&options)?, send, options })
    }

    /// Asks on a connection of its own.
    fn asked<T>(&self, asking: impl Future<Output = RedisResult<T>>) -> Result<T, BusError> {
        alone(async { asking.await.map_err(|error| self.connector.explain(&error)) })
    }
}

impl Letters for RedisLetters {
    fn find(&self, key: &str) -> Result<Option<EntryFields>, BusError> {
        let letters = self.options.dead_letters_key();
        self.asked(async {
            let mut connection = self.connector.open().await?;
            let mut to = "+".to_owned();
            loop {
                let page = cmd("XREVRANGE").arg(&letters).arg(&to).arg("-").arg("COUNT").arg(PAGE).to_owned();
                let entries = reply::array(ask(&mut connection, &page).await?)?;
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
            Some(id) => alone(gate_request(&self.options, &id)),
            None => Ok(None),
        }
    }

    fn sent(&self, keys: &[String]) -> Result<Vec<Option<SentAgain>>, BusError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let command = cmd("HMGET").arg(self.options.sent_again_key()).arg(keys).to_owned();
        let found = self.asked(async { reply::array(ask(&mut self.connector.open().await?, &command).await?) })?;
        let note = |value| match value {
            Value::Nil => Ok(None),
            value => Ok(Some(note(&reply::text(value)?)?)),
        };
        self.asked(async { found.into_iter().map(note).collect() })
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
        self.asked(async {
            let mut connection = self.connector.open().await?;
            let (done, text): (i64, String) = call.invoke_async(&mut connection).await?;
            let note = note(&text)?;
            Ok(if done == 1 { Ok(note) } else { Err(note) })
        })
    }
}

fn note(text: &str) -> RedisResult<SentAgain> {
    serde_json::from_str(text).map_err(|error| {
        let what = "the note of a dead letter that was sent again cannot be read";
        (redis::ErrorKind::UnexpectedReturnType, what, error.to_string()).into()
    })
}
