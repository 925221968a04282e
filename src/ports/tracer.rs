//! Spans: what was done for an entry, and when, told to whoever collects traces.

use crate::domain::intake::traceparent::TraceContext;
use jiff::Timestamp;
use std::time::Duration;

/// What a span is to those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// It deals with a message that somebody else sent.
    Consumer,
    /// It sends a message.
    Producer,
    /// It asks another program.
    Client,
    /// It is a step within.
    Internal,
}

/// What an attribute of a span says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanValue {
    /// An id, a code or a name: never what people say.
    Text(String),
    /// How many.
    Count(usize),
}

impl From<&str> for SpanValue {
    fn from(text: &str) -> SpanValue {
        SpanValue::Text(text.to_owned())
    }
}

/// What is said of a span when it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanStart {
    /// Few of them in all: what is done and where to, never an id.
    pub name: String,
    /// What it is to those around it.
    pub kind: SpanKind,
    /// What else is known of it.
    pub attributes: Vec<(&'static str, SpanValue)>,
    /// When it began.
    pub at: Timestamp,
}

/// Tells a collector of traces. It never waits for one, and forgets what cannot be told.
pub trait Tracer: Send + Sync {
    /// Begins a span: within a trace of another program, or in a trace of its own where `within` names none. `None` where
    /// it is not to be recorded: whoever began the trace decided so, or it is not in the share of those that are.
    fn begin(&self, span: SpanStart, within: Option<&TraceContext>) -> Option<Box<dyn Span>>;

    /// Sends what has ended and was not sent, for so long at most, and ends.
    fn end(&self, within: Duration);
}

/// A span that is recorded. One that is dropped ends then.
pub trait Span: Send {
    /// By what a program that is told of it goes on below it.
    fn context(&self) -> TraceContext;

    /// Begins a span below it.
    fn begin(&self, span: SpanStart) -> Box<dyn Span>;

    /// Says that what it is about failed, by a code.
    fn fail(&mut self, code: &'static str);

    /// Ends it.
    fn end(self: Box<Self>, at: Timestamp);
}
