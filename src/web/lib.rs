//! The daemon's HTTP side: `/health`, `/ready` and `/metrics` for everyone, `/api/v1` for token holders, and the login
//! pages (specification, "HTTP").
//!
//! The first three have no authentication, so it belongs on a loopback address. Queries change nothing; decisions go
//! over the review stream.

use feedbackd_app as app;
use feedbackd_domain as domain;
use feedbackd_metrics as metrics;
use feedbackd_text as text;

mod api;
mod asset;
mod auth;
mod body;
mod cache_control;
mod dead_letter_retry;
mod demands_cache;
mod header;
mod hooks;
pub mod html;
pub mod mcp;
mod mcp_http;
mod memo;
mod page;
mod paths;
mod problem;
mod redirect;
mod review_ui;
mod router;
mod schemas;
mod server;
mod services;
mod signature;
mod submission;
mod undo_buffer;

pub use auth::{
    AuthMethod, BACK, Caller, Claim, GapKey, Identity, Oidc, OidcOptions, People, Proxy, RequestError, Scope,
    SendRequest,
};
pub use demands_cache::{DemandsCache, Notes};
pub use hooks::{Hooks, WebhookSecrets};
pub use page::hand_in_held;
pub use problem::Problem;
pub use review_ui::{ReviewUi, StandIns};
pub use router::{Endpoints, router};
pub use schemas::PublishedSchema;
pub use server::limits::Limits;
pub use server::listener::serve;
pub use services::Services;
pub use undo_buffer::UndoBuffer;
