//! The API of a forge: from the configuration to its client.

use super::error::WiringError;
use crate::adapters::rest::{ForgeServer, ForgeServerOptions};
use crate::config::{ForgeConfig, ForgeKind, Secret};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::time::Duration;

/// Time limit for a page.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the forge's API client.
pub(super) fn server(forge: &ForgeConfig) -> Result<ForgeServer, WiringError> {
    let refused = |why: String| WiringError::Forge(format!("{}: {why}", forge.name));
    let (accept, header, before) = match forge.kind {
        ForgeKind::Github => ("application/vnd.github+json", "authorization", "Bearer "),
        ForgeKind::Gitea | ForgeKind::Forgejo => ("application/json", "authorization", "token "),
        ForgeKind::Gitlab => ("application/json", "private-token", ""),
        ForgeKind::Gerrit => ("application/json", "authorization", "Basic "),
    };
    let Some(url) = forge.api() else {
        return Err(refused(
            "its `api_url` is missing; set it, for example to https://git.example.org/api/v1".to_owned(),
        ));
    };
    let (mut url, mut token) = (url.trim_end_matches('/').to_owned(), forge.token()?);
    if forge.kind == ForgeKind::Gerrit
        && let Some(given) = &token
    {
        if !given.expose().contains(':') {
            return Err(refused(
                "its `token_file` must contain USER:PASSWORD, with the HTTP password of Gerrit".to_owned(),
            ));
        }
        token = Some(Secret::new(STANDARD.encode(given.expose())));
        // Below it Gerrit authenticates; elsewhere access is anonymous.
        if !url.ends_with("/a") {
            url += "/a";
        }
    }
    let token = token.map(|token| (header, before, token));
    let options = ForgeServerOptions { url, token, accept, timeout: TIMEOUT };
    ForgeServer::new(options).map_err(|why| refused(why.to_string()))
}
