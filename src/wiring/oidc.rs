//! Logging in through a provider, if configured.

use super::error::WiringError;
use crate::adapters::rest::ask_provider;
use crate::config::{Config, Secret};
use crate::daemon::{BACK, Claim, Oidc, OidcOptions, RequestError};

/// Returns the login provider; `None` if none is configured. Nothing is contacted.
///
/// # Errors
/// If the client's secret cannot be read, or an address is invalid.
pub(super) fn oidc(config: &Config) -> Result<Option<Oidc>, WiringError> {
    let section = &config.http.oidc;
    if !section.is_on() {
        return Ok(None);
    }
    let people = section.mapped().flatten().map(|(claim, id)| (claim.to_owned(), id.to_owned()));
    let options = OidcOptions {
        issuer: section.issuer.clone(),
        client_id: section.client_id.clone(),
        client_secret: section.client_secret()?.as_ref().map(Secret::expose).map(str::to_owned),
        redirect: format!("{}{BACK}", config.http.public_url),
        claim: match section.claim.as_str() {
            "preferred_username" => Claim::PreferredUsername,
            "sub" => Claim::Subject,
            _ => Claim::Email,
        },
        people: people.collect(),
        hosts: section.host_names().map(str::to_owned).collect(),
        ask: Box::new(|request| ask_provider(request).map_err(RequestError)),
    };
    Oidc::new(options).map(Some).map_err(WiringError::Oidc)
}
