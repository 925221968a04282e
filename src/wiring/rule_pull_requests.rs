//! Pull requests for rules: from the configuration to the forge clients.

use super::clock::{clock, now};
use super::error::WiringError;
use super::forge_api::server;
use super::hooks::kind;
use super::notifications::base;
use super::read_access::reading;
use super::settings::prompting;
use crate::app::forges::rule_pull_requests::{RulePullRequest, TargetFiles, offer};
use crate::app::queries::{Queries, QueryError};
use crate::config::{Config, TargetConfig, TargetFile};
use crate::daemon::RulePullRequests;
use crate::domain::rules::in_force::export::Format;
use std::time::Duration;

/// Returns the targets, in the order of the configuration.
///
/// # Errors
/// If a forge's API is unknown, or its token cannot be read.
pub fn offerings(config: &Config) -> Result<Vec<TargetFiles>, WiringError> {
    config.forges.targets.iter().map(|target| offering(config, target)).collect()
}

/// Returns an agent's rules in force, as they enter prompts under this configuration.
///
/// # Errors
/// If store or index cannot be read.
pub fn offer_of(config: &Config, queries: &Queries<'_>, agent: &str) -> Result<RulePullRequest, QueryError> {
    offer(queries, &prompting(config), agent, now())
}

/// Returns the daemon's pull requests for rules; `None` if there is no target, or checking is off.
///
/// # Errors
/// As [`offerings`].
pub(super) fn offers(config: &Config) -> Result<Option<RulePullRequests>, WiringError> {
    if config.forges.targets.is_empty() || config.forges.offer_minutes == 0 {
        return Ok(None);
    }
    let own = config.clone();
    let rules = move |agent: &str| {
        let reading = reading(&own).map_err(|error| error.to_string())?;
        offer_of(&own, &reading.queries(), agent).map_err(|error| error.to_string())
    };
    let every = Duration::from_secs(config.forges.offer_minutes * 60);
    Ok(Some(RulePullRequests { targets: offerings(config)?, rules: Box::new(rules), every }))
}

fn offering(config: &Config, target: &TargetConfig) -> Result<TargetFiles, WiringError> {
    let forge = config
        .forges
        .connected
        .iter()
        .find(|forge| forge.name == target.forge)
        .ok_or_else(|| WiringError::Forge(format!("no forge named `{}` is connected", target.forge)))?;
    Ok(TargetFiles {
        forge: target.forge.clone(),
        kind: kind(forge.kind),
        repository: target.repository.clone(),
        agent: target.agent.clone(),
        base: target.base.clone(),
        files: target.files.iter().map(|file| format(*file)).collect(),
        pages: base(config),
        api: Box::new(server(forge)?),
        clock: clock(),
    })
}

fn format(file: TargetFile) -> Format {
    match file {
        TargetFile::AgentsMd => Format::AgentsMd,
        TargetFile::ClaudeMd => Format::ClaudeMd,
        TargetFile::Cursor => Format::Cursor,
        TargetFile::Copilot => Format::Copilot,
    }
}
