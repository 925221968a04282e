//! Search for similar comments: an exact scan over all distinct vectors of a scope, or a source of candidates.
//!
//! The exact scan is the default: simple, and fast up to some ten thousand distinct texts per agent. The alternatives,
//! a Chroma server or an approximate index in memory (feature `usearch`), only propose rows. Their cosines are always
//! computed here, so that all backends agree on what they find.

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
