//! Reporting of finished batches: metrics and the log line.

use crate::app::pipeline::{EntryOutcome, ProcessedBatch, class_index};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::event::RawEntry;
use crate::metrics;
use crate::text::ids::CommitId;
use std::time::{Duration, Instant};

/// Logs the batch. The timestamps are when it was durable, published and acknowledged.
pub(super) fn log_batch(
    entries: &[RawEntry],
    processed: &ProcessedBatch,
    commit_time: Duration,
    [durable, published, acknowledged]: [Instant; 3],
) {
    let (counts, timings) = (&processed.counts, &processed.timings);
    tracing::info!(
        entries = entries.len(),
        recorded = counts.recorded,
        duplicates = counts.duplicates,
        ignored = counts.ignored,
        rejected = counts.rejected,
        submitted = counts.submitted,
        refused = counts.refused,
        rules = counts.rule_events.join("; "),
        reevaluated = counts.reevaluated,
        proposals = counts.proposals.join(","),
        commit = processed.commit.as_ref().map(CommitId::short),
        process_ms = millis(commit_time),
        publish_ms = millis(acknowledged - durable),
        decode_us = micros(timings.decode),
        capture_us = micros(timings.capture),
        embed_us = micros(timings.embed),
        evaluate_us = micros(timings.evaluate),
        render_us = micros(timings.render),
        commit_us = micros(timings.commit),
        index_us = micros(timings.index),
        publish_us = micros(published - durable),
        ack_us = micros(acknowledged - published),
        first = entries.first().map(|e| e.id.as_str()),
        last = entries.last().map(|e| e.id.as_str()),
        "batch"
    );
}

/// Counts the outcomes of entries.
pub(super) fn count(processed: &ProcessedBatch) {
    let counts = &processed.counts;
    metrics::duplicates(counts.duplicates);
    metrics::proposals(counts.proposals.len() as u64);
    metrics::submissions(counts.submitted, counts.refused);
    for class in Classification::ALL {
        metrics::feedback(class, counts.by_class[class_index(class)]);
    }
    for outcome in &processed.outcomes {
        if let EntryOutcome::Rejected(rejection) = outcome {
            metrics::rejected(rejection.code);
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
