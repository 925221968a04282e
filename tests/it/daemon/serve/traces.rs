//! Traces, with the feature `otel`: what a collector receives about an entry, and that nothing waits for it.

use super::World;
use crate::harness::collector::{Collector, attribute, hex};
use crate::harness::streams::{DEAD_LETTERS, DECISIONS, EVALUATED, Entry, add, decision, entries};
use crate::harness::wait_until;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use std::net::TcpListener;
use std::time::{Duration, Instant};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

fn decide(world: &World, id: &str, more: &[(&str, &str)]) {
    let data = decision(id, "ann", "REJECTED", Some("The handler swallows its errors")).to_string();
    add(&world.redis, DECISIONS, &[&[("data", data.as_str())], more].concat());
}

fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{CALLER}-{flags}")
}

fn children(spans: &[Span], parent: &Span) -> Vec<Span> {
    spans.iter().filter(|span| span.parent_span_id == parent.span_id).cloned().collect()
}

fn named(spans: &[Span], name: &str) -> Span {
    let found: Vec<&Span> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name}: {:?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>());
    found[0].clone()
}

fn of(span: &Span, name: &str) -> String {
    attribute(&span.attributes, name).unwrap_or_else(|| panic!("no {name} in {span:?}"))
}

fn answer(world: &World, id: &str) -> Entry {
    let key = format!("feedback_evaluated:{}:", world.record(id).feedback.feedback_id);
    entries(&world.redis, EVALUATED).into_iter().find(|entry| entry.key().starts_with(&key)).expect("an answer")
}

#[test]
fn a_trace_goes_from_the_entry_over_the_commit_to_the_message() {
    let collector = Collector::start();
    let headers = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(headers.path(), "Authorization: Bearer hunter2hunter2\n").expect("written");
    let world = World::with(&[
        ("TRACES__ENDPOINT", &collector.url()),
        ("TRACES__HEADERS_FILE", &headers.path().display().to_string()),
        ("TRACES__ATTRIBUTES", "deployment.environment.name=test"),
    ]);
    decide(&world, "d1", &[("traceparent", &traceparent("01")), ("tracestate", "rojo=1,congo=2")]);
    // Its trace is not recorded, or it has none.
    decide(&world, "d2", &[("traceparent", &traceparent("00"))]);
    decide(&world, "d3", &[]);
    world.drain();
    wait_until("the spans have come", || collector.spans().iter().any(|span| span.name.starts_with("ack ")));

    let spans = collector.spans();
    assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE), "{spans:?}");
    let entry = named(&spans, &format!("process {DECISIONS}"));
    assert_eq!(entry.kind, SpanKind::Consumer as i32);
    assert_eq!(hex(&entry.parent_span_id), CALLER);
    assert_eq!(entry.trace_state, "rojo=1,congo=2");
    let record = world.record("d1");
    assert_eq!(of(&entry, "messaging.system"), "redis");
    assert_eq!(of(&entry, "messaging.destination.name"), DECISIONS);
    assert_eq!(of(&entry, "messaging.message.id"), record.source.entry_id);
    assert_eq!(of(&entry, "messaging.consumer.group.name"), "feedbackd");
    assert_eq!(of(&entry, "feedbackd.outcome"), "recorded");
    assert_eq!(of(&entry, "feedbackd.id"), record.feedback.feedback_id);
    let path = world.site.files("feedback/decisions").into_iter().find(|(path, _)| path.ends_with("/d1.yaml"));
    let first = world.site.git(&["log", "--format=%H", "--diff-filter=A", "main", "--", &path.expect("a record").0]);
    assert_eq!(of(&entry, "feedbackd.commit"), first.trim());

    let below = children(&spans, &entry);
    let message = named(&below, &format!("send {EVALUATED}"));
    let mut at = entry.start_time_unix_nano;
    for step in ["read", "decide", "commit", "index", &message.name, &format!("ack {DECISIONS}")] {
        let span = named(&below, step);
        assert!(at <= span.start_time_unix_nano && span.start_time_unix_nano <= span.end_time_unix_nano, "{step}");
        at = span.end_time_unix_nano;
    }
    assert!(at <= entry.end_time_unix_nano);
    assert_eq!(of(&named(&below, "commit"), "feedbackd.commit"), first.trim());
    assert_eq!(message.kind, SpanKind::Producer as i32);

    let answered = answer(&world, "d1");
    assert_eq!(of(&message, "feedbackd.idempotency_key"), answered.key());
    assert_eq!(answered.fields["traceparent"], format!("00-{TRACE}-{}-01", hex(&message.span_id)));
    assert_eq!(answered.fields["tracestate"], "rojo=1,congo=2");
    assert_eq!(answer(&world, "d2").fields["traceparent"], traceparent("00"));
    assert_eq!(answer(&world, "d3").fields.get("traceparent"), None);

    let taken = &collector.taken()[0];
    assert!(taken.head.starts_with("POST /v1/traces "), "{}", taken.head);
    assert!(taken.head.to_lowercase().contains("authorization: bearer hunter2hunter2\r\n"));
    assert_eq!(attribute(&taken.resource, "service.name").as_deref(), Some("feedbackd"));
    assert_eq!(attribute(&taken.resource, "deployment.environment.name").as_deref(), Some("test"));
    assert!(!format!("{spans:?}").contains("swallows"), "what people say is told to nobody");
    assert!(!world.daemon.log().contains("hunter2"));
}

#[test]
fn what_is_refused_or_known_is_told_and_nothing_of_it_is_lost_at_the_end() {
    let collector = Collector::start();
    let world = World::with(&[("TRACES__ENDPOINT", &collector.url()), ("TRACES__UNTRACED_SHARE", "1")]);
    decide(&world, "d1", &[]);
    world.drain();
    decide(&world, "d1", &[]);
    add(&world.redis, DECISIONS, &[("data", "{\"decision_id\":\"told-to-nobody\"}")]);
    world.drain();
    let sent = answer(&world, "d1").fields["traceparent"].clone();
    let World { redis, daemon, .. } = world;
    // Long before it would send them automatically.
    assert!(daemon.stop().success());
    let spans = collector.spans();
    let entry = |outcome: &str| {
        let name = "feedbackd.outcome";
        spans.iter().find(|span| attribute(&span.attributes, name).as_deref() == Some(outcome)).expect("a span")
    };
    let recorded = entry("recorded");
    assert_eq!(recorded.parent_span_id, Vec::<u8>::new(), "a trace of its own");
    assert!(sent.starts_with(&format!("00-{}-", hex(&recorded.trace_id))), "{sent}");
    assert_eq!(attribute(&entry("duplicate").attributes, "feedbackd.commit"), None);
    let rejected = entry("rejected");
    assert_eq!(of(rejected, "error.type"), "missing_field");
    assert_eq!(rejected.status.as_ref().map(|status| status.code), Some(StatusCode::Error as i32));
    assert!(!format!("{rejected:?}").contains("told-to-nobody"));
    assert_eq!(entries(&redis, DEAD_LETTERS).len(), 1);
}

#[test]
fn a_collector_that_is_away_holds_up_nothing() {
    // It accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let world = World::with(&[
        ("TRACES__ENDPOINT", &url),
        ("TRACES__TIMEOUT_SECONDS", "60"),
        ("TRACES__UNTRACED_SHARE", "1"),
        ("SHUTDOWN__DRAIN_SECONDS", "2"),
    ]);
    for n in 0..20 {
        decide(&world, &format!("d{n}"), &[("traceparent", &traceparent("01"))]);
    }
    world.drain();
    assert_eq!(world.site.files("feedback/decisions").len(), 20);
    let World { daemon, .. } = world;
    let asked = Instant::now();
    assert!(daemon.stop().success());
    assert!(asked.elapsed() < Duration::from_secs(4), "it took {:?} to stop", asked.elapsed());
}

#[test]
fn that_the_collector_refuses_is_said_once_and_that_it_is_back() {
    let collector = Collector::start();
    collector.answer(401);
    let world = World::with(&[("TRACES__ENDPOINT", &collector.url()), ("TRACES__UNTRACED_SHARE", "1")]);
    let said = |text: &str| world.daemon.log().matches(text).count();
    decide(&world, "d1", &[]);
    wait_until("it says so", || said("the collector takes no spans") == 1);
    decide(&world, "d2", &[]);
    world.drain();
    collector.answer(200);
    decide(&world, "d3", &[]);
    wait_until("it says that it is back", || said("the collector accepts spans again") == 1);
    assert_eq!(said("the collector takes no spans"), 1);
}
