//! The history of a repository on a forge: from the configuration to the client of the forge's API.

use super::clock::clock;
use super::error::WiringError;
use super::forge_api::server;
use super::hooks::forges;
use crate::adapters::secret_file::{NoFile, OwnFile};
use crate::app::forges::deliveries::Forges;
use crate::app::forges::history::History;
use crate::app::forges::poll_triggers::PollTriggers;
use crate::config::{Config, ForgeConfig};
use crate::daemon::ForgePoll;
use crate::text::ids::{safe_name, short_hash};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Returns the history of a repository on a connected forge. Reading up to a day (`until`) has its own note.
///
/// # Errors
/// If no such forge is connected, its API is unknown, or its token cannot be read.
pub fn history(config: &Config, name: &str, repository: &str, until: Option<&str>) -> Result<History, WiringError> {
    let found = config.forges.connected.iter().find(|forge| forge.name == name);
    let Some(forge) = found else {
        let known: Vec<&str> = config.forges.connected.iter().map(|forge| forge.name.as_str()).collect();
        let known = if known.is_empty() { "none is".to_owned() } else { known.join(", ") };
        return Err(WiringError::Forge(format!("no forge named `{name}` is connected; connected: {known}")));
    };
    let all: Arc<Forges> = Arc::new(forges(config)?);
    let Some(connected) = all.connected.get(name).cloned() else {
        return Err(WiringError::Forge(format!("no forge named `{name}` is connected")));
    };
    if !repository.is_empty() && !forge.names(repository) {
        return Err(WiringError::Forge(format!("{name}: repositories of this forge have the form OWNER/NAME")));
    }
    Ok(History {
        forges: all,
        forge: connected,
        repository: repository.to_owned(),
        api: Box::new(server(forge)?),
        note: Box::new(OwnFile::new(note(config, name, repository, until))),
        clock: clock(),
    })
}

/// Like [`history`], for one reading from the beginning: what earlier runs read is not skipped.
///
/// # Errors
/// As [`history`].
pub fn whole_history(config: &Config, name: &str, repository: &str) -> Result<History, WiringError> {
    Ok(History { note: Box::new(NoFile), ..history(config, name, repository, None)? })
}

/// Returns the forge repositories that a daemon polls for what webhooks lost.
///
/// # Errors
/// As [`history`].
pub(super) fn polling(config: &Config, wakes: &PollTriggers) -> Result<Vec<ForgePoll>, WiringError> {
    let one = |(forge, repository): (&ForgeConfig, &String)| {
        let history = history(config, &forge.name, repository, None)?;
        Ok(ForgePoll { history, every: Duration::from_secs(forge.poll_minutes * 60), wakes: wakes.clone() })
    };
    polled(config).map(one).collect()
}

/// Returns the signals that wake the pollers.
pub(super) fn wakes(config: &Config) -> PollTriggers {
    PollTriggers::of(polled(config).map(|(forge, repository)| (forge.name.clone(), repository.clone())))
}

fn polled(config: &Config) -> impl Iterator<Item = (&ForgeConfig, &String)> {
    let polled = config.forges.connected.iter().filter(|forge| forge.poll_minutes > 0);
    polled.flat_map(|forge| forge.repositories.iter().map(move |repository| (forge, repository)))
}

/// Returns the path of the progress note.
fn note(config: &Config, name: &str, repository: &str, until: Option<&str>) -> PathBuf {
    let of = [name, repository, until.unwrap_or_default()];
    let shown = safe_name(&format!("{name}-{}", repository.replace('/', "-")));
    config.state.dir.join("forges").join(format!("{shown}-{}.json", short_hash(&of)))
}
