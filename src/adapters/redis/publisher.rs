//! Acknowledges, dead-letters, publishes and deploys. Every step that must be atomic is one script.
//!
//! Every call may be repeated after an error: completed work is not done again. It does not retry automatically. All it
//! knows of what was published is the cursor, which is stored in Redis next to the streams it refers to.

use super::connection::Connector;
use super::cursor_value::CursorValue;
use super::dead_letter::dead_letter;
use super::options::RedisOptions;
use super::reply;
use super::request::{ask, ask_all};
use super::scan::keys_from;
use crate::domain::intake::event::{RawEntry, Rejection};
use crate::domain::records::message::Outgoing;
use crate::ports::{AgentKeys, BusError, Publisher};
use crate::text::ids::CommitId;
use redis::aio::MultiplexedConnection;
use redis::{Pipeline, RedisResult, Script, Value, cmd};
use std::collections::{BTreeMap, BTreeSet};

/// Entries per XACK.
const ACK_CHUNK: usize = 1000;

/// Messages per call of the script. Some managed servers accept at most 3,999 arguments: each message takes eight, and
/// the call itself at most 20.
const PUBLISH_CHUNK: usize = 490;

/// Writes to Redis on its own connection.
pub struct RedisPublisher {
    options: RedisOptions,
    connector: Connector,
    cursor_key: String,
    store_id: String,
    publish: Script,
    dead_letter: Script,
    deploy: Script,
    connection: Option<MultiplexedConnection>,
    /// How many connections were opened.
    opened: u64,
}

impl RedisPublisher {
    /// Prepares publishing for the store with this id. Connects on the first call.
    ///
    /// # Errors
    /// [`BusError::Refused`] if the URL is invalid.
    pub fn new(options: RedisOptions, store_id: &str) -> Result<RedisPublisher, BusError> {
        Ok(RedisPublisher {
            connector: Connector::new(&options)?,
            cursor_key: options.cursor_key(store_id),
            store_id: store_id.to_owned(),
            publish: Script::new(include_str!("scripts/publish.lua")),
            dead_letter: Script::new(include_str!("scripts/dead_letter.lua")),
            deploy: Script::new(include_str!("scripts/deploy.lua")),
            connection: None,
            opened: 0,
            options,
        })
    }
}

impl RedisPublisher {
    /// Entries shared by two stores would land in either of them at random.
    async fn check_owner(&mut self) -> Result<(), BusError> {
        let (mut get, mut claim) = (cmd("GET"), cmd("SET"));
        get.arg(self.options.owner_key());
        claim.arg(self.options.owner_key()).arg(&self.store_id).arg("NX");
        let owner = self
            .on_connection(async |connection| match ask(connection, &get).await? {
                Value::Nil => {
                    // A full Redis accepts no new key; the claim is then made on a later start.
                    let _ = ask(connection, &claim).await;
                    Ok(None)
                }
                value => reply::text(value).map(Some),
            })
            .await?;
        match owner.filter(|owner| *owner != self.store_id) {
            None => Ok(()),
            Some(owner) => Err(BusError::Refused {
                message: format!(
                    "the group {} belongs to another store (its first commit is {owner}, this store's is {})",
                    self.options.group, self.store_id
                ),
                hint: "give each store its own group (redis.group); if this store replaces the other one, run \
                       `feedbackd store accept HEAD`"
                    .into(),
            }),
        }
    }
}

impl Publisher for RedisPublisher {
    fn connection(&self) -> Option<u64> {
        self.connection.as_ref().map(|_| self.opened)
    }

    async fn ack(&mut self, entries: &[(String, String)]) -> Result<(), BusError> {
        if entries.is_empty() {
            return Ok(());
        }
        feedbackd_ports::fail_point!("ack.before");
        let mut by_stream: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (stream, id) in entries {
            by_stream.entry(stream).or_default().push(id);
        }
        let mut pipeline = Pipeline::new();
        for (stream, ids) in &by_stream {
            for ids in ids.chunks(ACK_CHUNK) {
                pipeline.cmd("XACK").arg(stream).arg(&self.options.group).arg(ids);
            }
        }
        self.on_connection(async |connection| {
            ask_all(connection, &pipeline).await?.into_iter().collect::<RedisResult<Vec<_>>>()
        })
        .await
        .map(|_| ())
    }

    /// Does nothing if the entry is no longer pending (and not among the lost ones): another consumer handled it, or
    /// the group is new and the entry will be delivered again.
    async fn dead_letter(&mut self, entry: &RawEntry, rejection: &Rejection) -> Result<bool, BusError> {
        let letter = dead_letter(entry, rejection, self.options.tenant.as_deref().unwrap_or_default());
        feedbackd_ports::fail_point!("letter.before");
        let script = self.dead_letter.clone();
        let mut call = script.prepare_invoke();
        call.key(&entry.stream)
            .key(self.options.dead_letters_key())
            .key(self.options.lost_key(&entry.stream))
            .key(self.options.done_key(&entry.stream))
            .arg(&self.options.group)
            .arg(&entry.id)
            .arg(letter.milliseconds)
            .arg(letter.data.0)
            .arg(letter.data.1)
            .arg(self.max_len());
        for (name, value) in letter.fields {
            call.arg(name).arg(value);
        }
        self.on_connection(async |connection| call.invoke_async::<i64>(connection).await)
            .await
            .map(|appended| appended == 1)
    }

    async fn own(&mut self) -> Result<(), BusError> {
        let mut set = cmd("SET");
        set.arg(self.options.owner_key()).arg(&self.store_id);
        self.on_connection(async |connection| ask(connection, &set).await).await.map(|_| ())
    }

    async fn cursor(&mut self) -> Result<Option<CommitId>, BusError> {
        self.check_owner().await?;
        Ok(self.cursor_value().await?.commit)
    }

    /// Several thousand messages are fine: they are appended in parts, and the cursor moves with each.
    async fn publish(
        &mut self,
        from: Option<&CommitId>,
        to: &CommitId,
        messages: &[Outgoing],
    ) -> Result<bool, BusError> {
        feedbackd_ports::fail_point!("publish.before");
        let mut before = CursorValue { commit: from.cloned(), of_next: 0 };
        loop {
            let rest = messages.get(before.of_next..).unwrap_or_default();
            let part = rest.get(..PUBLISH_CHUNK).unwrap_or(rest);
            let is_last = part.len() == rest.len();
            let after = if is_last {
                CursorValue { commit: Some(to.clone()), of_next: 0 }
            } else {
                CursorValue { commit: from.cloned(), of_next: before.of_next + part.len() }
            };
            if self.append(&before, &after, part).await? {
                if is_last {
                    return Ok(true);
                }
                before = after;
                continue;
            }
            // An earlier call may have ended after some of the parts.
            let found = self.cursor_value().await?;
            if found.commit.as_ref() != from || found.of_next <= before.of_next {
                return Ok(false);
            }
            before = found;
        }
    }

    /// Compares in one round trip and, if anything differs, writes in a second one. An existing key of any type is
    /// replaced.
    async fn deploy(&mut self, rules: &[AgentKeys]) -> Result<u64, BusError> {
        let wanted: BTreeMap<String, Option<&str>> = rules
            .iter()
            .flat_map(|keys| {
                [
                    (self.options.active_rules_key(&keys.agent), keys.active.as_deref()),
                    (self.options.rules_prompt_key(&keys.agent), keys.prompt.as_deref()),
                ]
            })
            .collect();
        if wanted.is_empty() {
            return Ok(0);
        }
        let set: Vec<(&str, &str)> = wanted.iter().filter_map(|(key, value)| Some((key.as_str(), (*value)?))).collect();
        let absent: Vec<&str> =
            wanted.iter().filter(|(_, value)| value.is_none()).map(|(key, _)| key.as_str()).collect();
        let script = self.deploy.clone();
        self.on_connection(async |connection| {
            // MGET reports a key of another type as absent, so keys that must be absent are checked with EXISTS.
            let mut look = Pipeline::new();
            if !set.is_empty() {
                look.cmd("MGET").arg(set.iter().map(|(key, _)| *key).collect::<Vec<_>>());
            }
            for key in &absent {
                look.cmd("EXISTS").arg(key);
            }
            let mut found = ask_all(connection, &look).await?.into_iter();
            let values =
                if set.is_empty() { Vec::new() } else { reply::array(found.next().unwrap_or(Ok(Value::Nil))?)? };
            let mut call = script.prepare_invoke();
            let mut differ = 0;
            for ((key, value), found) in set.iter().zip(values.into_iter().chain(std::iter::repeat(Value::Nil))) {
                if !matches!(found, Value::BulkString(bytes) if bytes == value.as_bytes()) {
                    call.key(*key).arg(1).arg(*value);
                    differ += 1;
                }
            }
            for (key, found) in absent.iter().zip(found) {
                if found? != Value::Int(0) {
                    call.key(*key).arg(0).arg("");
                    differ += 1;
                }
            }
            if differ == 0 { Ok(0) } else { call.invoke_async::<u64>(connection).await }
        })
        .await
    }

    async fn deployed(&mut self) -> Result<Vec<String>, BusError> {
        let starts = [self.options.active_rules_key(""), self.options.rules_prompt_key("")];
        self.on_connection(async |connection| {
            let mut agents = BTreeSet::new();
            for start in &starts {
                let keys = keys_from(connection, start).await?;
                agents.extend(keys.iter().filter_map(|key| key.strip_prefix(start.as_str())).map(str::to_owned));
            }
            Ok(agents.into_iter().collect())
        })
        .await
    }
}

impl RedisPublisher {
    /// Moves the cursor and appends messages, in one step. Returns false, and does nothing, if the cursor is elsewhere.
    async fn append(
        &mut self,
        before: &CursorValue,
        after: &CursorValue,
        messages: &[Outgoing],
    ) -> Result<bool, BusError> {
        let script = self.publish.clone();
        let mut call = script.prepare_invoke();
        call.key(&self.cursor_key).arg(before.to_string()).arg(after.to_string()).arg(self.max_len());
        let mut topics = Vec::new();
        for message in messages {
            let trace = message.trace.as_ref();
            let position = topics.iter().position(|topic| *topic == message.topic).unwrap_or_else(|| {
                topics.push(message.topic);
                call.key(self.options.key(&message.topic.key()));
                topics.len() - 1
            });
            // Lua indexes from 1, and the cursor is the first key.
            call.arg(position + 2)
                .arg(message.schema)
                .arg(&message.idempotency_key)
                .arg(&message.tenant_id)
                .arg(message.timestamp.to_string())
                .arg(trace.map(|trace| trace.traceparent.as_str()).unwrap_or_default())
                .arg(trace.and_then(|trace| trace.tracestate.as_deref()).unwrap_or_default())
                .arg(&message.data);
        }
        self.on_connection(async |connection| call.invoke_async::<i64>(connection).await).await.map(|moved| moved == 1)
    }

    async fn cursor_value(&mut self) -> Result<CursorValue, BusError> {
        let mut get = cmd("GET");
        get.arg(&self.cursor_key);
        self.on_connection(async |connection| match ask(connection, &get).await? {
            Value::Nil => Ok(CursorValue::default()),
            value => Ok(CursorValue::parse(&reply::text(value)?)),
        })
        .await
    }

    fn max_len(&self) -> String {
        self.options.max_len.map(|n| n.to_string()).unwrap_or_default()
    }

    /// Runs a call. The connection is kept only on success, so after an error or a dropped future the next call opens a
    /// new one: a failover shows up as READONLY on a connection that looks healthy.
    async fn on_connection<T>(
        &mut self,
        call: impl AsyncFnOnce(&mut MultiplexedConnection) -> RedisResult<T>,
    ) -> Result<T, BusError> {
        let result = async {
            let mut connection = match self.connection.take() {
                Some(connection) => connection,
                None => {
                    let connection = self.connector.open().await?;
                    self.opened += 1;
                    connection
                }
            };
            let value = call(&mut connection).await?;
            Ok((connection, value))
        };
        match result.await {
            Ok((connection, value)) => {
                self.connection = Some(connection);
                Ok(value)
            }
            Err(error) => Err(self.connector.explain(&error)),
        }
    }
}
