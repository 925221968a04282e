//! Rules for the keys about intake and storage: redis, store, remote, state, intake, privacy.

use super::predicates::{
    are_redis_urls, is_branch, is_name, is_only_one, is_path, is_path_or_empty, is_web_url, within,
};
use super::rule::{GATE_AGENTS, NAME, Rule};
use crate::intake::Privacy;
use crate::remote::{RemoteMode, is_remote_url, may_see_token};
use crate::settings::Config;
use crate::text::ids::is_safe_name;
use std::path::Path;

const PATH: &str = "a path";
const STREAM_HINT: &str = "omit the tenant's prefix; `redis.tenant` adds it";

const TREATMENTS: &str = "off, masked, or pseudonym together with privacy.key_file";
const KEY_HINT: &str = "pseudonyms are made with the key in privacy.key_file";

fn has_key(config: &Config, privacy: Privacy) -> bool {
    privacy != Privacy::Pseudonym || config.privacy.key_file != Path::new("")
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "redis.url",
        allowed: "redis://, rediss://, redis+unix:// or unix:// and an address, or several separated by commas",
        hint: "for example redis://127.0.0.1:6379/0",
        ok: |c| are_redis_urls(c.redis.url.expose()),
    },
    Rule {
        key: "redis.password_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the password",
        ok: |c| is_path_or_empty(&c.redis.password_file),
    },
    Rule {
        key: "redis.mode",
        allowed: "single, sentinel together with redis.sentinel_master, or cluster together with redis.tenant",
        hint: "it says what redis.url names: the server, its Sentinels, or nodes of a cluster",
        ok: |_| true,
    },
    Rule {
        key: "redis.sentinel_master",
        allowed: "a name without spaces or control characters with redis.mode = \"sentinel\", otherwise empty",
        hint: "it is the one after `sentinel monitor` in the Sentinels' configuration",
        ok: |c| c.redis.sentinel_master.is_empty() || is_name(&c.redis.sentinel_master),
    },
    Rule {
        key: "redis.sentinel_user",
        allowed: "empty, or a name without spaces or control characters",
        hint: "the user of the primary belongs into redis.url",
        ok: |c| c.redis.sentinel_user.is_empty() || is_name(&c.redis.sentinel_user),
    },
    Rule {
        key: "redis.sentinel_password_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the password of the Sentinels",
        ok: |c| is_path_or_empty(&c.redis.sentinel_password_file),
    },
    Rule {
        key: "redis.ca_file",
        allowed: "a path, or empty for the system's certificates",
        hint: "the file holds certificates in PEM",
        ok: |c| is_path_or_empty(&c.redis.ca_file),
    },
    Rule {
        key: "redis.certificate_file",
        allowed: "a path together with redis.key_file and a rediss:// URL, or empty for none",
        hint: "the file holds a certificate in PEM",
        ok: |c| {
            let shown = c.redis.certificate_file != Path::new("");
            let has_key = c.redis.key_file != Path::new("");
            is_path_or_empty(&c.redis.certificate_file) && (!shown || has_key)
        },
    },
    Rule {
        key: "redis.key_file",
        allowed: "a path, or empty for none",
        hint: "the file holds a private key in PEM, and only the daemon's user may read it",
        ok: |c| is_path_or_empty(&c.redis.key_file),
    },
    Rule {
        key: "redis.tenant",
        allowed: "empty, or up to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit",
        hint: "it becomes part of every key: `tenant:<id>:...`",
        ok: |c| c.redis.tenant.is_empty() || is_safe_name(&c.redis.tenant),
    },
    Rule {
        key: "redis.hash_tags",
        allowed: "true together with redis.tenant, or false",
        hint: "with true, the keys are `tenant:{<id>}:...`",
        ok: |_| true,
    },
    Rule {
        key: "redis.group",
        allowed: NAME,
        hint: "all daemons of one store use the same group",
        ok: |c| is_name(&c.redis.group),
    },
    Rule {
        key: "redis.consumer",
        allowed: "empty for the host's name, or a name without spaces or control characters",
        hint: "it must stay the same across restarts",
        ok: |c| c.redis.consumer.is_empty() || is_name(&c.redis.consumer),
    },
    Rule { key: "redis.hitl_stream", allowed: NAME, hint: STREAM_HINT, ok: |c| is_name(&c.redis.hitl_stream) },
    Rule {
        key: "redis.dispatcher_stream",
        allowed: "a name without spaces, other than `redis.hitl_stream`",
        hint: STREAM_HINT,
        ok: |c| is_name(&c.redis.dispatcher_stream) && c.redis.dispatcher_stream != c.redis.hitl_stream,
    },
    Rule {
        key: "redis.review_stream",
        allowed: "a name without spaces, other than `redis.hitl_stream` and `redis.dispatcher_stream`",
        hint: STREAM_HINT,
        ok: |c| {
            let others = [&c.redis.hitl_stream, &c.redis.dispatcher_stream];
            is_name(&c.redis.review_stream) && !others.contains(&&c.redis.review_stream)
        },
    },
    Rule {
        key: "redis.turn_stream",
        allowed: "a name without spaces, other than those of the other streams",
        hint: STREAM_HINT,
        ok: |c| is_name(&c.redis.turn_stream) && is_only_one(c, &c.redis.turn_stream),
    },
    Rule {
        key: "redis.refinement_stream",
        allowed: "a name without spaces, other than those of the other streams",
        hint: STREAM_HINT,
        ok: |c| is_name(&c.redis.refinement_stream) && is_only_one(c, &c.redis.refinement_stream),
    },
    Rule {
        key: "redis.action_stream",
        allowed: "a name without spaces, other than those of the other streams",
        hint: STREAM_HINT,
        ok: |c| is_name(&c.redis.action_stream) && is_only_one(c, &c.redis.action_stream),
    },
    Rule {
        key: "redis.iteration_stream",
        allowed: "a name without spaces, other than those of the other streams",
        hint: STREAM_HINT,
        ok: |c| is_name(&c.redis.iteration_stream) && is_only_one(c, &c.redis.iteration_stream),
    },
    Rule {
        key: "redis.claim_idle_ms",
        allowed: "1000 to 86400000 (milliseconds)",
        hint: "if it is too small, entries are taken from members that are still working",
        ok: |c| within(c.redis.claim_idle_ms, 1_000..=86_400_000),
    },
    Rule {
        key: "redis.claim_every_ms",
        allowed: "100 to 3600000 (milliseconds)",
        hint: "",
        ok: |c| within(c.redis.claim_every_ms, 100..=3_600_000),
    },
    Rule {
        key: "redis.block_ms",
        allowed: "1 to 60000 (milliseconds)",
        hint: "0 would wait forever",
        ok: |c| within(c.redis.block_ms, 1..=60_000),
    },
    Rule {
        key: "redis.response_timeout_ms",
        allowed: "500 to 120000 (milliseconds)",
        hint: "if it is too small, a busy server counts as unreachable",
        ok: |c| within(c.redis.response_timeout_ms, 500..=120_000),
    },
    Rule {
        key: "store.path",
        allowed: PATH,
        hint: "create the store with `feedbackd init`",
        ok: |c| is_path(&c.store.path),
    },
    Rule {
        key: "store.branch",
        allowed: "a branch name: letters, digits and . _ - /",
        hint: "for example `main`",
        ok: |c| is_branch(&c.store.branch),
    },
    Rule {
        key: "store.compression_level",
        allowed: "1 (fast) to 12 (small)",
        hint: "",
        ok: |c| within(u64::from(c.store.compression_level), 1..=12),
    },
    Rule {
        key: "store.max_packs",
        allowed: "10 to 100000 (packs)",
        hint: "every pack slows down reading; combining them takes time",
        ok: |c| within(u64::from(c.store.max_packs), 10..=100_000),
    },
    Rule {
        key: "store.signing_key_file",
        allowed: "a path, or empty for commits without signatures",
        hint: "the file holds an OpenSSH private key (Ed25519, no passphrase), and only the daemon's user may read it",
        ok: |c| is_path_or_empty(&c.store.signing_key_file),
    },
    Rule {
        key: "store.signing_public_key_file",
        allowed: "a path, or empty for the public half of store.signing_key_file",
        hint: "the file holds public keys as in ~/.ssh/id_ed25519.pub, one per line",
        ok: |c| is_path_or_empty(&c.store.signing_public_key_file),
    },
    Rule {
        key: "store.web_url",
        allowed: "an address that begins with http:// or https://, or empty for no links",
        hint: "/commit/ and the id are appended, unless {commit} marks the place of the id",
        ok: |c| c.store.web_url.is_empty() || is_web_url(&c.store.web_url),
    },
    Rule {
        key: "remote.url",
        allowed: "https://, ssh://, git@host:path, git://, file:// or an absolute path, without a password or token; or empty",
        hint: "put the token into a file and name it in remote.token_file",
        ok: |c| c.remote.url.is_empty() || is_remote_url(&c.remote.url),
    },
    Rule {
        key: "remote.branch",
        allowed: "the name of a branch, or empty for that of the store",
        hint: "without refs/heads/",
        ok: |c| c.remote.branch.is_empty() || is_branch(&c.remote.branch),
    },
    Rule {
        key: "remote.mode",
        allowed: "copy",
        hint: "the host holds a copy of the store",
        ok: |c| matches!(c.remote.mode, RemoteMode::Copy),
    },
    Rule {
        key: "remote.push_every_seconds",
        allowed: "1 to 3600 (seconds)",
        hint: "GitHub recommends no more than six pushes a minute",
        ok: |c| within(c.remote.push_every_seconds, 1..=3_600),
    },
    Rule {
        key: "remote.fetch_every_seconds",
        allowed: "1 to 86400 (seconds)",
        hint: "",
        ok: |c| within(c.remote.fetch_every_seconds, 1..=86_400),
    },
    Rule { key: "remote.username", allowed: NAME, hint: "the token's user", ok: |c| is_name(&c.remote.username) },
    Rule {
        key: "remote.token_file",
        allowed: "a path, with a remote.url that has https:// or is http:// on this machine; or empty for none",
        hint: "the file contains only the token; with ssh use remote.ssh_key_file",
        ok: |c| {
            let (file, url) = (&c.remote.token_file, &c.remote.url);
            is_path_or_empty(file) && (file == Path::new("") || !is_remote_url(url) || may_see_token(url))
        },
    },
    Rule {
        key: "remote.ssh_key_file",
        allowed: "a path, or empty for none",
        hint: "an OpenSSH private key without a passphrase; only the daemon's user may be able to read it",
        ok: |c| is_path_or_empty(&c.remote.ssh_key_file),
    },
    Rule {
        key: "remote.known_hosts_file",
        allowed: "a path, or empty for ssh's own",
        hint: "create it with `ssh-keyscan`, and compare the keys with those that the host publishes",
        ok: |c| is_path_or_empty(&c.remote.known_hosts_file),
    },
    Rule {
        key: "remote.ca_file",
        allowed: "a path, or empty for the system's certificates",
        hint: "the file holds certificates in PEM",
        ok: |c| is_path_or_empty(&c.remote.ca_file),
    },
    Rule {
        key: "remote.timeout_seconds",
        allowed: "5 to 3600 (seconds)",
        hint: "the first push of a large store takes longest",
        ok: |c| within(c.remote.timeout_seconds, 5..=3_600),
    },
    Rule {
        key: "state.dir",
        allowed: PATH,
        hint: "its contents are rebuilt if deleted",
        ok: |c| is_path(&c.state.dir),
    },
    Rule {
        key: "intake.batch_max",
        allowed: "1 to 512 (entries)",
        hint: "",
        ok: |c| within(c.intake.batch_max as u64, 1..=512),
    },
    Rule {
        key: "intake.batch_max_bytes",
        allowed: "65536 to 268435456 (bytes)",
        hint: "the daemon's memory grows by a multiple of this while it builds a batch",
        ok: |c| within(c.intake.batch_max_bytes as u64, 65_536..=268_435_456),
    },
    Rule {
        key: "intake.batch_wait_ms",
        allowed: "0 to 5 (milliseconds)",
        hint: "0 takes what is already pending",
        ok: |c| within(c.intake.batch_wait_ms, 0..=5),
    },
    Rule {
        key: "intake.max_entry_bytes",
        allowed: "1024 to 67108864 (bytes)",
        hint: "a larger entry becomes a dead letter",
        ok: |c| within(c.intake.max_entry_bytes as u64, 1_024..=67_108_864),
    },
    Rule {
        key: "intake.max_field_bytes",
        allowed: "1024 to 67108864 (bytes)",
        hint: "an event with a longer text becomes a dead letter",
        ok: |c| within(c.intake.max_field_bytes as u64, 1_024..=67_108_864),
    },
    Rule {
        key: "intake.max_nesting",
        allowed: "4 to 100",
        hint: "an event nested deeper becomes a dead letter",
        ok: |c| within(c.intake.max_nesting as u64, 4..=100),
    },
    Rule {
        key: "intake.max_list_items",
        allowed: "100 to 1000000 (items)",
        hint: "an event with a longer list becomes a dead letter",
        ok: |c| within(c.intake.max_list_items as u64, 100..=1_000_000),
    },
    Rule {
        key: "intake.max_tags",
        allowed: "1 to 10000 (tags)",
        hint: "an event with more becomes a dead letter",
        ok: |c| within(c.intake.max_tags as u64, 1..=10_000),
    },
    Rule {
        key: "intake.max_agents",
        allowed: "1 to 10000 (agents)",
        hint: "an import for more becomes a dead letter",
        ok: |c| within(c.intake.max_agents as u64, 1..=10_000),
    },
    Rule {
        key: "intake.max_sessions",
        allowed: "10 to 1000000 (conversations)",
        hint: "above this, the longest-idle ones are considered over",
        ok: |c| within(c.intake.max_sessions as u64, 10..=1_000_000),
    },
    Rule {
        key: "intake.max_gate_request_bytes",
        allowed: "1024 to 16777216 (bytes)",
        hint: "an event whose gate request is larger becomes a dead letter",
        ok: |c| within(c.intake.max_gate_request_bytes as u64, 1_024..=16_777_216),
    },
    Rule {
        key: "intake.corrections_root",
        allowed: "a path, or empty to ignore paths in events",
        hint: "",
        ok: |c| is_path_or_empty(&c.intake.corrections_root),
    },
    Rule {
        key: "intake.max_diff_bytes",
        allowed: "1024 to 16777216 (bytes)",
        hint: "a larger diff is left out, but its decision is recorded",
        ok: |c| within(c.intake.max_diff_bytes as u64, 1_024..=16_777_216),
    },
    Rule {
        key: GATE_AGENTS,
        allowed: "an agent's name for each gate",
        hint: "for example HITL-2 = \"design-agent\"",
        ok: |c| c.intake.gate_agents.values().all(|agent| is_name(agent)),
    },
    Rule { key: "privacy.email", allowed: TREATMENTS, hint: KEY_HINT, ok: |c| has_key(c, c.privacy.email) },
    Rule { key: "privacy.phone", allowed: TREATMENTS, hint: KEY_HINT, ok: |c| has_key(c, c.privacy.phone) },
    Rule { key: "privacy.ip", allowed: TREATMENTS, hint: KEY_HINT, ok: |c| has_key(c, c.privacy.ip) },
    Rule { key: "privacy.card", allowed: TREATMENTS, hint: KEY_HINT, ok: |c| has_key(c, c.privacy.card) },
    Rule { key: "privacy.iban", allowed: TREATMENTS, hint: KEY_HINT, ok: |c| has_key(c, c.privacy.iban) },
    Rule {
        key: "privacy.key_file",
        allowed: "a path, or empty for no pseudonyms",
        hint: "the file holds 32 characters or more; generate one with `openssl rand -hex 32`",
        ok: |c| is_path_or_empty(&c.privacy.key_file),
    },
    Rule {
        key: "privacy.keep",
        allowed: "e-mail addresses and hosts separated by commas, or empty",
        hint: "for example @agents.example.org, bot@example.org",
        ok: |c| c.privacy.keep.split(',').all(|kept| kept.trim().is_empty() || is_name(kept.trim())),
    },
];
