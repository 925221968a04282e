//! Requests to the pipeline's thread, each with its reply channel.

use crate::app::comments::evaluator::{CommentVectors, KnowledgeError};
use crate::app::pipeline::{PipelineError, ProcessedBatch};
use crate::domain::clusters::Member;
use crate::domain::intake::event::RawEntry;
use crate::domain::records::message::Outgoing;
use crate::ports::{AgentKeys, CommitInfo, JoinOutcome, StoreError};
use crate::text::ids::CommitId;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A question or a task for the pipeline.
pub(super) enum Request {
    Acknowledged(CommitId, oneshot::Sender<()>),
    KeepUp(oneshot::Sender<Result<(), PipelineError>>),
    Join(CommitId, oneshot::Sender<Result<JoinOutcome, PipelineError>>),
    Process(Arc<Vec<RawEntry>>, oneshot::Sender<Result<ProcessedBatch, PipelineError>>),
    Commits(Option<CommitId>, CommitId, oneshot::Sender<Result<Vec<CommitInfo>, StoreError>>),
    Messages(Option<CommitId>, CommitId, oneshot::Sender<Result<Vec<Outgoing>, StoreError>>),
    Head(oneshot::Sender<Option<CommitId>>),
    Deployed(oneshot::Sender<Vec<AgentKeys>>),
    Maintain(oneshot::Sender<Result<(), StoreError>>),
    Remembered(oneshot::Sender<Option<(CommentVectors, CommitId)>>),
    Near(Box<Member>, oneshot::Sender<Result<Vec<String>, KnowledgeError>>),
}

impl Request {
    /// Returns what the pipeline does for it, in words that continue “the pipeline has been …”.
    pub(super) fn step(&self) -> &'static str {
        match self {
            Request::Acknowledged(..) => "recording acknowledgements",
            Request::KeepUp(_) | Request::Join(..) => "applying pushed commits",
            Request::Process(..) => "processing a batch",
            Request::Commits(..) | Request::Messages(..) => "reading what to publish",
            Request::Head(_) => "reading the store's head",
            Request::Deployed(_) => "reading the agents' keys",
            Request::Maintain(_) => "maintaining the store",
            Request::Remembered(_) | Request::Near(..) => "answering similarity queries",
        }
    }
}
