//! A sentence model of the BERT family, such as all-MiniLM-L6-v2, in a local folder. Only in builds with the feature
//! `minilm`.
//!
//! Pure Rust (candle), on the CPU; nothing is downloaded. It caches no vectors: [`super::CachedEmbedder`] does.

mod bert;
mod folder;

pub use bert::TransformerEmbedder;
