//! The sections about this machine and what is taken in on it: store, state, intake, log, shutdown.

use super::problem::{ConfigError, Origin, Problem, read_file, variable};
use super::secret::Secret;
use crate::text::ids::Gate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A shorter key of pseudonyms could be guessed.
const MIN_KEY_BYTES: usize = 32;

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
    /// The private key that the daemon's commits are signed with; empty: they are not.
    pub signing_key_file: PathBuf,
    /// Public keys by which `verify` knows these signatures, a line each; empty: the half of the private key.
    pub signing_public_key_file: PathBuf,
    /// Where people look at its commits, `{commit}` standing for the id, else `/commit/` and the id are added; empty: nowhere.
    pub web_url: String,
}

impl Default for StoreConfig {
    fn default() -> Self {
        StoreConfig {
            path: "feedback-store.git".into(),
            branch: "main".into(),
            compression_level: 1,
            repack_at_packs: 200,
            signing_key_file: PathBuf::new(),
            signing_public_key_file: PathBuf::new(),
            web_url: String::new(),
        }
    }
}

/// `[state]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateConfig {
    /// Holds `index.sqlite`, which is made anew where it is missing, and `tokens.json`, which is not.
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

    /// The file of tokens.
    pub fn tokens_file(&self) -> PathBuf {
        self.dir.join("tokens.json")
    }
}

/// `[intake]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IntakeConfig {
    /// Entries in one batch at most, and so in one commit.
    pub batch_max: usize,
    /// The most bytes of entries in one batch, and that are read at a time; one entry is always taken.
    pub batch_max_bytes: usize,
    /// How long a batch may wait to become fuller, in milliseconds.
    pub batch_wait_ms: u64,
    /// A larger entry becomes a dead letter, in bytes.
    pub max_entry_bytes: usize,
    /// An event with a longer name or text becomes a dead letter, in bytes; diffs have a limit of their own.
    pub max_field_bytes: usize,
    /// An event in which lists and objects lie deeper in each other becomes a dead letter.
    pub max_nesting: usize,
    /// An event with a longer list, or an object of more names, becomes a dead letter.
    pub max_list_items: usize,
    /// An event with more tags becomes a dead letter.
    pub max_tags: usize,
    /// An import for more agents becomes a dead letter.
    pub max_agents: usize,
    /// Beyond so many open conversations, those that have been silent longest are taken to be over.
    pub max_sessions: usize,
    /// A gate request with more in the fields that are read refuses its event, in bytes.
    pub max_gate_request_bytes: usize,
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
            batch_max_bytes: 8 * 1024 * 1024,
            batch_wait_ms: 5,
            max_entry_bytes: 1024 * 1024,
            max_field_bytes: 1024 * 1024,
            max_nesting: 32,
            max_list_items: 10_000,
            max_tags: 100,
            max_agents: 100,
            max_sessions: 10_000,
            max_gate_request_bytes: 64 * 1024,
            corrections_root: PathBuf::new(),
            max_diff_bytes: 256 * 1024,
            gate_agents: (1..).filter_map(Gate::new).zip(agents.map(str::to_owned)).collect(),
        }
    }
}

/// `[privacy]`: what becomes of personal data in what people say.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PrivacyConfig {
    /// E-mail addresses.
    pub email: Privacy,
    /// Telephone numbers.
    pub phone: Privacy,
    /// IP addresses that are reached from everywhere.
    pub ip: Privacy,
    /// Numbers of payment cards.
    pub card: Privacy,
    /// Numbers of bank accounts.
    pub iban: Privacy,
    /// A file that holds the key of pseudonyms; empty: there are none.
    pub key_file: PathBuf,
    /// E-mail addresses and hosts that stay, with commas between them.
    pub keep: String,
}

impl Default for PrivacyConfig {
    fn default() -> Self {
        PrivacyConfig {
            email: Privacy::Masked,
            phone: Privacy::Masked,
            ip: Privacy::Off,
            card: Privacy::Masked,
            iban: Privacy::Masked,
            key_file: PathBuf::new(),
            keep: String::new(),
        }
    }
}

impl PrivacyConfig {
    /// What becomes of each kind, by its key.
    pub fn kinds(&self) -> [(&'static str, Privacy); 5] {
        [("email", self.email), ("phone", self.phone), ("ip", self.ip), ("card", self.card), ("iban", self.iban)]
    }

    /// What stands in `key_file`; `None` where no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] where the file is set but cannot be read, [`ConfigError::Invalid`] where what it holds
    /// could be guessed.
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
            hint: "write one with `openssl rand -hex 32`".to_owned(),
        }]))
    }
}

/// What becomes of a kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Privacy {
    /// It stays.
    Off,
    /// A mark stands for it.
    Masked,
    /// A pseudonym stands for it, which the key makes.
    Pseudonym,
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
