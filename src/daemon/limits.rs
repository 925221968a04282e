//! What the configuration allows clients over HTTP, as the HTTP side takes it.

use crate::config::HttpConfig;
use crate::http::Limits;
use std::time::Duration;

/// All values are within the ranges that the configuration was checked for.
pub fn limits(config: &HttpConfig) -> Limits {
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        hosts: config.host_names().map(str::to_owned).collect(),
        connections: size(config.max_connections),
        connections_per_client: size(config.max_connections_per_client),
        requests_per_second: config.requests_per_second,
        head_bytes: size(config.max_head_bytes),
        head_time: Duration::from_secs(config.head_timeout_seconds),
        body_bytes: size(config.max_body_bytes),
        body_time: Duration::from_secs(config.body_timeout_seconds),
    }
}
