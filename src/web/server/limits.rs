//! Client limits, and the names under which the server may be addressed.
//!
//! Plain values: the configuration is parsed and checked elsewhere.

use std::time::Duration;

/// Limits per client and in total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Accepted host names and addresses, besides those of this machine and the address connected to; without ports.
    pub hosts: Vec<String>,
    /// Other origins whose pages may send requests, as browsers write them: `https://feedback.example.org`.
    pub origins: Vec<String>,
    /// Maximum number of connections; a few more for probes.
    pub connections: usize,
    /// Maximum number of connections per address.
    pub connections_per_client: usize,
    /// Maximum number of requests per second and address; probes are not counted.
    pub requests_per_second: u32,
    /// Maximum head size in bytes, 8192 or more; larger ones are rejected with 431.
    pub head_bytes: usize,
    /// Maximum time for a head; idle connections are also closed after it.
    pub head_time: Duration,
    /// Maximum body size in bytes; larger ones are rejected with 413.
    pub body_bytes: usize,
    /// Maximum time for a body.
    pub body_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            hosts: Vec::new(),
            origins: Vec::new(),
            connections: 64,
            connections_per_client: 32,
            requests_per_second: 500,
            head_bytes: 16 * 1024,
            head_time: Duration::from_secs(10),
            body_bytes: 1024 * 1024,
            body_time: Duration::from_secs(10),
        }
    }
}
