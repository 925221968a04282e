//! What a tracer receives for a batch.

use super::*;
use crate::domain::intake::event::{RejectCode, Rejection, StreamKind};
use crate::domain::records::message::{Outgoing, Topic};
use crate::pipeline::{BatchCounts, Timings};
use crate::ports::{SpanStart, SpanValue};
use crate::text::ids::CommitId;
use jiff::Timestamp;
use std::sync::Mutex;
use std::time::Duration;

const THEIRS: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const UNSAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// Records spans, one per line, in the order in which they end. A span's context is its name.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

struct ToldSpan {
    told: Told,
    below: String,
    start: SpanStart,
    failed: Option<&'static str>,
}

impl Tracer for Told {
    fn begin(&self, start: SpanStart, within: Option<&TraceContext>) -> Option<Box<dyn Span>> {
        let below = within.map_or("nothing", |trace| &trace.traceparent).to_owned();
        let is_recorded = !below.ends_with("-00");
        is_recorded.then(|| Box::new(ToldSpan { told: self.clone(), below, start, failed: None }) as Box<dyn Span>)
    }

    fn end(&self, _: Duration) {}
}

impl Span for ToldSpan {
    fn context(&self) -> TraceContext {
        TraceContext { traceparent: self.start.name.clone(), tracestate: None }
    }

    fn begin(&self, start: SpanStart) -> Box<dyn Span> {
        Box::new(ToldSpan { told: self.told.clone(), below: self.start.name.clone(), start, failed: None })
    }

    fn fail(&mut self, code: &'static str) {
        self.failed = Some(code);
    }

    fn end(self: Box<Self>, at: Timestamp) {
        let SpanStart { name, kind, attributes, at: began } = &self.start;
        let ours = attributes.iter().filter(|(name, _)| name.starts_with("feedbackd."));
        let ours = ours.map(|(name, value)| match value {
            SpanValue::Text(text) => format!(" {}={text}", &name[10..]),
            SpanValue::Count(count) => format!(" {}={count}", &name[10..]),
        });
        let of = |at: &Timestamp| at.as_millisecond() % 1000;
        let failed = self.failed.map(|code| format!(" failed: {code}")).unwrap_or_default();
        let line = format!("{kind:?} {name} {}-{}{}{failed}", of(began), of(&at), ours.collect::<String>());
        self.told.0.lock().expect("one thread").push(format!("{line} below {}", self.below));
    }
}

fn entry(id: &str, traceparent: Option<&str>) -> RawEntry {
    RawEntry {
        stream: "t:in".into(),
        kind: StreamKind::HitlDecisions,
        id: id.into(),
        fields: traceparent.map(|trace| ("traceparent".to_owned(), trace.into())).into_iter().collect(),
        oversize: None,
        gate_request: None,
    }
}

fn message(key: &str) -> Outgoing {
    Outgoing {
        topic: Topic::Alerts,
        schema: "feedbackd.alert/1",
        idempotency_key: key.into(),
        tenant_id: String::new(),
        timestamp: Timestamp::UNIX_EPOCH,
        trace: None,
        data: "{}".into(),
    }
}

fn processed(outcomes: Vec<EntryOutcome>, messages: Vec<Outgoing>) -> ProcessedBatch {
    let ms = Duration::from_millis;
    ProcessedBatch {
        previous: None,
        commit: Some(CommitId("c0ffee".into())),
        outcomes,
        messages,
        counts: BatchCounts::default(),
        timings: Timings { embed: ms(10), evaluate: ms(20), commit: ms(30), index: ms(5), ..Timings::default() },
        catalogue_errors: Vec::new(),
        roster_error: None,
        model: None,
    }
}

/// Returns the recorded spans and the traces of their messages.
fn follow(entries: &[RawEntry], mut processed: ProcessedBatch, sent: bool) -> (String, Vec<Option<String>>) {
    let told = Told::default();
    let member = Member { group: "g".into(), consumer: "c".into(), prefix: "t:".into() };
    let traces = Traces { tracer: Some(Arc::new(told.clone())), member };
    let (began, ms) = (Instant::now(), Duration::from_millis);
    let moments = Moments { at: Timestamp::UNIX_EPOCH, began, durable: began + ms(100) };
    let followed = traces.follow(entries, &mut processed, &moments);
    followed.end(&moments, began + ms(150), began + ms(160), sent);
    let lines = told.0.lock().expect("one thread").join("\n");
    (lines, processed.messages.into_iter().map(|message| Some(message.trace?.traceparent)).collect())
}

#[test]
fn a_recorded_entry_is_told_with_its_steps_and_answers() {
    let outcomes = vec![EntryOutcome::Recorded("f-1".into()), EntryOutcome::Recorded("f-2".into())];
    let messages = vec![message("alert:f-1:x"), message("alert:f-2"), message("alert:RULE-1")];
    let entries = [entry("1-0", Some(THEIRS)), entry("2-0", Some(UNSAMPLED))];
    let (told, traces) = follow(&entries, processed(outcomes, messages), true);
    insta::assert_snapshot!(told, @r"
    Internal read 35-45 batch.entries=2 below process t:in
    Internal decide 45-65 batch.entries=2 below process t:in
    Internal commit 65-95 batch.entries=2 commit=c0ffee below process t:in
    Internal index 95-100 batch.entries=2 below process t:in
    Producer send t:asdlc:events:alerts 100-150 schema=feedbackd.alert/1 idempotency_key=alert:f-1:x below process t:in
    Client ack t:in 150-160 below process t:in
    Consumer process t:in 0-160 outcome=recorded id=f-1 commit=c0ffee below 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
    ");
    assert_eq!(traces, [Some("send t:asdlc:events:alerts".to_owned()), Some(UNSAMPLED.to_owned()), None]);
}

#[test]
fn what_changed_nothing_has_no_commit_and_what_failed_says_so() {
    let rejection = Rejection { code: RejectCode::InvalidJson, field: None, message: "it says this".into() };
    let outcomes = vec![
        EntryOutcome::Duplicate("f-1".into()),
        EntryOutcome::Rejected(rejection),
        EntryOutcome::Heard("t-1".into()),
    ];
    let entries = [entry("1-0", None), entry("2-0", None), entry("3-0", None)];
    let (told, _) = follow(&entries, processed(outcomes, vec![message("turn:t-1")]), false);
    let whole: Vec<&str> = told.lines().filter(|line| !line.starts_with("Internal")).collect();
    insta::assert_snapshot!(whole.join("\n"), @r"
    Producer send t:asdlc:events:alerts 100-150 schema=feedbackd.alert/1 idempotency_key=turn:t-1 failed: unconfirmed below process t:in
    Client ack t:in 150-160 below process t:in
    Consumer process t:in 0-160 outcome=duplicate id=f-1 below nothing
    Client ack t:in 150-160 below process t:in
    Consumer process t:in 0-160 outcome=rejected commit=c0ffee failed: invalid_json below nothing
    Client ack t:in 150-160 below process t:in
    Consumer process t:in 0-160 outcome=heard id=t-1 commit=c0ffee below nothing
    ");
}
