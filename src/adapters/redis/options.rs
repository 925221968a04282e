//! The adapter's options, and the key names derived from them.
//!
//! Plain values: reading and checking the configuration is done elsewhere.

use super::password::Password;
use super::redis_url::redacted;
use crate::config::redis_key;
use crate::domain::intake::event::StreamKind;
use std::fmt;
use std::time::Duration;

/// How to reach Redis, and which streams to read under which name.
#[derive(Clone)]
pub struct RedisOptions {
    /// `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS, or `redis+unix:///path`. Several addresses are
    /// separated by commas; user, password and database are those of the first.
    pub url: String,
    /// The password, if it is not in the URL.
    pub password: Password,
    /// How the server that holds the keys is found.
    pub topology: Topology,
    /// Trusted and own certificates for `rediss://`.
    pub tls: Tls,
    /// Called whenever the server is looked up.
    pub on_resolve: fn(),
    /// The tenant, whose keys all start with `tenant:<tenant>:`; `None` for the default tenant (specification, "Streams
    /// in").
    pub tenant: Option<String>,
    /// Whether the tenant is written in braces: all its keys are then in one slot of a Redis Cluster.
    pub hash_tags: bool,
    /// The consumer group, shared by all workers of a store.
    pub group: String,
    /// This worker's name in the group. Must stay the same across restarts, and differ between workers.
    pub consumer: String,
    /// The keys that are read, without the tenant's prefix, and the kind of each.
    pub streams: [(String, StreamKind); StreamKind::ALL.len()],
    /// How long a read waits for an entry. Also bounds shutdown, as a read is never interrupted.
    pub block: Duration,
    /// How long an entry must be pending with a member before it is claimed. Longer than the slowest batch.
    pub claim_idle: Duration,
    /// How often to check for such entries.
    pub claim_every: Duration,
    /// The timeout for a connection or a response.
    pub response_timeout: Duration,
    /// Maximum bytes of entries to read at a time, over all streams; at least one entry of each is always read.
    pub read_bytes: usize,
    /// For entries larger than this, in bytes, only the beginnings are read.
    pub largest_entry: usize,
    /// Gate requests whose relevant fields exceed this size, in bytes, are rejected.
    pub largest_request: usize,
    /// Approximate number of entries to keep in each outgoing stream; `None` keeps all.
    pub max_len: Option<u64>,
}

/// How the server that holds the keys is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// The addresses are those of the server itself.
    #[default]
    Single,
    /// The addresses are those of Sentinels, which know the primary.
    Sentinel(Sentinels),
    /// The addresses are those of any nodes of a Redis Cluster, which know the primary of a key.
    Cluster,
}

/// What is needed to ask Sentinels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentinels {
    /// The primary's name there.
    pub master: String,
    /// The Sentinels' own user; `None` for none. The user of the URL is the primary's.
    pub user: Option<String>,
    /// The Sentinels' own password.
    pub password: Password,
}

/// PEM certificates and a private key for TLS connections.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// Root certificates for the server's; `None` for the system's.
    pub roots: Option<String>,
    /// The client certificate.
    pub certificate: Option<String>,
    /// Its private key.
    pub key: Option<String>,
}

impl Default for RedisOptions {
    fn default() -> Self {
        RedisOptions {
            url: "redis://127.0.0.1:6379/0".into(),
            password: Password::None,
            topology: Topology::Single,
            tls: Tls::default(),
            on_resolve: || {},
            tenant: None,
            hash_tags: false,
            group: "feedbackd".into(),
            consumer: "feedbackd-1".into(),
            streams: StreamKind::ALL.map(|kind| (kind.usual_key(), kind)),
            block: Duration::from_secs(1),
            claim_idle: Duration::from_secs(60),
            claim_every: Duration::from_secs(15),
            response_timeout: Duration::from_secs(3),
            read_bytes: 8 << 20,
            largest_entry: 1 << 20,
            largest_request: 64 << 10,
            max_len: None,
        }
    }
}

impl fmt::Debug for RedisOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisOptions")
            .field("url", &redacted(&self.url))
            .field("topology", &self.topology)
            .field("tenant", &self.tenant)
            .field("hash_tags", &self.hash_tags)
            .field("group", &self.group)
            .field("consumer", &self.consumer)
            .field("streams", &self.streams)
            .field("block", &self.block)
            .field("claim_idle", &self.claim_idle)
            .field("claim_every", &self.claim_every)
            .field("response_timeout", &self.response_timeout)
            .field("read_bytes", &self.read_bytes)
            .field("largest_entry", &self.largest_entry)
            .field("largest_request", &self.largest_request)
            .field("max_len", &self.max_len)
            .finish()
    }
}

/// The outgoing keys, and the adapter's internal ones, which start with `feedbackd:`.
impl RedisOptions {
    /// Returns a key with the tenant's prefix.
    pub fn key(&self, name: &str) -> String {
        redis_key(self.tenant.as_deref(), self.hash_tags, name)
    }

    /// Returns the key of an agent's active rules. Any text is a valid agent name here: a key may hold any bytes, and
    /// the name is last.
    pub fn active_rules_key(&self, agent: &str) -> String {
        self.key(&format!("asdlc:rules:active:{agent}"))
    }

    /// Returns the key of the finished section for an agent's prompt.
    pub fn rules_prompt_key(&self, agent: &str) -> String {
        self.key(&format!("asdlc:rules:prompt:{agent}"))
    }

    /// Returns the stream of dead letters.
    pub fn dead_letters_key(&self) -> String {
        self.key("asdlc:events:dead_letters")
    }

    /// Returns the key that records resent dead letters.
    pub fn sent_again_key(&self) -> String {
        self.key("feedbackd:sent_again")
    }

    /// Returns the key of a store's last published commit.
    pub fn cursor_key(&self, store_id: &str) -> String {
        self.key(&format!("feedbackd:outbox:{store_id}"))
    }

    /// Returns the key of the group's store.
    pub(super) fn owner_key(&self) -> String {
        self.key(&format!("feedbackd:store:{}", self.group))
    }

    /// Returns the key of this daemon's names in the group.
    pub(super) fn names_key(&self) -> String {
        self.key(&format!("feedbackd:members:{}", self.group))
    }

    /// Returns the key that records when we created the group of a stream (its full key).
    pub(super) fn mark_key(&self, stream: &str) -> String {
        self.own("group", stream)
    }

    /// Returns the key of ids trimmed while pending, to be dead-lettered.
    pub(super) fn lost_key(&self, stream: &str) -> String {
        self.own("lost", stream)
    }

    /// Returns the key of dead-lettered ids still in the stream.
    pub(super) fn done_key(&self, stream: &str) -> String {
        self.own("dead_lettered", stream)
    }

    fn own(&self, what: &str, stream: &str) -> String {
        self.key(&format!("feedbackd:{what}:{}:{stream}", self.group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_carry_the_tenant() {
        let mut options = RedisOptions::default();
        assert_eq!(options.dead_letters_key(), "asdlc:events:dead_letters");
        options.tenant = Some("acme".into());
        assert_eq!(options.dead_letters_key(), "tenant:acme:asdlc:events:dead_letters");
        assert_eq!(options.cursor_key("s1"), "tenant:acme:feedbackd:outbox:s1");
        assert_eq!(options.active_rules_key("a b:c"), "tenant:acme:asdlc:rules:active:a b:c");
        assert_eq!(options.rules_prompt_key(""), "tenant:acme:asdlc:rules:prompt:");
    }

    #[test]
    fn a_hash_tag_is_the_tenant_alone() {
        let options = RedisOptions { tenant: Some("acme".into()), hash_tags: true, ..RedisOptions::default() };
        assert_eq!(options.key("asdlc:events"), "tenant:{acme}:asdlc:events");
        assert_eq!(options.cursor_key("s1"), "tenant:{acme}:feedbackd:outbox:s1");
        let none = RedisOptions { tenant: None, ..options };
        assert_eq!(none.key("asdlc:events"), "asdlc:events", "there is nothing to write in braces");
    }

    #[test]
    fn debug_hides_the_password() {
        let options = RedisOptions { url: "redis://me:geheim@db:6379/1".into(), ..RedisOptions::default() };
        assert!(!format!("{options:?}").contains("geheim"));
    }
}
