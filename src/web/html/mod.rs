//! Parts of pages that are shown by the daemon and written to files alike: text from outside as HTML, addresses, and what
//! reviewers keep asking for.
//!
//! What is asked and answered over HTTP is not said here.

mod demands;
pub mod link;
mod strip;
pub mod text;

pub use demands::{Links, demands_body, demands_file};
