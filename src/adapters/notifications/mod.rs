//! Delivery of notifications to people and programs: the queue on disk, and a client for each kind of endpoint.
//!
//! | file | what |
//! |---|---|
//! | `queue` | the queue, in SQLite |
//! | `guard` | protection of private networks |
//! | `post` | one HTTP request, and the meaning of its response |
//! | `shapes` | the format for each kind of receiver |
//! | `hook` | webhooks and chat |
//! | `mail` | mail |

#![allow(clippy::disallowed_types, reason = "the queue is a database of its own")]

mod guard;
mod hook;
mod mail;
mod post;
mod queue;
mod shapes;

pub use hook::{Hook, HookOptions};
pub use mail::{MailOptions, Mailer, Smtp, SmtpTls};
pub use queue::SqliteQueue;
