//! What each key may hold: one rule a key, so that an error, the documentation and the check say the same.

use super::embedder::{WITHOUT_MINILM, WITHOUT_USEARCH};
use super::load::{Problem, flatten, problem, tree};
use super::model::is_base_url;
use super::{Config, EmbedderKind, KnowledgeKind, LogFormat};
use crate::domain::ids::is_safe_name;
use std::ops::RangeInclusive;
use std::path::Path;

/// What one key may hold.
pub(super) struct Rule {
    /// `section.key`
    key: &'static str,
    /// In words, with the unit.
    pub(super) allowed: &'static str,
    /// What to do when it is wrong.
    pub(super) hint: &'static str,
    /// Whether it is right.
    ok: fn(&Config) -> bool,
}

/// Everything that is wrong, in the order of the keys.
pub(super) fn problems(config: &Config) -> Vec<Problem> {
    let values = flatten(&tree(config));
    let wrong = RULES.iter().filter(|rule| !(rule.ok)(config));
    wrong
        .map(|rule| {
            let value = values.iter().find(|(key, value)| key == rule.key || is_bad_gate_agent(rule, key, value));
            let (key, value) = value.map_or((rule.key, serde_json::Value::Null), |(k, v)| (k.as_str(), v.clone()));
            problem(key, config.origin(key), &value)
        })
        .collect()
}

/// The rule of a key.
pub(super) fn rule(key: &str) -> Option<&'static Rule> {
    let key = if key.starts_with(GATE_AGENTS) { GATE_AGENTS } else { key };
    RULES.iter().find(|rule| rule.key == key)
}

/// The names of all sections.
pub(super) fn sections() -> Vec<&'static str> {
    let mut names: Vec<_> = RULES.iter().filter_map(|rule| rule.key.split('.').next()).collect();
    names.dedup();
    names
}

/// The keys of a section; none where there is no such section.
pub(super) fn section(name: &str) -> Vec<&'static str> {
    RULES.iter().filter_map(|rule| rule.key.strip_prefix(name)?.strip_prefix('.')).collect()
}

const GATE_AGENTS: &str = "intake.gate_agents";
const CHROMA_NAME: &str = "3 to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit";
const PATH: &str = "a path";
const NAME: &str = "a name without spaces or control characters";
const SIMILARITY: &str = "above 0, at most 1 (calibrated similarity)";
const STREAM_HINT: &str = "write it without the tenant's prefix; `redis.tenant` adds that";

const RULES: &[Rule] = &[
    Rule {
        key: "redis.url",
        allowed: "redis://, rediss://, redis+unix:// or unix:// and an address",
        hint: "for example redis://127.0.0.1:6379/0",
        ok: |c| is_redis_url(c.redis.url.expose()),
    },
    Rule {
        key: "redis.password_file",
        allowed: "a path, or empty for none",
        hint: "the file holds the password alone",
        ok: |c| is_path_or_empty(&c.redis.password_file),
    },
    Rule {
        key: "redis.tenant",
        allowed: "empty, or up to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit",
        hint: "it becomes part of every key: `tenant:<id>:...`",
        ok: |c| c.redis.tenant.is_empty() || is_safe_name(&c.redis.tenant),
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
        hint: "it must stay the same over restarts",
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
        hint: "too small, and entries are taken from members that are still at work",
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
        hint: "0 would wait for ever",
        ok: |c| within(c.redis.block_ms, 1..=60_000),
    },
    Rule {
        key: "redis.response_timeout_ms",
        allowed: "at least `redis.block_ms` + 500, at most 120000 (milliseconds)",
        hint: "a read that times out while it waits strands the entry it was given",
        ok: |c| within(c.redis.response_timeout_ms, c.redis.block_ms.saturating_add(500)..=120_000),
    },
    Rule {
        key: "store.path",
        allowed: PATH,
        hint: "make the store with `feedbackd init`",
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
        key: "store.repack_at_packs",
        allowed: "10 to 100000 (packs)",
        hint: "every pack slows reading down; combining them takes time",
        ok: |c| within(u64::from(c.store.repack_at_packs), 10..=100_000),
    },
    Rule {
        key: "state.dir",
        allowed: PATH,
        hint: "what is in there is made again when it is deleted",
        ok: |c| is_path(&c.state.dir),
    },
    Rule {
        key: "intake.batch_max",
        allowed: "1 to 512 (entries)",
        hint: "",
        ok: |c| within(c.intake.batch_max as u64, 1..=512),
    },
    Rule {
        key: "intake.batch_wait_ms",
        allowed: "0 to 5 (milliseconds)",
        hint: "0 takes whatever waits",
        ok: |c| within(c.intake.batch_wait_ms, 0..=5),
    },
    Rule {
        key: "intake.max_entry_bytes",
        allowed: "1024 to 67108864 (bytes)",
        hint: "a larger entry becomes a dead letter",
        ok: |c| within(c.intake.max_entry_bytes as u64, 1_024..=67_108_864),
    },
    Rule {
        key: "intake.corrections_root",
        allowed: "a path, or empty: paths in events are then not read",
        hint: "",
        ok: |c| is_path_or_empty(&c.intake.corrections_root),
    },
    Rule {
        key: "intake.max_diff_bytes",
        allowed: "1024 to 16777216 (bytes)",
        hint: "a larger diff is left out, its decision is recorded",
        ok: |c| within(c.intake.max_diff_bytes as u64, 1_024..=16_777_216),
    },
    Rule {
        key: GATE_AGENTS,
        allowed: "an agent's name for each gate",
        hint: "for example HITL-2 = \"design-agent\"",
        ok: |c| c.intake.gate_agents.values().all(|agent| is_name(agent)),
    },
    Rule {
        key: "evaluator.similar_at",
        allowed: SIMILARITY,
        hint: "0.8 means that about four of five such pairs mean the same",
        ok: |c| is_share(c.evaluator.similar_at),
    },
    Rule {
        key: "evaluator.high_needs_reviewers",
        allowed: "1 to 100 (people)",
        hint: "1 is for a team of one",
        ok: |c| within(u64::from(c.evaluator.high_needs_reviewers), 1..=100),
    },
    Rule {
        key: "evaluator.group_threshold",
        allowed: "0 to 1 (raw cosine)",
        hint: "0 takes the embedder's own",
        ok: |c| (0.0..=1.0).contains(&c.evaluator.group_threshold),
    },
    Rule {
        key: "proposals.immediate_at",
        allowed: "above 0, at most 1 (probability)",
        hint: "",
        ok: |c| is_share(c.proposals.immediate_at),
    },
    Rule {
        key: "proposals.batch_minutes",
        allowed: "1 to 1440 (minutes)",
        hint: "",
        ok: |c| within(c.proposals.batch_minutes, 1..=1_440),
    },
    Rule {
        key: "proposals.batch_count",
        allowed: "1 to 1000 (waiting patterns)",
        hint: "",
        ok: |c| within(c.proposals.batch_count as u64, 1..=1_000),
    },
    Rule { key: "proposals.duplicate_at", allowed: SIMILARITY, hint: "", ok: |c| is_share(c.proposals.duplicate_at) },
    Rule { key: "proposals.conflict_at", allowed: SIMILARITY, hint: "", ok: |c| is_share(c.proposals.conflict_at) },
    Rule {
        key: "proposals.max_open_per_agent",
        allowed: "1 to 1000",
        hint: "",
        ok: |c| within(c.proposals.max_open_per_agent as u64, 1..=1_000),
    },
    Rule {
        key: "proposals.cool_down_days",
        allowed: "0 to 3650 (days)",
        hint: "",
        ok: |c| within(c.proposals.cool_down_days, 0..=3_650),
    },
    Rule {
        key: "review.min_approvals",
        allowed: "1 to 10",
        hint: "2 is what keeps one person from making rules alone",
        ok: |c| within(u64::from(c.review.min_approvals), 1..=10),
    },
    Rule { key: "review.require_signatures", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "review.remind_after_days",
        allowed: "1 to 365 (days)",
        hint: "",
        ok: |c| within(c.review.remind_after_days, 1..=365),
    },
    Rule {
        key: "review.expire_after_days",
        allowed: "more than review.remind_after_days, at most 3650 (days)",
        hint: "",
        ok: |c| c.review.expire_after_days > c.review.remind_after_days && c.review.expire_after_days <= 3_650,
    },
    Rule {
        key: "rules.max_active_per_agent",
        allowed: "1 to 100",
        hint: "",
        ok: |c| within(c.rules.max_active_per_agent as u64, 1..=100),
    },
    Rule { key: "rules.base_prompts", allowed: PATH, hint: "", ok: |_| true },
    Rule {
        key: "effect.stabilizing_days",
        allowed: "0 to 90 (days)",
        hint: "work that began before a rule is still under way after it",
        ok: |c| within(c.effect.stabilizing_days, 0..=90),
    },
    Rule {
        key: "effect.flag_after_days",
        allowed: "at least `effect.stabilizing_days`, at most 365 (days)",
        hint: "",
        ok: |c| within(c.effect.flag_after_days, c.effect.stabilizing_days..=365),
    },
    Rule {
        key: "effect.min_exposures",
        allowed: "8 to 960 (decisions)",
        hint: "fewer say nothing",
        ok: |c| within(c.effect.min_exposures, 8..=960),
    },
    Rule {
        key: "effect.before_days",
        allowed: "7 to 3650 (days)",
        hint: "the more decisions before a rule, the sooner its effect is seen",
        ok: |c| within(c.effect.before_days, 7..=3_650),
    },
    Rule {
        key: "effect.holdout_share",
        allowed: "0 to 0.5 (share of prompts)",
        hint: "0 compares the time before with the time after only",
        ok: |c| (0.0..=0.5).contains(&c.effect.holdout_share),
    },
    Rule {
        key: "report.rubber_stamp_seconds",
        allowed: "1 to 3600 (seconds)",
        hint: "",
        ok: |c| within(c.report.rubber_stamp_seconds, 1..=3_600),
    },
    Rule {
        key: "report.long_review_minutes",
        allowed: "1 to 1440 (minutes)",
        hint: "",
        ok: |c| within(c.report.long_review_minutes, 1..=1_440),
    },
    Rule {
        key: "embedder.kind",
        allowed: if cfg!(feature = "minilm") { "static, server or transformer" } else { "static or server" },
        hint: if cfg!(feature = "minilm") { "" } else { WITHOUT_MINILM },
        ok: |c| cfg!(feature = "minilm") || c.embedder.kind != EmbedderKind::Transformer,
    },
    Rule {
        key: "embedder.path",
        allowed: "a folder; empty for the embedded model of `static`, and with `server`",
        hint: "a model is config.json, tokenizer.json and model.safetensors",
        ok: |c| {
            let needed = c.embedder.kind == EmbedderKind::Transformer;
            if needed { is_path(&c.embedder.path) } else { is_path_or_empty(&c.embedder.path) }
        },
    },
    Rule {
        key: "embedder.url",
        allowed: "http:// or https:// and a host, without a user, a password or a query; empty without a server",
        hint: "for example http://127.0.0.1:11434; a key goes into the file that embedder.api_key_file names",
        ok: |c| is_url_where(c.embedder.kind == EmbedderKind::Server, &c.embedder.url),
    },
    Rule {
        key: "embedder.model",
        allowed: "a name without spaces or control characters; empty without a server",
        hint: "the server's documentation lists its models",
        ok: |c| is_name(&c.embedder.model) || (c.embedder.kind != EmbedderKind::Server && c.embedder.model.is_empty()),
    },
    Rule {
        key: "embedder.api_key_file",
        allowed: "a path, or empty for none",
        hint: "the file holds the key alone",
        ok: |c| is_path_or_empty(&c.embedder.api_key_file),
    },
    Rule {
        key: "embedder.dimensions",
        allowed: "0 to 8192",
        hint: "0 takes as many as the model has; not every server takes another number",
        ok: |c| within(c.embedder.dimensions as u64, 0..=8_192),
    },
    Rule {
        key: "embedder.timeout_seconds",
        allowed: "1 to 300 (seconds)",
        hint: "",
        ok: |c| within(c.embedder.timeout_seconds, 1..=300),
    },
    Rule {
        key: "embedder.batch",
        allowed: "1 to 2048 (texts)",
        hint: "",
        ok: |c| within(c.embedder.batch as u64, 1..=2_048),
    },
    Rule { key: "embedder.use_environment_proxy", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "knowledge.kind",
        allowed: if cfg!(feature = "usearch") { "exact, chroma or usearch" } else { "exact or chroma" },
        hint: if cfg!(feature = "usearch") { "" } else { WITHOUT_USEARCH },
        ok: |c| cfg!(feature = "usearch") || c.knowledge.kind != KnowledgeKind::Usearch,
    },
    Rule {
        key: "knowledge.url",
        allowed: "http:// or https:// and a host, without a user, a password or a query; empty without Chroma",
        hint: "for example http://127.0.0.1:8000; a token goes into the file that knowledge.api_key_file names",
        ok: |c| is_url_where(c.knowledge.kind == KnowledgeKind::Chroma, &c.knowledge.url),
    },
    Rule { key: "knowledge.tenant", allowed: CHROMA_NAME, hint: "", ok: |c| is_chroma_name(&c.knowledge.tenant) },
    Rule { key: "knowledge.database", allowed: CHROMA_NAME, hint: "", ok: |c| is_chroma_name(&c.knowledge.database) },
    Rule {
        key: "knowledge.collection",
        allowed: CHROMA_NAME,
        hint: "each store needs a collection of its own: it is emptied at each start",
        ok: |c| is_chroma_name(&c.knowledge.collection),
    },
    Rule {
        key: "knowledge.api_key_file",
        allowed: "a path, or empty for none",
        hint: "the file holds the token alone",
        ok: |c| is_path_or_empty(&c.knowledge.api_key_file),
    },
    Rule {
        key: "knowledge.timeout_seconds",
        allowed: "1 to 300 (seconds)",
        hint: "",
        ok: |c| within(c.knowledge.timeout_seconds, 1..=300),
    },
    Rule {
        key: "knowledge.batch",
        allowed: "1 to 5000 (vectors)",
        hint: "",
        ok: |c| within(c.knowledge.batch as u64, 1..=5_000),
    },
    Rule { key: "knowledge.use_environment_proxy", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "model.provider",
        allowed: "openai, anthropic, or empty for no model",
        hint: "openai is what most local servers speak, too",
        ok: |_| true,
    },
    Rule {
        key: "model.url",
        allowed: "http:// or https:// and a host, without a user, a password or a query; empty without a model",
        hint: "for example http://127.0.0.1:11434; a key goes into the file that model.api_key_file names",
        ok: |c| {
            if c.model.is_on() {
                is_base_url(&c.model.url)
            } else {
                c.model.url.is_empty() || is_base_url(&c.model.url)
            }
        },
    },
    Rule {
        key: "model.model",
        allowed: "a name without spaces or control characters; empty without a model",
        hint: "the server's documentation lists its models",
        ok: |c| {
            if c.model.is_on() { is_name(&c.model.model) } else { c.model.model.is_empty() || is_name(&c.model.model) }
        },
    },
    Rule {
        key: "model.api_key_file",
        allowed: "a path, or empty for none",
        hint: "the file holds the key alone",
        ok: |c| is_path_or_empty(&c.model.api_key_file),
    },
    Rule {
        key: "model.timeout_seconds",
        allowed: "1 to 300 (seconds)",
        hint: "",
        ok: |c| within(c.model.timeout_seconds, 1..=300),
    },
    Rule {
        key: "model.daily_budget",
        allowed: "1 to 100000 (questions)",
        hint: "an empty model.provider asks nothing at all",
        ok: |c| within(c.model.daily_budget, 1..=100_000),
    },
    Rule { key: "model.judge", allowed: "true or false", hint: "", ok: |_| true },
    Rule { key: "model.draft", allowed: "true or false", hint: "", ok: |_| true },
    Rule { key: "model.use_environment_proxy", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "refine.max_refinement_iterations",
        allowed: "0 to 10",
        hint: "0 leaves every prompt as it is",
        ok: |c| c.refine.max_refinement_iterations <= 10,
    },
    Rule {
        key: "refine.stop_at",
        allowed: "0 to 10",
        hint: "a prompt with this score is not refined further",
        ok: |c| (0.0..=10.0).contains(&c.refine.stop_at),
    },
    Rule {
        key: "actions.max_attempts",
        allowed: "1 to 100",
        hint: "after so many failed attempts people are asked",
        ok: |c| (1..=100).contains(&c.actions.max_attempts),
    },
    Rule {
        key: "actions.max_suggestions",
        allowed: "1 to 20",
        hint: "the best ones are kept",
        ok: |c| (1..=20).contains(&c.actions.max_suggestions),
    },
    Rule {
        key: "http.listen",
        allowed: "an IP address and a port, such as 127.0.0.1:9464 or [::1]:9464",
        hint: "write 127.0.0.1 for localhost; health and metrics have no authentication, so keep it on a loopback address",
        ok: |_| true,
    },
    Rule {
        key: "http.api_token_file",
        allowed: "a path, or empty for no API",
        hint: "the file holds the token alone, 16 characters or more; write one with `openssl rand -hex 32`",
        ok: |c| is_path_or_empty(&c.http.api_token_file),
    },
    Rule {
        key: "http.stalled_after_seconds",
        allowed: "5 to 3600 (seconds)",
        hint: "",
        ok: |c| within(c.http.stalled_after_seconds, 5..=3_600),
    },
    Rule {
        key: "log.format",
        allowed: "text or json",
        hint: "",
        ok: |c| matches!(c.log.format, LogFormat::Text | LogFormat::Json),
    },
    Rule {
        key: "log.level",
        allowed: "error, warn, info, debug or trace, or directives such as info,feedbackd::app=debug",
        hint: "",
        ok: |c| is_filter(&c.log.level),
    },
    Rule {
        key: "shutdown.drain_seconds",
        allowed: "1 to 600 (seconds)",
        hint: "keep the service manager's own limit (TimeoutStopSec) above it",
        ok: |c| within(c.shutdown.drain_seconds, 1..=600),
    },
];

fn is_bad_gate_agent(rule: &Rule, key: &str, value: &serde_json::Value) -> bool {
    rule.key == GATE_AGENTS && key.starts_with(GATE_AGENTS) && !value.as_str().is_some_and(is_name)
}

fn within(value: u64, range: RangeInclusive<u64>) -> bool {
    range.contains(&value)
}

fn is_share(value: f64) -> bool {
    value > 0.0 && value <= 1.0
}

/// Whether no other stream has this name.
fn is_only_one(config: &Config, name: &str) -> bool {
    config.redis.streams_in().iter().filter(|other| **other == name).count() == 1
}

fn is_name(text: &str) -> bool {
    (1..=200).contains(&text.len()) && !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\u{FFFD}')
}

fn is_chroma_name(text: &str) -> bool {
    text.len() >= 3 && is_safe_name(text)
}

fn is_url_where(needed: bool, url: &str) -> bool {
    is_base_url(url) || (!needed && url.is_empty())
}

fn is_path(path: &Path) -> bool {
    path != Path::new("") && is_path_or_empty(path)
}

/// A replacement character stands for bytes that were not UTF-8 and so names another file than was meant.
fn is_path_or_empty(path: &Path) -> bool {
    !path.to_string_lossy().contains(['\0', '\u{FFFD}'])
}

fn is_redis_url(url: &str) -> bool {
    let known = ["redis", "rediss", "valkey", "valkeys", "redis+unix", "valkey+unix", "unix"];
    url.split_once("://").is_some_and(|(scheme, rest)| {
        known.contains(&scheme) && !rest.is_empty() && !rest.starts_with('?') && !rest.contains(char::is_whitespace)
    })
}

/// The rules of `git check-ref-format`, made a little narrower.
fn is_branch(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let part = |p: &str| !p.is_empty() && !p.starts_with(['.', '-']) && !p.ends_with('.') && !p.ends_with(".lock");
    name.len() <= 100 && name.chars().all(plain) && !name.contains("..") && name.split('/').all(part)
}

fn is_filter(directives: &str) -> bool {
    !directives.trim().is_empty() && tracing_subscriber::EnvFilter::try_new(directives).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_rule_in_the_order_of_the_sections() {
        let mut keys: Vec<String> = flatten(&tree(&Config::default())).into_iter().map(|(key, _)| key).collect();
        keys.iter_mut().filter(|key| key.starts_with(GATE_AGENTS)).for_each(|key| *key = GATE_AGENTS.to_owned());
        keys.dedup();
        let rules: Vec<_> = RULES.iter().map(|rule| rule.key).collect();
        assert_eq!(keys, rules);
    }

    #[test]
    fn branch_names_are_those_git_takes() {
        for good in ["main", "team/feedback", "v1.2", "a_b-c"] {
            assert!(is_branch(good), "{good}");
        }
        for bad in ["", "-x", "a..b", "a/", "/a", "a//b", "a.lock", "x.lock/y", ".a", "a b", "a~1", "HEAD^", "a."] {
            assert!(!is_branch(bad), "{bad}");
        }
    }
}
