//! The metrics as a scraper sees them: each is described and exported, and labels stay within their table.

use feedbackd::domain::intake::event::RejectCode;
use feedbackd::domain::records::message::Topic;
use feedbackd::metrics::{self, ALL, Kind};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn every_metric_is_described_and_shown_and_no_other() {
    let exporter = metrics::install().expect("the only recorder");
    metrics::batch(3, Duration::from_millis(4));
    metrics::http_answered(200, Duration::from_millis(1));
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
fn every_metric_has_a_line_in_the_reference() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference.md");
    let reference = std::fs::read_to_string(path).expect("the reference");
    let lines: Vec<&str> = reference.lines().filter(|line| line.starts_with("| `feedbackd_")).collect();
    for metric in ALL {
        let name = format!("`{}`", metric.name);
        assert!(lines.iter().any(|line| line.contains(&name)), "{} has no line in docs/reference.md", metric.name);
    }
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
fn what_is_counted_is_counted_under_its_own_name() {
    let exporter = metrics::install().expect("the only recorder");
    for topic in [Topic::TurnFeedback, Topic::ActionFeedback, Topic::RefinedPrompts] {
        metrics::published(topic, 1);
    }
    metrics::rejected(RejectCode::TooLarge);
    let text = exporter.render();
    for topic in ["turn_feedback", "action_feedback", "refined_prompts"] {
        assert!(text.contains(&format!("feedbackd_published_total{{topic=\"{topic}\"}} 1\n")), "{text}");
    }
    assert!(text.contains("feedbackd_entries_rejected_total{code=\"too_large\"} 1\n"), "{text}");
    assert!(!text.contains("\"other\""), "{text}");
}
