//! What makes vectors of texts: static models, servers, and transformers (feature `minilm`); and what keeps vectors that are
//! slow to make.
//!
//! The default needs no network, no file and no model server: token vectors distilled from all-MiniLM-L6-v2, compiled
//! into the binary. Which one is used is the configuration's decision, see `wiring`.

mod folder;
mod kept;
mod server;
mod statics;
#[cfg(feature = "minilm")]
mod transformer;

pub use kept::Kept;
pub use server::{ServerEmbedder, ServerOptions};
pub use statics::StaticEmbedder;
#[cfg(feature = "minilm")]
pub use transformer::TransformerEmbedder;
