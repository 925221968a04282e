//! Notifications: delivered, failed and pending.

use super::metric::{Metric, count, counts, counts_by, level};
use crate::domain::records::notification::Style;
use ::metrics::{counter, gauge};
use strum::VariantNames;

pub(super) const DELIVERED: Metric =
    counts_by("feedbackd_notices_delivered_total", "Notifications that were delivered.", "style", Style::VARIANTS);
pub(super) const FAILED: Metric = counts_by(
    "feedbackd_notices_failed_total",
    "Failed attempts to deliver notifications; they are retried.",
    "style",
    Style::VARIANTS,
);
pub(super) const DROPPED: Metric = counts(
    "feedbackd_notices_dropped_total",
    "Notifications that were dropped: after a day, because too many were pending, or because their endpoint is \
     disabled.",
);
pub(super) const WAITING: Metric = level("feedbackd_notices_waiting", "Notifications that are pending.");
pub(super) const DISABLED: Metric =
    level("feedbackd_notices_endpoints_disabled", "Notification endpoints that are disabled.");

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
