//! Forges' event streams: one thread per stream processes its events as if they had been delivered, and reconnects
//! forever.
//!
//! A stream does not repeat missed events. After each connection, and after a gap, the forge's API is therefore polled,
//! if polling is configured.

use super::forge_poll::Patient;
use super::supervisor::Supervisor;
use crate::app::forges::deliveries::{Forge, Forges, delivery_of};
use crate::metrics::{self, StreamOutcome};
use crate::ports::{EventStream, EventStreams, StreamItem};
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use serde_json::Value;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often a listening thread checks whether to stop.
const LOOK: Duration = Duration::from_millis(200);
/// The delay between connecting and polling the API: what happens meanwhile may be in neither.
const SETTLE: Duration = Duration::from_secs(2);
/// How long a thread may take to end: by then, a program that does not end on request is killed.
const END: Duration = Duration::from_secs(5);
/// A stream connected for at least this long is reconnected immediately.
const STEADY: Duration = Duration::from_secs(60);

/// A forge whose stream is followed.
pub struct ForgeStream {
    /// Its name in the configuration.
    pub forge: String,
    /// The projects whose events are processed; all if empty.
    pub projects: Vec<String>,
    pub events: Box<dyn EventStreams>,
}

/// The listening threads.
#[derive(Default)]
pub(super) struct Listeners(Vec<JoinHandle<()>>);

impl Listeners {
    /// Waits until the threads and their programs have ended; the token they were started with stops them.
    pub async fn end(self) {
        let deadline = Instant::now() + END;
        while self.0.iter().any(|thread| !thread.is_finished()) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Starts the threads. They and their programs end soon after `stop`.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start(
    streaming: Vec<ForgeStream>,
    forges: &Arc<Forges>,
    supervisor: &Supervisor,
) -> std::io::Result<Listeners> {
    let mut listeners = Listeners::default();
    for one in streaming {
        let Some(forge) = forges.connected.get(&one.forge).cloned() else { continue };
        let (forges, stop) = (Arc::clone(forges), supervisor.stop.clone());
        metrics::forge_stream();
        let name = format!("stream {}", one.forge);
        let work = move || Listener { streaming: &one, forges: &forges, forge: &forge, stop: &stop }.listen();
        listeners.0.push(supervisor.thread(&name, work)?);
    }
    Ok(listeners)
}

struct Listener<'a> {
    streaming: &'a ForgeStream,
    forges: &'a Forges,
    forge: &'a Forge,
    stop: &'a CancellationToken,
}

impl Listener<'_> {
    fn listen(&self) {
        let (watcher, forge) = (Patient { stop: self.stop }, &self.forge.name);
        let mut delays = delays();
        while !self.stop.is_cancelled() {
            let begun = Instant::now();
            let why = match self.streaming.events.open() {
                Ok(mut stream) => self.follow(stream.as_mut()),
                Err(error) => Some(error.to_string()),
            };
            let Some(why) = why else { return };
            metrics::forge_stream_broke();
            if begun.elapsed() >= STEADY {
                delays = self::delays();
            }
            let delay = delays.next().unwrap_or(STEADY);
            tracing::warn!(forge, why, again_in_seconds = delay.as_secs(), "the event stream of a forge broke");
            watcher.pause(delay);
        }
    }

    /// Processes events until the stream ends, and returns why; `None` if the daemon stops.
    fn follow(&self, stream: &mut dyn EventStream) -> Option<String> {
        let mut ask_at: Option<Instant> = None;
        let mut connected = None;
        while !self.stop.is_cancelled() {
            let streamed = stream.next(LOOK);
            if matches!(streamed, StreamItem::Connected | StreamItem::Line(_)) && connected.is_none() {
                connected = Some(ConnectionGauge::new());
                ask_at = Some(Instant::now() + SETTLE);
                tracing::info!(forge = self.forge.name, "the event stream of a forge is connected");
            }
            match streamed {
                StreamItem::Line(line) => {
                    let heard = self.take(&line);
                    metrics::forge_stream_line(heard);
                    if matches!(heard, StreamOutcome::Dropped | StreamOutcome::Unreadable) {
                        ask_at = ask_at.or(Some(Instant::now() + SETTLE));
                    }
                }
                StreamItem::Oversized => {
                    metrics::forge_stream_line(StreamOutcome::Oversized);
                    ask_at = ask_at.or(Some(Instant::now() + SETTLE));
                }
                StreamItem::Ended(why) => return Some(why),
                StreamItem::Connected | StreamItem::Quiet => {}
            }
            if ask_at.is_some_and(|at| at <= Instant::now()) {
                ask_at = None;
                self.forges.wakes.wake_all(&self.forge.name);
            }
        }
        None
    }

    /// Processes a line; waits for Redis until the daemon is stopped, and meanwhile processes no other line.
    fn take(&self, line: &[u8]) -> StreamOutcome {
        let Some(event) = serde_json::from_slice::<Value>(line).ok().filter(Value::is_object) else {
            return StreamOutcome::Unreadable;
        };
        if event["type"] == "dropped-output" {
            return StreamOutcome::Dropped;
        }
        let project = event.pointer("/change/project").and_then(Value::as_str).unwrap_or_default();
        let projects = &self.streaming.projects;
        if !projects.is_empty() && !projects.iter().any(|listed| listed == project) {
            return StreamOutcome::Elsewhere;
        }
        let (delivery, mut delays, mut failing) = (delivery_of(line), delays(), false);
        let watcher = Patient { stop: self.stop };
        loop {
            match self.forges.take(self.forge, &delivery, "", &event) {
                Ok(_) => return StreamOutcome::Taken,
                Err(error) if !failing => {
                    failing = true;
                    tracing::warn!(forge = self.forge.name, %error, "an event of a forge waits for Redis");
                }
                Err(_) => {}
            }
            if !watcher.pause(delays.next().unwrap_or(STEADY).min(STEADY)) {
                return StreamOutcome::Lost;
            }
        }
    }
}

/// Marks a stream as connected while it exists.
struct ConnectionGauge;

impl ConnectionGauge {
    fn new() -> ConnectionGauge {
        metrics::forge_stream_connected(true);
        ConnectionGauge
    }
}

impl Drop for ConnectionGauge {
    fn drop(&mut self) {
        metrics::forge_stream_connected(false);
    }
}

/// Returns delays from one second to five minutes, and up to as much again.
fn delays() -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_secs(1))
        .with_max_delay(Duration::from_secs(300))
        .with_jitter()
        .without_max_times()
        .build()
}
