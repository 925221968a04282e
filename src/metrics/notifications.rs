//! Notifications: delivered, failed and pending.

use super::metric::{Metric, count, counts, counts_by, level};
use crate::domain::records::notification::Style;
use ::metrics::{counter, gauge};
use strum::VariantNames;

pub(super) const DELIVERED: Metric =
    counts_by("feedbackd_notices_delivered_total", "Notices that somebody took.", "style", Style::VARIANTS);
pub(super) const FAILED: Metric = counts_by(
    "feedbackd_notices_failed_total",
    "Attempts to deliver notices that failed; they are made again.",
    "style",
    Style::VARIANTS,
);
pub(super) const DROPPED: Metric = counts(
    "feedbackd_notices_dropped_total",
    "Notices that were given up: after a day, because too many waited, or because their endpoint wants none.",
);
pub(super) const WAITING: Metric = level("feedbackd_notices_waiting", "Notices that wait to be delivered.");
pub(super) const DISABLED: Metric =
    level("feedbackd_notices_endpoints_disabled", "Endpoints of notices that want none any more.");

/// Counts delivered notifications.
pub fn notices_delivered(style: Style, notices: u64) {
    count(DELIVERED, style, notices);
}

/// Counts a failed delivery.
pub fn notices_failed(style: Style) {
    count(FAILED, style, 1);
}

/// Counts dropped notifications.
pub fn notices_dropped(notices: u64) {
    counter!(DROPPED.name).increment(notices);
}

/// Sets the numbers of pending notifications and disabled endpoints.
pub fn notices_waiting(waiting: u64, disabled: u64) {
    gauge!(WAITING.name).set(waiting as f64);
    gauge!(DISABLED.name).set(disabled as f64);
}
