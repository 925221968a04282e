//! What the tools work with, and how many of them work at a time.

use crate::app::channel_service::ChannelService;
use crate::app::outcomes::Outcomes;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// So many calls are answered at the same time; more wait for their turn.
const MAX_CALLS: usize = 4;
/// An answer must be there after so long, the wait for its turn included.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// What the tools work with.
#[derive(Clone)]
pub struct Desk {
    /// Questions; they change nothing.
    pub channels: Arc<ChannelService>,
    /// The way of an action's outcome to the daemon.
    pub outcomes: Arc<Outcomes>,
    calls: Arc<Semaphore>,
}

/// What whoever asks may do beyond asking. A request over HTTP carries it as an extension; without one it is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Report the outcome of an action.
    pub report: bool,
}

impl Desk {
    /// A desk for all callers.
    pub fn new(channels: Arc<ChannelService>, outcomes: Arc<Outcomes>) -> Desk {
        Desk { channels, outcomes, calls: Arc::new(Semaphore::new(MAX_CALLS)) }
    }

    /// Does what may block, when it is its turn. Errors say what to do.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Desk) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let desk = self.clone();
        let work = async move {
            let turn = Arc::clone(&desk.calls).acquire_owned().await;
            // A call that nobody waits for any longer still has its turn until it ends.
            let asked = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                ask(&desk)
            });
            asked.await.unwrap_or_else(|_| Err("a defect of feedbackd ended the call; see its log".to_owned()))
        };
        let late = || format!("no answer within {} seconds; try again later", ANSWER_TIMEOUT.as_secs());
        timeout(ANSWER_TIMEOUT, work).await.unwrap_or_else(|_| Err(late()))
    }
}
