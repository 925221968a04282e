//! Pull requests for rules: a thread checks each target at a configured interval and does what is missing.
//!
//! Failures are retried at the next check. The only state is what was last reported, so that it is not reported each
//! time.

use super::forge_poll::Patient;
use super::supervisor::Supervisor;
use crate::app::forges::history::HistoryError;
use crate::app::forges::rule_pull_requests::{Round, RulePullRequest, TargetFiles};
use crate::metrics::{self, PullRequestOutcome};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Reads the rules in force for an agent, or returns why it cannot.
pub type ReadRules = Box<dyn Fn(&str) -> Result<RulePullRequest, String> + Send>;

/// The targets of pull requests for rules.
pub struct RulePullRequests {
    pub targets: Vec<TargetFiles>,
    pub rules: ReadRules,
    /// The interval between checks.
    pub every: Duration,
}

/// Starts the thread. It ends shortly after `stop`; unfinished work is done at the next start.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start(offers: RulePullRequests, supervisor: &Supervisor) -> std::io::Result<()> {
    let stop = supervisor.stop.clone();
    supervisor.thread("offer rules", move || look(&offers, &stop))?;
    Ok(())
}

fn look(offers: &RulePullRequests, stop: &CancellationToken) {
    let watcher = Patient { stop };
    let mut told: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    loop {
        for (number, target) in offers.targets.iter().enumerate() {
            let (forge, repository, agent) = (&target.forge, &target.repository, &target.agent);
            let round = (offers.rules)(agent).map(|offer| target.round(&offer, &watcher, true));
            match round {
                Ok(Ok(round)) => tell(&round, told.entry(number).or_default()),
                Ok(Err(HistoryError::Stopped)) => return,
                Ok(Err(error)) => {
                    metrics::forge_offer(PullRequestOutcome::Failed);
                    tracing::warn!(forge, repository, agent, %error, "rules cannot be offered; trying again later");
                }
                Err(error) => {
                    metrics::forge_offer(PullRequestOutcome::Failed);
                    tracing::warn!(forge, repository, agent, error, "the rules to offer cannot be read");
                }
            }
        }
        if !watcher.pause(offers.every) {
            return;
        }
    }
}

fn tell(round: &Round, told: &mut Vec<String>) {
    metrics::forge_offer(round.outcome);
    let (forge, repository, agent) = (&round.forge, &round.repository, &round.agent);
    let page = round.page.as_deref().unwrap_or_default();
    match round.outcome {
        PullRequestOutcome::Opened | PullRequestOutcome::Renewed | PullRequestOutcome::Closed => {
            let outcome: &'static str = round.outcome.into();
            tracing::info!(forge, repository, agent, page, outcome, "the pull request with the rules");
        }
        PullRequestOutcome::Unchanged | PullRequestOutcome::LeftAlone | PullRequestOutcome::Failed => {}
    }
    if *told != round.left_alone {
        for why in &round.left_alone {
            tracing::warn!(forge, repository, agent, page, why, "rules are not offered");
        }
        told.clone_from(&round.left_alone);
    }
}
