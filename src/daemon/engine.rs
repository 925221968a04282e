//! The pipeline on its own thread, and the handle for requests to it.

use super::prefetch::ReadingAhead;
use super::question_search;
use super::request::Request;
use super::supervisor::Supervisor;
use crate::app::decisions::questions::Questions;
use crate::app::pipeline::{Pipeline, PipelineError, ProcessedBatch};
use crate::app::publication::{Outbox, outbox};
use crate::domain::intake::event::RawEntry;
use crate::domain::records::message::Outgoing;
use crate::ports::{AgentKeys, CommitInfo, StoreError};
use crate::text::ids::CommitId;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// The pipeline on its own thread.
pub(super) struct Engine {
    ahead: ReadingAhead,
    requests: mpsc::UnboundedSender<Request>,
}

impl Engine {
    /// Starts the thread, and next to it the one that looks for questions.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn start(
        mut pipeline: Pipeline,
        questions: Arc<Questions>,
        supervisor: &Supervisor,
    ) -> std::io::Result<Engine> {
        let (requests, mut inbox) = mpsc::unbounded_channel::<Request>();
        let ahead = ReadingAhead::start(pipeline.ahead(), supervisor)?;
        question_search::start(Arc::clone(&questions), requests.downgrade(), supervisor)?;
        let (clock, readiness) = (Arc::clone(&supervisor.clock), Arc::clone(&supervisor.readiness));
        let run = move || {
            questions.stands_at(pipeline.head(), false);
            while let Some(request) = inbox.blocking_recv() {
                readiness.step_begins(request.step(), Instant::now());
                // A dropped receiver is no failure: the daemon is stopping.
                match request {
                    Request::Acknowledged(commit, answer) => {
                        pipeline.acknowledged(commit);
                        let _ = answer.send(());
                    }
                    Request::KeepUp(answer) => {
                        let kept_up = pipeline.keep_up(clock.now());
                        questions.stands_at(pipeline.head(), false);
                        let _ = answer.send(kept_up);
                    }
                    Request::Join(theirs, answer) => {
                        let joined = pipeline.join(&theirs, clock.now());
                        questions.stands_at(pipeline.head(), false);
                        let _ = answer.send(joined);
                    }
                    Request::Process(entries, answer) => {
                        let processed = pipeline.process(&entries, clock.now());
                        let reviewed = processed.as_ref().is_ok_and(|processed| processed.counts.submitted > 0);
                        questions.stands_at(pipeline.head(), reviewed);
                        let _ = answer.send(processed);
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
                    Request::Deployed(answer) => {
                        if let Err(error) = pipeline.tell_standing() {
                            tracing::warn!(%error, "pending items cannot be counted");
                        }
                        let _ = answer.send(pipeline.deployed());
                    }
                    Request::Maintain(answer) => {
                        let _ = answer.send(pipeline.maintain());
                    }
                    Request::Remembered(answer) => {
                        let _ = answer.send(pipeline.remembered());
                    }
                    Request::Near(member, answer) => {
                        let _ = answer.send(pipeline.near_enough_to_ask(&member));
                    }
                }
                readiness.step_ends();
            }
            questions.end();
        };
        supervisor.thread("pipeline", run)?;
        Ok(Engine { ahead, requests })
    }

    /// Returns the way to the pipeline for another thread; it does not keep the pipeline alive.
    pub(super) fn requests(&self) -> mpsc::WeakUnboundedSender<Request> {
        self.requests.downgrade()
    }

    pub(super) fn is_gone(&self) -> bool {
        self.requests.is_closed()
    }

    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Option<T> {
        let (answer, result) = oneshot::channel();
        self.requests.send(request(answer)).ok()?;
        result.await.ok()
    }

    /// Returns the reader of what is processed after the current batch.
    pub(super) fn reading_ahead(&self) -> ReadingAhead {
        self.ahead.clone()
    }

    /// Reports which commit the store must contain.
    pub(super) async fn acknowledged(&self, commit: CommitId) {
        let _ = self.ask(|answer| Request::Acknowledged(commit, answer)).await;
    }

    /// Applies what people committed, before a batch is in progress.
    pub(super) async fn keep_up(&self) -> Result<(), PipelineError> {
        self.ask(Request::KeepUp).await.unwrap_or_else(|| Err(PipelineError::Store(gone())))
    }

    pub(super) async fn process(&self, entries: Arc<Vec<RawEntry>>) -> Result<ProcessedBatch, PipelineError> {
        self.ask(|a| Request::Process(entries, a)).await.unwrap_or_else(|| Err(PipelineError::Store(gone())))
    }

    pub(super) async fn head(&self) -> Option<CommitId> {
        self.ask(Request::Head).await.flatten()
    }

    /// Returns the contents of the agents' keys; `None` if the pipeline is gone.
    pub(super) async fn deployed(&self) -> Option<Vec<AgentKeys>> {
        self.ask(Request::Deployed).await
    }

    pub(super) async fn maintain(&self) -> Result<(), StoreError> {
        self.ask(Request::Maintain).await.unwrap_or_else(|| Err(gone()))
    }
}

impl Outbox for Engine {
    async fn commits(&self, from: Option<CommitId>, to: CommitId) -> Result<Vec<CommitInfo>, StoreError> {
        self.ask(|a| Request::Commits(from, to, a)).await.unwrap_or_else(|| Err(gone()))
    }

    async fn messages(&self, parent: Option<CommitId>, commit: CommitId) -> Result<Vec<Outgoing>, StoreError> {
        self.ask(|a| Request::Messages(parent, commit, a)).await.unwrap_or_else(|| Err(gone()))
    }
}

fn gone() -> StoreError {
    StoreError::Git("the writer thread has ended; see the log above for the reason, and restart".to_owned())
}
