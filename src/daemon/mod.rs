//! The long-running tasks: reading, processing, publishing, health; how they start and how they stop.
//!
//! Reading never waits for processing to finish, and processing runs on a thread of its own, because it is CPU and
//! disk work and owns the store. What connects them are two small channels.

mod backoff;
mod engine;
mod reader;
mod worker;

use crate::app::health::Readiness;
use crate::app::pipeline::Pipeline;
use crate::app::publishing::Publishing;
use crate::config::Config;
pub use crate::http::Api;
use crate::ports::{BusError, Clock, EventSource, Publisher};
use crate::{http, metrics};
use engine::Engine;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use worker::Worker;

/// The daemon's view of everything it runs.
pub struct Daemon<S, P> {
    /// The configuration.
    pub config: Config,
    /// Where entries come from.
    pub source: S,
    /// Where results go.
    pub publishing: Publishing<P>,
    /// What happens in between.
    pub pipeline: Pipeline,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// What `/ready` and the watchdog ask.
    pub readiness: Arc<Readiness>,
    /// What answers below `/api/v1`, where that is switched on.
    pub api: Option<Api>,
}

/// Why the daemon cannot run.
#[derive(Debug, Error)]
pub enum DaemonError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address} for health and metrics: {source}")]
    Listen {
        /// The address.
        address: String,
        /// Why.
        source: std::io::Error,
    },
    /// The metrics cannot be recorded.
    #[error(transparent)]
    Metrics(#[from] metrics::MetricsError),
}

/// How the daemon ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything that was in hand is finished.
    Drained,
    /// The deadline passed; what was in hand stays pending and is read again at the next start.
    Abandoned,
}

impl<S: EventSource + 'static, P: Publisher + Sync + 'static> Daemon<S, P> {
    /// Runs until `stop` is cancelled, then finishes what is in hand within the configured deadline.
    ///
    /// # Errors
    /// When the address for health and metrics cannot be used.
    pub async fn run(self, stop: CancellationToken) -> Result<Ended, DaemonError> {
        let Daemon { config, source, publishing, pipeline, clock, readiness, api } = self;
        let exporter = metrics::install()?;
        let listener = TcpListener::bind(config.http.listen)
            .await
            .map_err(|source| DaemonError::Listen { address: config.http.listen.to_string(), source })?;
        let endpoints = http::Endpoints { readiness: Arc::clone(&readiness), metrics: exporter.clone(), api };
        let web = tokio::spawn(http::serve(listener, http::router(endpoints), stop.clone()));
        let drain = Duration::from_secs(config.shutdown.drain_seconds);
        let (batches, incoming) = mpsc::channel(1);
        let reader = tokio::spawn(reader::read(
            source,
            config.intake.batch_max,
            batches,
            Arc::clone(&readiness),
            Arc::clone(&clock),
            stop.clone(),
        ));
        let worker = Worker {
            engine: Engine::start(pipeline, Arc::clone(&clock)),
            publishing,
            readiness: Arc::clone(&readiness),
            clock,
            stop: stop.clone(),
            batch_max: config.intake.batch_max,
            batch_wait: Duration::from_millis(config.intake.batch_wait_ms),
        };
        let mut worker = tokio::spawn(worker.run(incoming));
        let watchdog = tokio::spawn(watch(Arc::clone(&readiness), stop.clone()));
        let upkeep = tokio::spawn(keep_up(exporter, stop.clone()));
        tracing::info!(
            store = %config.store.path.display(),
            consumer = config.redis.consumer_name(),
            listen = %config.http.listen,
            version = env!("CARGO_PKG_VERSION"),
            "started"
        );
        notify_systemd(&[sd_notify::NotifyState::Ready]);
        tokio::select! {
            // Told to stop, the reader and with it the worker may end before this is looked at: that is no defect.
            biased;
            () = stop.cancelled() => {}
            ended = &mut worker => {
                // Only a defect ends it while nobody asked. Whoever supervises the daemon starts it anew.
                stop.cancel();
                tracing::error!(?ended, "the worker ended by itself");
                return Ok(Ended::Abandoned);
            }
        }
        notify_systemd(&[sd_notify::NotifyState::Stopping]);
        tracing::info!(deadline_seconds = drain.as_secs(), "stopping: finishing what is in hand");
        let finished = tokio::time::timeout(drain, async {
            let _ = reader.await;
            worker.await.unwrap_or(Ended::Abandoned)
        })
        .await;
        for task in [watchdog, upkeep, web] {
            task.abort();
        }
        // Past the deadline something may hang that has nothing in hand, e.g. a read that waits long for entries. What
        // it is given later stays pending, like everything that is not acknowledged.
        let in_time = if readiness.has_work() { Ended::Abandoned } else { Ended::Drained };
        let ended = finished.unwrap_or(in_time);
        tracing::info!(?ended, "stopped");
        Ok(ended)
    }
}

/// Tells systemd, where it listens.
fn notify_systemd(state: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!(%error, "systemd was not told");
    }
}

/// Moves observations into the metrics' distributions.
async fn keep_up(exporter: metrics::Exporter, stop: CancellationToken) {
    let mut tick = tokio::time::interval(Duration::from_secs(5));
    while !stop.is_cancelled() {
        tick.tick().await;
        exporter.run_upkeep();
    }
}

/// Feeds systemd's watchdog as long as work moves. Without systemd this does nothing.
async fn watch(readiness: Arc<Readiness>, stop: CancellationToken) {
    let Some(limit) = sd_notify::watchdog_enabled() else { return };
    let mut tick = tokio::time::interval(limit / 2);
    while !stop.is_cancelled() {
        tick.tick().await;
        if !readiness.stalled(Instant::now()) {
            notify_systemd(&[sd_notify::NotifyState::Watchdog]);
        }
    }
}

fn report(error: &BusError, doing: &str) {
    metrics::redis_error(match error {
        BusError::Unavailable(_) => "unavailable",
        BusError::Refused { .. } => "refused",
    });
    tracing::warn!(%error, doing, "redis does not do what it is asked; trying again");
}
