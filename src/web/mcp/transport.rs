//! The two ways in: standard input and output, and streamable HTTP. Neither keeps a session.

use super::server::Server;
use super::state::{Desk, Rights};
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use thiserror::Error;

/// Why serving ended before the client went away.
#[derive(Debug, Error)]
pub enum Ended {
    /// The client began with something else than the protocol.
    #[error("the client does not speak MCP: {0}")]
    Begun(String),
    /// A defect ended it.
    #[error("serving ended: {0}")]
    Defect(String),
}

/// Answers over HTTP. `origins` are those whose pages may ask, as browsers write them; a body of more bytes is refused.
/// Host and caller are looked at before.
pub fn over_http(
    desk: Desk,
    origins: &[String],
    body_bytes: usize,
) -> StreamableHttpService<Server, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body_bytes)
        .disable_allowed_hosts()
        .with_allowed_origins(origins)
        .enforce_origin_validation();
    let server = Server::new(desk, Rights::default());
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config)
}

/// Answers over standard input and output until the client closes it. Whoever started it may do all.
///
/// # Errors
/// Where the client does not speak the protocol.
pub async fn over_stdio(desk: Desk) -> Result<(), Ended> {
    let server = Server::new(desk, Rights { report: true });
    let running = server.serve(rmcp::transport::stdio()).await.map_err(|error| Ended::Begun(error.to_string()))?;
    running.waiting().await.map(drop).map_err(|error| Ended::Defect(error.to_string()))
}
