//! Gerrit: events as sent by `stream-events` and the webhooks plugin, and changes from its REST API.
//!
//! Neither is complete: an event has no number and no inline comments, and the API only reports votes in the words of
//! its message. What both report becomes the same review under the same id, whichever comes first.

mod change;
mod comment;
mod event;
mod message;

pub(super) use change::{Change, say};
pub(super) use event::read;
pub(super) use message::{words, words_id};
