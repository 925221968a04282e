//! Metrics on the copy of the store at a Git host.

use super::metric::{Metric, count, counts_by, level};
use ::metrics::gauge;
use strum::{IntoStaticStr, VariantNames};

/// The outcome of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RemotePush {
    /// The host has the commits.
    Ok,
    /// The host has other commits, which are fetched first.
    Behind,
    /// The host refuses it, such as for a protected branch.
    Refused,
    /// The host does not answer, or the login fails.
    Failed,
}

pub(super) const PUSHES: Metric =
    counts_by("feedbackd_remote_push_total", "Pushes to the Git host, by outcome.", "outcome", RemotePush::VARIANTS);
pub(super) const BEHIND_COMMITS: Metric =
    level("feedbackd_remote_behind_commits", "Commits of the store that the Git host lacks.");
pub(super) const BEHIND_SECONDS: Metric =
    level("feedbackd_remote_behind_seconds", "Age of the oldest commit that the Git host lacks; 0 if it lacks none.");

/// Counts a push.
pub fn remote_push(outcome: RemotePush) {
    count(PUSHES, outcome, 1);
}

/// Records how far the host is behind.
pub fn remote_behind(commits: usize, seconds: u64) {
    gauge!(BEHIND_COMMITS.name).set(commits as f64);
    gauge!(BEHIND_SECONDS.name).set(seconds as f64);
}
