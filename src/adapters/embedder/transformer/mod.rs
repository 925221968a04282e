//! A sentence model of the BERT family, such as all-MiniLM-L6-v2, in a local folder. Only in programs that are built with
//! the feature `minilm`.
//!
//! Pure Rust (candle), on the processor; nothing is downloaded. It keeps no vectors: [`super::Kept`] does.

mod bert;
mod folder;

pub use bert::TransformerEmbedder;
