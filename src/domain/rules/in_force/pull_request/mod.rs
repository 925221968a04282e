//! Pull requests for rules: the changes to a repository's files, the next step, and the text.
//!
//! Input: the files on the base branch, the daemon's branch and pull requests, and the rules in force. Output: the
//! files to write, a step and a text. It queries no forge.

mod draft;
mod step;
mod text;

pub use draft::{BaseFile, Change, Changes, Draft, FileChange, draft};
pub use step::{Branch, Marker, OWN_BRANCHES, Pull, Step, branch_name, made_by_us, message, step};
pub use text::{RuleFacts, Text, closing_text, text};
