//! `POST /hooks/{name}`: webhooks of forges. No body is parsed before its signature is verified, and success is
//! returned only once its content is durable.

mod connected;
mod service;
mod webhook_secrets;

pub use connected::Hooks;
pub use service::router;
pub use webhook_secrets::WebhookSecrets;
