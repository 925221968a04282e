//! The web page for reading and deciding: compiled templates, one style sheet, one script, nothing external.
//!
//! All content comes from the service layer and may have been written by anyone: templates escape it, and invisible
//! characters are shown by their codes.

mod admin;
mod agents;
mod answers;
mod assets;
mod clusters;
mod contradictions;
mod dead_letters;
mod demands;
mod failure;
mod form_values;
mod forms;
mod frame;
mod headers;
mod imports;
mod inbox;
mod inbox_filter;
mod map;
mod pages;
mod parts;
mod plot;
mod proposals;
mod questions;
mod request;
mod routes;
mod rules;
mod search;
mod selected;
mod shapes;
mod signature;
mod snapshot;
mod snooze;
mod stale;
mod submit;

use super::html::{link, text};
use crate::domain::reporting::headline;

pub use pages::Pages;
pub use routes::router;
pub use submit::hand_in_held;
