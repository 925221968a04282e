//! Whose keys are there: what is left of a rule that is gone, or that is no longer for an agent, is taken away.
//!
//! What a key shall hold, the store says. Which keys exist, only Redis knows: a start, and from time to time a look,
//! tells it of those that an earlier run, an earlier version or somebody else made.

use crate::ports::{AgentKeys, BusError, Publisher};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often all keys are looked through. What this run made it knows without that.
const LOOK: Duration = Duration::from_secs(3600);

/// The agents that have keys, as far as is known.
#[derive(Default)]
pub(super) struct Deployed {
    agents: BTreeSet<String>,
    looked: Option<Instant>,
}

impl Deployed {
    /// The keys as the store wants them, and none for every other agent that has some.
    pub(super) async fn and_no_others<P: Publisher>(
        &mut self,
        bus: &mut P,
        mut wanted: Vec<AgentKeys>,
    ) -> Result<Vec<AgentKeys>, BusError> {
        if self.looked.is_none_or(|at| at.elapsed() >= LOOK) {
            self.agents.extend(bus.deployed().await?);
            self.looked = Some(Instant::now());
        }
        let named: BTreeSet<&str> = wanted.iter().map(|keys| keys.agent.as_str()).collect();
        let others: Vec<String> = self.agents.iter().filter(|a| !named.contains(a.as_str())).cloned().collect();
        wanted.extend(others.into_iter().map(|agent| AgentKeys { agent, active: None, prompt: None }));
        Ok(wanted)
    }

    /// Remembers whose keys were made.
    pub(super) fn done(&mut self, deployed: &[AgentKeys]) {
        let has = |keys: &&AgentKeys| keys.active.is_some() || keys.prompt.is_some();
        self.agents = deployed.iter().filter(has).map(|keys| keys.agent.clone()).collect();
    }
}
