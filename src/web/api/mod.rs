//! `/api/v1`: what was learned, people's decisions about it, and programs' access to the channels other than gate
//! decisions (specification, "Turns", "Refinement", "Actions" and "Review documents").
//!
//! Every call needs a token. The calls are defined in `operations.rs` and `learned/`, from which both the routes and
//! the OpenAPI document are built. Requests are neither logged nor stored, except people's decisions.

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
