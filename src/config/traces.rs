//! The section about traces: where spans are sent. Without an address nothing is told to anybody.

use super::problem::{ConfigError, Origin, Problem, read_file, variable};
use super::secret::Secret;
use super::words::parts;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `[traces]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TracesConfig {
    /// The collector's base URL for OTLP over HTTP; empty: what the variables of OpenTelemetry name, else spans are sent
    /// nowhere.
    pub endpoint: String,
    /// A file with headers for the collector, `name: value` on each line; empty: the systemd credential `traces_headers`
    /// where there is one, else none.
    pub headers_file: PathBuf,
    /// What this service is called in traces; empty: what the variables of OpenTelemetry say, else `feedbackd`.
    pub service_name: String,
    /// What else is said of it: `name=value` with commas between them.
    pub attributes: String,
    /// The share of the entries that name no trace which get one of their own.
    pub untraced_share: f64,
    /// How long the collector may take for an answer, in seconds.
    pub timeout_seconds: u64,
    /// Whether the proxies that the environment names are used.
    pub use_environment_proxy: bool,
}

/// What to say where spans are to be sent by a program that was built without it.
pub const WITHOUT_OTEL: &str =
    "this program was built without OpenTelemetry; `cargo build --release --features otel` builds one with it";

impl Default for TracesConfig {
    fn default() -> Self {
        TracesConfig {
            endpoint: String::new(),
            headers_file: PathBuf::new(),
            service_name: String::new(),
            attributes: String::new(),
            untraced_share: 0.0,
            timeout_seconds: 10,
            use_environment_proxy: false,
        }
    }
}

impl TracesConfig {
    /// The pairs in `attributes`; `None` for a part that is none.
    pub fn pairs(&self) -> impl Iterator<Item = Option<(&str, &str)>> {
        parts(&self.attributes).map(|part| {
            let (name, value) = part.split_once('=')?;
            let (name, value) = (name.trim(), value.trim());
            (!name.is_empty() && !value.is_empty()).then_some((name, value))
        })
    }

    /// The headers from `headers_file`; none where no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] where the file is set but cannot be read, [`ConfigError::Invalid`] where a line of it is no
    /// header.
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
                        // What stands there may be a secret.
                        found: format!("line {} that is no header", n + 1),
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
