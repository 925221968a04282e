//! The worker: takes each batch from durable to acknowledged, and does what is due while nothing arrives.

use super::backoff::{Backoff, RedisFailures, report};
use super::batch_metrics::{count, log_batch};
use super::engine::Engine;
use super::exit::DaemonExit;
use super::prefetch::Next;
use super::rule_keys::RuleKeys;
use crate::app::admin::health::Readiness;
use crate::app::decisions::commit_signal::CommitSignal;
use crate::app::pipeline::{EntryOutcome, PipelineError, ProcessedBatch};
use crate::app::publication::{Moments, OutboxPublisher, Traces};
use crate::domain::intake::event::RawEntry;
use crate::domain::records::message::Topic;
use crate::metrics;
use crate::ports::{BusError, Clock, Publisher, StoreError};
use crate::text::ids::CommitId;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How often the pipeline checks for due work when no entries arrive.
const TICK: Duration = Duration::from_secs(2);

/// Processes batches in order: durable first, then published, then acknowledged.
pub(super) struct Worker<P> {
    pub(super) engine: Engine,
    pub(super) publishing: OutboxPublisher<P>,
    pub(super) traces: Traces,
    pub(super) readiness: Arc<Readiness>,
    /// Wakes calls that wait for the outcome of a review.
    pub(super) recorded: Option<Arc<CommitSignal>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stop: CancellationToken,
    /// Whether Redis has been asked which commit the store must contain.
    pub(super) vouched: bool,
    pub(super) batch_max: usize,
    pub(super) batch_max_bytes: usize,
    pub(super) batch_wait: Duration,
    pub(super) deployed: RuleKeys,
    pub(super) publishing_failures: RedisFailures,
}

impl<P: Publisher + Sync> Worker<P> {
    pub(super) async fn run(mut self, mut incoming: mpsc::Receiver<Vec<RawEntry>>) -> DaemonExit {
        if let Some(noted) = self.publishing.noted() {
            self.engine.acknowledged(noted).await;
        }
        // Rules' effects are measured first: prompts keep their order across a restart.
        self.look().await;
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut held: Option<Vec<RawEntry>> = None;
        loop {
            let first = match held.take() {
                Some(batch) => Some(batch),
                None => tokio::select! {
                    batch = incoming.recv() => match batch {
                        Some(batch) => Some(batch),
                        None => return DaemonExit::Drained,
                    },
                    _ = tick.tick() => None,
                },
            };
            match first {
                Some(first) => {
                    let (batch, rest) = self.fill(first, &mut incoming).await;
                    let mut next = Next::new(self.engine.reading_ahead(), rest);
                    for chunk in batch.chunks(self.batch_max.max(1)) {
                        if !next.meanwhile(&mut incoming, self.handle(chunk.to_vec())).await {
                            return DaemonExit::Abandoned;
                        }
                    }
                    held = next.into_batch();
                }
                None => self.idle().await,
            }
            if self.engine.is_gone() {
                // Without its writer the daemon can do nothing; its supervisor restarts it.
                self.stop.cancel();
                return DaemonExit::Abandoned;
            }
        }
    }

    /// Adds further pending entries for at most the configured few milliseconds; what does not fit becomes the next
    /// batch.
    async fn fill(
        &self,
        mut batch: Vec<RawEntry>,
        incoming: &mut mpsc::Receiver<Vec<RawEntry>>,
    ) -> (Vec<RawEntry>, Option<Vec<RawEntry>>) {
        let deadline = tokio::time::Instant::now() + self.batch_wait;
        let mut bytes = bytes_of(&batch);
        while batch.len() < self.batch_max && bytes < self.batch_max_bytes {
            match tokio::time::timeout_at(deadline, incoming.recv()).await {
                Ok(Some(more)) => {
                    let with_more = bytes + bytes_of(&more);
                    if batch.len() + more.len() > self.batch_max || with_more > self.batch_max_bytes {
                        return (batch, Some(more));
                    }
                    bytes = with_more;
                    batch.extend(more);
                }
                Ok(None) | Err(_) => break,
            }
        }
        (batch, None)
    }

    /// Takes one batch from durable to acknowledged. Returns false if the daemon stopped before that.
    async fn handle(&mut self, entries: Vec<RawEntry>) -> bool {
        // Applying what people pushed may take long, especially a new catalogue: the watchdog must not mistake that for
        // a hanging batch. The batch starts with the same step and reports any error.
        let _ = self.engine.keep_up().await;
        let (started, at) = (Instant::now(), self.clock.now());
        self.readiness.work_begins(entries.len(), started);
        metrics::pending(entries.len());
        for entry in &entries {
            metrics::received(entry.kind, 1);
        }
        let entries = Arc::new(entries);
        let Some((mut processed, commit_time)) = self.process(&entries).await else { return false };
        let durable = Instant::now();
        let moments = Moments { at, began: started, durable };
        let followed = self.traces.follow(&entries, &mut processed, &moments);
        feedbackd_ports::fail_point!("batch.durable");
        if let Some(recorded) = &self.recorded {
            recorded.notify();
        }
        self.readiness.heartbeat(durable);
        let Some(released) = self.release(&entries, &processed).await else { return false };
        feedbackd_ports::fail_point!("batch.acknowledged");
        let acknowledged = Instant::now();
        followed.end(&moments, released.published, acknowledged, released.are_fresh);
        self.readiness.work_ends(acknowledged);
        metrics::pending(0);
        metrics::batch(entries.len(), started.elapsed());
        count(&processed);
        log_batch(&entries, &processed, commit_time, [durable, released.published, acknowledged]);
        true
    }

    /// Retries until the batch is durable. Returns `None` if the daemon stopped before that.
    async fn process(&mut self, entries: &Arc<Vec<RawEntry>>) -> Option<(ProcessedBatch, Duration)> {
        let (mut backoff, mut of_redis) = (Backoff::default(), Backoff::of_redis());
        loop {
            if !self.vouch().await {
                if of_redis.wait(&self.stop).await {
                    continue;
                }
                return None;
            }
            let started = Instant::now();
            match self.engine.process(Arc::clone(entries)).await {
                Ok(processed) => {
                    self.store_answers(&processed);
                    if processed.commit.is_some() {
                        metrics::commit(started.elapsed(), self.clock.now().as_second());
                    }
                    return Some((processed, started.elapsed()));
                }
                Err(error) => {
                    metrics::store_error();
                    self.store_failed(&error);
                    tracing::error!(%error, entries = entries.len(), "the batch was not recorded; trying again");
                    if self.engine.is_gone() {
                        // Without its writer the daemon can do nothing; its supervisor restarts it.
                        self.stop.cancel();
                    }
                }
            }
            if !backoff.wait(&self.stop).await {
                return None;
            }
        }
    }

    /// Asks Redis once which commit the store must contain. Returns false if nothing may be written: the answer is
    /// unknown, or the group works for another store.
    async fn vouch(&mut self) -> bool {
        if self.vouched {
            return true;
        }
        match self.publishing.position().await {
            Ok(position) => {
                if let Some(commit) = position.published {
                    self.engine.acknowledged(commit).await;
                }
                self.vouched = true;
            }
            Err(error) => {
                self.readiness.redis_failed(&error.to_string(), self.clock.now());
                self.publishing_failures.report(&error, "reading the publishing position");
            }
        }
        self.vouched
    }

    /// Records that the store cannot be used. People may fix that in Redis, too.
    fn store_failed(&mut self, error: &PipelineError) {
        if matches!(error, PipelineError::TurnedBack { .. } | PipelineError::RostersRewritten { .. }) {
            self.publishing.forget();
            self.vouched = false;
        }
        self.readiness.store_failed(&error.to_string(), self.clock.now());
    }

    /// Records that the store can be used, though perhaps not everything people wrote into it.
    fn store_answers(&self, processed: &ProcessedBatch) {
        let (errors, now) = (&processed.catalogue_errors, self.clock.now());
        self.readiness.store_ok(now);
        self.readiness.catalogue(errors, now);
        self.readiness.roster(processed.roster_error.as_deref(), now);
        if let Some(model) = &processed.model {
            self.readiness.model(model.failure.as_deref(), model.told(), now);
        }
        metrics::catalogue_errors(errors.len());
    }

    /// Publishes and acknowledges what is durable. Returns `None` if the daemon stopped before that.
    ///
    /// Git is the outbox, so an entry is acknowledged even if Redis rejects its messages: because it is full, or a key
    /// has the wrong type. Pending entries are still read then, and the messages follow.
    async fn release(&mut self, entries: &[RawEntry], processed: &ProcessedBatch) -> Option<PublishedBatch> {
        let mut backoff = Backoff::of_redis();
        let mut are_fresh = processed.commit.is_none();
        loop {
            if let Some(commit) = &processed.commit {
                if !processed.counts.rule_events.is_empty() {
                    // Before the announcement: a reader of the announcement must find the rule.
                    self.deploy().await;
                }
                are_fresh |= self.publish(commit, Some(processed)).await;
            }
            feedbackd_ports::fail_point!("batch.published");
            let released = PublishedBatch { published: Instant::now(), are_fresh };
            match acknowledge_once(self.publishing.bus(), entries, processed).await {
                Ok(None) => return Some(released),
                Ok(Some(refused)) => {
                    // Each has its record in the store. They stay pending, and are claimed again later.
                    self.readiness.redis_writes_failed(&refused.to_string(), self.clock.now());
                    report(&refused, "appending dead letters");
                    return Some(released);
                }
                Err(error) => {
                    metrics::redis_up(false);
                    self.readiness.redis_writes_failed(&error.to_string(), self.clock.now());
                    backoff.failures.report(&error, "acknowledging");
                    if !backoff.wait_after(&error, &self.stop).await {
                        return None;
                    }
                }
            }
        }
    }

    /// Publishes up to a commit, and returns whether the fresh messages were sent. A failure is reported, and retried
    /// with the next batch or idle check.
    async fn publish(&mut self, to: &CommitId, fresh: Option<&ProcessedBatch>) -> bool {
        let mut published = self.publishing.catch_up(&self.engine, to, fresh).await;
        if published.is_err() {
            // The connection may have been stale.
            published = self.publishing.catch_up(&self.engine, to, fresh).await;
        }
        match published {
            Ok(are_fresh) => {
                self.publishing_failures.reset();
                self.readiness.redis_writes_ok(self.clock.now());
                are_fresh
            }
            Err(error) => {
                self.readiness.redis_writes_failed(&error.to_string(), self.clock.now());
                self.publishing_failures.report(&error, "publishing");
                false
            }
        }
    }

    /// Makes the agents' keys match the store. They are checked whenever idle, so that keys that were deleted,
    /// overwritten or lost by Redis are restored.
    async fn deploy(&mut self) {
        feedbackd_ports::fail_point!("deploy.begins");
        let Some(keys) = self.engine.deployed().await else { return };
        let bus = self.publishing.bus();
        let deployed = match self.deployed.and_no_others(bus, keys.clone()).await {
            Ok(keys) => bus.deploy(&keys).await.inspect(|_| self.deployed.done(&keys)),
            Err(error) => Err(error),
        };
        match deployed {
            Ok(0) => {}
            Ok(changed) => tracing::info!(keys = changed, "rules were deployed to their agents"),
            Err(error) => report(&error, "deploying rules"),
        }
        feedbackd_ports::fail_point!("deploy.ends");
        metrics::active_rules(keys.iter().filter(|k| k.active.is_some()).count() as u64);
    }

    /// Publishes what was committed but not published: by an earlier run, or while Redis rejected it. The position is
    /// read again: if Redis has lost its last writes in a failover, they are made again, even if no entry arrives.
    async fn catch_up_publishing(&mut self) {
        self.publishing.forget();
        if let Some(head) = self.engine.head().await {
            self.publish(&head, None).await;
        }
    }

    /// Does due work and housekeeping while nothing arrives.
    async fn idle(&mut self) {
        if self.look().await
            && let Err(error) = self.engine.maintain().await
        {
            if matches!(error, StoreError::Damaged(_)) {
                metrics::damage();
            }
            tracing::error!(%error, "store housekeeping failed");
        }
    }

    /// Does what needs no entries: due proposals, people's commits, agents' keys, pending messages. Returns false if
    /// the store cannot be used.
    async fn look(&mut self) -> bool {
        // While Redis is away, what is noted here has to suffice.
        let is_vouched = self.vouch().await;
        match self.engine.process(Arc::new(Vec::new())).await {
            Ok(processed) => {
                self.store_answers(&processed);
                count(&processed);
                if processed.commit.is_some() {
                    tracing::info!(
                        proposals = processed.counts.proposals.join(","),
                        rules = processed.counts.rule_events.join("; "),
                        commit = processed.commit.as_ref().map(CommitId::short),
                        "due work done"
                    );
                }
            }
            Err(error) => {
                self.store_failed(&error);
                tracing::error!(%error, "the store cannot be used");
                return false;
            }
        }
        if is_vouched {
            self.deploy().await;
            self.catch_up_publishing().await;
        }
        true
    }
}

/// A published and acknowledged batch.
struct PublishedBatch {
    published: Instant,
    /// Whether its messages were sent as created, with their traces.
    are_fresh: bool,
}

/// Acknowledges what is done and appends dead letters; returns why one of these was rejected.
async fn acknowledge_once<P: Publisher>(
    bus: &mut P,
    entries: &[RawEntry],
    processed: &ProcessedBatch,
) -> Result<Option<BusError>, BusError> {
    let is_rejected = |outcome: &EntryOutcome| matches!(outcome, EntryOutcome::Rejected(_));
    let outcomes = || entries.iter().zip(&processed.outcomes);
    let done = outcomes().filter(|(_, outcome)| !is_rejected(outcome));
    let done: Vec<_> = done.map(|(entry, _)| (entry.stream.clone(), entry.id.clone())).collect();
    // A key that rejects dead letters must not block the others.
    bus.ack(&done).await?;
    let mut refused = None;
    for (entry, outcome) in outcomes() {
        let EntryOutcome::Rejected(rejection) = outcome else { continue };
        match bus.dead_letter(entry, rejection).await {
            Ok(appended) => metrics::published(Topic::DeadLetters, appended.into()),
            Err(error @ BusError::Refused { .. }) => refused = Some(error),
            Err(error) => return Err(error),
        }
    }
    Ok(refused)
}

/// Returns the memory size of entries, without what was left out of them.
fn bytes_of(entries: &[RawEntry]) -> usize {
    let fields = entries.iter().flat_map(|entry| &entry.fields);
    fields.map(|(name, value)| name.len() + value.len()).sum()
}
