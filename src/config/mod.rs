//! The configuration: one struct per section, with the built-in defaults.
//!
//! The environment wins over the file, the file over the defaults. `load` reads and checks all of it and names every
//! problem at once. Nothing here opens a connection or creates a file.

mod channels;
mod check;
mod embedder;
mod http;
mod lifecycle;
mod load;
mod model;
mod secret;

pub use channels::{ActionsSection, RefineSection};
pub use embedder::{EmbedderConfig, EmbedderKind, KnowledgeConfig, KnowledgeKind, WITHOUT_MINILM, WITHOUT_USEARCH};
pub use http::HttpConfig;
pub use lifecycle::{EffectConfig, ReportConfig, ReviewConfig, RulesConfig};
pub use load::{ConfigError, Environment, Problem, SYSTEM_FILE, load, process_environment};
pub use model::{ModelConfig, ModelProvider};
pub use secret::Secret;

use crate::domain::ids::Gate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// `config/default.toml`: every key with its comment and its built-in default.
pub const DEFAULT_TOML: &str = include_str!("../../config/default.toml");

/// All of it. Made by [`load`], or by `Config::default()` in tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The event bus.
    pub redis: RedisConfig,
    /// The Git repository.
    pub store: StoreConfig,
    /// Local state that is derived from the store.
    pub state: StateConfig,
    /// How entries are taken in.
    pub intake: IntakeConfig,
    /// How feedback is classified.
    pub evaluator: EvaluatorConfig,
    /// When and how rules are proposed.
    pub proposals: ProposalsConfig,
    /// How people decide about rules.
    pub review: ReviewConfig,
    /// How many rules an agent has.
    pub rules: RulesConfig,
    /// How it is measured whether rules help.
    pub effect: EffectConfig,
    /// What reports count.
    pub report: ReportConfig,
    /// How text becomes vectors.
    pub embedder: EmbedderConfig,
    /// What finds near remarks.
    pub knowledge: KnowledgeConfig,
    /// A language model, where there is one.
    pub model: ModelConfig,
    /// The refinement loop.
    pub refine: RefineSection,
    /// Feedback on failed actions.
    pub actions: ActionsSection,
    /// Health and metrics.
    pub http: HttpConfig,
    /// Logging.
    pub log: LogConfig,
    /// How the daemon ends.
    pub shutdown: ShutdownConfig,
    #[serde(skip)]
    origins: BTreeMap<String, Origin>,
}

impl Config {
    /// Every key in the order of `config/default.toml`, with its value (secrets masked) and where it came from.
    pub fn effective(&self) -> Vec<Setting> {
        load::flatten(&load::tree(self))
            .into_iter()
            .map(|(key, value)| {
                let origin = self.origins.get(&key).cloned().unwrap_or(Origin::Default);
                Setting { key, value, origin }
            })
            .collect()
    }

    /// Checks every value; `load` has done it already.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] with all problems.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match check::problems(self) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(ConfigError::Invalid(problems)),
        }
    }

    /// Where a key's value came from.
    fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).cloned().unwrap_or(Origin::Default)
    }
}

/// One key as it is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `section.key`
    pub key: String,
    /// Its value; the password in a URL is masked.
    pub value: serde_json::Value,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// This file.
    File(PathBuf),
    /// This environment variable.
    Environment(String),
    /// A systemd credential.
    Credential,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path) => write!(f, "file {}", path.display()),
            Origin::Environment(name) => write!(f, "environment {name}"),
            Origin::Credential => f.write_str("systemd credential"),
        }
    }
}

/// `[redis]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedisConfig {
    /// `redis://`, `rediss://` (TLS) or `redis+unix://`; may hold a password, which is never shown.
    pub url: Secret,
    /// A file that holds the password; empty: the systemd credential `redis_password` where there is one, else none.
    pub password_file: PathBuf,
    /// The tenant served; empty for none. Keys are then `tenant:<id>:...` (specification, "Streams in").
    pub tenant: String,
    /// The consumer group.
    pub group: String,
    /// This consumer's name, stable over restarts; empty for the host's name. See [`RedisConfig::consumer_name`].
    pub consumer: String,
    /// The stream of HITL decisions, without tenant prefix.
    pub hitl_stream: String,
    /// The dispatcher's stream, without tenant prefix.
    pub dispatcher_stream: String,
    /// The stream of reviews and of what else is submitted about what was learned, without tenant prefix.
    pub review_stream: String,
    /// The stream of conversation turns, without tenant prefix.
    pub turn_stream: String,
    /// The stream of agents' outputs that failed, without tenant prefix.
    pub refinement_stream: String,
    /// The stream of outcomes of agents' actions, without tenant prefix.
    pub action_stream: String,
    /// The stream of actionable-feedback documents, without tenant prefix.
    pub iteration_stream: String,
    /// Entries of another member that were idle for so long are claimed, in milliseconds.
    pub claim_idle_ms: u64,
    /// How often that is looked for, in milliseconds.
    pub claim_every_ms: u64,
    /// How long one read waits for entries, in milliseconds.
    pub block_ms: u64,
    /// How long an answer may take, in milliseconds; longer than `block_ms`.
    pub response_timeout_ms: u64,
}

impl Default for RedisConfig {
    fn default() -> Self {
        RedisConfig {
            url: Secret::new("redis://127.0.0.1:6379/0"),
            password_file: PathBuf::new(),
            tenant: String::new(),
            group: "feedbackd".into(),
            consumer: String::new(),
            hitl_stream: "asdlc:events:hitl_decisions".into(),
            dispatcher_stream: "asdlc:events".into(),
            review_stream: "asdlc:events:meta_hitl_decisions".into(),
            turn_stream: "asdlc:events:turns".into(),
            refinement_stream: "asdlc:events:refinements".into(),
            action_stream: "asdlc:events:action_results".into(),
            iteration_stream: "asdlc:events:iteration_feedback".into(),
            claim_idle_ms: 60_000,
            claim_every_ms: 10_000,
            block_ms: 2_000,
            response_timeout_ms: 5_000,
        }
    }
}

impl RedisConfig {
    /// The streams that are read, without tenant prefix.
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

    /// A key with the tenant's prefix, where there is a tenant.
    pub fn key(&self, name: &str) -> String {
        if self.tenant.is_empty() { name.to_owned() } else { format!("tenant:{}:{name}", self.tenant) }
    }

    /// The configured name, else the host's, else `feedbackd`. Two daemons on one host need names of their own.
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

    /// The password from `password_file`, without the newline at its end; `None` where no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] where the file is set but cannot be read.
    pub fn password(&self) -> Result<Option<Secret>, ConfigError> {
        if self.password_file == Path::new("") {
            return Ok(None);
        }
        let text = load::read_file(&self.password_file, "redis.password_file")?;
        Ok(Some(Secret::new(text.trim_end_matches(['\n', '\r']))))
    }
}

/// `[store]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    /// The bare Git repository.
    pub path: PathBuf,
    /// The branch that is written.
    pub branch: String,
    /// Of objects: 1 (fast) to 12 (small).
    pub compression_level: u32,
    /// Packs are combined when there are so many.
    pub repack_at_packs: u32,
}

impl Default for StoreConfig {
    fn default() -> Self {
        StoreConfig {
            path: "feedback-store.git".into(),
            branch: "main".into(),
            compression_level: 1,
            repack_at_packs: 200,
        }
    }
}

/// `[state]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateConfig {
    /// Holds `index.sqlite`; may be deleted while the daemon does not run.
    pub dir: PathBuf,
}

impl Default for StateConfig {
    fn default() -> Self {
        StateConfig { dir: "feedbackd-state".into() }
    }
}

impl StateConfig {
    /// The index's file.
    pub fn index_file(&self) -> PathBuf {
        self.dir.join("index.sqlite")
    }
}

/// `[intake]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IntakeConfig {
    /// Entries in one batch at most, and so in one commit.
    pub batch_max: usize,
    /// How long a batch may wait to become fuller, in milliseconds.
    pub batch_wait_ms: u64,
    /// A larger entry becomes a dead letter, in bytes.
    pub max_entry_bytes: usize,
    /// The directory below which `correction_diff_path` is resolved; empty: such paths are not read.
    pub corrections_root: PathBuf,
    /// A larger diff is not stored, in bytes.
    pub max_diff_bytes: usize,
    /// The agent whose work each gate reviews, where the event names none (specification, "Decisions").
    pub gate_agents: BTreeMap<Gate, String>,
}

impl Default for IntakeConfig {
    fn default() -> Self {
        let agents = ["prd-agent", "design-agent", "planner-agent", "coding-agent", "test-agent", "release-agent"];
        IntakeConfig {
            batch_max: 512,
            batch_wait_ms: 5,
            max_entry_bytes: 1024 * 1024,
            corrections_root: PathBuf::new(),
            max_diff_bytes: 256 * 1024,
            gate_agents: (1..).filter_map(Gate::new).zip(agents.map(str::to_owned)).collect(),
        }
    }
}

/// `[evaluator]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluatorConfig {
    /// Calibrated similarity from which two remarks count as similar (specification, "Classification").
    pub similar_at: f64,
    /// How many different reviewers make a pattern; 1 is for a team of one (specification, "Classification").
    pub high_needs_reviewers: u32,
    /// The raw cosine at which a remark joins a group; 0 for the embedder's own.
    pub group_threshold: f64,
}

impl Default for EvaluatorConfig {
    fn default() -> Self {
        EvaluatorConfig { similar_at: 0.8, high_needs_reviewers: 2, group_threshold: 0.0 }
    }
}

/// `[proposals]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProposalsConfig {
    /// Confidence from which a proposal is made at once (specification, "Rules").
    pub immediate_at: f64,
    /// How often the waiting ones are made, in minutes.
    pub batch_minutes: u64,
    /// How many may wait at most.
    pub batch_count: usize,
    /// Calibrated similarity from which two rules count as the same.
    pub duplicate_at: f64,
    /// Calibrated similarity from which opposite rules count as a conflict.
    pub conflict_at: f64,
    /// Open proposals per agent at most.
    pub max_open_per_agent: usize,
    /// How long a pattern is not proposed again after its proposal was turned down, in days.
    pub cool_down_days: u64,
}

impl Default for ProposalsConfig {
    fn default() -> Self {
        ProposalsConfig {
            immediate_at: 0.9,
            batch_minutes: 15,
            batch_count: 20,
            duplicate_at: 0.9,
            conflict_at: 0.8,
            max_open_per_agent: 50,
            cool_down_days: 90,
        }
    }
}

/// `[log]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogConfig {
    /// For people or for programs.
    pub format: LogFormat,
    /// A level, or directives such as `info,feedbackd::app=debug`.
    pub level: String,
}

impl Default for LogConfig {
    fn default() -> Self {
        LogConfig { format: LogFormat::Text, level: "info".into() }
    }
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One readable line an event.
    Text,
    /// One JSON object a line.
    Json,
}

/// `[shutdown]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShutdownConfig {
    /// How long a batch in hand may take to finish after the first signal, in seconds.
    pub drain_seconds: u64,
}

impl Default for ShutdownConfig {
    fn default() -> Self {
        ShutdownConfig { drain_seconds: 10 }
    }
}
