//! What is persisted, where it lies, and what goes out.

pub mod build;
pub mod channel;
pub mod index_update;
pub mod layout;
pub mod message;
pub mod record;
