//! The AsyncAPI 3.1 document of all streams, in and out, generated from the types that are read and written.
//!
//! Keys are shown without a tenant's prefix or configuration changes. The schemas use draft 07, which AsyncAPI's own
//! tools read.

mod document;
mod entries;

pub use document::document;
pub use entries::{DecisionEntry, DispatcherEntry, DispatcherEvent, RefinementEntry, ReviewEntry};
