//! `POST /hooks/{name}`: webhooks of forges. Nothing is read of a body before its signature is right, and nothing is
//! answered well before what it says is durable.

mod connected;
mod lock;
mod service;

pub use connected::Hooks;
pub use lock::Lock;
pub use service::router;
