//! The page that people read and decide on: compiled templates, one style sheet, one script, nothing from outside.
//!
//! All that is shown comes from the service layer, and all of it may have been written by anybody: templates escape
//! it, and characters that nobody sees are shown by their codes.

mod answering;
mod assets;
mod contradictions;
mod dead_letters;
mod deciding;
mod demands;
mod failure;
mod filled;
mod finding;
mod forms;
mod frame;
mod groups;
mod headers;
mod imports;
mod inbox;
mod keeping;
mod map;
mod pages;
mod parts;
mod plot;
mod proposals;
mod questions;
mod routes;
mod rules;
mod seen;
mod shapes;
mod signing;
mod stale;
mod visit;

use crate::html::{link, text};

pub use deciding::hand_in_held;
pub use pages::Pages;
pub use routes::router;
