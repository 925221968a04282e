//! Each adapter against its real counterpart: Git, Redis, SQLite, servers of embeddings, vectors and models.

pub mod embedders;
mod git;
mod index;
mod knowledge;
mod model;
mod redis;
#[cfg(feature = "minilm")]
mod transformer;
