//! Reads the streams as one member of the consumer group (specification, "Streams in"; specification, "Reading Redis").
//!
//! Order: the member's own backlog, then entries left by dead members, then new entries. Nothing may depend on it. The
//! source does not acknowledge, decode, retry or back off after an error; the caller does.
//!
//! The trap it is built around: an entry delivered to a read that was abandoned enters the pending list and is never
//! delivered as new again. So reads have a connection of their own. After any error or a read dropped half-way, the old
//! connection is killed on the server (a read may still be in progress on it) and *then* its own backlog is read again.
//! Whatever still escapes (no permission for CLIENT KILL) is claimed after `claim_idle`.
//!
//! Bodies are transferred by size: a script reads entries one by one until there are enough bytes, and returns only the
//! beginnings of an entry that is too large. A blocking command would receive whatever arrives in full, so waiting is
//! done by polling, at most twenty times a second and less and less often. A stream whose key holds another type is
//! skipped, and the others are still read.

use super::connection::Connector;
use super::error::group_is_gone;
use super::gate_requests;
use super::options::RedisOptions;
use super::primary::Primary;
use super::reply::{self, Item};
use super::request::{ask, ask_all};
use crate::domain::intake::event::{RawEntry, StreamKind};
use crate::ports::{BusError, EventSource};
use redis::aio::MultiplexedConnection;
use redis::{Pipeline, RedisError, RedisResult, Script, Value, cmd};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A member of the consumer group.
pub struct RedisSource {
    options: RedisOptions,
    connector: Connector,
    streams: [Stream; StreamKind::ALL.len()],
    ensure_group: Script,
    read: Script,
    claim: Script,
    retire: Script,
    link: Option<Link>,
    /// The last reading connection, by the server's address and its id there.
    reader: Option<(String, u64)>,
    /// Whether the group or a stream is known to be gone.
    group_lost: bool,
    /// Whether the member's own backlog still has to be read.
    in_backlog: bool,
    /// Entries read but not yet returned. XREADGROUP counts per stream, so it may return too many.
    waiting: VecDeque<RawEntry>,
    next_claim: Instant,
    next_retire: Instant,
    losses: Vec<RawEntry>,
}

struct Stream {
    key: String,
    kind: StreamKind,
    /// The last entry seen in the member's own backlog.
    seen: String,
    /// Where claiming continues; `0-0` is both the start and the end.
    claim_from: String,
    /// When the group was created, as `ensure_group.lua` marks it.
    mark: String,
    /// Why the stream cannot be read, if the key's type is the cause.
    trouble: Option<String>,
}

struct Link {
    read: MultiplexedConnection,
    look_up: Option<MultiplexedConnection>,
}

const START: &str = "0-0";

/// Interval between checks for defunct members, and how long a member with an unknown name must have been idle.
const RETIRE_EVERY: Duration = Duration::from_secs(600);
const LONG_SILENT: Duration = Duration::from_secs(6 * 3600);

/// Initial and maximum polling pause. The initial one is far shorter than a commit. The maximum costs Redis and the
/// daemon a few thousandths of a core each.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

impl RedisSource {
    /// Prepares reading. Connects on the first [`next`](EventSource::next).
    ///
    /// # Errors
    /// [`BusError::Refused`] if the URL is invalid.
    pub fn new(options: RedisOptions) -> Result<RedisSource, BusError> {
        Ok(RedisSource {
            connector: Connector::new(&options)?,
            streams: options.streams.clone().map(|(name, kind)| Stream {
                key: options.key(&name),
                kind,
                seen: START.into(),
                claim_from: START.into(),
                mark: String::new(),
                trouble: None,
            }),
            ensure_group: Script::new(include_str!("scripts/ensure_group.lua")),
            read: Script::new(concat!(include_str!("scripts/measured.lua"), include_str!("scripts/read.lua"))),
            claim: Script::new(concat!(include_str!("scripts/measured.lua"), include_str!("scripts/claim.lua"))),
            retire: Script::new(include_str!("scripts/retire.lua")),
            link: None,
            reader: None,
            group_lost: false,
            in_backlog: true,
            waiting: VecDeque::new(),
            next_claim: Instant::now(),
            next_retire: Instant::now(),
            losses: Vec::new(),
            options,
        })
    }

    /// Reports whether a connection is open: false before the first read and after an error.
    pub fn is_connected(&self) -> bool {
        self.link.is_some()
    }
}

impl EventSource for RedisSource {
    async fn next(&mut self, max: usize) -> Result<Vec<RawEntry>, BusError> {
        match self.try_next(max.max(1)).await {
            Ok(batch) => Ok(batch),
            Err(error) => {
                self.group_lost |= group_is_gone(&error);
                Err(self.connector.explain(&error))
            }
        }
    }

    fn take_losses(&mut self) -> Vec<RawEntry> {
        std::mem::take(&mut self.losses)
    }

    fn troubles(&self) -> Vec<String> {
        self.streams.iter().filter_map(|stream| stream.trouble.clone()).collect()
    }
}

impl RedisSource {
    /// The link is restored only on success. An error or a dropped future leaves no link, and the next call starts
    /// over.
    async fn try_next(&mut self, max: usize) -> RedisResult<Vec<RawEntry>> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => self.connect().await?,
        };
        feedbackd_ports::fail_point!("read.before");
        self.fill(&mut link, max).await?;
        let mut batch: Vec<RawEntry> = self.waiting.drain(..max.min(self.waiting.len())).collect();
        self.look_up(&mut link, &mut batch).await?;
        feedbackd_ports::fail_point!("read.after");
        self.link = Some(link);
        Ok(batch)
    }

    /// Fetches at least one entry, if there is one.
    async fn fill(&mut self, link: &mut Link, max: usize) -> RedisResult<()> {
        while self.in_backlog && self.waiting.is_empty() {
            self.read_backlog(link, max).await?;
        }
        if self.in_backlog || self.waiting.len() >= max {
            return Ok(());
        }
        if Instant::now() >= self.next_retire {
            self.retire_members(link).await?;
        }
        if Instant::now() >= self.next_claim {
            self.claim_idle(link, max - self.waiting.len()).await?;
        }
        if self.waiting.len() < max {
            self.read_new(link, max - self.waiting.len()).await?;
        }
        Ok(())
    }

    async fn connect(&mut self) -> RedisResult<Link> {
        let Primary { connection: mut read, address } = self.connector.open_primary().await?;
        self.retire_old_reader(&mut read, address).await?;
        self.in_backlog = true;
        self.next_claim = Instant::now();
        self.next_retire = Instant::now();
        self.waiting.clear();
        self.losses.clear();
        for index in 0..self.streams.len() {
            let stream = &mut self.streams[index];
            stream.seen = START.into();
            stream.claim_from = START.into();
            let lost = if self.group_lost { stream.mark.as_str() } else { "" };
            let made: RedisResult<String> = self
                .ensure_group
                .key(&stream.key)
                .key(self.options.mark_key(&stream.key))
                .arg(&self.options.group)
                .arg(lost)
                .invoke_async(&mut read)
                .await;
            match made {
                Ok(mark) => stream.mark = mark,
                Err(error) if holds_something_else(&error) => {
                    self.leave_alone(index, &error);
                    continue;
                }
                Err(error) => return Err(error),
            }
            let kept = ask(&mut read, cmd("SMEMBERS").arg(self.options.lost_key(&stream.key))).await?;
            for id in reply::texts(kept)? {
                self.lose(index, id);
            }
        }
        self.group_lost = false;
        Ok(Link { read, look_up: None })
    }

    /// Kills the previous reading connection, so that the server delivers no more entries to it, and remembers the new
    /// one. If the user lacks the permission, such an entry is found by claiming.
    async fn retire_old_reader(&mut self, read: &mut MultiplexedConnection, address: String) -> RedisResult<()> {
        let name = client_name(&self.options.consumer);
        let mut pipeline = Pipeline::new();
        pipeline.cmd("CLIENT").arg("SETNAME").arg(&name);
        pipeline.cmd("CLIENT").arg("ID");
        // On another server the id is that of another client.
        let old = self.reader.as_ref().filter(|(known, _)| *known == address).map(|(_, id)| *id);
        if let Some(old) = old {
            pipeline.cmd("CLIENT").arg("LIST").arg("ID").arg(old);
        }
        let mut answers = ask_all(read, &pipeline).await?.into_iter().skip(1);
        let number = match answers.next() {
            Some(Ok(Value::Int(number))) => u64::try_from(number).ok(),
            _ => None,
        };
        // Ids restart with the server, so the old one may belong to another client by now.
        let listed = answers.next().and_then(Result::ok).and_then(|list| reply::text(list).ok()).unwrap_or_default();
        let is_ours = listed.split_whitespace().any(|word| word.strip_prefix("name=") == Some(&name));
        if let Some(old) = old.filter(|old| is_ours && Some(*old) != number) {
            let mut kill = Pipeline::new();
            kill.cmd("CLIENT").arg("KILL").arg("ID").arg(old);
            ask_all(read, &kill).await?;
        }
        self.reader = number.map(|number| (address, number));
        Ok(())
    }

    /// Removes defunct members that hold nothing: this daemon's former names, such as those of earlier containers, and
    /// long-idle members. If the Redis user may not remove them, they stay.
    async fn retire_members(&mut self, link: &mut Link) -> RedisResult<()> {
        self.next_retire = Instant::now() + RETIRE_EVERY;
        let names = self.options.names_key();
        for stream in &self.streams {
            let gone: RedisResult<i64> = self
                .retire
                .key(&stream.key)
                .key(&names)
                .arg(&self.options.group)
                .arg(&self.options.consumer)
                .arg(LONG_SILENT.as_millis() as u64)
                .invoke_async(&mut link.read)
                .await;
            if let Err(error) = gone
                && (error.is_io_error() || error.is_connection_dropped() || error.is_timeout())
            {
                return Err(error);
            }
        }
        Ok(())
    }

    async fn read_backlog(&mut self, link: &mut Link, count: usize) -> RedisResult<()> {
        let got = self.read_measured(link, count, |stream| &stream.seen).await?;
        self.in_backlog = got.iter().any(|items| !items.is_empty());
        for (index, items) in got.into_iter().enumerate() {
            if let Some(last) = items.last() {
                self.streams[index].seen.clone_from(&last.id);
            }
            self.take_in(index, items);
        }
        Ok(())
    }

    /// Waits only if there is nothing else to return.
    async fn read_new(&mut self, link: &mut Link, count: usize) -> RedisResult<()> {
        let (start, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let got = self.read_measured(link, count, |_| ">").await?;
            for (index, items) in got.into_iter().enumerate() {
                self.take_in(index, items);
            }
            let left = self.options.block.saturating_sub(start.elapsed());
            if !self.waiting.is_empty() || !self.losses.is_empty() || left.is_zero() {
                return Ok(());
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = LONGEST_PAUSE.min(2 * pause);
        }
    }

    /// Reads the entries of each stream after the id `after`, as many as fit. A stream whose key holds another type has
    /// none.
    async fn read_measured(
        &mut self,
        link: &mut Link,
        count: usize,
        after: fn(&Stream) -> &str,
    ) -> RedisResult<Vec<Vec<Item>>> {
        let mut invocation = self.read.prepare_invoke();
        for stream in &self.streams {
            invocation.key(&stream.key).key(self.options.lost_key(&stream.key));
        }
        invocation.arg(&self.options.group).arg(&self.options.consumer).arg(count);
        invocation.arg(self.bytes_of_each()).arg(self.options.largest_entry);
        for stream in &self.streams {
            invocation.arg(after(stream));
        }
        let answer: Value = invocation.invoke_async(&mut link.read).await?;
        let mut got = Vec::new();
        for (index, items) in reply::read(answer)?.into_iter().enumerate() {
            got.push(match items {
                Ok(items) => {
                    self.streams[index].trouble = None;
                    items
                }
                Err(error) if holds_something_else(&error) => {
                    self.leave_alone(index, &error);
                    Vec::new()
                }
                Err(error) => return Err(error),
            });
        }
        Ok(got)
    }

    /// No stream may take it all, or the others would never be read.
    fn bytes_of_each(&self) -> usize {
        (self.options.read_bytes / self.streams.len()).max(1)
    }

    /// Skips a key that is not a stream until it is one.
    fn leave_alone(&mut self, index: usize, error: &RedisError) {
        let stream = &mut self.streams[index];
        let detail = error.detail().unwrap_or("the key holds something else");
        stream.trouble = Some(format!("{} cannot be read: {detail}; rename or remove the key", stream.key));
    }

    async fn claim_idle(&mut self, link: &mut Link, count: usize) -> RedisResult<()> {
        let idle = self.options.claim_idle.as_millis().to_string();
        let mut finished = true;
        for index in 0..self.streams.len() {
            let stream = &self.streams[index];
            if stream.trouble.is_some() {
                continue;
            }
            let answer: Value = self
                .claim
                .key(&stream.key)
                .key(self.options.lost_key(&stream.key))
                .arg(&self.options.group)
                .arg(&self.options.consumer)
                .arg(&idle)
                .arg(&stream.claim_from)
                .arg(count)
                .arg(self.bytes_of_each())
                .arg(self.options.largest_entry)
                .invoke_async(&mut link.read)
                .await?;
            let (cursor, items, trimmed) = reply::claimed(answer)?;
            finished &= cursor == START;
            self.streams[index].claim_from = cursor;
            self.take_in(index, items);
            for id in trimmed {
                self.lose(index, id);
            }
        }
        if finished {
            self.next_claim = Instant::now() + self.options.claim_every;
        }
        Ok(())
    }

    async fn look_up(&mut self, link: &mut Link, batch: &mut [RawEntry]) -> RedisResult<()> {
        if gate_requests::wanted(batch).is_empty() {
            return Ok(());
        }
        if link.look_up.is_none() {
            link.look_up = Some(self.connector.open().await?);
        }
        match &mut link.look_up {
            Some(connection) => gate_requests::attach(connection, &self.options, batch).await,
            None => Ok(()),
        }
    }

    fn take_in(&mut self, index: usize, items: Vec<Item>) {
        for item in items {
            match item.fields {
                Some(fields) => {
                    let entry = RawEntry { oversize: item.oversize, ..self.entry(index, item.id, fields) };
                    self.waiting.push_back(entry);
                }
                None => self.lose(index, item.id),
            }
        }
    }

    fn lose(&mut self, index: usize, id: String) {
        let entry = self.entry(index, id, Vec::new());
        self.losses.push(entry);
    }

    fn entry(&self, index: usize, id: String, fields: Vec<(String, Vec<u8>)>) -> RawEntry {
        let stream = &self.streams[index];
        RawEntry { stream: stream.key.clone(), kind: stream.kind, id, fields, gate_request: None, oversize: None }
    }
}

fn holds_something_else(error: &RedisError) -> bool {
    error.code() == Some("WRONGTYPE")
}

/// Returns a connection name that Redis accepts: printable, without spaces.
fn client_name(consumer: &str) -> String {
    let clean: String = consumer.chars().map(|c| if c.is_ascii_graphic() { c } else { '_' }).collect();
    format!("feedbackd-read-{clean}")
}
