//! The sections about vectors: the embedder and the search for nearby ones.

use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `[embedder]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmbedderConfig {
    /// A kind of embedder.
    pub kind: EmbedderKind,
    /// The folder with the model for `static` or `transformer`; empty with `static` for the embedded one.
    pub path: PathBuf,
    /// The server's base URL.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// A file that holds the server's key; empty: the systemd credential `embedder_api_key` if it exists, else none.
    pub api_key_file: PathBuf,
    /// The number of dimensions requested; 0 for the model's own.
    pub dimensions: usize,
    /// How long an answer may take, including one retry, in seconds.
    pub timeout_seconds: u64,
    /// Maximum texts per request.
    pub batch: usize,
    /// Whether to use proxies from the environment.
    pub use_environment_proxy: bool,
}

/// The message if `transformer` is configured but was not built in.
pub const WITHOUT_MINILM: &str =
    "this program was built without transformer; `cargo build --release --features minilm` builds one with it";

/// A kind of embedder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The mean of one vector per token.
    #[default]
    Static,
    /// A server with `/v1/embeddings`.
    Server,
    /// A sentence model of the BERT family; only in programs built with the feature `minilm`.
    Transformer,
}

impl EmbedderConfig {
    /// Returns the key from `api_key_file`; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read.
    pub fn api_key(&self) -> Result<Option<Secret>, ConfigError> {
        key(&self.api_key_file, "embedder.api_key_file")
    }
}

/// `[knowledge]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// A kind of search for nearby comments.
    pub kind: KnowledgeKind,
    /// Chroma's base URL.
    pub url: String,
    /// Chroma's tenant.
    pub tenant: String,
    /// Chroma's database.
    pub database: String,
    /// The collection; created if missing, and emptied at each start.
    pub collection: String,
    /// A file that holds Chroma's token; empty: the systemd credential `knowledge_api_key` if it exists, else none.
    pub api_key_file: PathBuf,
    /// How long an answer may take, including one retry, in seconds.
    pub timeout_seconds: u64,
    /// Maximum vectors per request.
    pub batch: usize,
    /// Whether to use proxies from the environment.
    pub use_environment_proxy: bool,
}

/// The message if `usearch` is configured but was not built in.
pub const WITHOUT_USEARCH: &str =
    "this program was built without usearch; `cargo build --release --features usearch` builds one with it";

/// A kind of search for nearby comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KnowledgeKind {
    /// Compares all of an agent's comments.
    #[default]
    Exact,
    /// A Chroma server.
    Chroma,
    /// An approximate index in memory; only in programs built with the feature `usearch`.
    Usearch,
}

impl KnowledgeConfig {
    /// Returns the token from `api_key_file`; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read.
    pub fn api_key(&self) -> Result<Option<Secret>, ConfigError> {
        key(&self.api_key_file, "knowledge.api_key_file")
    }
}

/// Returns a key without its trailing newline.
fn key(file: &Path, name: &'static str) -> Result<Option<Secret>, ConfigError> {
    if file == Path::new("") {
        return Ok(None);
    }
    let text = read_file(file, name)?;
    Ok(Some(Secret::new(text.trim_end_matches(['\n', '\r']))))
}
