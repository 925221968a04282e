//! The thread that keeps the copy at a Git host up to date. The pipeline never waits for it: it reads the store next to
//! the pipeline, and asks it only to join what people merged at the host.

use super::request::Request;
use super::supervisor::Supervisor;
use crate::app::admin::health::Readiness;
use crate::app::remote::RemoteCopy;
use crate::ports::{Clock, JoinOutcome};
use crate::text::ids::CommitId;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// How often it looks for new commits.
const LOOK: Duration = Duration::from_millis(500);

/// The running thread.
pub(super) struct CopyThread {
    thread: JoinHandle<()>,
    /// Set when the pipeline has ended: the last push may take until then.
    until: Arc<OnceLock<Instant>>,
}

impl CopyThread {
    /// Has the last commits pushed, and waits for that until the deadline.
    pub(super) async fn end(self, deadline: Instant) {
        // It is set once.
        let _ = self.until.set(deadline);
        self.thread.thread().unpark();
        // The thread ends itself at the deadline.
        let _ = tokio::task::spawn_blocking(move || self.thread.join()).await;
    }
}

/// Starts the thread.
///
/// # Errors
/// If the system cannot start one.
pub(super) fn start(
    mut copy: RemoteCopy,
    pipeline: mpsc::WeakUnboundedSender<Request>,
    supervisor: &Supervisor,
) -> std::io::Result<CopyThread> {
    let until = Arc::new(OnceLock::<Instant>::new());
    let (readiness, clock) = (Arc::clone(&supervisor.readiness), Arc::clone(&supervisor.clock));
    let ends = Arc::clone(&until);
    let run = move || {
        let give_up = || ends.get().is_some_and(|until| Instant::now() >= *until);
        let mut join = |theirs: &CommitId| ask_to_join(&pipeline, theirs);
        while ends.get().is_none() {
            if let Err(error) = copy.round(&mut join, &give_up) {
                tracing::warn!(%error, "the copy at the Git host cannot be compared with the store");
            }
            tell(&mut copy, &readiness, clock.as_ref());
            if ends.get().is_none() {
                // The end of the daemon wakes it.
                std::thread::park_timeout(LOOK);
            }
        }
        match copy.finish(&give_up) {
            Ok(true) => {}
            Ok(false) => tracing::warn!("the copy at the Git host lacks the last commits; the next start pushes them"),
            Err(error) => tracing::warn!(%error, "the last commits were not pushed to the Git host"),
        }
    };
    let thread = supervisor.thread("Git host", run)?;
    Ok(CopyThread { thread, until })
}

fn ask_to_join(pipeline: &mpsc::WeakUnboundedSender<Request>, theirs: &CommitId) -> Result<JoinOutcome, String> {
    let gone = || "the pipeline has ended".to_owned();
    let (answer, result) = oneshot::channel();
    let pipeline = pipeline.upgrade().ok_or_else(gone)?;
    pipeline.send(Request::Join(theirs.clone(), answer)).map_err(|_| gone())?;
    drop(pipeline);
    result.blocking_recv().map_err(|_| gone())?.map_err(|error| error.to_string())
}

fn tell(copy: &mut RemoteCopy, readiness: &Readiness, clock: &dyn Clock) {
    let now = clock.now();
    match copy.report(now) {
        Ok(report) => readiness.remote(report.trouble.as_deref(), report.told, now),
        Err(error) => readiness.remote(Some(&error.to_string()), String::new(), now),
    }
}
