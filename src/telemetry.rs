//! Logging, set up once: lines on stderr, as text for people or as JSON for programs.
//!
//! It does not read the environment (`log.level` sets the filter) and does not know what is secret: callers pass masked
//! values (e.g. `config::Secret`).

use std::io::{IsTerminal, stderr};
use thiserror::Error;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// Why logging could not be set up.
#[derive(Debug, Error)]
pub enum TelemetryError {
    /// The directives are invalid.
    #[error("`{directives}` is not a log level or filter: {message}\n  hint: write info, or info,feedbackd::app=debug")]
    Filter {
        /// The directives given.
        directives: String,
        /// The problem.
        message: String,
    },
    /// Logging was set up before.
    #[error("logging was already set up")]
    AlreadySet,
}

/// Sets up logging for this process: `directives` is `log.level`, `json` is true for `log.format = "json"`.
///
/// # Errors
/// [`TelemetryError::Filter`], or [`TelemetryError::AlreadySet`] the second time.
pub fn init(directives: &str, json: bool) -> Result<(), TelemetryError> {
    let filter = EnvFilter::try_new(directives)
        .map_err(|e| TelemetryError::Filter { directives: directives.to_owned(), message: e.to_string() })?;
    let registry = tracing_subscriber::registry().with(filter);
    let result = if json {
        let lines = fmt::layer().json().flatten_event(true).with_current_span(false).with_writer(stderr);
        registry.with(lines).try_init()
    } else {
        let lines = fmt::layer().with_ansi(stderr().is_terminal()).with_writer(stderr);
        registry.with(lines).try_init()
    };
    result.map_err(|_| TelemetryError::AlreadySet)
}

/// Sets up logging for commands: waits for vectors, and problems of the embedder. Existing logging is kept.
pub fn init_for_commands() {
    let lines = fmt::layer().with_ansi(false).without_time().with_level(false).with_target(false).with_writer(stderr);
    let filter = EnvFilter::new("off,feedbackd::adapters::embedder=info");
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_directives_are_named() {
        let error = init("a=b=c", false).unwrap_err().to_string();
        assert!(error.contains("`a=b=c`"), "{error}");
    }
}
