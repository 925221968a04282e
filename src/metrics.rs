//! Every metric, named once with its help and its labels, and a small function for each event that callers report.
//!
//! Labels are bounded: their values are the closed sets of the domain. Before [`install`] all functions do nothing. No
//! listener here; `http` serves what [`Exporter::render`] returns.

use crate::domain::grouping::evaluation::Classification;
use crate::domain::intake::event::{RejectCode, StreamKind};
use crate::domain::records::message::Topic;
use crate::domain::records::notice::Style;
use crate::domain::records::record::AdviceKind;
use ::metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use strum::{IntoStaticStr, VariantNames};
use thiserror::Error;

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A distribution over these upper bounds.
    Histogram(&'static [Bound]),
}

/// An upper bound of a histogram, in thousandths, so that the table can be compared.
pub type Bound = u64;

/// One metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// `feedbackd_<what>_<unit>`, and `_total` for counters.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it tells, in a sentence.
    pub help: &'static str,
    /// Its label and all its values; none where it has no label.
    pub label: Option<(&'static str, &'static [&'static str])>,
}

/// Every metric there is.
pub const ALL: &[Metric] = &[
    RECEIVED,
    REJECTED,
    DUPLICATES,
    LOST,
    FEEDBACK,
    PROPOSALS,
    SUBMITTED,
    REFUSED,
    RULED_AGENTS,
    STOPPED_RULES,
    ROSTER_WAITS,
    COMMITS,
    COMMIT_SECONDS,
    LAST_COMMIT,
    BATCH_ENTRIES,
    BATCH_SECONDS,
    PUBLISHED,
    REDIS_ERRORS,
    STORE_ERRORS,
    REDIS_UP,
    CLUSTERS,
    PENDING,
    ADVICE_ASKED,
    ADVICE_ANSWERED,
    ADVICE_BUDGET,
    READINGS_BUDGET,
    CATALOGUE_ERRORS,
    UNREADABLE_STREAMS,
    UNREADABLE_RECORDS,
    DAMAGE,
    SESSIONS,
    SESSIONS_CROWDED,
    HTTP_REFUSED,
    HTTP_CONNECTIONS,
    NOTICES_DELIVERED,
    NOTICES_FAILED,
    NOTICES_DROPPED,
    NOTICES_WAITING,
    NOTICES_DISABLED,
    BUILD_INFO,
];

/// Whether a failure of Redis passes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RedisFailure {
    /// It does.
    Unavailable,
    /// It does not.
    Refused,
}

/// What became of a question to the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Answered {
    /// It is what was asked for.
    Accepted,
    /// It is not the object that was asked for.
    RefusedSchema,
    /// It says what must not be said.
    RefusedLint,
    /// There was none in time.
    Timeout,
    /// There was none.
    Error,
}

/// Why a request over HTTP was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum HttpRefusal {
    /// It was sent to a name that is not ours.
    Host,
    /// A page of another origin sent it.
    Origin,
    /// The token is missing or wrong.
    Token,
    /// Its client asks too often.
    Rate,
    /// Too many are connected.
    Connections,
    /// Its head is too large.
    Head,
    /// Its head did not come in time.
    SlowHead,
    /// Its body is too large.
    Body,
    /// Its body did not come in time.
    SlowBody,
    /// It is no HTTP.
    Malformed,
}

const SECONDS: &[Bound] = &[1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
const ENTRIES: &[Bound] = &[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000];

const RECEIVED: Metric =
    labelled("feedbackd_entries_received_total", "Entries read from a stream.", "stream", StreamKind::VARIANTS);
const REJECTED: Metric = labelled(
    "feedbackd_entries_rejected_total",
    "Entries that became dead letters, by error code.",
    "code",
    RejectCode::VARIANTS,
);
const DUPLICATES: Metric = counts("feedbackd_duplicates_total", "Decisions that had been recorded before.");
const LOST: Metric = counts("feedbackd_lost_entries_total", "Entries trimmed from their stream before they were read.");
const FEEDBACK: Metric = labelled(
    "feedbackd_feedback_total",
    "Feedback recorded, by its first class.",
    "classification",
    Classification::VARIANTS,
);
const PROPOSALS: Metric = counts("feedbackd_proposals_created_total", "Rules proposed.");
const SUBMITTED: Metric = counts("feedbackd_submissions_total", "Reviews that count, injections and imports.");
const REFUSED: Metric = counts("feedbackd_reviews_refused_total", "Reviews that do not count.");
const RULED_AGENTS: Metric = level("feedbackd_agents_with_rules", "Agents that have rules in force.");
const STOPPED_RULES: Metric = level("feedbackd_stopped_rules", "Rules in force that people stopped: in no prompt.");
const ROSTER_WAITS: Metric =
    level("feedbackd_roster_waits", "1 while a change of the roster waits for approvals, else 0.");
const COMMITS: Metric = counts("feedbackd_commits_total", "Commits made in the store.");
const COMMIT_SECONDS: Metric =
    spread("feedbackd_commit_seconds", "Time for one durable commit, fsync included.", SECONDS);
const LAST_COMMIT: Metric =
    level("feedbackd_last_commit_timestamp_seconds", "When the last commit was made, in seconds since 1970.");
const BATCH_ENTRIES: Metric = spread("feedbackd_batch_entries", "Entries in one batch.", ENTRIES);
const BATCH_SECONDS: Metric =
    spread("feedbackd_batch_seconds", "Time for one batch, from read to acknowledged.", SECONDS);
const PUBLISHED: Metric = labelled("feedbackd_published_total", "Messages published.", "topic", Topic::VARIANTS);
const REDIS_ERRORS: Metric = labelled(
    "feedbackd_redis_errors_total",
    "Failures of Redis: unavailable, or refused.",
    "kind",
    RedisFailure::VARIANTS,
);
const NOTICES_DELIVERED: Metric =
    labelled("feedbackd_notices_delivered_total", "Notices that somebody took.", "style", Style::VARIANTS);
const NOTICES_FAILED: Metric = labelled(
    "feedbackd_notices_failed_total",
    "Attempts to deliver notices that failed; they are made again.",
    "style",
    Style::VARIANTS,
);
const NOTICES_DROPPED: Metric = counts(
    "feedbackd_notices_dropped_total",
    "Notices that were given up: after a day, because too many waited, or because their endpoint wants none.",
);
const NOTICES_WAITING: Metric = level("feedbackd_notices_waiting", "Notices that wait to be delivered.");
const NOTICES_DISABLED: Metric =
    level("feedbackd_notices_endpoints_disabled", "Endpoints of notices that want none any more.");
const STORE_ERRORS: Metric = counts("feedbackd_store_errors_total", "Failures of the store.");
const REDIS_UP: Metric = level("feedbackd_redis_up", "1 while Redis answers, else 0.");
const CLUSTERS: Metric = level("feedbackd_clusters", "Clusters known.");
const PENDING: Metric = level("feedbackd_pending_entries", "Entries read and not yet acknowledged.");
const ADVICE_ASKED: Metric =
    labelled("feedbackd_advice_questions_total", "Questions to the language model.", "kind", AdviceKind::VARIANTS);
const ADVICE_ANSWERED: Metric =
    labelled("feedbackd_advice_answers_total", "What became of these questions.", "outcome", Answered::VARIANTS);
const READINGS_BUDGET: Metric =
    level("feedbackd_readings_budget_left", "Remarks that the language model may still read on this UTC day.");
const ADVICE_BUDGET: Metric =
    level("feedbackd_advice_budget_left", "Questions that the language model may still be asked on this UTC day.");
const CATALOGUE_ERRORS: Metric = level(
    "feedbackd_catalogue_errors",
    "What is wrong with the store's catalogue; while it is not 0, the one before it is in use.",
);
const DAMAGE: Metric = counts("feedbackd_store_damage_total", "Files of the store that are not what was written.");
const UNREADABLE_RECORDS: Metric = level(
    "feedbackd_unreadable_records",
    "Files of the store that make no sense as the record they should be; `doctor` names them.",
);
const UNREADABLE_STREAMS: Metric =
    level("feedbackd_unreadable_streams", "Streams whose key holds something else; the others are read.");
const SESSIONS: Metric = level("feedbackd_sessions", "Conversations held open.");
const SESSIONS_CROWDED: Metric =
    counts("feedbackd_sessions_crowded_out_total", "Conversations taken to be over because too many were open.");
const HTTP_REFUSED: Metric = labelled(
    "feedbackd_http_refused_total",
    "Requests and connections over HTTP that were refused, by reason.",
    "reason",
    HttpRefusal::VARIANTS,
);
const HTTP_CONNECTIONS: Metric = level("feedbackd_http_connections", "Connections over HTTP.");
const BUILD_INFO: Metric =
    labelled_level("feedbackd_build_info", "1, with the version.", "version", &[env!("CARGO_PKG_VERSION")]);

/// Entries were read from a stream.
pub fn received(stream: StreamKind, entries: u64) {
    count(RECEIVED, stream, entries);
}

/// So many conversations are held open; some were ended for others.
pub fn sessions(open: usize, ended: u64) {
    gauge!(SESSIONS.name).set(open as f64);
    counter!(SESSIONS_CROWDED.name).increment(ended);
}

/// An entry became a dead letter.
pub fn rejected(code: RejectCode) {
    count(REJECTED, code, 1);
}

/// Decisions came again.
pub fn duplicates(entries: u64) {
    counter!(DUPLICATES.name).increment(entries);
}

/// Entries are gone that nobody read.
pub fn lost(entries: u64) {
    counter!(LOST.name).increment(entries);
}

/// Feedback was recorded.
pub fn feedback(classification: Classification, records: u64) {
    count(FEEDBACK, classification, records);
}

/// Rules were proposed.
pub fn proposals(created: u64) {
    counter!(PROPOSALS.name).increment(created);
}

/// Something was submitted about what was learned; some reviews do not count.
pub fn submissions(taken: u64, refused: u64) {
    counter!(SUBMITTED.name).increment(taken);
    counter!(REFUSED.name).increment(refused);
}

/// So many agents have rules in force.
pub fn active_rules(agents: u64) {
    gauge!(RULED_AGENTS.name).set(agents as f64);
}

/// So many rules are in force and stopped.
pub fn stopped_rules(rules: u64) {
    gauge!(STOPPED_RULES.name).set(rules as f64);
}

/// Whether a change of the roster waits for approvals.
pub fn roster_waits(waits: bool) {
    gauge!(ROSTER_WAITS.name).set(f64::from(u8::from(waits)));
}

/// A commit is durable; `at` is its time in seconds since 1970.
pub fn commit(took: Duration, at: i64) {
    counter!(COMMITS.name).increment(1);
    histogram!(COMMIT_SECONDS.name).record(took);
    gauge!(LAST_COMMIT.name).set(at as f64);
}

/// A batch was acknowledged.
pub fn batch(entries: usize, took: Duration) {
    histogram!(BATCH_ENTRIES.name).record(entries as f64);
    histogram!(BATCH_SECONDS.name).record(took);
}

/// Messages were published.
pub fn published(topic: Topic, messages: u64) {
    count(PUBLISHED, topic, messages);
}

/// Somebody took notices.
pub fn notices_delivered(style: Style, notices: u64) {
    count(NOTICES_DELIVERED, style, notices);
}

/// Somebody did not take notices.
pub fn notices_failed(style: Style) {
    count(NOTICES_FAILED, style, 1);
}

/// Notices were given up.
pub fn notices_dropped(notices: u64) {
    counter!(NOTICES_DROPPED.name).increment(notices);
}

/// How many notices wait, and how many endpoints want none any more.
pub fn notices_waiting(waiting: u64, disabled: u64) {
    gauge!(NOTICES_WAITING.name).set(waiting as f64);
    gauge!(NOTICES_DISABLED.name).set(disabled as f64);
}

/// Redis failed.
pub fn redis_error(kind: RedisFailure) {
    count(REDIS_ERRORS, kind, 1);
}

/// The store failed.
pub fn store_error() {
    counter!(STORE_ERRORS.name).increment(1);
}

/// Whether Redis answers.
pub fn redis_up(up: bool) {
    gauge!(REDIS_UP.name).set(f64::from(u8::from(up)));
}

/// How many clusters there are.
pub fn clusters(known: u64) {
    gauge!(CLUSTERS.name).set(known as f64);
}

/// How many entries are in hand.
pub fn pending(entries: usize) {
    gauge!(PENDING.name).set(entries as f64);
}

/// The language model was asked something.
pub fn advice_asked(kind: AdviceKind) {
    count(ADVICE_ASKED, kind, 1);
}

/// What became of a question.
pub fn advice_answered(outcome: Answered) {
    count(ADVICE_ANSWERED, outcome, 1);
}

/// How many remarks the language model may still read on this day.
pub fn readings_budget_left(remarks: u64) {
    gauge!(READINGS_BUDGET.name).set(remarks as f64);
}

/// How many questions the day has left.
pub fn advice_budget_left(questions: u64) {
    gauge!(ADVICE_BUDGET.name).set(questions as f64);
}

/// So much is wrong with the store's catalogue.
pub fn catalogue_errors(errors: usize) {
    gauge!(CATALOGUE_ERRORS.name).set(errors as f64);
}

/// A file of the store is not what was written.
pub fn damage() {
    counter!(DAMAGE.name).increment(1);
}

/// So many files of the store are set aside.
pub fn unreadable_records(files: usize) {
    gauge!(UNREADABLE_RECORDS.name).set(files as f64);
}

/// So many streams cannot be read.
pub fn unreadable_streams(streams: usize) {
    gauge!(UNREADABLE_STREAMS.name).set(streams as f64);
}

/// A request over HTTP was not answered.
pub fn http_refused(why: HttpRefusal) {
    count(HTTP_REFUSED, why, 1);
}

/// So many are connected over HTTP.
pub fn http_connections(connected: usize) {
    gauge!(HTTP_CONNECTIONS.name).set(connected as f64);
}

/// The recorder could not be set up.
#[derive(Debug, Error)]
pub enum MetricsError {
    /// Another recorder is in place.
    #[error("another metrics recorder is already in place")]
    Taken,
    /// The table is wrong.
    #[error("metrics: {0}")]
    Build(#[from] BuildError),
}

/// What `/metrics` shows.
#[derive(Clone)]
pub struct Exporter(PrometheusHandle);

impl Exporter {
    /// All metrics in Prometheus's text format.
    pub fn render(&self) -> String {
        self.0.render()
    }

    /// Moves observations from the buffers into the distributions. Call it every few seconds: without it they
    /// take memory until somebody asks for the metrics.
    pub fn run_upkeep(&self) {
        self.0.run_upkeep();
    }
}

/// Sets the recorder up for this process and shows every metric at 0. Later calls return the same exporter.
///
/// # Errors
/// [`MetricsError::Taken`] where something else installed a recorder.
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
    gauge!(BUILD_INFO.name, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Ok(INSTALLED.get_or_init(|| exporter).clone())
}

/// A counter that nobody has incremented is shown as 0: a rate over a series that appears late misses its first step.
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
        // A histogram shows itself with its first observation, the version is set by `install`.
        _ => {}
    }
}

/// The value is one of a closed set, so no label takes more values than its metric names.
fn count(metric: Metric, value: impl Into<&'static str>, by: u64) {
    let Some((label, _)) = metric.label else { return };
    counter!(metric.name, label => value.into()).increment(by);
}

const fn counts(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, help, label: None }
}

const fn labelled(
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [&'static str],
) -> Metric {
    Metric { name, kind: Kind::Counter, help, label: Some((label, values)) }
}

const fn level(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge, help, label: None }
}

const fn labelled_level(
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [&'static str],
) -> Metric {
    Metric { name, kind: Kind::Gauge, help, label: Some((label, values)) }
}

const fn spread(name: &'static str, help: &'static str, bounds: &'static [Bound]) -> Metric {
    Metric { name, kind: Kind::Histogram(bounds), help, label: None }
}
