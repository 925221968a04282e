//! The section about the review UI's calls: who may send them, and for whom the ids stand that it names.

use super::http::token;
use super::problem::ConfigError;
use super::secret::Secret;
use super::words::parts;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::path::PathBuf;

/// `[review_ui]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewUiConfig {
    /// Whether `/api/feedback` is answered.
    pub enabled: bool,
    /// The addresses that may call it, with commas between them; `loopback` is this machine.
    pub peers: String,
    /// A file with the token that the UI's server shows; empty: the systemd credential `review_ui_token` where there is one,
    /// else it shows none.
    pub token_file: PathBuf,
    /// For whom the ids stand that the UI names: `id=person`, or `id@address=person` for one peer, with commas between them.
    pub people: String,
    /// Whether an id that stands for nobody counts as the person of that id.
    pub roster_ids: bool,
    /// The id that stands for whoever fills in the form at a gate, which names nobody.
    pub gate_form_id: String,
}

impl Default for ReviewUiConfig {
    fn default() -> Self {
        ReviewUiConfig {
            enabled: false,
            peers: "loopback".to_owned(),
            token_file: PathBuf::new(),
            people: String::new(),
            roster_ids: false,
            gate_form_id: "admin".to_owned(),
        }
    }
}

/// The word for this machine among the peers.
const LOOPBACK: &str = "loopback";

impl ReviewUiConfig {
    /// Whether this machine may call it.
    pub fn takes_loopback(&self) -> bool {
        parts(&self.peers).any(|part| part == LOOPBACK)
    }

    /// The other addresses that may; nothing in place of what is no address.
    pub fn addresses(&self) -> impl Iterator<Item = Option<IpAddr>> {
        parts(&self.peers).filter(|part| *part != LOOPBACK).map(|part| part.parse().ok())
    }

    /// The token from `token_file`, without the newline at its end; `None` if no file is set.
    ///
    /// # Errors
    /// As [`super::HttpConfig::api_token`].
    pub fn token(&self) -> Result<Option<Secret>, ConfigError> {
        token(&self.token_file, "review_ui.token_file")
    }

    /// Each id with the person that it stands for; nothing in place of what says neither.
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
