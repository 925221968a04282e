//! The tools' context, and a limit on concurrent calls.

use crate::app::blocking_pool::BlockingPool;
use crate::app::channels::action_outcomes::Outcomes;
use crate::app::channels::service::ChannelService;
use std::sync::Arc;
use std::time::Duration;

/// Maximum concurrent calls; more are queued.
const MAX_CALLS: usize = 4;
/// Time limit for an answer, including queueing.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The context of the tools.
#[derive(Clone)]
pub struct McpState {
    /// Read-only queries.
    pub channels: Arc<ChannelService>,
    /// Submits action outcomes to the daemon.
    pub outcomes: Arc<Outcomes>,
    turns: BlockingPool,
}

/// The caller's rights beyond reading. Carried by an HTTP request as an extension; without it there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Report the outcome of an action.
    pub report: bool,
}

impl McpState {
    /// Creates a desk for all callers.
    pub fn new(channels: Arc<ChannelService>, outcomes: Arc<Outcomes>) -> McpState {
        McpState { channels, outcomes, turns: BlockingPool::new(MAX_CALLS, ANSWER_TIMEOUT) }
    }

    /// Runs blocking work when its turn comes. Errors contain advice.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&McpState) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let desk = self.clone();
        self.turns.take(move || ask(&desk)).await.unwrap_or_else(|not_done| Err(not_done.to_string()))
    }
}
