//! The Model Context Protocol for agents' clients, over standard input and output or over HTTP, in the revisions of
//! 2025-11-25 and 2026-07-28.
//!
//! It answers from the service layer alone and decides nothing. HTTP access control is elsewhere.

mod comments;
mod rules;
mod schema;
mod server;
mod shapes;
mod skills;
mod state;
mod tools;
mod transport;

pub use state::{McpState, Rights};
pub use transport::{TransportError, over_http, over_stdio};
