//! Somebody else's repository: a clone that is only read. What it holds may be damaged or made to harm, so that everything
//! is bounded, and what cannot be read is left out. Nothing is written, no program is run and no network used.

mod hunk;
mod notes;
mod walk;

pub use walk::GitClone;
