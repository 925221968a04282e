//! What people and their programs are told of: thin notices, made from what was published.
//!
//! A notice says what happened to what, and where to look. It names the titles of rules and why something was done, and
//! quotes no remark and no diff: those stay in the store.

mod build;
mod kind;
mod notification;
mod style;

pub use build::notice_of;
pub use kind::NoticeKind;
pub use notification::{Notice, Progress};
pub use style::Style;
