//! OpenTelemetry: spans for a collector, over OTLP and HTTP (feature `otel`).
//!
//! A thread of the SDK sends them. Spans that cannot be sent, or not fast enough, are dropped: nothing here ever waits
//! for a collector except daemon shutdown, and that for a limited time. Only spans are sent, no logs or metrics.

mod collector;
mod span;
mod tracer;

pub use tracer::{OtlpOptions, OtlpTracer};
