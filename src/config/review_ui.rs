//! The section about the review UI's calls: who may send them, and whom its ids represent.

use super::http::token;
use super::problem::ConfigError;
use super::secret::Secret;
use super::words::parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::path::PathBuf;

/// `[review_ui]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewUiConfig {
    /// Whether `/api/feedback` is served.
    pub enabled: bool,
    /// The addresses that may call it, comma-separated; `loopback` is this machine.
    pub peers: String,
    /// A file with the token that the UI's server sends; empty: the systemd credential `review_ui_token` if it exists,
    /// else none.
    pub token_file: PathBuf,
    /// The people that the UI's ids represent: `id=person`, or `id@address=person` for one peer, comma-separated.
    pub people: String,
    /// Whether an unmapped id counts as the person with that id.
    pub roster_ids: bool,
    /// The id for people who fill in a gate's form, which is anonymous.
    pub gate_form_id: String,
}

/// The word for this machine in `peers`.
const LOOPBACK: &str = "loopback";

impl ReviewUiConfig {
    /// Reports whether this machine may call it.
    pub fn takes_loopback(&self) -> bool {
        parts(&self.peers).any(|part| part == LOOPBACK)
    }

    /// Returns the other addresses that may call it; `None` in place of an invalid one.
    pub fn addresses(&self) -> impl Iterator<Item = Option<IpAddr>> {
        parts(&self.peers).filter(|part| *part != LOOPBACK).map(|part| part.parse().ok())
    }

    /// Returns the token from `token_file`, without its trailing newline; `None` if no file is set.
    ///
    /// # Errors
    /// As [`super::HttpConfig::api_token`].
    pub fn token(&self) -> Result<Option<Secret>, ConfigError> {
        token(&self.token_file, "review_ui.token_file")
    }

    /// Returns each id with the person it represents; `None` in place of an invalid part.
    pub fn mapped(&self) -> impl Iterator<Item = Option<(&str, &str)>> {
        parts(&self.people).map(|part| {
            let (id, person) = part.split_once('=')?;
            let (id, person) = (id.trim(), person.trim());
            let address = id.rsplit_once('@').map(|(_, address)| address);
            let sound = address.is_none_or(|address| address.parse::<IpAddr>().is_ok() || address.contains('.'));
            (!id.is_empty() && !person.is_empty() && sound).then_some((id, person))
        })
    }
}
