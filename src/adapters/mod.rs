//! The outside systems, one module each. Siblings never import each other.

pub mod clock;
pub mod corrections;
pub mod embedder;
pub mod git;
pub mod index;
pub mod knowledge;
pub mod memory;
pub mod model;
pub mod notices;
#[cfg(feature = "otel")]
pub mod otlp;
pub mod private;
pub mod redis;
pub mod rest;
pub mod ssh;
