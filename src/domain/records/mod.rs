//! What is kept, where it is stored, and what is published of it.
//!
//! Input: feedback, clusters and what people and channels sent. Output: records and their paths in the store, the index
//! rows derived from them, and the messages to publish. Nothing is decided here. This module may use the leaves,
//! `language`, `channels`, `intake` and `grouping`.

pub mod asyncapi;
pub mod build;
pub mod index_update;
pub mod layout;
pub mod message;
pub mod notification;
pub mod origin;
pub mod purges;
pub mod record;
pub mod restore;
mod review_status;
mod rule_status;
mod side;
