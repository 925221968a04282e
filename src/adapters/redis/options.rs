//! What the adapter has to be told, and the names of the keys that follow from it.
//!
//! Plain values: reading and checking the configuration is done elsewhere.

use super::redis_url::redacted;
use crate::domain::intake::event::StreamKind;
use std::fmt;
use std::time::Duration;

/// How to reach Redis, and which streams to read as whom.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisOptions {
    /// `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS, or `redis+unix:///path`.
    pub url: String,
    /// The password, where it is not in the URL.
    pub password: Option<String>,
    /// With `rediss://`: who is believed, and what is shown.
    pub tls: Tls,
    /// The tenant, whose keys all begin with `tenant:<tenant>:`; `None` for the default tenant (specification, "Streams
    /// in").
    pub tenant: Option<String>,
    /// The consumer group, shared by all workers of a store.
    pub group: String,
    /// This worker's name in the group. Must be the same after a restart, and different for each worker.
    pub consumer: String,
    /// The keys that are read, without the tenant's prefix, and what each carries.
    pub streams: [(String, StreamKind); StreamKind::ALL.len()],
    /// How long a read waits for an entry. Also how long a shutdown may have to wait, as a read is never cut off.
    pub block: Duration,
    /// How long an entry must have been with a member before it is taken over. Longer than the slowest batch.
    pub claim_idle: Duration,
    /// How often to look for such entries.
    pub claim_every: Duration,
    /// How long to wait for a connection or an answer.
    pub response_timeout: Duration,
    /// The most bytes of entries to read at a time, of all streams together; one entry of each is always read.
    pub read_bytes: usize,
    /// Of a larger entry only its beginnings are read, in bytes.
    pub largest_entry: usize,
    /// A gate request is refused that has more in the fields that are read, in bytes.
    pub largest_request: usize,
    /// About how many entries to keep in each outgoing stream; `None` keeps all.
    pub max_len: Option<u64>,
}

/// Certificates in PEM, and a private key, for a connection with TLS.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// Those that the server's must come from; `None` for those of the system.
    pub roots: Option<String>,
    /// What is shown to the server.
    pub certificate: Option<String>,
    /// The private key of that.
    pub key: Option<String>,
}

impl Default for RedisOptions {
    fn default() -> Self {
        RedisOptions {
            url: "redis://127.0.0.1:6379/0".into(),
            password: None,
            tls: Tls::default(),
            tenant: None,
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
            .field("tenant", &self.tenant)
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

/// The keys out, and those the adapter keeps for itself. Its own begin with `feedbackd:`.
impl RedisOptions {
    /// A key with the tenant's prefix.
    pub fn key(&self, name: &str) -> String {
        match &self.tenant {
            Some(tenant) => format!("tenant:{tenant}:{name}"),
            None => name.to_owned(),
        }
    }

    /// The list of an agent's active rules. Any text is an agent's name here: a key holds any bytes, and the name is
    /// its end.
    pub fn active_rules_key(&self, agent: &str) -> String {
        self.key(&format!("asdlc:rules:active:{agent}"))
    }

    /// The finished section for an agent's prompt.
    pub fn rules_prompt_key(&self, agent: &str) -> String {
        self.key(&format!("asdlc:rules:prompt:{agent}"))
    }

    /// The stream of dead letters.
    pub fn dead_letters_key(&self) -> String {
        self.key("asdlc:events:dead_letters")
    }

    /// The notes of dead letters that were sent again.
    pub fn sent_again_key(&self) -> String {
        self.key("feedbackd:sent_again")
    }

    /// Where the last published commit of a store is kept.
    pub fn cursor_key(&self, store_id: &str) -> String {
        self.key(&format!("feedbackd:outbox:{store_id}"))
    }

    /// For which store the group works.
    pub(super) fn owner_key(&self) -> String {
        self.key(&format!("feedbackd:store:{}", self.group))
    }

    /// The names that this daemon has had in the group.
    pub(super) fn names_key(&self) -> String {
        self.key(&format!("feedbackd:members:{}", self.group))
    }

    /// When the group of a stream (its full key) was made by us.
    pub(super) fn mark_key(&self, stream: &str) -> String {
        self.own("group", stream)
    }

    /// Ids that were trimmed while pending and wait to be dead-lettered.
    pub(super) fn lost_key(&self, stream: &str) -> String {
        self.own("lost", stream)
    }

    /// Ids that were dead-lettered and are still in the stream.
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
    fn debug_hides_the_password() {
        let options = RedisOptions { url: "redis://me:geheim@db:6379/1".into(), ..RedisOptions::default() };
        assert!(!format!("{options:?}").contains("geheim"));
    }
}
