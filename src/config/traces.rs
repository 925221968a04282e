//! The section about traces: where spans are sent. Without an address, nothing is sent.

use super::problem::{ConfigError, Origin, Problem, read_file, variable};
use super::secret::Secret;
use super::words::parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `[traces]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracesConfig {
    /// The collector's base URL for OTLP over HTTP; empty: from OpenTelemetry's variables, else no spans are sent.
    pub endpoint: String,
    /// A file with headers for the collector, one `name: value` per line; empty: the systemd credential
    /// `traces_headers` if it exists, else none.
    pub headers_file: PathBuf,
    /// This service's name in traces; empty: from OpenTelemetry's variables, else `feedbackd`.
    pub service_name: String,
    /// Additional attributes: `name=value`, comma-separated.
    pub attributes: String,
    /// The share of entries without a trace that get one of their own.
    pub untraced_share: f64,
    /// How long the collector may take to answer, in seconds.
    pub timeout_seconds: u64,
    /// Whether to use proxies from the environment.
    pub use_environment_proxy: bool,
}

/// The message if spans are configured but support was not built in.
pub const WITHOUT_OTEL: &str =
    "this program was built without OpenTelemetry; `cargo build --release --features otel` builds one with it";

impl TracesConfig {
    /// Returns the pairs in `attributes`; `None` for an invalid part.
    pub fn pairs(&self) -> impl Iterator<Item = Option<(&str, &str)>> {
        parts(&self.attributes).map(|part| {
            let (name, value) = part.split_once('=')?;
            let (name, value) = (name.trim(), value.trim());
            (!name.is_empty() && !value.is_empty()).then_some((name, value))
        })
    }

    /// Returns the headers from `headers_file`; empty if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read, [`ConfigError::Invalid`] if a line of it is
    /// not a header.
    pub fn headers(&self) -> Result<Vec<(String, Secret)>, ConfigError> {
        const KEY: &str = "traces.headers_file";
        if self.headers_file == Path::new("") {
            return Ok(Vec::new());
        }
        let text = read_file(&self.headers_file, KEY)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(n, line)| {
                header(line).ok_or_else(|| {
                    ConfigError::Invalid(vec![Problem {
                        key: KEY.to_owned(),
                        variable: variable(KEY),
                        origin: Origin::File(self.headers_file.clone()),
                        // The line may contain a secret.
                        found: format!("line {}, which is not a header", n + 1),
                        allowed: "a name, a colon and a value on each line".to_owned(),
                        hint: "for example Authorization: Bearer and the token".to_owned(),
                    }])
                })
            })
            .collect()
    }
}

fn header(line: &str) -> Option<(String, Secret)> {
    let (name, value) = line.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let is_value = !value.is_empty() && value.bytes().all(|b| matches!(b, b' '..=b'~'));
    (is_name && is_value).then(|| (name.to_ascii_lowercase(), Secret::new(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_names_with_values() {
        let (name, value) = header("Authorization: Bearer a:b").expect("a header");
        assert_eq!((name.as_str(), value.expose()), ("authorization", "Bearer a:b"));
        for bad in ["", "no colon", ": x", "a b: c", "name:", "name: a\u{7f}"] {
            assert!(header(bad).is_none(), "{bad}");
        }
    }
}
