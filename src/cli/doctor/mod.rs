//! `doctor`: looks at everything the daemon needs, and says what is wrong and how to mend it.
//!
//! It only looks: nothing is made, repaired or written, except files and a key of its own that it removes at once. What
//! it says can be written, it wrote. Where a daemon runs, that is asked as well.

pub(super) mod check;
mod daemon;
mod host;
mod models;
mod notifications;
mod redis;
mod roster;
mod rules;
mod run;
mod store;

pub use run::run;
