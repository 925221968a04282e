//! What is kept, where it lies, and what is published of it.
//!
//! In come feedback, groups and what people and channels sent. Out go records and their paths in the store, the rows of
//! the index that follow from a record, and the messages to publish. Nothing is decided here. This room may look into
//! the leaves, `language`, `channels`, `intake` and `grouping`.

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
