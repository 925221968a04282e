//! Patient requests to an API: waits as long as the forge asks, and retries broken requests.

use super::tally::Watcher;
use crate::ports::{BusError, Clock, ForgeAnswer, ForgeApi, PrivateError, RestError};
use backon::{BackoffBuilder, ExponentialBuilder};
use jiff::Timestamp;
use serde_json::Value;
use std::cell::Cell;
use std::collections::HashSet;
use std::time::Duration;
use thiserror::Error;

/// Attempts per page if the connection breaks off.
const TRIES: usize = 8;
/// Attempts per page if the forge reports too many requests each time.
const REFUSALS: usize = 20;
/// Pause if a forge reports too many requests without a wait time.
const USUAL_WAIT: Duration = Duration::from_secs(60);
/// Maximum wait; then it is left for another day.
const LONGEST_WAIT: Duration = Duration::from_secs(2 * 60 * 60);
/// Maximum pages of one list, in case a server's pages never end.
const MOST_PAGES: usize = 20_000;

/// Why a request to a forge failed.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The API cannot be reached, or its answers break off, at every attempt.
    #[error("the forge's API failed: {0}")]
    Failing(RestError),
    /// The token is missing, wrong or expired.
    #[error("the forge rejects the token (HTTP status 401)")]
    Unknown,
    /// The token may not read this.
    #[error("the token may not read this (HTTP status 403)")]
    Forbidden,
    /// There is no such repository, or the token may not see it.
    #[error("the forge has no such repository, or does not show it to this token (HTTP status 404)")]
    Missing,
    /// The token may not change this.
    #[error("the token may not change this (HTTP status 403)")]
    NotAllowed,
    /// The forge rejects a change.
    #[error("the forge rejects the change (HTTP status {0})")]
    Refused(u16),
    /// A concurrent change interfered.
    #[error("our branch was just changed by others; it is checked again in the next round")]
    Crossed,
    /// Any other error status.
    #[error("the forge's API answers with HTTP status {0}")]
    Status(u16),
    /// The answer does not have the API's format.
    #[error("this is not the API of a forge of this kind: {0}")]
    Shape(&'static str),
    /// It sends more than is kept at a time.
    #[error("a response of the forge is too large (more than {0} MB)")]
    TooLarge(usize),
    /// It asks to wait too long.
    #[error("the forge accepts no more requests until {0}")]
    Limited(Timestamp),
    /// It was stopped.
    #[error("it was stopped")]
    Stopped,
    /// What was read cannot be passed on.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The progress note cannot be read or written.
    #[error("the import cursor cannot be used: {0}")]
    Cursor(#[from] PrivateError),
}

/// Remaining budget for data from a forge: pages have their own limits, this is the limit for all of them.
pub(super) struct Room {
    most: usize,
    left: usize,
}

impl Room {
    /// Allows this many MB.
    pub fn of(megabytes: usize) -> Room {
        Room { most: megabytes, left: megabytes << 20 }
    }

    /// Deducts values from the budget.
    ///
    /// # Errors
    /// [`HistoryError::TooLarge`] if it is exhausted.
    pub fn take<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Result<(), HistoryError> {
        let wanted: usize = values.into_iter().map(weight).sum();
        self.left = self.left.checked_sub(wanted).ok_or(HistoryError::TooLarge(self.most))?;
        Ok(())
    }
}

/// Estimates how many bytes a value takes in memory.
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

/// An API client.
pub(crate) struct ApiClient<'a> {
    api: &'a dyn ForgeApi,
    clock: &'a dyn Clock,
    watcher: &'a dyn Watcher,
    requests: Cell<u64>,
    /// No requests are left before this time.
    not_before: Cell<Option<Timestamp>>,
}

impl<'a> ApiClient<'a> {
    pub(crate) fn new(api: &'a dyn ForgeApi, clock: &'a dyn Clock, watcher: &'a dyn Watcher) -> ApiClient<'a> {
        ApiClient { api, clock, watcher, requests: Cell::new(0), not_before: Cell::new(None) }
    }

    /// Returns the number of requests sent.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Reads a page.
    pub(crate) fn read(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, HistoryError> {
        judged(self.answered(address, etag)?)
    }

    /// Sends a request and returns the answer, whatever its status; waits if the forge says to retry later.
    pub(super) fn answered(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, HistoryError> {
        let mut delays = delays();
        let mut refused = 0;
        loop {
            if let Some(at) = self.not_before.take() {
                self.wait_until(at)?;
            }
            self.requests.set(self.requests.get() + 1);
            let failing = match self.api.read(address, etag) {
                // Retries do not help.
                Err(error @ RestError::Elsewhere) => return Err(HistoryError::Failing(error)),
                Err(error) => HistoryError::Failing(error),
                Ok(answer) if answer.status >= 500 => HistoryError::Status(answer.status),
                Ok(answer) if is_too_much(&answer) => {
                    self.wait_as_asked(&answer, &mut refused)?;
                    continue;
                }
                Ok(answer) => {
                    // Better to wait than to be rejected.
                    self.not_before.set(answer.more_at.filter(|_| answer.left == Some(0)));
                    return Ok(answer);
                }
            };
            let Some(delay) = delays.next() else { return Err(failing) };
            self.wait(delay, &failing.to_string())?;
        }
    }

    /// Sends a change. A request that breaks off is not repeated, because it may have been applied; one answered with
    /// too many requests was not.
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

    /// Reads all pages of a list, within the budget.
    pub(super) fn all(&self, address: &str, room: &mut Room) -> Result<Vec<Value>, HistoryError> {
        let (mut all, mut taken) = (Vec::new(), Ok(()));
        self.pages(address, None, &mut |items| {
            taken = room.take(&items);
            all.extend(items);
            taken.is_ok()
        })?;
        taken.map(|()| all)
    }

    /// Reads a list page by page while `take` wants more. Returns the first page's etag, and whether it equals `etag`.
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
                return Err(HistoryError::Shape("a list was expected"));
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

    /// Returns when to retry. The forge's clock may differ, and its seconds are rounded.
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
        self.wait(time, &format!("the forge accepts no more requests until {}", at.strftime("%H:%M:%S UTC")))
    }

    fn wait(&self, time: Duration, why: &str) -> Result<(), HistoryError> {
        if self.watcher.wait(time, why) { Ok(()) } else { Err(HistoryError::Stopped) }
    }
}

/// Returns an answer with a success status.
pub(super) fn judged(answer: ForgeAnswer) -> Result<ForgeAnswer, HistoryError> {
    match answer.status {
        200 | 304 => Ok(answer),
        401 => Err(HistoryError::Unknown),
        403 => Err(HistoryError::Forbidden),
        404 => Err(HistoryError::Missing),
        status => Err(HistoryError::Status(status)),
    }
}

/// Reports whether it says that there were too many requests.
fn is_too_much(answer: &ForgeAnswer) -> bool {
    answer.is_limited || answer.status == 403 && answer.wait.is_some()
}

fn later(at: Timestamp, time: Duration) -> Timestamp {
    at.checked_add(time).unwrap_or(Timestamp::MAX)
}

/// Delays from half a second to half a minute.
fn delays() -> impl Iterator<Item = Duration> {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(500))
        .with_max_delay(Duration::from_secs(30))
        .with_max_times(TRIES - 1)
        .with_jitter()
        .build()
}
