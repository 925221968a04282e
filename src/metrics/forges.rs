//! Metrics on what forges send, and its outcome.

use super::metric::{Metric, count, counts, counts_by, level};
use crate::domain::intake::forge::Reason;
use ::metrics::{counter, gauge};
use strum::{IntoStaticStr, VariantNames};

/// The outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryOutcome {
    /// A review, or a part of one.
    Taken,
    /// A reference to something said before.
    Told,
    /// Received before.
    Replayed,
    /// Nothing was ingested.
    Ignored,
    /// Its signature is wrong, or it is unreadable.
    Refused,
}

/// The outcome of polling a forge's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum PollOutcome {
    /// All changes were read.
    Ok,
    /// Not all were; it is retried.
    Failed,
}

/// The outcome of a stream's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum StreamOutcome {
    /// Ingested like a delivery.
    Taken,
    /// About an unlisted project.
    Elsewhere,
    /// Not an event.
    Unreadable,
    /// Too long, and not kept.
    Oversized,
    /// The forge reports that it dropped events: they were not read fast enough.
    Dropped,
    /// The daemon stopped before it was stored in Redis.
    Lost,
}

/// The outcome of a pull request for rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum PullRequestOutcome {
    /// A pull request was opened.
    Opened,
    /// It was updated.
    Renewed,
    /// It was closed: no changes are left.
    Closed,
    /// Everything is up to date.
    Unchanged,
    /// A person's change must not be undone, or a file cannot be written.
    LeftAlone,
    /// The forge or the store was unavailable; it is retried.
    Failed,
}

pub(super) const DELIVERIES: Metric = counts_by(
    "feedbackd_forge_deliveries_total",
    "Forge webhook deliveries, by outcome.",
    "outcome",
    DeliveryOutcome::VARIANTS,
);
pub(super) const IGNORED: Metric = counts_by(
    "feedbackd_forge_ignored_total",
    "Forge webhook deliveries that were not used, by reason.",
    "reason",
    Reason::VARIANTS,
);

pub(super) const POLLS: Metric = counts_by(
    "feedbackd_forge_polls_total",
    "Polls of forge APIs for events that webhooks missed, by outcome.",
    "outcome",
    PollOutcome::VARIANTS,
);

pub(super) const OFFERS: Metric = counts_by(
    "feedbackd_forge_offers_total",
    "Rounds of opening or updating pull requests for rules, by outcome.",
    "outcome",
    PullRequestOutcome::VARIANTS,
);

pub(super) const STREAMS: Metric = level("feedbackd_forge_streams", "Configured forge event streams.");
pub(super) const CONNECTED: Metric =
    level("feedbackd_forge_streams_connected", "Forge event streams that are connected.");
pub(super) const BREAKS: Metric = counts(
    "feedbackd_forge_stream_breaks_total",
    "Times that a forge event stream ended or failed to connect; it is reconnected.",
);
pub(super) const LINES: Metric = counts_by(
    "feedbackd_forge_stream_lines_total",
    "Lines of the forge event streams, by outcome.",
    "outcome",
    StreamOutcome::VARIANTS,
);

/// Registers an event stream.
pub fn forge_stream() {
    gauge!(STREAMS.name).increment(1.0);
    // Only a series that exists before its first value can be monitored.
    gauge!(CONNECTED.name).increment(0.0);
    counter!(BREAKS.name).increment(0);
}

/// Records that a stream connected or disconnected.
pub fn forge_stream_connected(is_connected: bool) {
    gauge!(CONNECTED.name).increment(if is_connected { 1.0 } else { -1.0 });
}

/// Counts an ended stream.
pub fn forge_stream_broke() {
    counter!(BREAKS.name).increment(1);
}

/// Counts a stream's line.
pub fn forge_stream_line(outcome: StreamOutcome) {
    count(LINES, outcome, 1);
}

/// Counts a pull request for rules.
pub fn forge_offer(outcome: PullRequestOutcome) {
    count(OFFERS, outcome, 1);
}

/// Counts a poll of a forge's API.
pub fn forge_poll(outcome: PollOutcome) {
    count(POLLS, outcome, 1);
}

/// Counts the outcome of a delivery.
pub fn forge_delivery(outcome: DeliveryOutcome) {
    count(DELIVERIES, outcome, 1);
}

/// Counts an ignored delivery.
pub fn forge_ignored(reason: Reason) {
    count(IGNORED, reason, 1);
}
