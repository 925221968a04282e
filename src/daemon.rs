//! The long-running tasks: reading, processing, publishing, health; how they start and how they stop.
//!
//! Reading never waits for processing to finish, and processing runs on a thread of its own, because it is CPU and
//! disk work and owns the store. What connects them are two small channels.

use crate::app::health::Readiness;
use crate::app::pipeline::{EntryOutcome, Pipeline, PipelineError, Processed, class_index, outbox};
use crate::app::publishing::{Publishing, Step};
use crate::config::Config;
use crate::domain::event::RawEntry;
use crate::domain::feedback::Classification;
use crate::domain::ids::CommitId;
use crate::ports::{BusError, Clock, CommitInfo, EventSource, Publisher, StoreError};
use crate::{http, metrics};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// How often the pipeline looks for what is due when no entries arrive.
const TICK: Duration = Duration::from_secs(2);
/// How long to wait, at most, before what failed is tried again (with jitter: twice as long).
const MAX_DELAY: Duration = Duration::from_secs(2);

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
        let Daemon { config, source, publishing, pipeline, clock, readiness } = self;
        let exporter = metrics::install()?;
        let listener = TcpListener::bind(config.http.listen)
            .await
            .map_err(|source| DaemonError::Listen { address: config.http.listen.to_string(), source })?;
        let endpoints = http::Endpoints { readiness: Arc::clone(&readiness), metrics: exporter.clone() };
        let web = tokio::spawn(http::serve(listener, http::router(endpoints), stop.clone()));
        let drain = Duration::from_secs(config.shutdown.drain_seconds);
        let (batches, incoming) = mpsc::channel(1);
        let reader = tokio::spawn(read(
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
        let worker = tokio::spawn(worker.run(incoming));
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
        stop.cancelled().await;
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
        Ok(finished.unwrap_or(in_time))
    }
}

/// Reads until it is told to stop. A read is never cancelled: entries in flight would be stranded.
async fn read<S: EventSource>(
    mut source: S,
    max: usize,
    batches: mpsc::Sender<Vec<RawEntry>>,
    readiness: Arc<Readiness>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) {
    let mut backoff = Backoff::default();
    while !stop.is_cancelled() {
        match source.next(max).await {
            Ok(mut entries) => {
                backoff.reset();
                readiness.redis_ok(clock.now());
                metrics::redis_up(true);
                let losses = source.take_losses();
                if !losses.is_empty() {
                    metrics::lost(losses.len() as u64);
                    tracing::error!(entries = losses.len(), "entries were trimmed before they were processed");
                    entries.extend(losses);
                }
                if !entries.is_empty() && batches.send(entries).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                readiness.redis_failed(&error.to_string(), clock.now());
                metrics::redis_up(false);
                report(&error, "reading");
                backoff.wait(&stop).await;
            }
        }
    }
}

/// Processes batches in order: durable first, then published, then acknowledged.
struct Worker<P> {
    engine: Engine,
    publishing: Publishing<P>,
    readiness: Arc<Readiness>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
    batch_max: usize,
    batch_wait: Duration,
}

impl<P: Publisher + Sync> Worker<P> {
    async fn run(mut self, mut incoming: mpsc::Receiver<Vec<RawEntry>>) -> Ended {
        self.catch_up_publishing().await;
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut held: Option<Vec<RawEntry>> = None;
        loop {
            let first = match held.take() {
                Some(batch) => Some(batch),
                None => tokio::select! {
                    batch = incoming.recv() => match batch {
                        Some(batch) => Some(batch),
                        None => return Ended::Drained,
                    },
                    _ = tick.tick() => None,
                },
            };
            match first {
                Some(first) => {
                    let (batch, rest) = self.fill(first, &mut incoming).await;
                    held = rest;
                    for chunk in batch.chunks(self.batch_max.max(1)) {
                        if !self.handle(chunk.to_vec()).await {
                            return Ended::Abandoned;
                        }
                    }
                }
                None => self.idle().await,
            }
        }
    }

    /// Adds what else waits, for at most the configured few milliseconds; what does not fit is the next batch.
    async fn fill(
        &self,
        mut batch: Vec<RawEntry>,
        incoming: &mut mpsc::Receiver<Vec<RawEntry>>,
    ) -> (Vec<RawEntry>, Option<Vec<RawEntry>>) {
        let deadline = tokio::time::Instant::now() + self.batch_wait;
        while batch.len() < self.batch_max {
            match tokio::time::timeout_at(deadline, incoming.recv()).await {
                Ok(Some(more)) if batch.len() + more.len() <= self.batch_max => batch.extend(more),
                Ok(Some(more)) => return (batch, Some(more)),
                Ok(None) | Err(_) => break,
            }
        }
        (batch, None)
    }

    /// One batch, from durable to acknowledged. False where the daemon stopped before that.
    async fn handle(&mut self, entries: Vec<RawEntry>) -> bool {
        let started = Instant::now();
        self.readiness.work_begins(entries.len(), started);
        metrics::pending(entries.len());
        for entry in &entries {
            metrics::received(stream_label(entry), 1);
        }
        let entries = Arc::new(entries);
        let Some((processed, commit_time)) = self.process(&entries).await else { return false };
        let durable = Instant::now();
        self.readiness.heartbeat(durable);
        let Some(published) = self.release(&entries, &processed).await else { return false };
        let done = Instant::now();
        let stages = &processed.stages;
        self.readiness.work_ends(done);
        metrics::pending(0);
        metrics::batch(entries.len(), started.elapsed());
        count(&processed);
        let counts = &processed.counts;
        tracing::info!(
            entries = entries.len(),
            recorded = counts.recorded,
            duplicates = counts.duplicates,
            ignored = counts.ignored,
            rejected = counts.rejected,
            reevaluated = counts.reevaluated,
            proposals = counts.proposals.join(","),
            commit = processed.commit.as_ref().map(CommitId::short),
            process_ms = millis(commit_time),
            publish_ms = millis(done - durable),
            decode_us = micros(stages.decode),
            capture_us = micros(stages.capture),
            embed_us = micros(stages.embed),
            evaluate_us = micros(stages.evaluate),
            render_us = micros(stages.render),
            commit_us = micros(stages.commit),
            index_us = micros(stages.index),
            publish_us = micros(published - durable),
            ack_us = micros(done - published),
            first = entries.first().map(|e| e.id.as_str()),
            last = entries.last().map(|e| e.id.as_str()),
            "batch"
        );
        true
    }

    /// Tries until the batch is durable. `None` where the daemon stopped before that.
    async fn process(&mut self, entries: &Arc<Vec<RawEntry>>) -> Option<(Processed, Duration)> {
        let mut backoff = Backoff::default();
        loop {
            let started = Instant::now();
            match self.engine.process(Arc::clone(entries)).await {
                Ok(processed) => {
                    self.readiness.store_ok(self.clock.now());
                    if processed.commit.is_some() {
                        metrics::commit(started.elapsed(), self.clock.now().as_second());
                    }
                    return Some((processed, started.elapsed()));
                }
                Err(error) => {
                    metrics::store_error();
                    self.readiness.store_failed(&error.to_string(), self.clock.now());
                    tracing::error!(%error, entries = entries.len(), "the batch is not recorded; trying again");
                    if self.engine.is_gone() {
                        // Without its writer the daemon can do nothing; whoever supervises it starts it anew.
                        self.stop.cancel();
                    }
                }
            }
            if !backoff.wait(&self.stop).await {
                return None;
            }
        }
    }

    /// Publishes and acknowledges what is durable. Returns when publishing was over; `None` where the daemon stopped
    /// before that.
    ///
    /// Git is the outbox, so an entry is acknowledged also where its messages are refused: Redis is full, or a key
    /// is not what it should be. What waits is still taken in then, and the messages follow.
    async fn release(&mut self, entries: &[RawEntry], processed: &Processed) -> Option<Instant> {
        let mut backoff = Backoff::default();
        loop {
            if let Some(commit) = &processed.commit {
                self.publish(commit, Some(processed)).await;
            }
            let published = Instant::now();
            match acknowledge_once(self.publishing.bus(), entries, processed).await {
                Ok(()) => return Some(published),
                Err(error) => {
                    metrics::redis_up(false);
                    self.readiness.redis_writes_failed(&error.to_string(), self.clock.now());
                    report(&error, "acknowledging");
                }
            }
            if !backoff.wait(&self.stop).await {
                return None;
            }
        }
    }

    /// Publishes up to a commit. A failure is reported, and made good when the next batch or the next idle look comes.
    async fn publish(&mut self, to: &CommitId, fresh: Option<&Processed>) {
        let mut published = self.publish_once(to, fresh).await;
        if published.is_err() {
            // The connection was stale, perhaps.
            published = self.publish_once(to, fresh).await;
        }
        match published {
            Ok(()) => self.readiness.redis_writes_ok(self.clock.now()),
            Err(error) => {
                self.readiness.redis_writes_failed(&error.to_string(), self.clock.now());
                report(&error, "publishing");
            }
        }
    }

    async fn publish_once(&mut self, to: &CommitId, fresh: Option<&Processed>) -> Result<(), BusError> {
        loop {
            let position = self.publishing.position().await?;
            if position.published.as_ref() == Some(to) {
                return Ok(());
            }
            let direct = fresh.filter(|p| p.previous == position.published);
            if let Some(processed) = direct {
                let step = Step { commit: to.clone(), messages: processed.messages.clone() };
                self.step(&step).await?;
                continue;
            }
            let commits = match self.engine.commits(position.published.clone(), to.clone()).await {
                Ok(commits) => commits,
                Err(error) => return Err(BusError::Unavailable(format!("the store cannot be read: {error}"))),
            };
            if commits.is_empty() {
                return Ok(());
            }
            for CommitInfo { parent, id: commit, .. } in commits {
                let messages = self
                    .engine
                    .messages(parent, commit.clone())
                    .await
                    .map_err(|error| BusError::Unavailable(format!("the store cannot be read: {error}")))?;
                if !self.step(&Step { commit, messages }).await? {
                    break;
                }
            }
        }
    }

    async fn step(&mut self, step: &Step) -> Result<bool, BusError> {
        let taken = self.publishing.publish(step).await?;
        if taken {
            for message in &step.messages {
                metrics::published(message.topic.key(), 1);
            }
        }
        Ok(taken)
    }

    /// What was committed and not published: by an earlier run, or while Redis refused it.
    async fn catch_up_publishing(&mut self) {
        if let Some(head) = self.engine.head().await {
            self.publish(&head, None).await;
        }
    }

    /// Nothing arrives: proposals that are due, commits by people, housekeeping.
    async fn idle(&mut self) {
        match self.engine.process(Arc::new(Vec::new())).await {
            Ok(processed) => {
                self.readiness.store_ok(self.clock.now());
                count(&processed);
                if processed.commit.is_some() {
                    tracing::info!(
                        proposals = processed.counts.proposals.join(","),
                        commit = processed.commit.as_ref().map(CommitId::short),
                        "proposals that were due"
                    );
                }
            }
            Err(error) => {
                self.readiness.store_failed(&error.to_string(), self.clock.now());
                tracing::error!(%error, "the store cannot be used");
                return;
            }
        }
        self.catch_up_publishing().await;
        if let Err(error) = self.engine.maintain().await {
            tracing::warn!(%error, "housekeeping in the store failed");
        }
    }
}

async fn acknowledge_once<P: Publisher>(
    bus: &mut P,
    entries: &[RawEntry],
    processed: &Processed,
) -> Result<(), BusError> {
    let mut done = Vec::with_capacity(entries.len());
    for (entry, outcome) in entries.iter().zip(&processed.outcomes) {
        match outcome {
            EntryOutcome::Rejected(rejection) => bus.dead_letter(entry, rejection).await?,
            _ => done.push((entry.stream.clone(), entry.id.clone())),
        }
    }
    bus.ack(&done).await
}

/// The pipeline on its own thread.
struct Engine {
    requests: mpsc::UnboundedSender<Request>,
}

enum Request {
    Process(Arc<Vec<RawEntry>>, oneshot::Sender<Result<Processed, PipelineError>>),
    Commits(Option<CommitId>, CommitId, oneshot::Sender<Result<Vec<CommitInfo>, StoreError>>),
    Messages(Option<CommitId>, CommitId, oneshot::Sender<Result<Vec<crate::domain::message::Outgoing>, StoreError>>),
    Head(oneshot::Sender<Option<CommitId>>),
    Maintain(oneshot::Sender<Result<(), StoreError>>),
}

impl Engine {
    fn start(mut pipeline: Pipeline, clock: Arc<dyn Clock>) -> Engine {
        let (requests, mut inbox) = mpsc::unbounded_channel();
        let run = move || {
            while let Some(request) = inbox.blocking_recv() {
                // An answer that nobody waits for any more is no failure: the daemon is stopping.
                match request {
                    Request::Process(entries, answer) => {
                        let _ = answer.send(pipeline.process(&entries, clock.now()));
                    }
                    Request::Commits(from, to, answer) => {
                        let _ = answer.send(pipeline.store().commits(from.as_ref(), &to));
                    }
                    Request::Messages(parent, commit, answer) => {
                        let _ = answer.send(outbox::messages(pipeline.store(), parent.as_ref(), &commit));
                    }
                    Request::Head(answer) => {
                        let _ = answer.send(pipeline.head().cloned());
                    }
                    Request::Maintain(answer) => {
                        let _ = answer.send(pipeline.maintain());
                    }
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("pipeline".to_owned()).spawn(run) {
            // Whoever asks it for something finds that it is gone.
            tracing::error!(%error, "the pipeline's thread does not start");
        }
        Engine { requests }
    }

    fn is_gone(&self) -> bool {
        self.requests.is_closed()
    }

    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Option<T> {
        let (answer, result) = oneshot::channel();
        self.requests.send(request(answer)).ok()?;
        result.await.ok()
    }

    async fn process(&self, entries: Arc<Vec<RawEntry>>) -> Result<Processed, PipelineError> {
        self.ask(|a| Request::Process(entries, a)).await.unwrap_or_else(|| Err(PipelineError::Store(gone())))
    }

    async fn commits(&self, from: Option<CommitId>, to: CommitId) -> Result<Vec<CommitInfo>, StoreError> {
        self.ask(|a| Request::Commits(from, to, a)).await.unwrap_or_else(|| Err(gone()))
    }

    async fn messages(
        &self,
        parent: Option<CommitId>,
        commit: CommitId,
    ) -> Result<Vec<crate::domain::message::Outgoing>, StoreError> {
        self.ask(|a| Request::Messages(parent, commit, a)).await.unwrap_or_else(|| Err(gone()))
    }

    async fn head(&self) -> Option<CommitId> {
        self.ask(Request::Head).await.flatten()
    }

    async fn maintain(&self) -> Result<(), StoreError> {
        self.ask(Request::Maintain).await.unwrap_or_else(|| Err(gone()))
    }
}

fn gone() -> StoreError {
    StoreError::Git("the writer's thread has ended; see the log above for its reason, and restart".to_owned())
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

/// Endless exponential backoff with jitter, from 0.1 s to 2 s and up to as much again: who was away is found again within
/// four seconds.
#[derive(Default)]
struct Backoff {
    delays: Option<backon::ExponentialBackoff>,
}

impl Backoff {
    fn reset(&mut self) {
        self.delays = None;
    }

    /// Waits; false where the daemon is told to stop meanwhile.
    async fn wait(&mut self, stop: &CancellationToken) -> bool {
        use backon::BackoffBuilder;
        let delays = self.delays.get_or_insert_with(|| {
            backon::ExponentialBuilder::default()
                .with_min_delay(Duration::from_millis(100))
                .with_max_delay(MAX_DELAY)
                .with_jitter()
                .without_max_times()
                .build()
        });
        let delay = delays.next().unwrap_or(MAX_DELAY);
        tokio::select! {
            () = stop.cancelled() => false,
            () = tokio::time::sleep(delay) => true,
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

fn count(processed: &Processed) {
    let counts = &processed.counts;
    metrics::duplicates(counts.duplicates);
    metrics::proposals(counts.proposals.len() as u64);
    for class in Classification::ALL {
        metrics::feedback(class.as_str(), counts.by_class[class_index(class)]);
    }
    for outcome in &processed.outcomes {
        if let EntryOutcome::Rejected(rejection) = outcome {
            metrics::rejected(rejection.code.as_str());
        }
    }
}

/// A bounded label: the kind of stream, never its key.
fn stream_label(entry: &RawEntry) -> &'static str {
    match entry.kind {
        crate::domain::event::StreamKind::HitlDecisions => "hitl_decisions",
        crate::domain::event::StreamKind::Dispatcher => "dispatcher",
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
