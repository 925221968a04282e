//! What forges send, and what becomes of it.

use super::metric::{Metric, count, counts, counts_by, level};
use crate::domain::intake::forge::Reason;
use ::metrics::{counter, gauge};
use strum::{IntoStaticStr, VariantNames};

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Delivered {
    /// It is a review, or a part of one.
    Taken,
    /// It tells of something that was said before.
    Told,
    /// It was taken before.
    Replayed,
    /// Nothing is taken of it.
    Ignored,
    /// Its signature is wrong, or it cannot be read.
    Refused,
}

/// What became of a look at a forge's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Polled {
    /// All that changed was read.
    Ok,
    /// Not all of it was; it is tried again.
    Failed,
}

/// What became of a line of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Heard {
    /// It was taken like a delivery.
    Taken,
    /// It is about a project that is not listed.
    Elsewhere,
    /// It is no event.
    Unreadable,
    /// It is too long, and was not kept.
    Oversized,
    /// The forge says that it left out events: nobody took them fast enough.
    Dropped,
    /// The daemon stopped before Redis took it.
    Lost,
}

/// What became of rules that are offered to a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Offered {
    /// A pull request was opened.
    Opened,
    /// It was brought up to date.
    Renewed,
    /// It was closed: nothing is left to say.
    Closed,
    /// All of it is there.
    Unchanged,
    /// A person did something that must not be undone, or a file cannot be written.
    LeftAlone,
    /// The forge or the store could not be used; it is tried again.
    Failed,
}

pub(super) const DELIVERIES: Metric = counts_by(
    "feedbackd_forge_deliveries_total",
    "Deliveries of forges, by what became of them.",
    "outcome",
    Delivered::VARIANTS,
);
pub(super) const IGNORED: Metric = counts_by(
    "feedbackd_forge_ignored_total",
    "Deliveries of forges of which nothing is taken, by reason.",
    "reason",
    Reason::VARIANTS,
);

pub(super) const POLLS: Metric = counts_by(
    "feedbackd_forge_polls_total",
    "Looks at the APIs of forges for what webhooks lost, by what became of them.",
    "outcome",
    Polled::VARIANTS,
);

pub(super) const OFFERS: Metric = counts_by(
    "feedbackd_forge_offers_total",
    "Rounds in which rules are offered to repositories by pull requests, by what became of them.",
    "outcome",
    Offered::VARIANTS,
);

pub(super) const STREAMS: Metric =
    level("feedbackd_forge_streams", "Streams of events of forges that are to be listened to.");
pub(super) const CONNECTED: Metric =
    level("feedbackd_forge_streams_connected", "Streams of events of forges that are connected.");
pub(super) const BREAKS: Metric = counts(
    "feedbackd_forge_stream_breaks_total",
    "Times that a stream of events of a forge ended, or did not come about; it is connected again.",
);
pub(super) const LINES: Metric = counts_by(
    "feedbackd_forge_stream_lines_total",
    "Lines of the streams of events of forges, by what became of them.",
    "outcome",
    Heard::VARIANTS,
);

/// A stream is to be listened to.
pub fn forge_stream() {
    gauge!(STREAMS.name).increment(1.0);
    // A series that is there before its first value can be watched.
    gauge!(CONNECTED.name).increment(0.0);
    counter!(BREAKS.name).increment(0);
}

/// A stream is connected, or is it no longer.
pub fn forge_stream_connected(is_connected: bool) {
    gauge!(CONNECTED.name).increment(if is_connected { 1.0 } else { -1.0 });
}

/// A stream ended.
pub fn forge_stream_broke() {
    counter!(BREAKS.name).increment(1);
}

/// A stream brought a line.
pub fn forge_stream_line(outcome: Heard) {
    count(LINES, outcome, 1);
}

/// Rules were offered to a repository.
pub fn forge_offer(outcome: Offered) {
    count(OFFERS, outcome, 1);
}

/// A forge's API was looked at.
pub fn forge_poll(outcome: Polled) {
    count(POLLS, outcome, 1);
}

/// Something became of a delivery.
pub fn forge_delivery(outcome: Delivered) {
    count(DELIVERIES, outcome, 1);
}

/// Nothing is taken of a delivery.
pub fn forge_ignored(reason: Reason) {
    count(IGNORED, reason, 1);
}
