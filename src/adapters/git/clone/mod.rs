//! A third-party repository: a read-only clone. Its content may be damaged or malicious, so everything is bounded and
//! unreadable parts are skipped. Nothing is written, no program is run and no network is used.

mod hunk;
mod notes;
mod walk;

pub use walk::GitClone;
