//! The section about logging in through an OpenID Connect provider.

use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use super::words::parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The claims that may identify a person.
pub const CLAIMS: [&str; 3] = ["email", "preferred_username", "sub"];

/// `[http.oidc]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    /// The provider, exactly as it names itself; empty: no login this way.
    pub issuer: String,
    /// Our client id at the provider.
    pub client_id: String,
    /// A file that holds the client secret; empty: none.
    pub client_secret_file: PathBuf,
    /// The claim that identifies the person.
    pub claim: String,
    /// Maps claims to roster ids, `claim=id`, comma-separated.
    pub people: String,
    /// Hosts of the provider's addresses in addition to the issuer's own, comma-separated.
    pub hosts: String,
}

impl OidcConfig {
    /// Reports whether this login is enabled.
    pub fn is_on(&self) -> bool {
        !self.issuer.is_empty()
    }

    /// Returns claim values with the people they represent; `None` for an invalid part.
    pub fn mapped(&self) -> impl Iterator<Item = Option<(&str, &str)>> {
        parts(&self.people).map(|part| {
            let (claim, person) = part.rsplit_once('=')?;
            let (claim, person) = (claim.trim(), person.trim());
            (!claim.is_empty() && !person.is_empty()).then_some((claim, person))
        })
    }

    /// Returns the other hosts.
    pub fn host_names(&self) -> impl Iterator<Item = &str> {
        parts(&self.hosts)
    }

    /// Returns the client secret.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read.
    pub fn client_secret(&self) -> Result<Option<Secret>, ConfigError> {
        if self.client_secret_file == Path::new("") {
            return Ok(None);
        }
        let text = read_file(&self.client_secret_file, "http.oidc.client_secret_file")?;
        Ok(Some(Secret::new(text.trim())).filter(|secret| !secret.expose().is_empty()))
    }
}
