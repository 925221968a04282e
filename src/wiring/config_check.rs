//! Whether the daemon could start with a configuration, as far as known without store and Redis.

use super::error::WiringError;
use super::oidc::oidc;
use super::settings::personal;
use super::store::{check_commit_key, commit_keys};
use super::streams::redis_options;
use crate::adapters::redis;
use crate::config::Config;

/// Returns everything that `serve` would reject: missing or empty secret files, unusable keys, an invalid Redis
/// address.
pub fn check(config: &Config) -> Vec<WiringError> {
    let mut wrong: Vec<WiringError> = Vec::new();
    let mut note = |found: Result<(), WiringError>| wrong.extend(found.err());
    note(redis_options(config).and_then(|options| Ok(redis::check(&options)?)));
    note(check_commit_key(config));
    note(commit_keys(config).map(drop));
    note(personal(config).map(drop));
    note(config.remote.check_files().map_err(WiringError::from));
    note(config.embedder.api_key().map(drop).map_err(WiringError::from));
    note(config.knowledge.api_key().map(drop).map_err(WiringError::from));
    note(config.model.api_key().map(drop).map_err(WiringError::from));
    note(oidc(config).map(drop));
    note(config.http.proxy.signature_key().map(drop).map_err(WiringError::from));
    note(config.traces.headers().map(drop).map_err(WiringError::from));
    note(config.http.api_token().map(drop).map_err(WiringError::from));
    for forge in &config.forges.connected {
        note(forge.secrets().map(drop).map_err(WiringError::from));
        note(forge.token().map(drop).map_err(WiringError::from));
    }
    // The same key may cause both.
    wrong.dedup_by(|b, a| a.to_string() == b.to_string());
    wrong
}
