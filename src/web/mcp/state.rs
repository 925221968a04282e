//! What the tools work with, and how many of them work at a time.

use crate::app::blocking_pool::Turns;
use crate::app::channels::action_outcomes::Outcomes;
use crate::app::channels::service::ChannelService;
use std::sync::Arc;
use std::time::Duration;

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
    turns: Turns,
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
        Desk { channels, outcomes, turns: Turns::new(MAX_CALLS, ANSWER_TIMEOUT) }
    }

    /// Does what may block, when it is its turn. Errors say what to do.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Desk) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let desk = self.clone();
        self.turns.take(move || ask(&desk)).await.unwrap_or_else(|not_done| Err(not_done.to_string()))
    }
}
