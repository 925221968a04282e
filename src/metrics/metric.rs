//! The metric type, and helpers for the kinds of metrics.

use ::metrics::counter;

/// A kind of metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only increases.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A distribution over these upper bounds.
    Histogram(&'static [Bound]),
}

/// An upper bound of a histogram, in thousandths, so that the table is comparable.
pub type Bound = u64;

/// One metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// `feedbackd_<what>_<unit>`, and `_total` for counters.
    pub name: &'static str,
    /// The kind.
    pub kind: Kind,
    /// Its description, in a sentence.
    pub help: &'static str,
    /// Its label and all its values; `None` if it has no label.
    pub label: Option<(&'static str, &'static [&'static str])>,
}

/// Bounds of durations.
pub(super) const SECONDS: &[Bound] = &[1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/// The value comes from a closed set, so a label has only the values that its metric names.
pub(super) fn count(metric: Metric, value: impl Into<&'static str>, by: u64) {
    let Some((label, _)) = metric.label else { return };
    counter!(metric.name, label => value.into()).increment(by);
}

pub(super) const fn counts(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, help, label: None }
}

pub(super) const fn counts_by(
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [&'static str],
) -> Metric {
    Metric { name, kind: Kind::Counter, help, label: Some((label, values)) }
}

pub(super) const fn level(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge, help, label: None }
}

pub(super) const fn levels(
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [&'static str],
) -> Metric {
    Metric { name, kind: Kind::Gauge, help, label: Some((label, values)) }
}

pub(super) const fn spread(name: &'static str, help: &'static str, bounds: &'static [Bound]) -> Metric {
    Metric { name, kind: Kind::Histogram(bounds), help, label: None }
}
