//! Embedders: static models, servers, and transformers (feature `minilm`); and a cache for vectors that are slow to
//! compute.
//!
//! The default needs no network, file or model server: token vectors distilled from all-MiniLM-L6-v2, compiled into the
//! binary. The configuration chooses the embedder, see `wiring`.

mod cached;
mod folder;
mod server;
mod static_model;
#[cfg(feature = "minilm")]
mod transformer;

pub use cached::CachedEmbedder;
pub use server::{ServerEmbedder, ServerOptions};
pub use static_model::StaticEmbedder;
#[cfg(feature = "minilm")]
pub use transformer::TransformerEmbedder;
