//! Startup and shutdown of the tasks. What each task does is in its own file.

use super::backoff::RedisFailures;
use super::engine::Engine;
use super::exit::DaemonExit;
use super::forge_flush;
use super::forge_poll;
use super::forge_poll::ForgePoll;
use super::forge_streams;
use super::forge_streams::{ForgeStream, Listeners};
use super::limits::limits;
use super::notifications;
use super::reader;
use super::redis_monitor;
use super::remote_copy;
use super::remote_copy::CopyThread;
use super::rule_keys::RuleKeys;
use super::rule_pull_requests;
use super::rule_pull_requests::RulePullRequests;
use super::service_manager;
use super::supervisor::Supervisor;
use super::worker::Worker;
use crate::app::admin::health::{DaemonInfo, Readiness};
use crate::app::forges::deliveries::Forges;
use crate::app::notifications::NotificationService;
use crate::app::pipeline::Pipeline;
use crate::app::publication::{OutboxPublisher, Traces};
use crate::app::remote::RemoteCopy;
use crate::config::Config;
use crate::ports::{Clock, EventSource, LookAtBus, Publisher, Tracer};
use crate::web::{Identity, Services};
use crate::{metrics, web};
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long the last spans may delay shutdown.
const SPANS_WITHIN: Duration = Duration::from_secs(3);

/// How long answers to requests may delay shutdown; connections are dropped earlier.
const WEB_WITHIN: Duration = Duration::from_secs(5);
/// How long the submission of held decisions may delay shutdown.
const HELD_WITHIN: Duration = Duration::from_secs(5);

/// Everything the daemon runs.
pub struct Daemon<S, P> {
    pub config: Config,
    /// The source of entries.
    pub source: S,
    /// The destination of results.
    pub publishing: OutboxPublisher<P>,
    /// The receiver of traces of what was done for entries.
    pub traces: Traces,
    /// The processing in between.
    pub pipeline: Pipeline,
    pub clock: Arc<dyn Clock>,
    /// The state behind `/ready` and the watchdog.
    pub readiness: Arc<Readiness>,
    /// The server for pages and calls.
    pub services: Services,
    /// How callers are identified.
    pub identity: Identity,
    /// The notifications to people, if any are configured.
    pub telling: Option<NotificationService>,
    /// The forge repositories polled for events that webhooks lost.
    pub polling: Vec<ForgePoll>,
    /// The forges' event streams that are followed.
    pub streaming: Vec<ForgeStream>,
    /// The repository files that receive pull requests for rules, if any.
    pub offers: Option<RulePullRequests>,
    /// The state of Redis and its streams.
    pub look: LookAtBus,
    /// The copy at a Git host, if there is one.
    pub copy: Option<RemoteCopy>,
}

/// Why the daemon cannot run.
#[derive(Debug, Error)]
pub enum DaemonError {
    /// The address is taken or not local.
    #[error("cannot listen on {address} for health and metrics: {source}")]
    Listen {
        /// The address.
        address: String,
        /// The reason.
        source: std::io::Error,
    },
    /// The metrics cannot be recorded.
    #[error(transparent)]
    Metrics(#[from] metrics::MetricsError),
    /// The system cannot start a thread for the pipeline or for notifications.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl<S: EventSource + 'static, P: Publisher + Sync + 'static> Daemon<S, P> {
    /// Runs until `stop` is cancelled, then finishes work in progress within the configured deadline. `reloads` tells
    /// whether the process starts again afterwards.
    ///
    /// # Errors
    /// If the address for health and metrics cannot be used, or the pipeline's thread cannot start.
    pub async fn run(self, stop: CancellationToken, reloads: Arc<AtomicBool>) -> Result<DaemonExit, DaemonError> {
        let drain = Duration::from_secs(self.config.shutdown.drain_seconds);
        let tracer = self.traces.tracer.clone();
        let mut tasks = self.start(&stop).await?;
        service_manager::tell(&sd_notify::NotifyState::Ready);
        tokio::select! {
            // On a stop, the reader and with it the worker may end before this is checked: that is no defect.
            biased;
            () = stop.cancelled() => {}
            ended = &mut tasks.worker => {
                // Without a stop, only a defect ends it. The supervisor restarts the daemon.
                stop.cancel();
                tracing::error!(?ended, "the worker ended unexpectedly");
                tasks.web.end().await;
                return Ok(DaemonExit::Abandoned);
            }
        }
        match reloads.load(Ordering::SeqCst) {
            true => service_manager::tell(&sd_notify::NotifyState::Reloading),
            false => service_manager::tell(&sd_notify::NotifyState::Stopping),
        }
        tracing::info!(deadline_seconds = drain.as_secs(), "stopping: finishing work in progress");
        let deadline = Instant::now() + drain;
        let ended = tasks.finish(drain).await;
        if let Some(tracer) = tracer {
            send_spans(tracer, deadline.saturating_duration_since(Instant::now())).await;
        }
        tracing::info!(?ended, "stopped");
        Ok(ended)
    }

    async fn start(self, stop: &CancellationToken) -> Result<Tasks, DaemonError> {
        let Daemon {
            config,
            source,
            publishing,
            traces,
            pipeline,
            clock,
            readiness,
            services,
            identity,
            telling,
            polling,
            streaming,
            offers,
            look,
            copy,
        } = self;
        let exporter = metrics::install()?;
        let listener = TcpListener::bind(config.http.listen)
            .await
            .map_err(|source| DaemonError::Listen { address: config.http.listen.to_string(), source })?;
        let supervisor =
            Supervisor { readiness: Arc::clone(&readiness), clock: Arc::clone(&clock), stop: stop.clone() };
        let engine =
            Engine::start(pipeline, Arc::clone(&services.questions), &supervisor).map_err(DaemonError::Thread)?;
        let copy = copy.map(|copy| remote_copy::start(copy, engine.requests(), &supervisor));
        let copy = copy.transpose().map_err(DaemonError::Thread)?;
        let limits = limits(&config.http);
        // To strangers, a path and a host reveal more than they need to know.
        if !config.http.is_exposed() {
            readiness.works_on(sight_of(&config, clock.now()));
        }
        let recorded = services.reviews.recorded.clone();
        let forges = services.hooks.as_ref().map(|hooks| Arc::clone(&hooks.forges));
        let services = Arc::new(services);
        let endpoints = web::Endpoints {
            readiness: Arc::clone(&readiness),
            metrics: exporter.clone(),
            services: Some(Arc::clone(&services)),
            identity: Arc::new(identity),
            limits: limits.clone(),
        };
        let served = web::serve(listener, web::router(endpoints), limits, stop.clone());
        let web = Web { task: supervisor.task("http", served), services };
        let (batches, incoming) = mpsc::channel(1);
        let look = redis_monitor::look(look, Arc::clone(&readiness), Arc::clone(&clock), stop.clone());
        let mut others = vec![supervisor.task("look at Redis", look)];
        let reader = tokio::spawn(reader::read(
            source,
            config.intake.batch_max,
            batches,
            Arc::clone(&readiness),
            Arc::clone(&clock),
            stop.clone(),
        ));
        let worker = Worker {
            engine,
            publishing,
            traces,
            readiness: Arc::clone(&readiness),
            recorded,
            clock,
            stop: stop.clone(),
            vouched: false,
            batch_max: config.intake.batch_max,
            batch_max_bytes: config.intake.batch_max_bytes,
            batch_wait: Duration::from_millis(config.intake.batch_wait_ms),
            deployed: RuleKeys::default(),
            publishing_failures: RedisFailures::default(),
        };
        let worker = tokio::spawn(worker.run(incoming));
        if let Some(limit) = sd_notify::watchdog_enabled() {
            others.push(supervisor.task("watchdog", watch(limit, Arc::clone(&readiness), stop.clone())));
        }
        others.push(supervisor.task("metrics", keep_up(exporter, stop.clone())));
        let listeners = start_threads(telling, forges, streaming, polling, offers, &supervisor);
        let listeners = listeners.map_err(DaemonError::Thread)?;
        tracing::info!(
            store = %config.store.path.display(),
            consumer = config.redis.consumer_name(),
            listen = %config.http.listen,
            version = env!("CARGO_PKG_VERSION"),
            "started"
        );
        Ok(Tasks { reader, worker, web, others, listeners, copy, readiness })
    }
}

/// Starts everything that has its own threads.
fn start_threads(
    telling: Option<NotificationService>,
    forges: Option<Arc<Forges>>,
    streaming: Vec<ForgeStream>,
    polling: Vec<ForgePoll>,
    offers: Option<RulePullRequests>,
    supervisor: &Supervisor,
) -> std::io::Result<Listeners> {
    if let Some(telling) = telling {
        notifications::start(telling, supervisor)?;
    }
    forge_poll::start(polling, supervisor)?;
    if let Some(offers) = offers {
        rule_pull_requests::start(offers, supervisor)?;
    }
    let Some(forges) = forges else { return Ok(Listeners::default()) };
    forge_flush::start(Arc::clone(&forges), supervisor)?;
    forge_streams::start(streaming, &forges, supervisor)
}

fn sight_of(config: &Config, since: Timestamp) -> DaemonInfo {
    DaemonInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        since,
        store: config.store.path.display().to_string(),
        redis: config.redis.url.masked(),
        group: config.redis.group.clone(),
        consumer: config.redis.consumer_name(),
        ..DaemonInfo::default()
    }
}

/// All running tasks.
struct Tasks {
    reader: JoinHandle<()>,
    worker: JoinHandle<DaemonExit>,
    web: Web,
    /// Tasks without work in progress; they are simply aborted.
    others: Vec<JoinHandle<()>>,
    /// Their child programs must not outlive the daemon.
    listeners: Listeners,
    copy: Option<CopyThread>,
    readiness: Arc<Readiness>,
}

impl Tasks {
    /// Waits for work in progress, up to the deadline.
    async fn finish(self, drain: Duration) -> DaemonExit {
        let deadline = Instant::now() + drain;
        for task in self.others {
            task.abort();
        }
        let in_hand = tokio::time::timeout(drain, async {
            let _ = self.reader.await;
            self.worker.await.unwrap_or(DaemonExit::Abandoned)
        });
        let (finished, ()) = tokio::join!(in_hand, self.web.end());
        self.listeners.end().await;
        if let Some(copy) = self.copy {
            // Nothing is committed any more.
            copy.end(deadline).await;
        }
        // Past the deadline, something without work may still hang, e.g. a long blocking read. What it is given later
        // stays pending, like everything that is not acknowledged.
        let in_time = if self.readiness.has_work() { DaemonExit::Abandoned } else { DaemonExit::Drained };
        finished.unwrap_or(in_time)
    }
}

/// The server for pages and calls.
struct Web {
    task: JoinHandle<()>,
    services: Arc<Services>,
}

impl Web {
    /// Waits until it has ended, which happens automatically on a stop; then submits the decisions from the page that
    /// are still held.
    async fn end(self) {
        if tokio::time::timeout(WEB_WITHIN, self.task).await.is_err() {
            tracing::warn!("requests are still in progress; abandoning them");
        }
        let services = self.services;
        let handing_in = move || web::hand_in_held(&services, HELD_WITHIN);
        if tokio::task::spawn_blocking(handing_in).await.is_err() {
            tracing::error!("a bug kept decisions of the page from being submitted");
        }
    }
}

/// Sends the last spans within the remaining shutdown time. If the collector is unreachable, they are lost.
async fn send_spans(tracer: Arc<dyn Tracer>, left: Duration) {
    let _ = tokio::task::spawn_blocking(move || tracer.end(left.min(SPANS_WITHIN))).await;
}

/// Moves observations into the metrics' distributions.
async fn keep_up(exporter: metrics::Exporter, stop: CancellationToken) {
    let mut tick = tokio::time::interval(Duration::from_secs(5));
    while !stop.is_cancelled() {
        tick.tick().await;
        exporter.run_upkeep();
    }
}

/// Feeds systemd's watchdog, which has this limit, as long as work progresses.
async fn watch(limit: Duration, readiness: Arc<Readiness>, stop: CancellationToken) {
    let mut tick = tokio::time::interval(limit / 2);
    while !stop.is_cancelled() {
        tick.tick().await;
        if !readiness.stalled(Instant::now()) {
            service_manager::tell(&sd_notify::NotifyState::Watchdog);
        }
    }
}
