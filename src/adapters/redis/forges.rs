//! Pending parts of reviews, and accepted deliveries. Every atomic step is one script.
//!
//! Marks expire after a time; a review that is sent again later is recognized by the id of its decision.

use super::connection::KeptConnection;
use super::options::RedisOptions;
use super::reply;
use super::request::ask;
use crate::domain::intake::event::StreamKind;
use crate::ports::{BusError, ForgeInbox, HandOver};
use redis::{Script, Value, cmd};
use std::time::Duration;

/// Bytes of parts examined per pass, except for the last page. Parts beyond that wait until these are passed on.
const MOST_BYTES: usize = 64 << 20;
/// Parts that Redis sends per page.
const AT_A_TIME: usize = 100;

/// Parts of reviews in Redis.
pub struct RedisForges {
    options: RedisOptions,
    connection: KeptConnection,
    remember: Duration,
    put: Script,
    hand_over: Script,
}

impl RedisForges {
    /// Remembers deliveries for this long. Does not connect.
    ///
    /// # Errors
    /// [`BusError::Refused`] if the URL cannot be parsed.
    pub fn new(options: RedisOptions, remember: Duration) -> Result<RedisForges, BusError> {
        Ok(RedisForges {
            connection: KeptConnection::new(&options)?,
            put: Script::new(include_str!("scripts/forge_put.lua")),
            hand_over: Script::new(include_str!("scripts/forge_hand_over.lua")),
            options,
            remember,
        })
    }

    fn key(&self, name: &str) -> String {
        self.options.key(&format!("feedbackd:{}:forges:{name}", self.options.group))
    }

    /// Returns the key of an input stream.
    fn stream(&self, kind: StreamKind) -> String {
        let found = self.options.streams.iter().find(|(_, known)| *known == kind);
        found.map_or_else(|| self.options.key(&kind.usual_key()), |(name, _)| self.options.key(name))
    }

    fn invoke(&self, call: &redis::ScriptInvocation<'_>) -> Result<bool, BusError> {
        let done: i64 = self.connection.ask(async |connection| call.invoke_async(connection).await)?;
        Ok(done == 1)
    }
}

impl ForgeInbox for RedisForges {
    fn put(&self, delivery: &str, part: &str) -> Result<bool, BusError> {
        let mut call = self.put.prepare_invoke();
        call.key(self.key(&format!("seen:{delivery}"))).key(self.key("parts"));
        call.arg(self.remember.as_millis() as u64).arg(part);
        self.invoke(&call)
    }

    fn waiting(&self) -> Result<Vec<(String, String)>, BusError> {
        let parts = self.key("parts");
        self.connection.ask(async |connection| {
            // To the end: if some parts of a review were not seen, the first ones would be passed on as the whole.
            let (mut waiting, mut size, mut from) = (Vec::new(), 0, "-".to_owned());
            loop {
                let range = cmd("XRANGE").arg(&parts).arg(&from).arg("+").arg("COUNT").arg(AT_A_TIME).to_owned();
                let entries = reply::array(ask(connection, &range).await?)?;
                let is_last = entries.len() < AT_A_TIME;
                for entry in entries {
                    let mut halves = reply::array(entry)?;
                    let fields = halves.pop().unwrap_or(Value::Nil);
                    let Some(id) = halves.pop().map(reply::text).transpose()? else { continue };
                    from = format!("({id}");
                    for (name, value) in reply::pairs(fields)? {
                        if name == "part" {
                            let part = reply::text(value)?;
                            size += part.len();
                            waiting.push((id.clone(), part));
                        }
                    }
                }
                if is_last || size >= MOST_BYTES {
                    return Ok(waiting);
                }
            }
        })
    }

    fn said(&self, id: &str) -> Result<Vec<String>, BusError> {
        let mark = self.key(&format!("handed:{id}"));
        self.connection.ask(async |connection| {
            let said: Option<String> = cmd("GET").arg(mark).query_async(connection).await?;
            Ok(said.iter().flat_map(|said| said.split(' ')).map(str::to_owned).collect())
        })
    }

    fn hand_over(&self, id: &str, known: &[String], parts: &[String], handed: &HandOver) -> Result<bool, BusError> {
        let mut call = self.hand_over.prepare_invoke();
        call.key(self.key(&format!("handed:{id}"))).key(self.key("parts"));
        call.key(self.stream(StreamKind::HitlDecisions)).key(self.stream(StreamKind::MetaHitl));
        call.arg(self.remember.as_millis() as u64);
        call.arg(known.join(" ")).arg(handed.said.join(" ")).arg(parts.len());
        let all = [&handed.decisions, &handed.reviews];
        for payloads in all {
            call.arg(payloads.len());
        }
        for id in parts {
            call.arg(id);
        }
        for payload in all.into_iter().flatten() {
            call.arg(payload.to_string());
        }
        self.invoke(&call)
    }
}
