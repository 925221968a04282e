//! The table of all metrics, and the recorder that exports them.

use super::metric::{Kind, Metric};
use super::{forges, notifications, remote, status, work};
use ::metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::{Mutex, OnceLock, PoisonError};
use thiserror::Error;

/// All metrics.
pub const ALL: &[Metric] = &[
    work::RECEIVED,
    work::REJECTED,
    work::DUPLICATES,
    work::LOST,
    work::FEEDBACK,
    work::PROPOSALS,
    work::SUBMITTED,
    work::REFUSED,
    work::RULED_AGENTS,
    work::STOPPED_RULES,
    work::ROSTER_WAITS,
    work::COMMITS,
    work::COMMIT_SECONDS,
    work::LAST_COMMIT,
    work::BATCH_ENTRIES,
    work::BATCH_SECONDS,
    work::PUBLISHED,
    work::REDIS_ERRORS,
    work::REDIS_RESOLVES,
    work::STORE_ERRORS,
    work::REDIS_UP,
    work::CLUSTERS,
    work::PENDING,
    work::ADVICE_ASKED,
    work::ADVICE_ANSWERED,
    work::ADVICE_TOKENS,
    work::CATALOGUE_ERRORS,
    work::UNREADABLE_STREAMS,
    work::UNREADABLE_RECORDS,
    work::DAMAGE,
    work::SESSIONS,
    work::SESSIONS_CROWDED,
    work::HTTP_REFUSED,
    work::HTTP_CONNECTIONS,
    forges::DELIVERIES,
    forges::IGNORED,
    forges::POLLS,
    forges::OFFERS,
    forges::STREAMS,
    forges::CONNECTED,
    forges::BREAKS,
    forges::LINES,
    remote::PUSHES,
    remote::BEHIND_COMMITS,
    remote::BEHIND_SECONDS,
    notifications::DELIVERED,
    notifications::FAILED,
    notifications::DROPPED,
    notifications::WAITING,
    notifications::DISABLED,
    status::WAITING,
    status::OLDEST_WAITING,
    status::STALE_APPROVALS,
    status::RULES,
    status::FLAGGED_RULES,
    status::ROSTER_ERRORS,
    status::STREAM_LAG,
    status::STREAM_PENDING,
    status::FOREIGN_MEMBERS,
    status::DEAD_LETTERS,
    status::REDIS_MEMORY,
    status::REDIS_MEMORY_LIMIT,
    status::READY,
    status::HTTP_ANSWERS,
    status::HTTP_SECONDS,
    work::BUILD_INFO,
];

/// Why the recorder could not be set up.
#[derive(Debug, Error)]
pub enum MetricsError {
    /// Another recorder is installed.
    #[error("another metrics recorder is already in place")]
    Taken,
    /// The table is invalid.
    #[error("metrics: {0}")]
    Build(#[from] BuildError),
}

/// The exporter behind `/metrics`.
#[derive(Clone)]
pub struct Exporter(PrometheusHandle);

impl Exporter {
    /// Returns all metrics in Prometheus's text format.
    pub fn render(&self) -> String {
        self.0.render()
    }

    /// Moves observations from the buffers into the distributions. Call it every few seconds: otherwise they take
    /// memory until the metrics are next requested.
    pub fn run_upkeep(&self) {
        self.0.run_upkeep();
    }
}

/// Installs the recorder for this process and initialises every metric to 0. Later calls return the same exporter.
///
/// # Errors
/// [`MetricsError::Taken`] if another recorder is installed.
pub fn install() -> Result<Exporter, MetricsError> {
    static INSTALLED: OnceLock<Exporter> = OnceLock::new();
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(exporter) = INSTALLED.get() {
        return Ok(exporter.clone());
    }
    let mut builder = PrometheusBuilder::new();
    for metric in ALL {
        if let Kind::Histogram(bounds) = metric.kind {
            let bounds: Vec<f64> = bounds.iter().map(|b| *b as f64 / 1000.0).collect();
            builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), &bounds)?;
        }
    }
    let recorder = builder.build_recorder();
    let exporter = Exporter(recorder.handle());
    ::metrics::set_global_recorder(recorder).map_err(|_| MetricsError::Taken)?;
    ALL.iter().for_each(introduce);
    gauge!(work::BUILD_INFO.name, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Ok(INSTALLED.get_or_init(|| exporter).clone())
}

/// Initialises a counter to 0: a rate over a series that appears late misses its first step.
fn introduce(metric: &Metric) {
    let unit = if metric.name.ends_with("_seconds") { Unit::Seconds } else { Unit::Count };
    match metric.kind {
        Kind::Counter => describe_counter!(metric.name, unit, metric.help),
        Kind::Gauge => describe_gauge!(metric.name, unit, metric.help),
        Kind::Histogram(_) => describe_histogram!(metric.name, unit, metric.help),
    }
    match (metric.kind, metric.label) {
        (Kind::Counter, Some((label, values))) => {
            for value in values {
                counter!(metric.name, label => *value).absolute(0);
            }
        }
        (Kind::Counter, None) => counter!(metric.name).absolute(0),
        (Kind::Gauge, None) => gauge!(metric.name).set(0.0),
        (Kind::Gauge, Some((label, values))) => {
            for value in values {
                gauge!(metric.name, label => *value).set(0.0);
            }
        }
        // A histogram appears with its first observation.
        (Kind::Histogram(_), _) => {}
    }
}
