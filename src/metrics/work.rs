//! The daemon's work: a metric for each reported event, and a small function to report it.
//!
//! Labels are bounded: their values are closed sets of the domain.

use super::metric::{Bound, Metric, SECONDS, count, counts, counts_by, level, levels, spread};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::event::{RejectCode, StreamKind};
use crate::domain::records::message::Topic;
use crate::domain::records::record::AdviceKind;
use ::metrics::{counter, gauge, histogram};
use std::time::Duration;
use strum::{IntoStaticStr, VariantNames};

/// Whether a Redis failure is temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RedisFailure {
    /// Temporary.
    Unavailable,
    /// Permanent.
    Refused,
}

/// How the Redis server that holds the keys is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RedisMode {
    /// It is given.
    Single,
    /// Sentinels are asked.
    Sentinel,
    /// Nodes of a cluster are asked.
    Cluster,
}

/// The outcome of a question to the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ModelOutcome {
    /// The answer is as requested.
    Accepted,
    /// The answer is not the requested object.
    RefusedSchema,
    /// The answer contains forbidden content.
    RefusedLint,
    /// The model or its provider declines to answer, or its reasoning takes all the room.
    Refused,
    /// No answer in time.
    Timeout,
    /// No answer.
    Error,
}

/// Why an HTTP request was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum HttpRefusal {
    /// It was sent to an unknown host name.
    Host,
    /// A page of another origin sent it.
    Origin,
    /// The token is missing or wrong.
    Token,
    /// Its client sends too many requests.
    Rate,
    /// There are too many connections.
    Connections,
    /// Its head is too large.
    Head,
    /// Its head did not arrive in time.
    SlowHead,
    /// Its body is too large.
    Body,
    /// Its body did not arrive in time.
    SlowBody,
    /// It is not HTTP.
    Malformed,
}

const ENTRIES: &[Bound] = &[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000];

pub(super) const RECEIVED: Metric =
    counts_by("feedbackd_entries_received_total", "Entries read from a stream.", "stream", StreamKind::VARIANTS);
pub(super) const REJECTED: Metric = counts_by(
    "feedbackd_entries_rejected_total",
    "Entries that became dead letters, by error code.",
    "code",
    RejectCode::VARIANTS,
);
pub(super) const DUPLICATES: Metric = counts("feedbackd_duplicates_total", "Decisions that were already recorded.");
pub(super) const LOST: Metric =
    counts("feedbackd_lost_entries_total", "Entries trimmed from their stream before they were read.");
pub(super) const FEEDBACK: Metric = counts_by(
    "feedbackd_feedback_total",
    "Feedback recorded, by its first class.",
    "classification",
    Classification::VARIANTS,
);
pub(super) const PROPOSALS: Metric = counts("feedbackd_proposals_created_total", "Rules proposed.");
pub(super) const SUBMITTED: Metric =
    counts("feedbackd_submissions_total", "Accepted reviews, injections, imports and follow-ups.");
pub(super) const REFUSED: Metric = counts("feedbackd_reviews_refused_total", "Reviews that were rejected.");
pub(super) const RULED_AGENTS: Metric = level("feedbackd_agents_with_rules", "Agents that have rules in force.");
pub(super) const STOPPED_RULES: Metric =
    level("feedbackd_stopped_rules", "Rules in force that people stopped: they are in no prompt.");
pub(super) const ROSTER_WAITS: Metric =
    level("feedbackd_roster_waits", "1 while a roster change is pending approval, else 0.");
pub(super) const COMMITS: Metric = counts("feedbackd_commits_total", "Commits made in the store.");
pub(super) const COMMIT_SECONDS: Metric =
    spread("feedbackd_commit_seconds", "Time for one durable commit, fsync included.", SECONDS);
pub(super) const LAST_COMMIT: Metric =
    level("feedbackd_last_commit_timestamp_seconds", "When the last commit was made, in seconds since 1970.");
pub(super) const BATCH_ENTRIES: Metric = spread("feedbackd_batch_entries", "Entries in one batch.", ENTRIES);
pub(super) const BATCH_SECONDS: Metric =
    spread("feedbackd_batch_seconds", "Time for one batch, from read to acknowledgement.", SECONDS);
pub(super) const PUBLISHED: Metric =
    counts_by("feedbackd_published_total", "Messages published.", "topic", Topic::VARIANTS);
pub(super) const REDIS_ERRORS: Metric = counts_by(
    "feedbackd_redis_errors_total",
    "Redis failures: unavailable, or request rejected.",
    "kind",
    RedisFailure::VARIANTS,
);
pub(super) const REDIS_RESOLVES: Metric = counts_by(
    "feedbackd_redis_resolves_total",
    "Look-ups of the Redis server that holds the keys: one for each connection opened.",
    "mode",
    RedisMode::VARIANTS,
);
pub(super) const STORE_ERRORS: Metric = counts("feedbackd_store_errors_total", "Store failures.");
pub(super) const REDIS_UP: Metric = level("feedbackd_redis_up", "1 while Redis answers, else 0.");
pub(super) const CLUSTERS: Metric = level("feedbackd_clusters", "Clusters known.");
pub(super) const PENDING: Metric = level("feedbackd_pending_entries", "Entries read but not yet acknowledged.");
pub(super) const ADVICE_ASKED: Metric =
    counts_by("feedbackd_advice_questions_total", "Questions to the language model.", "kind", AdviceKind::VARIANTS);
pub(super) const ADVICE_ANSWERED: Metric =
    counts_by("feedbackd_advice_answers_total", "Outcomes of these questions.", "outcome", ModelOutcome::VARIANTS);
pub(super) const ADVICE_TOKENS: Metric =
    level("feedbackd_advice_tokens_left", "Tokens left for the language model on this UTC day.");
pub(super) const CATALOGUE_ERRORS: Metric = level(
    "feedbackd_catalogue_errors",
    "Errors in the store's catalogue; while it is not 0, the previous catalogue is in use.",
);
pub(super) const DAMAGE: Metric =
    counts("feedbackd_store_damage_total", "Store files whose content is not what was written.");
pub(super) const UNREADABLE_RECORDS: Metric =
    level("feedbackd_unreadable_records", "Store files that are not valid records; `doctor` names them.");
pub(super) const UNREADABLE_STREAMS: Metric =
    level("feedbackd_unreadable_streams", "Streams whose key holds another type; the others are read.");
pub(super) const SESSIONS: Metric = level("feedbackd_sessions", "Open conversations.");
pub(super) const SESSIONS_CROWDED: Metric =
    counts("feedbackd_sessions_crowded_out_total", "Conversations closed because too many were open.");
pub(super) const HTTP_REFUSED: Metric = counts_by(
    "feedbackd_http_refused_total",
    "HTTP requests and connections that were rejected, by reason.",
    "reason",
    HttpRefusal::VARIANTS,
);
pub(super) const HTTP_CONNECTIONS: Metric = level("feedbackd_http_connections", "HTTP connections.");
pub(super) const BUILD_INFO: Metric =
    levels("feedbackd_build_info", "1, with the version.", "version", &[env!("CARGO_PKG_VERSION")]);

/// Counts entries read from a stream.
pub fn received(stream: StreamKind, entries: u64) {
    count(RECEIVED, stream, entries);
}

/// Sets the number of open conversations; counts those ended to make room.
pub fn sessions(open: usize, ended: u64) {
    gauge!(SESSIONS.name).set(open as f64);
    counter!(SESSIONS_CROWDED.name).increment(ended);
}

/// Counts an entry that became a dead letter.
pub fn rejected(code: RejectCode) {
    count(REJECTED, code, 1);
}

/// Counts duplicate decisions.
pub fn duplicates(entries: u64) {
    counter!(DUPLICATES.name).increment(entries);
}

/// Counts entries lost before they were read.
pub fn lost(entries: u64) {
    counter!(LOST.name).increment(entries);
}

/// Counts recorded feedback.
pub fn feedback(classification: Classification, records: u64) {
    count(FEEDBACK, classification, records);
}

/// Counts proposed rules.
pub fn proposals(created: u64) {
    counter!(PROPOSALS.name).increment(created);
}

/// Counts submissions about what was learned, and rejected reviews.
pub fn submissions(taken: u64, refused: u64) {
    counter!(SUBMITTED.name).increment(taken);
    counter!(REFUSED.name).increment(refused);
}

/// Sets the number of agents with rules in force.
pub fn active_rules(agents: u64) {
    gauge!(RULED_AGENTS.name).set(agents as f64);
}

/// Sets the number of rules in force that are stopped.
pub fn stopped_rules(rules: u64) {
    gauge!(STOPPED_RULES.name).set(rules as f64);
}

/// Sets whether a roster change is pending approval.
pub fn roster_waits(waits: bool) {
    gauge!(ROSTER_WAITS.name).set(f64::from(u8::from(waits)));
}

/// Records a durable commit; `at` is its time in seconds since 1970.
pub fn commit(took: Duration, at: i64) {
    counter!(COMMITS.name).increment(1);
    histogram!(COMMIT_SECONDS.name).record(took);
    gauge!(LAST_COMMIT.name).set(at as f64);
}

/// Records an acknowledged batch.
pub fn batch(entries: usize, took: Duration) {
    histogram!(BATCH_ENTRIES.name).record(entries as f64);
    histogram!(BATCH_SECONDS.name).record(took);
}

/// Counts published messages.
pub fn published(topic: Topic, messages: u64) {
    count(PUBLISHED, topic, messages);
}

/// Counts a Redis failure.
pub fn redis_error(kind: RedisFailure) {
    count(REDIS_ERRORS, kind, 1);
}

/// Counts a store failure.
pub fn store_error() {
    counter!(STORE_ERRORS.name).increment(1);
}

/// Counts a look-up of the Redis server.
pub fn redis_resolved(mode: RedisMode) {
    count(REDIS_RESOLVES, mode, 1);
}

/// Sets whether Redis answers.
pub fn redis_up(up: bool) {
    gauge!(REDIS_UP.name).set(f64::from(u8::from(up)));
}

/// Sets the number of clusters.
pub fn clusters(known: u64) {
    gauge!(CLUSTERS.name).set(known as f64);
}

/// Sets the number of entries being processed.
pub fn pending(entries: usize) {
    gauge!(PENDING.name).set(entries as f64);
}

/// Counts a question to the language model.
pub fn advice_asked(kind: AdviceKind) {
    count(ADVICE_ASKED, kind, 1);
}

/// Counts the outcome of a question.
pub fn advice_answered(outcome: ModelOutcome) {
    count(ADVICE_ANSWERED, outcome, 1);
}

/// Sets the day's remaining tokens.
pub fn advice_tokens_left(tokens: u64) {
    gauge!(ADVICE_TOKENS.name).set(tokens as f64);
}

/// Sets the number of errors in the store's catalogue.
pub fn catalogue_errors(errors: usize) {
    gauge!(CATALOGUE_ERRORS.name).set(errors as f64);
}

/// Counts a corrupted file in the store.
pub fn damage() {
    counter!(DAMAGE.name).increment(1);
}

/// Sets the number of store files set aside.
pub fn unreadable_records(files: usize) {
    gauge!(UNREADABLE_RECORDS.name).set(files as f64);
}

/// Sets the number of unreadable streams.
pub fn unreadable_streams(streams: usize) {
    gauge!(UNREADABLE_STREAMS.name).set(streams as f64);
}

/// Counts a rejected HTTP request.
pub fn http_refused(why: HttpRefusal) {
    count(HTTP_REFUSED, why, 1);
}

/// Sets the number of HTTP connections.
pub fn http_connections(connected: usize) {
    gauge!(HTTP_CONNECTIONS.name).set(connected as f64);
}
