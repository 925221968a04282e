//! What brings notices to people and programs: the queue on disk, and what speaks to each kind of endpoint.
//!
//! | file | what |
//! |---|---|
//! | `queue` | the queue, in SQLite |
//! | `guard` | no way into private networks |
//! | `post` | one request over HTTP, and what its answer means |
//! | `shapes` | what each kind of receiver takes |
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
