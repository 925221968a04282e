//! An SDK span, and how its trace continues elsewhere (W3C Trace Context).

use crate::domain::intake::traceparent::TraceContext;
use crate::ports::{Span, SpanKind, SpanStart, SpanValue};
use jiff::Timestamp;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind as OtelKind, Status, TraceContextExt, Tracer as _};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, Span as SdkSpan};
use std::collections::HashMap;
use std::time::SystemTime;

const PARENT: &str = "traceparent";
const STATE: &str = "tracestate";

/// A recorded span.
pub(super) struct OtlpSpan {
    tracer: SdkTracer,
    span: SdkSpan,
}

/// Returns the context a span starts in: another program's trace, or a new one.
pub(super) fn remote(trace: Option<&TraceContext>) -> Context {
    let Some(trace) = trace else { return Context::new() };
    let mut fields = HashMap::from([(PARENT.to_owned(), trace.traceparent.clone())]);
    fields.extend(trace.tracestate.clone().map(|state| (STATE.to_owned(), state)));
    TraceContextPropagator::new().extract_with_context(&Context::new(), &fields)
}

impl OtlpSpan {
    /// Starts a span; `None` if it is not recorded.
    pub(super) fn begin(tracer: &SdkTracer, start: SpanStart, within: Context) -> Option<OtlpSpan> {
        let span = OtlpSpan::begin_anyway(tracer, start, &within);
        span.span.is_recording().then_some(span)
    }

    fn begin_anyway(tracer: &SdkTracer, start: SpanStart, within: &Context) -> OtlpSpan {
        let attributes = start.attributes.into_iter().map(|(name, value)| KeyValue::new(name, of_value(value)));
        let span = SpanBuilder::from_name(start.name)
            .with_kind(match start.kind {
                SpanKind::Consumer => OtelKind::Consumer,
                SpanKind::Producer => OtelKind::Producer,
                SpanKind::Client => OtelKind::Client,
                SpanKind::Internal => OtelKind::Internal,
            })
            .with_start_time(SystemTime::from(start.at))
            .with_attributes(attributes);
        OtlpSpan { tracer: tracer.clone(), span: tracer.build_with_context(span, within) }
    }

    fn here(&self) -> Context {
        Context::new().with_remote_span_context(self.span.span_context().clone())
    }
}

impl Span for OtlpSpan {
    fn context(&self) -> TraceContext {
        let mut fields = HashMap::new();
        TraceContextPropagator::new().inject_context(&self.here(), &mut fields);
        TraceContext {
            traceparent: fields.remove(PARENT).unwrap_or_default(),
            tracestate: fields.remove(STATE).filter(|state: &String| !state.is_empty()),
        }
    }

    fn begin(&self, span: SpanStart) -> Box<dyn Span> {
        Box::new(OtlpSpan::begin_anyway(&self.tracer, span, &self.here()))
    }

    fn fail(&mut self, code: &'static str) {
        self.span.set_attribute(KeyValue::new("error.type", code));
        self.span.set_status(Status::error(code));
    }

    fn end(mut self: Box<Self>, at: Timestamp) {
        self.span.end_with_timestamp(SystemTime::from(at));
    }
}

fn of_value(value: SpanValue) -> Value {
    match value {
        SpanValue::Text(text) => text.into(),
        SpanValue::Count(count) => i64::try_from(count).unwrap_or(i64::MAX).into(),
    }
}
