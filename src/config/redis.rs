//! The section about Redis: the connection and the streams read.

use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `[redis]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedisConfig {
    /// `redis://`, `rediss://` (TLS) or `redis+unix://`; may contain a password, which is never shown.
    pub url: Secret,
    /// A file that holds the password; empty: the systemd credential `redis_password` if it exists, else none.
    pub password_file: PathBuf,
    /// A PEM file with the CA certificates for the server's; empty for the system's.
    pub ca_file: PathBuf,
    /// A PEM file with the client certificate; empty for none.
    pub certificate_file: PathBuf,
    /// A PEM file with that certificate's private key; empty: the systemd credential `redis_key` if it exists, else
    /// none.
    pub key_file: PathBuf,
    /// The tenant served; empty for none. Otherwise keys are `tenant:<id>:...` (specification, "Streams in").
    pub tenant: String,
    /// The consumer group.
    pub group: String,
    /// This consumer's name, stable across restarts; empty for the host's name. See [`RedisConfig::consumer_name`].
    pub consumer: String,
    /// The stream of HITL decisions, without tenant prefix.
    pub hitl_stream: String,
    /// The dispatcher's stream, without tenant prefix.
    pub dispatcher_stream: String,
    /// The stream of reviews and other submissions about what was learned, without tenant prefix.
    pub review_stream: String,
    /// The stream of conversation turns, without tenant prefix.
    pub turn_stream: String,
    /// The stream of agents' failed outputs, without tenant prefix.
    pub refinement_stream: String,
    /// The stream of outcomes of agents' actions, without tenant prefix.
    pub action_stream: String,
    /// The stream of actionable-feedback documents, without tenant prefix.
    pub iteration_stream: String,
    /// The idle time after which another member's entries are claimed, in milliseconds.
    pub claim_idle_ms: u64,
    /// How often to check for them, in milliseconds.
    pub claim_every_ms: u64,
    /// How long one read waits for entries, in milliseconds.
    pub block_ms: u64,
    /// How long an answer may take, in milliseconds.
    pub response_timeout_ms: u64,
}

impl RedisConfig {
    /// Returns the streams that are read, without tenant prefix.
    pub fn streams_in(&self) -> [&str; 7] {
        [
            &self.hitl_stream,
            &self.dispatcher_stream,
            &self.review_stream,
            &self.turn_stream,
            &self.refinement_stream,
            &self.action_stream,
            &self.iteration_stream,
        ]
    }

    /// Returns a key, with the tenant's prefix if there is one.
    pub fn key(&self, name: &str) -> String {
        if self.tenant.is_empty() { name.to_owned() } else { format!("tenant:{}:{name}", self.tenant) }
    }

    /// Returns the configured name, else the host's, else `feedbackd`. Two daemons on one host need different names.
    pub fn consumer_name(&self) -> String {
        if !self.consumer.is_empty() {
            return self.consumer.clone();
        }
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname")
            .or_else(|_| std::fs::read_to_string("/etc/hostname"))
            .unwrap_or_default();
        match host.trim() {
            "" => "feedbackd".to_owned(),
            name => name.to_owned(),
        }
    }

    /// Returns the password from `password_file`, without its trailing newline; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read.
    pub fn password(&self) -> Result<Option<Secret>, ConfigError> {
        if self.password_file == Path::new("") {
            return Ok(None);
        }
        let text = read_file(&self.password_file, "redis.password_file")?;
        Ok(Some(Secret::new(text.trim_end_matches(['\n', '\r']))))
    }

    /// Returns the contents of `ca_file`, `certificate_file` and `key_file`, in this order; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if a file is set but cannot be read.
    pub fn tls_files(&self) -> Result<[Option<Secret>; 3], ConfigError> {
        let read = |path: &Path, key: &str| match path == Path::new("") {
            true => Ok(None),
            false => read_file(path, key).map(|text| Some(Secret::new(text))),
        };
        Ok([
            read(&self.ca_file, "redis.ca_file")?,
            read(&self.certificate_file, "redis.certificate_file")?,
            read(&self.key_file, "redis.key_file")?,
        ])
    }
}
