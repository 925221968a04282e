//! The section about logging in through a provider of OpenID Connect.

use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use super::words::parts;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The claims that may say who somebody is.
pub const CLAIMS: [&str; 3] = ["email", "preferred_username", "sub"];

/// `[http.oidc]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OidcConfig {
    /// The provider, to the letter as it calls itself; empty: nobody logs in this way.
    pub issuer: String,
    /// What the provider calls us.
    pub client_id: String,
    /// A file that holds what proves that to it; empty: nothing does.
    pub client_secret_file: PathBuf,
    /// The claim that says who it is.
    pub claim: String,
    /// Who is whom on the roster, `claim=id`, with commas between them.
    pub people: String,
    /// The hosts that the provider's addresses lie on beside the issuer's own, with commas between them.
    pub hosts: String,
}

impl Default for OidcConfig {
    fn default() -> Self {
        OidcConfig {
            issuer: String::new(),
            client_id: String::new(),
            client_secret_file: PathBuf::new(),
            claim: "email".to_owned(),
            people: String::new(),
            hosts: String::new(),
        }
    }
}

impl OidcConfig {
    /// Whether somebody can log in this way.
    pub fn is_on(&self) -> bool {
        !self.issuer.is_empty()
    }

    /// What a claim says, with the person that it stands for; nothing in place of what says neither.
    pub fn mapped(&self) -> impl Iterator<Item = Option<(&str, &str)>> {
        parts(&self.people).map(|part| {
            let (claim, person) = part.rsplit_once('=')?;
            let (claim, person) = (claim.trim(), person.trim());
            (!claim.is_empty() && !person.is_empty()).then_some((claim, person))
        })
    }

    /// The other hosts.
    pub fn host_names(&self) -> impl Iterator<Item = &str> {
        parts(&self.hosts)
    }

    /// What proves to the provider who we are.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] where the file is set but cannot be read.
    pub fn client_secret(&self) -> Result<Option<Secret>, ConfigError> {
        if self.client_secret_file == Path::new("") {
            return Ok(None);
        }
        let text = read_file(&self.client_secret_file, "http.oidc.client_secret_file")?;
        Ok(Some(Secret::new(text.trim())).filter(|secret| !secret.expose().is_empty()))
    }
}
