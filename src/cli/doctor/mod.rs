//! `doctor`: looks at everything the daemon needs, and says what is wrong and how to mend it.
//!
//! It only looks: nothing is made, repaired or written, except a file of its own that it removes at once.

mod check;
mod host;
mod notices;
mod redis;
mod roster;
mod rules;
mod run;
mod store;
mod understanding;

pub use run::run;
