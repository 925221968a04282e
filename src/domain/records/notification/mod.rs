//! Notifications to people and their programs: thin, and built from published messages.
//!
//! A notification states what happened to what, and where to find it. It gives the titles of rules and reasons, and
//! quotes no comment and no diff: those stay in the store.

mod build;
mod kind;
mod message;
mod style;

pub use build::{notice_of, page_of};
pub use kind::NotificationKind;
pub use message::{Notification, Progress};
pub use style::Style;
