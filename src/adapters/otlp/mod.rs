//! OpenTelemetry: spans for a collector, over OTLP and HTTP (feature `otel`).
//!
//! A thread of the SDK sends them. What it cannot send, or not fast enough, is forgotten: nothing here ever waits for a
//! collector but the end of the daemon, and that for a limited time. Only spans are sent, no logs and no metrics.

mod collector;
mod span;
mod tracer;

pub use tracer::{OtlpOptions, OtlpTracer};
