//! Tracking of agents' keys: keys left from a rule that is gone, or that no longer applies to an agent, are removed.
//!
//! The store defines what a key must contain. Only Redis knows which keys exist: a scan at startup and at intervals
//! finds those that an earlier run, an earlier version or another program created.

use crate::ports::{AgentKeys, BusError, Publisher};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often all keys are scanned. Keys created by this run are known without a scan.
const LOOK: Duration = Duration::from_secs(3600);

/// The agents known to have keys.
#[derive(Default)]
pub(super) struct RuleKeys {
    agents: BTreeSet<String>,
    looked: Option<Instant>,
}

impl RuleKeys {
    /// Returns the keys as the store wants them, and empty ones for every other agent that has keys.
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

    /// Remembers whose keys were created.
    pub(super) fn done(&mut self, deployed: &[AgentKeys]) {
        let has = |keys: &&AgentKeys| keys.active.is_some() || keys.prompt.is_some();
        self.agents = deployed.iter().filter(has).map(|keys| keys.agent.clone()).collect();
    }
}
