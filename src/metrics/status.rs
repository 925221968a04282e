//! Current state: what is pending for people, effects of rules, streams and Redis, and HTTP responses.
//!
//! Gauges set on every check, so that each can drive an alert. Times are seconds since 1970, 0 if there is none: an age
//! is `time() - metric`, and stays correct between checks.

use super::metric::{Metric, SECONDS, count, counts_by, level, levels, spread};
use crate::domain::intake::event::StreamKind;
use crate::domain::rules::in_force::effect::EffectVerdict;
use ::metrics::{gauge, histogram};
use std::time::Duration;
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// An item pending for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum PendingKind {
    /// A proposal awaiting approvals.
    Proposal,
    /// A contradiction awaiting a tiebreak.
    Contradiction,
}

/// The class of an HTTP response, by its first digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
pub enum Answer {
    /// Success.
    #[strum(serialize = "2xx")]
    Fine,
    /// Redirected, or not changed.
    #[strum(serialize = "3xx")]
    Elsewhere,
    /// A client error.
    #[strum(serialize = "4xx")]
    Refused,
    /// The daemon failed, or is not ready.
    #[strum(serialize = "5xx")]
    Failed,
}

pub(super) const WAITING: Metric = levels(
    "feedbackd_waiting",
    "Items pending for people: proposals and contradictions.",
    "kind",
    PendingKind::VARIANTS,
);
pub(super) const OLDEST_WAITING: Metric = levels(
    "feedbackd_oldest_waiting_timestamp_seconds",
    "Since when the oldest pending item has been waiting, in seconds since 1970; 0 if none is pending.",
    "kind",
    PendingKind::VARIANTS,
);
pub(super) const STALE_APPROVALS: Metric = level(
    "feedbackd_stale_approvals",
    "Approvals of pending proposals that are for an earlier text: their approvers must review it again.",
);
pub(super) const RULES: Metric = levels(
    "feedbackd_rules",
    "Rules in force in prompts, by measured effect.",
    "effect",
    <EffectVerdict as VariantNames>::VARIANTS,
);
pub(super) const FLAGGED_RULES: Metric =
    level("feedbackd_flagged_rules", "Rules in force that show no effect and need a decision.");
pub(super) const ROSTER_ERRORS: Metric =
    level("feedbackd_roster_errors", "1 while the roster file cannot be read, else 0.");
pub(super) const STREAM_LAG: Metric =
    levels("feedbackd_stream_lag", "Entries not read yet, if Redis reports it.", "stream", StreamKind::VARIANTS);
pub(super) const STREAM_PENDING: Metric = levels(
    "feedbackd_stream_pending",
    "Entries read but not acknowledged, for all members of the group.",
    "stream",
    StreamKind::VARIANTS,
);
pub(super) const FOREIGN_MEMBERS: Metric =
    level("feedbackd_foreign_members", "Other members of the consumer group that hold entries or read recently.");
pub(super) const DEAD_LETTERS: Metric = level("feedbackd_dead_letters", "Dead letters in their stream.");
pub(super) const REDIS_MEMORY: Metric = level("feedbackd_redis_memory_bytes", "Memory used by Redis.");
pub(super) const REDIS_MEMORY_LIMIT: Metric =
    level("feedbackd_redis_memory_limit_bytes", "Redis memory limit; 0 if there is no limit.");
pub(super) const READY: Metric = level("feedbackd_ready", "1 while `/ready` answers 200, else 0.");
pub(super) const HTTP_ANSWERS: Metric =
    counts_by("feedbackd_http_answers_total", "HTTP responses, by status.", "status", Answer::VARIANTS);
pub(super) const HTTP_SECONDS: Metric =
    spread("feedbackd_http_seconds", "Time to produce an HTTP response, without sending it.", SECONDS);

/// Sets the number of pending items of a kind, and the time of the oldest (seconds since 1970).
pub fn waiting(kind: PendingKind, number: usize, oldest: Option<i64>) {
    let kind: &'static str = kind.into();
    gauge!(WAITING.name, "kind" => kind).set(number as f64);
    gauge!(OLDEST_WAITING.name, "kind" => kind).set(oldest.unwrap_or(0) as f64);
}

/// Sets the number of approvals of an earlier text.
pub fn stale_approvals(approvals: usize) {
    gauge!(STALE_APPROVALS.name).set(approvals as f64);
}

/// Sets the number of rules by effect.
pub fn rules(of: impl Fn(EffectVerdict) -> usize) {
    for &effect in <EffectVerdict as VariantArray>::VARIANTS {
        gauge!(RULES.name, "effect" => <&'static str>::from(effect)).set(of(effect) as f64);
    }
}

/// Sets the number of flagged rules in force.
pub fn flagged_rules(rules: usize) {
    gauge!(FLAGGED_RULES.name).set(rules as f64);
}

/// Sets whether the roster file is unreadable.
pub fn roster_unreadable(unreadable: bool) {
    gauge!(ROSTER_ERRORS.name).set(f64::from(u8::from(unreadable)));
}

/// Sets a stream's state. Values unknown to Redis are left unchanged.
pub fn stream(kind: StreamKind, pending: Option<u64>, lag: Option<u64>) {
    let kind: &'static str = kind.into();
    if let Some(pending) = pending {
        gauge!(STREAM_PENDING.name, "stream" => kind).set(pending as f64);
    }
    if let Some(lag) = lag {
        gauge!(STREAM_LAG.name, "stream" => kind).set(lag as f64);
    }
}

/// Sets Redis's state apart from streams; memory in bytes.
pub fn redis_seen(memory: Option<u64>, limit: Option<u64>, dead_letters: u64, foreign_members: usize) {
    if let Some(memory) = memory {
        gauge!(REDIS_MEMORY.name).set(memory as f64);
    }
    if let Some(limit) = limit {
        gauge!(REDIS_MEMORY_LIMIT.name).set(limit as f64);
    }
    gauge!(DEAD_LETTERS.name).set(dead_letters as f64);
    gauge!(FOREIGN_MEMBERS.name).set(foreign_members as f64);
}

/// Sets whether the daemon is ready.
pub fn ready(ready: bool) {
    gauge!(READY.name).set(f64::from(u8::from(ready)));
}

/// Records a response with its status.
pub fn http_answered(status: u16, took: Duration) {
    let answer = match status {
        ..300 => Answer::Fine,
        300..400 => Answer::Elsewhere,
        400..500 => Answer::Refused,
        500.. => Answer::Failed,
    };
    count(HTTP_ANSWERS, answer, 1);
    histogram!(HTTP_SECONDS.name).record(took);
}
