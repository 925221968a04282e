//! `/api/v1`: the channels beside gate decisions for programs (specification, "Turns", "Refinement", "Actions" and
//! "Review documents").
//!
//! Every call needs the token. The calls stand in `operations.rs`, from which both the routes and the OpenAPI document
//! are made. What comes in is answered and forgotten: it is neither logged nor stored.

mod asked;
mod guard;
mod openapi;
mod operation;
mod operations;
mod place;
mod requests;
mod service;

pub use place::ROOT;
pub use service::{Api, router};
