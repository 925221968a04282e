//! Asking an API with patience: it waits as long as the forge asks to, and tries again what broke off.

use super::tally::Watcher;
use crate::ports::{BusError, Clock, ForgeAnswer, ForgeApi, PrivateError, RestError};
use backon::{BackoffBuilder, ExponentialBuilder};
use jiff::Timestamp;
use serde_json::Value;
use std::cell::Cell;
use std::collections::HashSet;
use std::time::Duration;
use thiserror::Error;

/// How often a page is asked for that breaks off.
const TRIES: usize = 8;
/// How often a page is asked for where the forge says each time that it was too often.
const REFUSALS: usize = 20;
/// How long to wait where a forge says that there were too many requests, and not how long.
const USUAL_WAIT: Duration = Duration::from_secs(60);
/// Nobody waits longer: it is done another day.
const LONGEST_WAIT: Duration = Duration::from_secs(2 * 60 * 60);
/// The most pages of one list: a server whose pages never end is not followed for ever.
const MOST_PAGES: usize = 20_000;

/// Why a forge is asked in vain.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The API cannot be reached, or its answers break off, each time it is tried.
    #[error("the forge's API fails: {0}")]
    Failing(RestError),
    /// The token is missing, wrong or too old.
    #[error("the forge does not know the token (HTTP status 401)")]
    Unknown,
    /// The token may not read this.
    #[error("the token may not read this (HTTP status 403)")]
    Forbidden,
    /// There is no such repository, or the token may not know of it.
    #[error("the forge has no such repository, or does not show it to this token (HTTP status 404)")]
    Missing,
    /// The token may not change this.
    #[error("the token may not change this (HTTP status 403)")]
    NotAllowed,
    /// The forge does not take a change.
    #[error("the forge does not take the change (HTTP status {0})")]
    Refused(u16),
    /// Somebody did something at the same time.
    #[error("somebody else changed our branch just now; it is looked at again with the next round")]
    Crossed,
    /// Something else is wrong.
    #[error("the forge's API answers with HTTP status {0}")]
    Status(u16),
    /// The answer is not what such an API answers.
    #[error("this is no API of a forge of this kind: {0}")]
    Shape(&'static str),
    /// It sends more than is kept at a time.
    #[error("the forge sends more of one thing than anybody wrote (more than {0} MB)")]
    TooLarge(usize),
    /// It asks to wait for too long.
    #[error("the forge takes no more requests until {0}")]
    Limited(Timestamp),
    /// Somebody ended it.
    #[error("it was told to stop")]
    Stopped,
    /// What was read cannot be handed over.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The note of how far it got cannot be read or written.
    #[error("the note of how far it got cannot be used: {0}")]
    Cursor(#[from] PrivateError),
}

/// How much may still be kept of what a forge sends: each page has a limit of its own, this is one of all of them.
pub(super) struct Room {
    most: usize,
    left: usize,
}

impl Room {
    /// For so many MB.
    pub fn of(megabytes: usize) -> Room {
        Room { most: megabytes, left: megabytes << 20 }
    }

    /// Takes room for some of it.
    ///
    /// # Errors
    /// [`HistoryError::TooLarge`] where there is none.
    pub fn take<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Result<(), HistoryError> {
        let wanted: usize = values.into_iter().map(weight).sum();
        self.left = self.left.checked_sub(wanted).ok_or(HistoryError::TooLarge(self.most))?;
        Ok(())
    }
}

/// About how many bytes a value takes in memory.
fn weight(value: &Value) -> usize {
    let below: usize = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| size_of::<String>() + name.len() + weight(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + below
}

/// One who asks.
pub(crate) struct Asking<'a> {
    api: &'a dyn ForgeApi,
    clock: &'a dyn Clock,
    watcher: &'a dyn Watcher,
    requests: Cell<u64>,
    /// Before that there is nothing left to ask.
    not_before: Cell<Option<Timestamp>>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(api: &'a dyn ForgeApi, clock: &'a dyn Clock, watcher: &'a dyn Watcher) -> Asking<'a> {
        Asking { api, clock, watcher, requests: Cell::new(0), not_before: Cell::new(None) }
    }

    /// How many requests were sent.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Reads a page.
    pub(crate) fn read(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, HistoryError> {
        judged(self.answered(address, etag)?)
    }

    /// Asks for something, whatever the status of the answer; those that say to come again are waited for.
    pub(super) fn answered(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, HistoryError> {
        let mut delays = delays();
        let mut refused = 0;
        loop {
            if let Some(at) = self.not_before.take() {
                self.wait_until(at)?;
            }
            self.requests.set(self.requests.get() + 1);
            let failing = match self.api.read(address, etag) {
                // It stays so.
                Err(error @ RestError::Elsewhere) => return Err(HistoryError::Failing(error)),
                Err(error) => HistoryError::Failing(error),
                Ok(answer) if answer.status >= 500 => HistoryError::Status(answer.status),
                Ok(answer) if is_too_much(&answer) => {
                    self.wait_as_asked(&answer, &mut refused)?;
                    continue;
                }
                Ok(answer) => {
                    // Better not to ask than to be refused.
                    self.not_before.set(answer.more_at.filter(|_| answer.left == Some(0)));
                    return Ok(answer);
                }
            };
            let Some(delay) = delays.next() else { return Err(failing) };
            self.wait(delay, &failing.to_string())?;
        }
    }

    /// Sends a change. What breaks off is not sent again, for it may have been done; where the forge says that there were too
    /// many requests it was not.
    pub(crate) fn write(&self, method: &str, address: &str, body: &Value) -> Result<Value, HistoryError> {
        let mut refused = 0;
        loop {
            if let Some(at) = self.not_before.take() {
                self.wait_until(at)?;
            }
            self.requests.set(self.requests.get() + 1);
            let answer = self.api.write(method, address, body).map_err(HistoryError::Failing)?;
            if is_too_much(&answer) {
                self.wait_as_asked(&answer, &mut refused)?;
                continue;
            }
            self.not_before.set(answer.more_at.filter(|_| answer.left == Some(0)));
            return match answer.status {
                200..=299 => Ok(answer.body),
                401 => Err(HistoryError::Unknown),
                403 => Err(HistoryError::NotAllowed),
                404 => Err(HistoryError::Missing),
                400 | 405 | 409 | 422 => Err(HistoryError::Refused(answer.status)),
                status => Err(HistoryError::Status(status)),
            };
        }
    }

    /// Reads a list, all its pages, as far as there is room.
    pub(super) fn all(&self, address: &str, room: &mut Room) -> Result<Vec<Value>, HistoryError> {
        let (mut all, mut taken) = (Vec::new(), Ok(()));
        self.pages(address, None, &mut |items| {
            taken = room.take(&items);
            all.extend(items);
            taken.is_ok()
        })?;
        taken.map(|()| all)
    }

    /// Reads a list page by page, as long as `take` wants more; says what tells of its first page whether it is another, and
    /// whether it is that of `etag`.
    pub(crate) fn pages(
        &self,
        address: &str,
        etag: Option<&str>,
        take: &mut dyn FnMut(Vec<Value>) -> bool,
    ) -> Result<(Option<String>, bool), HistoryError> {
        let first = self.read(address, etag)?;
        let (tag, mut page) = (first.etag.clone(), first);
        let mut known = HashSet::new();
        for _ in 0..MOST_PAGES {
            if page.status == 304 {
                return Ok((tag, true));
            }
            let Value::Array(items) = page.body else {
                return Err(HistoryError::Shape("where a list should be there is something else"));
            };
            let wants_more = take(items);
            let Some(next) = page.next.filter(|_| wants_more) else { return Ok((tag, false)) };
            page = self.read(&next, None)?;
            if !known.insert(next) {
                return Err(HistoryError::Shape("its list names the same page twice"));
            }
        }
        Err(HistoryError::Shape("its list does not end"))
    }

    /// When to ask again. The forge's clock may be another, and its seconds are rounded.
    fn until(&self, answer: &ForgeAnswer) -> Timestamp {
        let now = self.clock.now();
        let more_at = answer.more_at.filter(|at| *at >= now && answer.left == Some(0));
        let asked = answer.wait.map(|wait| later(now, wait));
        asked.or(more_at.map(|at| later(at, Duration::from_secs(1)))).unwrap_or_else(|| later(now, USUAL_WAIT))
    }

    fn wait_as_asked(&self, answer: &ForgeAnswer, refused: &mut usize) -> Result<(), HistoryError> {
        let until = self.until(answer);
        *refused += 1;
        if *refused > REFUSALS {
            return Err(HistoryError::Limited(until));
        }
        self.wait_until(until)
    }

    fn wait_until(&self, at: Timestamp) -> Result<(), HistoryError> {
        let Ok(time) = Duration::try_from(at.duration_since(self.clock.now())) else { return Ok(()) };
        if time > LONGEST_WAIT {
            return Err(HistoryError::Limited(at));
        }
        self.wait(time, &format!("the forge takes no more requests until {}", at.strftime("%H:%M:%S UTC")))
    }

    fn wait(&self, time: Duration, why: &str) -> Result<(), HistoryError> {
        if self.watcher.wait(time, why) { Ok(()) } else { Err(HistoryError::Stopped) }
    }
}

/// An answer that says what was asked for.
pub(super) fn judged(answer: ForgeAnswer) -> Result<ForgeAnswer, HistoryError> {
    match answer.status {
        200 | 304 => Ok(answer),
        401 => Err(HistoryError::Unknown),
        403 => Err(HistoryError::Forbidden),
        404 => Err(HistoryError::Missing),
        status => Err(HistoryError::Status(status)),
    }
}

/// Whether it says that there were too many requests.
fn is_too_much(answer: &ForgeAnswer) -> bool {
    answer.is_limited || answer.status == 403 && answer.wait.is_some()
}

fn later(at: Timestamp, time: Duration) -> Timestamp {
    at.checked_add(time).unwrap_or(Timestamp::MAX)
}

/// From half a second to half a minute.
fn delays() -> impl Iterator<Item = Duration> {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(500))
        .with_max_delay(Duration::from_secs(30))
        .with_max_times(TRIES - 1)
        .with_jitter()
        .build()
}
