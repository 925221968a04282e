//! The sections about this machine and its intake: store, state, intake, log, shutdown.

use super::problem::{ConfigError, Origin, Problem, read_file, variable};
use super::secret::Secret;
use crate::text::ids::Gate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A shorter pseudonym key could be guessed.
const MIN_KEY_BYTES: usize = 32;

/// `[store]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreConfig {
    /// The bare Git repository.
    pub path: PathBuf,
    /// The branch written to.
    pub branch: String,
    /// Compression of objects: 1 (fast) to 12 (small).
    pub compression_level: u32,
    /// The number of packs at which they are combined.
    pub max_packs: u32,
    /// The private key that signs the daemon's commits; empty: unsigned.
    pub signing_key_file: PathBuf,
    /// Public keys by which `verify` recognizes these signatures, one per line; empty: that of the private key.
    pub signing_public_key_file: PathBuf,
    /// Where people view its commits, `{commit}` standing for the id, else `/commit/` and the id are appended; empty:
    /// nowhere.
    pub web_url: String,
}

/// `[state]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateConfig {
    /// Holds `index.sqlite`, which is rebuilt if missing, and `tokens.json`, which is not.
    pub dir: PathBuf,
}

impl StateConfig {
    /// Returns the path of the index.
    pub fn index_file(&self) -> PathBuf {
        self.dir.join("index.sqlite")
    }

    /// Returns the path of the token file.
    pub fn tokens_file(&self) -> PathBuf {
        self.dir.join("tokens.json")
    }
}

/// `[intake]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntakeConfig {
    /// Maximum entries per batch, and so per commit.
    pub batch_max: usize,
    /// Maximum bytes of entries per batch and per read; at least one entry is always taken.
    pub batch_max_bytes: usize,
    /// How long a batch may wait to fill, in milliseconds.
    pub batch_wait_ms: u64,
    /// The size above which an entry becomes a dead letter, in bytes.
    pub max_entry_bytes: usize,
    /// An event with a longer name or text becomes a dead letter, in bytes; diffs have their own limit.
    pub max_field_bytes: usize,
    /// An event with more deeply nested lists and objects becomes a dead letter.
    pub max_nesting: usize,
    /// An event with a longer list, or an object with more names, becomes a dead letter.
    pub max_list_items: usize,
    /// An event with more tags becomes a dead letter.
    pub max_tags: usize,
    /// An import for more agents becomes a dead letter.
    pub max_agents: usize,
    /// If more conversations are open, those silent longest are considered over.
    pub max_sessions: usize,
    /// An event whose gate request has more in the fields read is rejected, in bytes.
    pub max_gate_request_bytes: usize,
    /// The directory below which `correction_diff_path` is resolved; empty: such paths are not read.
    pub corrections_root: PathBuf,
    /// The size above which a diff is not stored, in bytes.
    pub max_diff_bytes: usize,
    /// The agent whose work each gate reviews if the event names none (specification, "Decisions").
    pub gate_agents: BTreeMap<Gate, String>,
}

/// `[privacy]`: the treatment of personal data in what people write.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivacyConfig {
    /// E-mail addresses.
    pub email: Privacy,
    /// Telephone numbers.
    pub phone: Privacy,
    /// Publicly routable IP addresses.
    pub ip: Privacy,
    /// Payment card numbers.
    pub card: Privacy,
    /// Bank account numbers.
    pub iban: Privacy,
    /// A file that holds the key of pseudonyms; empty: none.
    pub key_file: PathBuf,
    /// E-mail addresses and hosts that are kept, comma-separated.
    pub keep: String,
}

impl PrivacyConfig {
    /// Returns the treatment of each kind, by its key.
    pub fn kinds(&self) -> [(&'static str, Privacy); 5] {
        [("email", self.email), ("phone", self.phone), ("ip", self.ip), ("card", self.card), ("iban", self.iban)]
    }

    /// Returns the content of `key_file`; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read, [`ConfigError::Invalid`] if its content could
    /// be guessed.
    pub fn key(&self) -> Result<Option<Secret>, ConfigError> {
        if self.key_file == Path::new("") {
            return Ok(None);
        }
        const KEY: &str = "privacy.key_file";
        let text = read_file(&self.key_file, KEY)?;
        let key = text.trim();
        if key.len() >= MIN_KEY_BYTES {
            return Ok(Some(Secret::new(key)));
        }
        Err(ConfigError::Invalid(vec![Problem {
            key: KEY.to_owned(),
            variable: variable(KEY),
            origin: Origin::File(self.key_file.clone()),
            found: format!("a key of {} bytes", key.len()),
            allowed: format!("{MIN_KEY_BYTES} bytes or more"),
            hint: "generate one with `openssl rand -hex 32`".to_owned(),
        }]))
    }
}

/// The treatment of a kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Privacy {
    /// Kept.
    Off,
    /// Replaced by a mark.
    Masked,
    /// Replaced by a pseudonym derived from the key.
    Pseudonym,
}

/// `[log]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    /// For people or for programs.
    pub format: LogFormat,
    /// A level, or directives such as `info,feedbackd::app=debug`.
    pub level: String,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One readable line per event.
    Text,
    /// One JSON object per line.
    Json,
}

/// `[shutdown]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShutdownConfig {
    /// How long the current batch may take to finish after the first signal, in seconds.
    pub drain_seconds: u64,
}
