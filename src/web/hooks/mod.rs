//! `POST /hooks/{name}`: webhooks of forges. No body is parsed before its signature is verified, and success is
//! returned only once its content is durable.

mod connected;
mod lock;
mod service;

pub use connected::Hooks;
pub use lock::WebhookSecrets;
pub use service::router;
