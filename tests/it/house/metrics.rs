//! The metrics as a scraper sees them: each is described and shown, and labels stay within their table.

use feedbackd::domain::grouping::evaluation::Classification;
use feedbackd::domain::intake::event::RejectCode;
use feedbackd::domain::records::message::Topic;
use feedbackd::metrics::{self, ALL, Kind};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn every_metric_is_described_and_shown_and_no_other() {
    let exporter = metrics::install().expect("the only recorder");
    metrics::batch(3, Duration::from_millis(4));
    metrics::commit(Duration::from_millis(2), 1_790_000_000);
    exporter.run_upkeep();
    let text = exporter.render();
    for metric in ALL {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        let name = metric.name;
        assert!(text.contains(&format!("# HELP {name} {}\n", metric.help)), "{name} has no help:\n{text}");
        assert!(text.contains(&format!("# TYPE {name} {kind}\n")), "{name} is not shown:\n{text}");
        if let Some((label, values)) = metric.label {
            for value in values {
                assert!(text.contains(&format!("{name}{{{label}=\"{value}\"}}")), "{name} lacks {value}:\n{text}");
            }
        }
    }
    let shown: BTreeSet<&str> = text.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let known: BTreeSet<&str> = ALL.iter().map(|metric| metric.name).collect();
    assert_eq!(shown, known);
}

#[test]
fn names_follow_one_template() {
    for metric in ALL {
        let words = metric.name.strip_prefix("feedbackd_").expect("our prefix");
        assert!(words.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", metric.name);
        assert_eq!(metric.kind == Kind::Counter, words.ends_with("_total"), "{}", metric.name);
        assert!(metric.help.ends_with('.'), "{}", metric.name);
    }
}

#[test]
fn labels_are_bounded_whatever_callers_pass() {
    let exporter = metrics::install().expect("the only recorder");
    for n in 0..50 {
        metrics::rejected(&format!("made up {n}"));
        metrics::received(&format!("stream {n}"), 1);
    }
    let text = exporter.render();
    assert!(!text.contains("made up") && !text.contains("stream 7"), "{text}");
    assert!(text.contains("feedbackd_entries_rejected_total{code=\"other\"}"), "{text}");
}

#[test]
fn the_labels_are_those_of_the_domain() {
    // A new code must be added here; the compiler says so.
    let code = |code: RejectCode| match code {
        RejectCode::MissingField
        | RejectCode::InvalidField
        | RejectCode::InvalidJson
        | RejectCode::InvalidEnvelope
        | RejectCode::TooLarge
        | RejectCode::GateRequestMissing
        | RejectCode::TenantMismatch
        | RejectCode::InvalidDocument
        | RejectCode::EntryTrimmed
        | RejectCode::ProcessingFailed => code.as_str(),
    };
    let codes = [
        RejectCode::MissingField,
        RejectCode::InvalidField,
        RejectCode::InvalidJson,
        RejectCode::InvalidEnvelope,
        RejectCode::TooLarge,
        RejectCode::GateRequestMissing,
        RejectCode::TenantMismatch,
        RejectCode::InvalidDocument,
        RejectCode::EntryTrimmed,
        RejectCode::ProcessingFailed,
    ];
    assert_eq!(codes.map(code).as_slice(), metrics::CODES);
    assert_eq!(Classification::ALL.map(Classification::as_str).as_slice(), metrics::CLASSES);
    for topic in [Topic::FeedbackEvaluated, Topic::RuleProposals, Topic::Alerts] {
        let label = topic.key().rsplit(':').next().expect("a part");
        assert!(metrics::TOPICS.contains(&label), "{label}");
    }
}
