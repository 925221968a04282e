//! The section about Redis: the connection and the streams read.

use super::address_list::addresses;
use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How the server that holds the keys is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RedisMode {
    /// `url` names the server.
    Single,
    /// `url` names Sentinels, which know the primary.
    Sentinel,
    /// `url` names nodes of a Redis Cluster.
    Cluster,
}

/// `[redis]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedisConfig {
    /// `redis://`, `rediss://` (TLS) or `redis+unix://`, or several separated by commas; may contain a password, which
    /// is never shown.
    pub url: Secret,
    /// A file that holds the password; empty: the systemd credential `redis_password` if it exists, else none.
    pub password_file: PathBuf,
    /// What `url` names.
    pub mode: RedisMode,
    /// The name under which the Sentinels watch the primary.
    pub sentinel_master: String,
    /// The Sentinels' own user; empty for none.
    pub sentinel_user: String,
    /// A file that holds the Sentinels' own password; empty: the systemd credential `redis_sentinel_password` if it
    /// exists, else none.
    pub sentinel_password_file: PathBuf,
    /// A PEM file with the CA certificates for the server's; empty for the system's.
    pub ca_file: PathBuf,
    /// A PEM file with the client certificate; empty for none.
    pub certificate_file: PathBuf,
    /// A PEM file with that certificate's private key; empty: the systemd credential `redis_key` if it exists, else
    /// none.
    pub key_file: PathBuf,
    /// The tenant served; empty for none. Otherwise keys are `tenant:<id>:...` (specification, "Streams in").
    pub tenant: String,
    /// Whether keys are `tenant:{<id>}:...`; always so in a cluster. See [`RedisConfig::has_hash_tags`].
    pub hash_tags: bool,
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
        key(Some(self.tenant.as_str()).filter(|tenant| !tenant.is_empty()), self.has_hash_tags(), name)
    }

    /// Reports whether the tenant is written in braces in keys, so that a Redis Cluster keeps all of them in one slot.
    pub fn has_hash_tags(&self) -> bool {
        self.hash_tags || self.mode == RedisMode::Cluster
    }

    /// Returns the keys whose values do not suit the mode, each with what was found, what is allowed, and a hint.
    pub(super) fn faults(&self) -> Vec<(&'static str, String, &'static str, &'static str)> {
        let mut faults = Vec::new();
        let urls = addresses(self.url.expose());
        if self.mode == RedisMode::Cluster {
            if let Some(number) = urls.iter().find_map(|url| database(url)) {
                faults.push((
                    "redis.url",
                    format!("the database {number}"),
                    "no database number with redis.mode = \"cluster\": a Redis Cluster has only database 0",
                    "leave the number out",
                ));
            }
            if self.tenant.is_empty() {
                faults.push((
                    "redis.tenant",
                    "no tenant".to_owned(),
                    "a tenant with redis.mode = \"cluster\"",
                    "a Redis Cluster keeps the keys of one tenant on one server: `tenant:{<id>}:...`",
                ));
            }
        } else if self.hash_tags && self.tenant.is_empty() {
            faults.push((
                "redis.hash_tags",
                "`true` without a tenant".to_owned(),
                "false, or true together with redis.tenant",
                "only the tenant is written in braces",
            ));
        }
        if self.mode != RedisMode::Single && urls.iter().any(|url| is_socket(url)) {
            faults.push((
                "redis.url",
                "a socket".to_owned(),
                "redis:// or rediss:// with redis.mode = \"sentinel\" or \"cluster\"",
                "Sentinels and nodes of a cluster are found by host and port",
            ));
        }
        match (self.mode, self.sentinel_master.as_str()) {
            (RedisMode::Sentinel, "") => faults.push((
                "redis.sentinel_master",
                "no name".to_owned(),
                "a name with redis.mode = \"sentinel\"",
                "it is the one after `sentinel monitor` in the Sentinels' configuration",
            )),
            (RedisMode::Single | RedisMode::Cluster, name) if !name.is_empty() => faults.push((
                "redis.sentinel_master",
                format!("`{name}`"),
                "empty, unless redis.mode is \"sentinel\"",
                "set redis.mode = \"sentinel\" if redis.url names Sentinels",
            )),
            _ => {}
        }
        faults
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
        password(&self.password_file, "redis.password_file")
    }

    /// Returns the Sentinels' own password, likewise.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read.
    pub fn sentinel_password(&self) -> Result<Option<Secret>, ConfigError> {
        password(&self.sentinel_password_file, "redis.sentinel_password_file")
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

/// Returns a key: with the tenant's prefix if there is a tenant, in braces if it is to be a hash tag (specification,
/// "Streams in").
pub fn key(tenant: Option<&str>, hash_tag: bool, name: &str) -> String {
    match tenant {
        Some(tenant) if hash_tag => format!("tenant:{{{tenant}}}:{name}"),
        Some(tenant) => format!("tenant:{tenant}:{name}"),
        None => name.to_owned(),
    }
}

fn password(file: &Path, key: &str) -> Result<Option<Secret>, ConfigError> {
    if file == Path::new("") {
        return Ok(None);
    }
    let text = read_file(file, key)?;
    Ok(Some(Secret::new(text.trim_end_matches(['\n', '\r']))))
}

/// Returns the database of a URL other than 0, as written.
fn database(url: &str) -> Option<&str> {
    // The last `@` ends the password.
    let place = url.rsplit_once('@').map_or(url, |(_, place)| place);
    let place = place.split_once("://").map_or(place, |(_, place)| place);
    let path = place.split(['?', '#']).next()?.split_once('/')?.1;
    Some(path).filter(|number| !matches!(*number, "" | "0"))
}

fn is_socket(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, _)| scheme.ends_with("unix"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_other_than_0_is_found() {
        for (url, number) in [
            ("redis://h", None),
            ("redis://h:1/", None),
            ("redis://h:1/0", None),
            ("redis://h:1/0?protocol=resp3", None),
            ("rediss://u:p/3@h:1/2", Some("2")),
            ("redis://h/12?x=y", Some("12")),
        ] {
            assert_eq!(database(url), number, "{url}");
        }
    }
}
