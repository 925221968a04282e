//! The environment of the integration tests: real servers and the daemon as a process, started here and killed when
//! dropped.

pub mod audit;
pub mod cli;
pub mod cluster;
#[cfg(feature = "otel")]
pub mod collector;
pub mod daemon;
pub mod forge;
pub mod gerrit;
pub mod git_host;
pub mod proxy;
pub mod redis;
pub mod repository;
pub mod run;
pub mod sentinel;
pub mod streams;
pub mod words;

use std::time::{Duration, Instant};

/// The maximum wait before a test gives up.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Waits until the condition holds, polling it.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < DEADLINE, "waited in vain until {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
