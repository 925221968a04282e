//! Rules offered to a repository by a pull request: what would change in its files, what is to be done about it, and what
//! the pull request says.
//!
//! In come the files as they stand on the base branch, our branch, our pull requests and the rules in force. Out come the
//! files to be written, a step and a text. It asks no forge.

mod draft;
mod step;
mod text;

pub use draft::{Change, Changes, Draft, Found, Written, draft};
pub use step::{Branch, Marker, OWN_BRANCHES, Pull, Step, branch_name, made_by_us, message, step};
pub use text::{RuleFacts, Text, closing_text, text};
