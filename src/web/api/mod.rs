//! `/api/v1`: what was learned and what people decide about it, and the channels beside gate decisions for programs
//! (specification, "Turns", "Refinement", "Actions" and "Review documents").
//!
//! Every call needs a token. The calls stand in `operations.rs` and `learned/`, from which both the routes and the OpenAPI
//! document are made. What comes in is not logged, and not stored either, but for what people decide.

mod agents;
mod cursor;
mod guard;
mod idempotency;
mod learned;
mod openapi;
mod operation;
mod operations;
mod pointers;
pub(crate) mod request;
mod requests;
mod response;
mod rule_stops;
mod service;
mod submission;
mod table;

pub use guard::admit;
pub use service::router;
