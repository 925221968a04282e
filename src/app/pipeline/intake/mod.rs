//! First step of a batch: entries are decoded, recorded, captured as feedback and read.

pub mod capture;
pub mod channels;
pub mod decode;
pub mod ingest;
pub mod merge_duplicate;
pub mod prefetch;
pub mod read;
pub mod rejections;
