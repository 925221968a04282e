//! The sections about vectors: what makes them, and what finds near ones.

use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `[embedder]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbedderConfig {
    /// What makes vectors of texts.
    pub kind: EmbedderKind,
    /// The folder with the model of `static` or `transformer`; empty with `static` for the embedded one.
    pub path: PathBuf,
    /// The server's base URL.
    pub url: String,
    /// The model's name at the server.
    pub model: String,
    /// A file that holds the server's key; empty: the systemd credential `embedder_api_key` where there is one, else none.
    pub api_key_file: PathBuf,
    /// How many dimensions the server is asked for; 0 for as many as the model has.
    pub dimensions: usize,
    /// How long an answer may take, one retry included, in seconds.
    pub timeout_seconds: u64,
    /// Texts in one request at most.
    pub batch: usize,
    /// Whether the proxies that the environment names are used.
    pub use_environment_proxy: bool,
}

/// What to say where `transformer` is wanted of a program that was built without it.
pub const WITHOUT_MINILM: &str =
    "this program was built without transformer; `cargo build --release --features minilm` builds one with it";

/// What makes vectors of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// A vector for each token, and their mean.
    #[default]
    Static,
    /// A server with `/v1/embeddings`.
    Server,
    /// A sentence model of the BERT family; only in programs that were built with the feature `minilm`.
    Transformer,
}

impl Default for EmbedderConfig {
    fn default() -> Self {
        EmbedderConfig {
            kind: EmbedderKind::Static,
            path: PathBuf::new(),
            url: String::new(),
            model: String::new(),
            api_key_file: PathBuf::new(),
            dimensions: 0,
            timeout_seconds: 30,
            batch: 64,
            use_environment_proxy: false,
        }
    }
}

impl EmbedderConfig {
    /// The key from `api_key_file`; `None` where no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] where the file is set but cannot be read.
    pub fn api_key(&self) -> Result<Option<Secret>, ConfigError> {
        key(&self.api_key_file, "embedder.api_key_file")
    }
}

/// `[knowledge]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KnowledgeConfig {
    /// What finds near remarks.
    pub kind: KnowledgeKind,
    /// Chroma's base URL.
    pub url: String,
    /// Its tenant.
    pub tenant: String,
    /// Its database.
    pub database: String,
    /// The collection; made where it is missing, and emptied at each start.
    pub collection: String,
    /// A file that holds Chroma's token; empty: the systemd credential `knowledge_api_key` where there is one, else none.
    pub api_key_file: PathBuf,
    /// How long an answer may take, one retry included, in seconds.
    pub timeout_seconds: u64,
    /// Vectors in one request at most.
    pub batch: usize,
    /// Whether the proxies that the environment names are used.
    pub use_environment_proxy: bool,
}

/// What to say where `usearch` is wanted of a program that was built without it.
pub const WITHOUT_USEARCH: &str =
    "this program was built without usearch; `cargo build --release --features usearch` builds one with it";

/// What finds near remarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnowledgeKind {
    /// All of an agent's remarks are compared.
    #[default]
    Exact,
    /// A Chroma server.
    Chroma,
    /// An approximate index in memory; only in programs that were built with the feature `usearch`.
    Usearch,
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        KnowledgeConfig {
            kind: KnowledgeKind::Exact,
            url: String::new(),
            tenant: "default_tenant".into(),
            database: "default_database".into(),
            collection: "feedbackd".into(),
            api_key_file: PathBuf::new(),
            timeout_seconds: 10,
            batch: 200,
            use_environment_proxy: false,
        }
    }
}

impl KnowledgeConfig {
    /// The token from `api_key_file`; `None` where no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] where the file is set but cannot be read.
    pub fn api_key(&self) -> Result<Option<Secret>, ConfigError> {
        key(&self.api_key_file, "knowledge.api_key_file")
    }
}

/// A key, without the newline at its end.
fn key(file: &Path, name: &'static str) -> Result<Option<Secret>, ConfigError> {
    if file == Path::new("") {
        return Ok(None);
    }
    let text = read_file(file, name)?;
    Ok(Some(Secret::new(text.trim_end_matches(['\n', '\r']))))
}
