//! `/api/v1`: what was learned and what people decide about it, and the channels beside gate decisions for programs
//! (specification, "Turns", "Refinement", "Actions" and "Review documents").
//!
//! Every call needs a token. The calls stand in `operations.rs` and `learned/`, from which both the routes and the OpenAPI
//! document are made. What comes in is not logged, and not stored either, but for what people decide.

mod agents;
pub(in crate::http) mod asked;
mod cursor;
mod guard;
mod learned;
mod once;
mod openapi;
mod operation;
mod operations;
mod pointers;
mod requests;
mod sent;
mod service;
mod stopping;
mod table;
mod told;

pub use guard::admit;
pub use service::router;
