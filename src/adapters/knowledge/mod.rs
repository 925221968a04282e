//! What finds near remarks: an exact scan over all distinct vectors of a scope, or something that proposes candidates.
//!
//! The exact scan is the default: simple, and fast up to some ten thousand distinct texts per agent. What stands beside
//! it, a Chroma server or an approximate index in memory (feature `usearch`), only proposes rows; their cosines are always
//! computed here, so that all say the same of what they find.

mod approximate;
mod chroma;
mod exact;
#[cfg(feature = "usearch")]
mod usearch;

pub use approximate::{Approximate, Candidates};
pub use chroma::{Chroma, ChromaOptions};
pub use exact::ExactScan;
#[cfg(feature = "usearch")]
pub use usearch::Usearch;
