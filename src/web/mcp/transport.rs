//! The two transports: standard input and output, and streamable HTTP. Neither keeps a session.

use super::server::Server;
use super::state::{McpState, Rights};
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use thiserror::Error;

/// Why serving ended before the client disconnected.
#[derive(Debug, Error)]
pub enum TransportError {
    /// The client did not start with the protocol.
    #[error("the client does not speak MCP: {0}")]
    Begun(String),
    /// An internal defect.
    #[error("serving ended: {0}")]
    Defect(String),
}

/// Serves HTTP. `origins` lists the allowed page origins, as browsers write them; larger bodies are rejected. Host and
/// caller are checked earlier.
pub fn over_http(
    desk: McpState,
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

/// Serves standard input and output until the client closes it. The user who started it has all rights.
///
/// # Errors
/// If the client does not speak the protocol.
pub async fn over_stdio(desk: McpState) -> Result<(), TransportError> {
    let server = Server::new(desk, Rights { report: true });
    let running =
        server.serve(rmcp::transport::stdio()).await.map_err(|error| TransportError::Begun(error.to_string()))?;
    running.waiting().await.map(drop).map_err(|error| TransportError::Defect(error.to_string()))
}
