//! Spans: what was done for an entry, and when, sent to a trace collector.

use crate::domain::intake::traceparent::TraceContext;
use jiff::Timestamp;
use std::time::Duration;

/// A span's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Processes a message from another sender.
    Consumer,
    /// Sends a message.
    Producer,
    /// Calls another program.
    Client,
    /// An internal step.
    Internal,
}

/// The value of a span attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanValue {
    /// An id, a code or a name: never people's text.
    Text(String),
    /// A count.
    Count(usize),
}

impl From<&str> for SpanValue {
    fn from(text: &str) -> SpanValue {
        SpanValue::Text(text.to_owned())
    }
}

/// A span's initial data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanStart {
    /// A low-cardinality name: operation and target, never an id.
    pub name: String,
    /// Its role.
    pub kind: SpanKind,
    /// Further attributes.
    pub attributes: Vec<(&'static str, SpanValue)>,
    /// The start time.
    pub at: Timestamp,
}

/// Sends to a trace collector. Never waits for it, and drops what cannot be sent.
pub trait Tracer: Send + Sync {
    /// Begins a span: within another program's trace, or in a new trace if `within` names none. `None` if it is not
    /// recorded: the trace's origin decided so, or it was not sampled.
    fn begin(&self, span: SpanStart, within: Option<&TraceContext>) -> Option<Box<dyn Span>>;

    /// Sends finished spans not yet sent, taking at most `within`, and stops.
    fn end(&self, within: Duration);
}

/// A recorded span. Dropping it ends it.
pub trait Span: Send {
    /// Returns the context under which another program continues the trace.
    fn context(&self) -> TraceContext;

    /// Begins a child span.
    fn begin(&self, span: SpanStart) -> Box<dyn Span>;

    /// Marks the span as failed, with a code.
    fn fail(&mut self, code: &'static str);

    /// Ends the span.
    fn end(self: Box<Self>, at: Timestamp);
}
