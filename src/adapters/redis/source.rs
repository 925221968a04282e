//! Reads the streams as one member of the consumer group (specification, "Streams in"; specification, "Reading Redis").
//!
//! Order: the member's own backlog, then what dead members left, then new entries. Nothing may depend on it.
//! It does not acknowledge, decode, retry or wait after an error: the caller does.
//!
//! The trap it is built around: an entry that the server hands to a read nobody waits for any more enters the
//! pending list and never comes again as new. So reads have a connection of their own and the time they need; and
//! after any error, or when a read was dropped half-way, the old connection is killed on the server and *then*
//! the own backlog is read again. Whatever still escapes (no right to CLIENT KILL) is claimed after `claim_idle`.

use super::connection::{Connector, ask, ask_all};
use super::error::group_is_gone;
use super::gate_requests;
use super::options::RedisOptions;
use super::reply::{self, Item};
use crate::domain::intake::event::{RawEntry, StreamKind};
use crate::ports::{BusError, EventSource};
use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline, RedisResult, Script, Value, cmd};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A member of the consumer group.
pub struct RedisSource {
    options: RedisOptions,
    connector: Connector,
    streams: [Stream; StreamKind::ALL.len()],
    ensure_group: Script,
    claim: Script,
    link: Option<Link>,
    /// The last reading connection, as the server numbers it.
    reader: Option<u64>,
    /// Whether the group, or a stream, is known to have gone away.
    group_lost: bool,
    /// Whether the own backlog still has to be read.
    in_backlog: bool,
    /// Entries that were read but not yet returned. XREADGROUP counts for each stream, so it may give too many.
    waiting: VecDeque<RawEntry>,
    next_claim: Instant,
    losses: Vec<RawEntry>,
}

struct Stream {
    key: String,
    kind: StreamKind,
    /// The last entry of the own backlog that was seen.
    seen: String,
    /// Where claiming goes on; `0-0` is both the start and the end.
    claim_from: String,
    /// When the group was made, as `ensure_group.lua` marks it.
    mark: String,
}

struct Link {
    read: MultiplexedConnection,
    look_up: Option<MultiplexedConnection>,
}

const START: &str = "0-0";

impl RedisSource {
    /// Prepares reading; connects with the first [`next`](EventSource::next).
    ///
    /// # Errors
    /// [`BusError::Refused`] when the URL cannot be read.
    pub fn new(options: RedisOptions) -> Result<RedisSource, BusError> {
        Ok(RedisSource {
            connector: Connector::new(&options)?,
            streams: options.streams.clone().map(|(name, kind)| Stream {
                key: options.key(&name),
                kind,
                seen: START.into(),
                claim_from: START.into(),
                mark: String::new(),
            }),
            ensure_group: Script::new(include_str!("scripts/ensure_group.lua")),
            claim: Script::new(include_str!("scripts/claim.lua")),
            link: None,
            reader: None,
            group_lost: false,
            in_backlog: true,
            waiting: VecDeque::new(),
            next_claim: Instant::now(),
            losses: Vec::new(),
            options,
        })
    }

    /// Whether a connection is open: false before the first read and after an error.
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
}

impl RedisSource {
    /// The link is put back only after success. So an error, and also a caller that drops this future, leaves no
    /// link, and the next call starts over.
    async fn try_next(&mut self, max: usize) -> RedisResult<Vec<RawEntry>> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => self.connect().await?,
        };
        self.fill(&mut link, max).await?;
        let mut batch: Vec<RawEntry> = self.waiting.drain(..max.min(self.waiting.len())).collect();
        self.look_up(&mut link, &mut batch).await?;
        self.link = Some(link);
        Ok(batch)
    }

    /// Gets at least one entry where there is one.
    async fn fill(&mut self, link: &mut Link, max: usize) -> RedisResult<()> {
        while self.in_backlog && self.waiting.is_empty() {
            self.read_backlog(link, max).await?;
        }
        if self.in_backlog || self.waiting.len() >= max {
            return Ok(());
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
        let mut read = self.connector.open(self.options.block).await?;
        self.retire_old_reader(&mut read).await?;
        self.in_backlog = true;
        self.next_claim = Instant::now();
        self.waiting.clear();
        self.losses.clear();
        for index in 0..self.streams.len() {
            let stream = &mut self.streams[index];
            stream.seen = START.into();
            stream.claim_from = START.into();
            let lost = if self.group_lost { stream.mark.as_str() } else { "" };
            stream.mark = self
                .ensure_group
                .key(&stream.key)
                .key(self.options.mark_key(&stream.key))
                .arg(&self.options.group)
                .arg(lost)
                .invoke_async(&mut read)
                .await?;
            let kept = ask(&mut read, cmd("SMEMBERS").arg(self.options.lost_key(&stream.key))).await?;
            for id in reply::texts(kept)? {
                self.lose(index, id);
            }
        }
        self.group_lost = false;
        Ok(Link { read, look_up: None })
    }

    /// Kills the connection that was read from before, lest the server hand it another entry, and remembers the new
    /// one. Where the user has no right to do so, claiming has to find such an entry.
    async fn retire_old_reader(&mut self, read: &mut MultiplexedConnection) -> RedisResult<()> {
        let name = client_name(&self.options.consumer);
        let mut pipeline = Pipeline::new();
        pipeline.cmd("CLIENT").arg("SETNAME").arg(&name);
        pipeline.cmd("CLIENT").arg("ID");
        if let Some(old) = self.reader {
            pipeline.cmd("CLIENT").arg("LIST").arg("ID").arg(old);
        }
        let mut answers = ask_all(read, &pipeline).await?.into_iter().skip(1);
        let number = match answers.next() {
            Some(Ok(Value::Int(number))) => u64::try_from(number).ok(),
            _ => None,
        };
        // The numbers start over when the server does, so the old one may be somebody else's by now.
        let listed = answers.next().and_then(Result::ok).and_then(|list| reply::text(list).ok()).unwrap_or_default();
        let is_ours = listed.split_whitespace().any(|word| word.strip_prefix("name=") == Some(&name));
        if let Some(old) = self.reader.filter(|old| is_ours && Some(*old) != number) {
            let mut kill = Pipeline::new();
            kill.cmd("CLIENT").arg("KILL").arg("ID").arg(old);
            ask_all(read, &kill).await?;
        }
        self.reader = number;
        Ok(())
    }

    async fn read_backlog(&mut self, link: &mut Link, count: usize) -> RedisResult<()> {
        let command = self.read_command(count, None, |stream| &stream.seen);
        let got = reply::streams(ask(&mut link.read, &command).await?)?;
        self.in_backlog = got.iter().any(|(_, items)| !items.is_empty());
        for (key, items) in got {
            let Some(index) = self.index_of(&key) else { continue };
            if let Some(last) = items.last() {
                self.streams[index].seen = last.id.clone();
            }
            self.take_in(index, items);
        }
        Ok(())
    }

    /// Waits only where nothing else is there to be returned.
    async fn read_new(&mut self, link: &mut Link, count: usize) -> RedisResult<()> {
        let block = self.waiting.is_empty().then_some(self.options.block);
        let command = self.read_command(count, block, |_| ">");
        for (key, items) in reply::streams(ask(&mut link.read, &command).await?)? {
            if let Some(index) = self.index_of(&key) {
                self.take_in(index, items);
            }
        }
        Ok(())
    }

    async fn claim_idle(&mut self, link: &mut Link, count: usize) -> RedisResult<()> {
        let idle = self.options.claim_idle.as_millis().to_string();
        let mut finished = true;
        for index in 0..self.streams.len() {
            let stream = &self.streams[index];
            let answer: Value = self
                .claim
                .key(&stream.key)
                .key(self.options.lost_key(&stream.key))
                .arg(&self.options.group)
                .arg(&self.options.consumer)
                .arg(&idle)
                .arg(&stream.claim_from)
                .arg(count)
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
            link.look_up = Some(self.connector.open(Duration::ZERO).await?);
        }
        match &mut link.look_up {
            Some(connection) => gate_requests::attach(connection, &self.options, batch).await,
            None => Ok(()),
        }
    }

    /// A read of all streams; `after` is the id after which one is read.
    fn read_command(&self, count: usize, block: Option<Duration>, after: fn(&Stream) -> &str) -> Cmd {
        let mut command = cmd("XREADGROUP");
        command.arg("GROUP").arg(&self.options.group).arg(&self.options.consumer).arg("COUNT").arg(count);
        if let Some(block) = block {
            // 0 would wait for ever.
            command.arg("BLOCK").arg(u64::try_from(block.as_millis()).unwrap_or(u64::MAX).max(1));
        }
        command.arg("STREAMS");
        for stream in &self.streams {
            command.arg(&stream.key);
        }
        for stream in &self.streams {
            command.arg(after(stream));
        }
        command
    }

    fn index_of(&self, key: &str) -> Option<usize> {
        self.streams.iter().position(|stream| stream.key == key)
    }

    fn take_in(&mut self, index: usize, items: Vec<Item>) {
        for item in items {
            match item.fields {
                Some(fields) => self.waiting.push_back(self.entry(index, item.id, fields)),
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
        RawEntry { stream: stream.key.clone(), kind: stream.kind, id, fields, gate_request: None }
    }
}

/// A name that Redis accepts for a connection: printable, without spaces.
fn client_name(consumer: &str) -> String {
    let clean: String = consumer.chars().map(|c| if c.is_ascii_graphic() { c } else { '_' }).collect();
    format!("feedbackd-read-{clean}")
}
