//! Gerrit: events as `stream-events` and the webhooks plugin send them, and changes as its REST API says them.
//!
//! Neither says all: an event has no number and no inline comments, and the API says no vote but in the words of its
//! message. What both say becomes the same review under the same id, whichever comes first.

mod change;
mod comment;
mod event;
mod message;

pub(super) use change::{Change, say};
pub(super) use event::read;
pub(super) use message::{words, words_id};
