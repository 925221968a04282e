//! The one integration test binary: a harness, then a file per behaviour.

mod harness;
mod redis_probe;
mod redis_publisher;
mod redis_source;
