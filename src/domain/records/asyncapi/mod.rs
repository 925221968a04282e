//! The AsyncAPI 3.1 document of all streams, in and out, made from the types that are read and written.
//!
//! Keys stand there as they are without a tenant's prefix and without changes in the configuration. The schemas are of
//! draft 07, the one that AsyncAPI's own tools read.

mod document;
mod entries;

pub use document::document;
pub use entries::{DecisionEntry, DispatcherEntry, DispatcherEvent, RefinementEntry, ReviewEntry};
