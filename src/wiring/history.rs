//! The history of a repository on a forge: from the configuration to what asks the forge's API.

use super::clock::clock;
use super::error::WiringError;
use super::hooks::forges;
use crate::adapters::private::OwnFile;
use crate::adapters::rest::{ForgeServer, ForgeServerOptions};
use crate::app::forges::Forges;
use crate::app::history::History;
use crate::app::wakes::Wakes;
use crate::config::{Config, ForgeConfig, ForgeKind, Secret};
use crate::daemon::Polling;
use crate::domain::ids::{safe_name, short_hash};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a page may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The history of a repository on a forge that is connected. What is read up to a day (`until`) has a note of its own.
///
/// # Errors
/// When no such forge is connected, its API is not known, or its token cannot be read.
pub fn history(config: &Config, name: &str, repository: &str, until: Option<&str>) -> Result<History, WiringError> {
    let found = config.forges.connected.iter().find(|forge| forge.name == name);
    let Some(forge) = found else {
        let known: Vec<&str> = config.forges.connected.iter().map(|forge| forge.name.as_str()).collect();
        let known = if known.is_empty() { "none is".to_owned() } else { known.join(", ") };
        return Err(WiringError::Forge(format!("no forge is connected under the name `{name}`; connected: {known}")));
    };
    let all: Arc<Forges> = Arc::new(forges(config)?);
    let Some(connected) = all.connected.get(name).cloned() else {
        return Err(WiringError::Forge(format!("no forge is connected under the name `{name}`")));
    };
    if !repository.is_empty() && !forge.names(repository) {
        return Err(WiringError::Forge(format!("{name}: a repository of this forge is written OWNER/NAME")));
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

/// The repositories of forges that a daemon asks for what webhooks lost.
///
/// # Errors
/// As [`history`].
pub(super) fn polling(config: &Config, wakes: &Wakes) -> Result<Vec<Polling>, WiringError> {
    let one = |(forge, repository): (&ForgeConfig, &String)| {
        let history = history(config, &forge.name, repository, None)?;
        Ok(Polling { history, every: Duration::from_secs(forge.poll_minutes * 60), wakes: wakes.clone() })
    };
    polled(config).map(one).collect()
}

/// What wakes those who ask.
pub(super) fn wakes(config: &Config) -> Wakes {
    Wakes::of(polled(config).map(|(forge, repository)| (forge.name.clone(), repository.clone())))
}

fn polled(config: &Config) -> impl Iterator<Item = (&ForgeConfig, &String)> {
    let polled = config.forges.connected.iter().filter(|forge| forge.poll_minutes > 0);
    polled.flat_map(|forge| forge.repositories.iter().map(move |repository| (forge, repository)))
}

/// Where it is noted how far it got.
fn note(config: &Config, name: &str, repository: &str, until: Option<&str>) -> PathBuf {
    let of = [name, repository, until.unwrap_or_default()];
    let shown = safe_name(&format!("{name}-{}", repository.replace('/', "-")));
    config.state.dir.join("forges").join(format!("{shown}-{}.json", short_hash(&of)))
}

/// Its API.
pub(super) fn server(forge: &ForgeConfig) -> Result<ForgeServer, WiringError> {
    let refused = |why: String| WiringError::Forge(format!("{}: {why}", forge.name));
    let (accept, header, before) = match forge.kind {
        ForgeKind::Github => ("application/vnd.github+json", "authorization", "Bearer "),
        ForgeKind::Gitea | ForgeKind::Forgejo => ("application/json", "authorization", "token "),
        ForgeKind::Gitlab => ("application/json", "private-token", ""),
        ForgeKind::Gerrit => ("application/json", "authorization", "Basic "),
    };
    let Some(url) = forge.api() else {
        return Err(refused("its `api_url` is missing, such as https://git.example.org/api/v1".to_owned()));
    };
    let (mut url, mut token) = (url.trim_end_matches('/').to_owned(), forge.token()?);
    if forge.kind == ForgeKind::Gerrit
        && let Some(given) = &token
    {
        if !given.expose().contains(':') {
            return Err(refused(
                "its `token_file` must hold USER:PASSWORD, with the HTTP password of Gerrit".to_owned(),
            ));
        }
        token = Some(Secret::new(STANDARD.encode(given.expose())));
        // Below that Gerrit asks who it is; elsewhere it knows nobody.
        if !url.ends_with("/a") {
            url += "/a";
        }
    }
    let token = token.map(|token| (header, before, token));
    let options = ForgeServerOptions { url, token, accept, timeout: TIMEOUT };
    ForgeServer::new(options).map_err(|why| refused(why.to_string()))
}
