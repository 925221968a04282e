//! Logging, set up once: lines on stderr, as text for people or as JSON for programs.
//!
//! It does not read the environment (`log.level` says what is shown) and does not know what is secret: whoever logs
//! passes masked values (`config::Secret` is one).

use std::io::{IsTerminal, stderr};
use thiserror::Error;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// Logging could not be set up.
#[derive(Debug, Error)]
pub enum TelemetryError {
    /// The directives do not parse.
    #[error("`{directives}` is not a log level or filter: {message}\n  hint: write info, or info,feedbackd::app=debug")]
    Filter {
        /// What was given.
        directives: String,
        /// What is wrong.
        message: String,
    },
    /// Something set it up before.
    #[error("logging was already set up")]
    AlreadySet,
}

/// Sets logging up for this process: `directives` is `log.level`, `json` is true for `log.format = "json"`.
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

/// Sets up what commands tell beside their answer: why one waits for vectors, and what is wrong with what makes them.
/// Where logging is set up already, that stays.
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
