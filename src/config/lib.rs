//! The configuration: one struct per section, with the built-in defaults.
//!
//! The environment overrides the file, the file overrides the defaults. `load` reads and checks everything and reports
//! all problems at once. Nothing here opens a connection or creates a file.

use feedbackd_text as text;

mod address_list;
mod channels;
mod check;
mod embedder;
mod forges;
mod http;
mod intake;
mod known_model;
mod lifecycle;
mod load;
mod model;
mod notify;
mod oidc;
mod old_keys;
mod patterns;
mod problem;
mod redis;
mod reference;
mod remote;
mod review_ui;
mod secret;
mod settings;
mod targets;
mod traces;
mod tree;
mod variables;
mod words;

pub use address_list::addresses;
pub use channels::{ActionsSection, RefineSection};
pub use embedder::{EmbedderConfig, EmbedderKind, KnowledgeConfig, KnowledgeKind, WITHOUT_MINILM, WITHOUT_USEARCH};
pub use forges::{AgentClaim, ForgeConfig, ForgeKind, ForgesConfig, SshAddress, is_project, is_repository};
pub use http::{AnonymousReading, HttpConfig};
pub use intake::{
    IntakeConfig, LogConfig, LogFormat, Privacy, PrivacyConfig, ShutdownConfig, StateConfig, StoreConfig,
};
pub use known_model::UnknownModel;
pub use lifecycle::{EffectConfig, ReportConfig, ReviewConfig, RulesConfig};
pub use load::{SYSTEM_FILE, load};
pub use model::{ModelConfig, ModelProvider};
pub use notify::{Every, MailConfig, NotifyConfig, SmtpTls, WebhookConfig, WebhookStyle};
pub use oidc::OidcConfig;
pub use patterns::{EvaluatorConfig, ProposalsConfig};
pub use problem::{ConfigError, Origin, Problem};
pub use redis::{RedisConfig, RedisMode, key as redis_key};
pub use reference::{markdown, schema};
pub use remote::{RemoteConfig, RemoteMode};
pub use review_ui::ReviewUiConfig;
pub use secret::Secret;
pub use settings::{Config, DEFAULT_TOML};
pub use targets::{TargetConfig, TargetFile};
pub use traces::{TracesConfig, WITHOUT_OTEL};
pub use tree::Setting;
pub use variables::{Environment, process_environment};
