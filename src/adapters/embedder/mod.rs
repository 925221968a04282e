//! What makes vectors of texts: static models, servers, and transformers (feature `minilm`); and what keeps vectors that are
//! slow to make.
//!
//! The default needs no network, no file and no model server: token vectors distilled from all-MiniLM-L6-v2, compiled
//! into the binary. Which one is used is the configuration's decision, see `wiring`.

mod cached;
mod folder;
mod server;
mod static_model;
#[cfg(feature = "minilm")]
mod transformer;

pub use cached::Kept;
pub use server::{ServerEmbedder, ServerOptions};
pub use static_model::StaticEmbedder;
#[cfg(feature = "minilm")]
pub use transformer::TransformerEmbedder;
