//! Page parts shared by the daemon's pages and written files: external text as HTML, addresses, and recurring demands.
//!
//! HTTP itself is handled elsewhere.

mod demands;
pub mod link;
mod strip;
pub mod text;

pub use demands::{Links, demands_body, demands_file};
