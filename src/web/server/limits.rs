//! How much clients may ask for at a time, and under which names they may ask.
//!
//! Plain values: reading and checking the configuration is done elsewhere.

use std::time::Duration;

/// What one client, and all of them together, may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Names and addresses that a request may be sent to, beside those of this machine and of the address that it came
    /// to; without ports.
    pub hosts: Vec<String>,
    /// Origins beside our own whose pages may ask, as browsers write them: `https://feedback.example.org`.
    pub origins: Vec<String>,
    /// So many connections are held at the same time; a few more for probes.
    pub connections: usize,
    /// So many of them are held for one address.
    pub connections_per_client: usize,
    /// So many requests in a second are answered to one address; probes are not counted.
    pub requests_per_second: u32,
    /// A larger head is refused with 431. Bytes, 8192 or more.
    pub head_bytes: usize,
    /// A head must be complete after so long; an idle connection is closed after so long.
    pub head_time: Duration,
    /// A larger body is refused with 413. Bytes.
    pub body_bytes: usize,
    /// A body must be complete after so long.
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
