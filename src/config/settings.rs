//! All sections together, with their built-in defaults.

use super::channels::{ActionsSection, RefineSection};
use super::embedder::{EmbedderConfig, KnowledgeConfig};
use super::forges::ForgesConfig;
use super::http::{AnonymousReading, HttpConfig};
use super::intake::{IntakeConfig, LogConfig, PrivacyConfig, ShutdownConfig, StateConfig, StoreConfig};
use super::lifecycle::{EffectConfig, ReportConfig, ReviewConfig, RulesConfig};
use super::model::ModelConfig;
use super::notify::NotifyConfig;
use super::patterns::{EvaluatorConfig, ProposalsConfig};
use super::problem::Origin;
use super::redis::RedisConfig;
use super::remote::RemoteConfig;
use super::review_ui::ReviewUiConfig;
use super::traces::TracesConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// `config/default.toml`: every key with its comment and its built-in default.
pub const DEFAULT_TOML: &str = include_str!("../../config/default.toml");

/// All of it. Made by [`crate::load`], or by `Config::default()` in tests.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub redis: RedisConfig,
    pub store: StoreConfig,
    /// The Git host that holds the store too.
    pub remote: RemoteConfig,
    /// Local state derived from the store.
    pub state: StateConfig,
    /// Limits on intake.
    pub intake: IntakeConfig,
    /// What becomes of personal data.
    pub privacy: PrivacyConfig,
    /// How feedback is classified.
    pub evaluator: EvaluatorConfig,
    /// When and how rules are proposed.
    pub proposals: ProposalsConfig,
    /// How people decide about rules.
    pub review: ReviewConfig,
    /// The number of rules per agent.
    pub rules: RulesConfig,
    /// How the effect of rules is measured.
    pub effect: EffectConfig,
    /// Limits for reports.
    pub report: ReportConfig,
    /// How text becomes vectors.
    pub embedder: EmbedderConfig,
    /// What finds near comments.
    pub knowledge: KnowledgeConfig,
    /// A language model, if there is one.
    pub model: ModelConfig,
    pub refine: RefineSection,
    /// Feedback on failed actions.
    pub actions: ActionsSection,
    pub http: HttpConfig,
    /// The calls of the review UI.
    pub review_ui: ReviewUiConfig,
    pub log: LogConfig,
    /// Where spans are sent.
    pub traces: TracesConfig,
    /// How the daemon shuts down.
    pub shutdown: ShutdownConfig,
    /// Who is notified of what.
    pub notify: NotifyConfig,
    /// Which forges may send webhooks.
    pub forges: ForgesConfig,
    /// Old keys that were set, each with its replacement.
    #[serde(skip)]
    pub old_keys: Vec<String>,
    #[serde(skip)]
    pub(super) origins: BTreeMap<String, Origin>,
    /// The file that was read, if any.
    #[serde(skip)]
    pub(super) file: Option<PathBuf>,
}

/// The defaults stand in `default.toml` alone, beside the words that describe them.
static DEFAULTS: LazyLock<Config> = LazyLock::new(|| {
    let file = config::File::from_str(DEFAULT_TOML, config::FileFormat::Toml);
    let read = config::Config::builder().add_source(file).build();
    read.and_then(config::Config::try_deserialize).expect("`config/default.toml` has every key with a valid value")
});

impl Default for Config {
    fn default() -> Self {
        DEFAULTS.clone()
    }
}

impl Config {
    /// Returns the file that was read, and the names of the environment variables in effect.
    pub fn read_from(&self) -> (Option<&Path>, Vec<&str>) {
        let variables = self.origins.values().filter_map(|origin| match origin {
            Origin::Environment(name) => Some(name.as_str()),
            _ => None,
        });
        (self.file.as_deref(), variables.collect())
    }

    /// Returns the keys that make the HTTP address reachable from other machines: by a public name, a reverse proxy, or
    /// forwarded webhooks.
    pub fn published_by(&self) -> Vec<&'static str> {
        let mut keys = self.http.published_by();
        if self.forges.connected.iter().any(|forge| !forge.secret_files.is_empty()) {
            keys.push("forges.connected");
        }
        keys
    }

    /// Explains why readers of the pages have to log in; `None` if users on this machine need not.
    pub fn login_needed(&self) -> Option<String> {
        match self.http.anonymous_reading {
            AnonymousReading::On => None,
            AnonymousReading::Off => Some("http.anonymous_reading is off".to_owned()),
            AnonymousReading::Auto => {
                let mut keys = self.published_by();
                if self.review_ui.enabled {
                    keys.push("review_ui.enabled");
                }
                let says = if keys.len() == 1 { "says" } else { "say" };
                (!keys.is_empty()).then(|| {
                    format!("{} {says} that others come through a proxy or under a public name", keys.join(", "))
                })
            }
        }
    }

    /// Returns the origin of a key's value.
    pub(super) fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).cloned().unwrap_or(Origin::Default)
    }
}
