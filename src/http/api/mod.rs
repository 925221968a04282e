//! `/api/v1`: the channels beside gate decisions for programs (specification, "Turns", "Refinement", "Actions" and
//! "Review documents"), and stopping rules.
//!
//! Every call needs a token. The calls stand in `operations.rs`, from which both the routes and the OpenAPI document
//! are made. What comes in is not logged, and not stored either, but for what people decide.

pub(in crate::http) mod asked;
mod guard;
mod openapi;
mod operation;
mod operations;
mod place;
mod requests;
mod service;
mod stopping;

pub use place::ROOT;
pub use service::router;
