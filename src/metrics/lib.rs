//! All metrics, each defined once with its help and labels, and a small function for each reported event.
//!
//! Before [`install`] all functions do nothing. There is no listener here; `http` serves the result of
//! [`Exporter::render`].
//!
//! | file | contents |
//! |---|---|
//! | `metric` | the metric type |
//! | `work` | the daemon's work |
//! | `forges` | what forges send |
//! | `notices` | notifications |
//! | `remote` | the copy at a Git host |
//! | `standing` | current state: pending items, effects of rules, streams and Redis |
//! | `table` | all metrics, and the recorder |

use feedbackd_domain as domain;

mod forges;
mod metric;
mod notifications;
mod remote;
mod status;
mod table;
mod work;

pub use forges::{
    DeliveryOutcome, PollOutcome, PullRequestOutcome, StreamOutcome, forge_delivery, forge_ignored, forge_offer,
    forge_poll, forge_stream, forge_stream_broke, forge_stream_connected, forge_stream_line,
};
pub use metric::{Bound, Kind, Metric};
pub use notifications::{notices_delivered, notices_dropped, notices_failed, notices_waiting};
pub use remote::{RemotePush, remote_behind, remote_push};
pub use status::{
    Answer, PendingKind, flagged_rules, http_answered, ready, redis_seen, roster_unreadable, rules, stale_approvals,
    stream, waiting,
};
pub use table::{ALL, Exporter, MetricsError, install};
pub use work::{
    HttpRefusal, ModelOutcome, RedisFailure, RedisMode, active_rules, advice_answered, advice_asked,
    advice_tokens_left, batch, catalogue_errors, clusters, commit, damage, duplicates, feedback, http_connections,
    http_refused, lost, pending, proposals, published, received, redis_error, redis_resolved, redis_up, rejected,
    roster_waits, sessions, stopped_rules, store_error, submissions, unreadable_records, unreadable_streams,
};
