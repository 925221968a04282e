//! The configured limits on HTTP clients, as the HTTP side expects them.

use crate::config::HttpConfig;
use crate::web::Limits;
use std::time::Duration;

/// Connections may use one in this many file descriptors: store, index and Redis need the others.
const SHARE: usize = 4;

/// Returns the limits. All values are within the ranges that the configuration check allows.
pub fn limits(config: &HttpConfig) -> Limits {
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        hosts: config.host_names().map(str::to_owned).collect(),
        origins: config.origin_names().map(str::to_owned).collect(),
        connections: size(config.max_connections).min(descriptors() / SHARE).max(1),
        connections_per_client: size(config.max_connections_per_client),
        requests_per_second: config.requests_per_second,
        head_bytes: size(config.max_head_bytes),
        head_time: Duration::from_secs(config.head_timeout_seconds),
        body_bytes: size(config.max_body_bytes),
        body_time: Duration::from_secs(config.body_timeout_seconds),
    }
}

/// Returns how many files the process may have open.
fn descriptors() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the system call only fills the structure passed to it.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    if known { usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX) } else { usize::MAX }
}
