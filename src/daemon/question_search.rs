//! The search for the most valuable questions, next to the pipeline: on its own thread, and only on request.
//!
//! It works on the pipeline's working set and queries it for similar comments, one comment at a time. Entries are
//! therefore delayed by at most one vector lookup, and nothing is loaded twice.

use super::request::Request;
use super::supervisor::Supervisor;
use crate::app::comments::evaluator::KnowledgeError;
use crate::app::decisions::questions::{FOUND, Questions};
use crate::app::pipeline::clusters::inquiries;
use crate::domain::clusters::Member;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// Starts the thread. It ends with the pipeline's.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start(
    questions: Arc<Questions>,
    pipeline: mpsc::WeakUnboundedSender<Request>,
    supervisor: &Supervisor,
) -> std::io::Result<()> {
    let clock = Arc::clone(&supervisor.clock);
    let run = move || {
        while questions.wait() {
            let (started, at) = (Instant::now(), clock.now());
            // While the working set is being built, there is nothing to ask about.
            let Some((remarks, head)) = ask(&pipeline, Request::Remembered).flatten() else {
                questions.failed(started.elapsed());
                continue;
            };
            let gone = || KnowledgeError("the pipeline has ended".to_owned());
            let near = |member: &Member| {
                ask(&pipeline, |answer| Request::Near(Box::new(member.clone()), answer)).ok_or_else(gone)?
            };
            match inquiries::beside(&remarks, FOUND, &near) {
                Ok(found) => questions.found(found, Some(head), at, started.elapsed()),
                Err(error) => {
                    tracing::warn!(%error, "cannot search for questions about clusters");
                    questions.failed(started.elapsed());
                }
            }
        }
    };
    supervisor.thread("questions", run)?;
    Ok(())
}

/// Asks the pipeline; returns `None` if it is gone. Does not keep it alive.
fn ask<T>(
    pipeline: &mpsc::WeakUnboundedSender<Request>,
    request: impl FnOnce(oneshot::Sender<T>) -> Request,
) -> Option<T> {
    let (answer, result) = oneshot::channel();
    pipeline.upgrade()?.send(request(answer)).ok()?;
    result.blocking_recv().ok()
}
