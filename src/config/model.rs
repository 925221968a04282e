//! The section about a language model. Without one, nothing is asked and nothing is contacted.

use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// `[model]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The provider whose interface it uses; empty for no model.
    pub provider: ModelProvider,
    /// The server's base URL.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// A file that holds the key; empty: the systemd credential `model_api_key` if it exists, else none.
    pub api_key_file: PathBuf,
    /// The key itself, if from the environment; never from a file.
    #[serde(skip)]
    pub key: Option<Secret>,
    /// How long an answer may take, including retries, in seconds.
    pub timeout_seconds: u64,
    /// Maximum concurrent questions.
    pub concurrency: usize,
    /// The effort of a reasoning model before it answers; empty for the server's default.
    pub reasoning_effort: String,
    /// Whether it reads each comment and states what it asks for.
    pub read: bool,
    /// Comments per question.
    pub read_batch: usize,
    /// Whether it is asked which demands are the same.
    pub place: bool,
    /// Whether it checks patterns against their evidence before they are proposed, and words their rules.
    pub check: bool,
    /// What it may cost per UTC day.
    pub budget: ModelBudget,
    /// What it costs.
    pub price: ModelPrice,
    /// Whether to use proxies from the environment.
    pub use_environment_proxy: bool,
}

/// `[model.budget]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelBudget {
    /// Maximum tokens per UTC day, questions and answers together.
    pub tokens: u64,
    /// Maximum cost per UTC day, in the currency of the price; 0 for no limit.
    pub money: f64,
}

/// `[model.price]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// The cost of a million tokens of questions; 0 if unknown.
    pub input: f64,
    /// The cost of a million tokens of answers; 0 if unknown.
    pub output: f64,
    /// The currency.
    pub currency: String,
}

/// A provider's model interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelProvider {
    /// No model.
    #[default]
    #[serde(rename = "")]
    Off,
    /// `/v1/chat/completions`, used by OpenAI and most local servers.
    OpenAi,
    /// `/v1/messages`, used by Anthropic.
    Anthropic,
}

impl ModelConfig {
    /// Reports whether a model is configured.
    pub fn is_on(&self) -> bool {
        self.provider != ModelProvider::Off
    }

    /// Describes which model is used.
    pub fn described(&self) -> String {
        let interface = match self.provider {
            ModelProvider::Off => return "no language model is used".to_owned(),
            ModelProvider::OpenAi => "OpenAI's",
            ModelProvider::Anthropic => "Anthropic's",
        };
        let questions = [
            (self.read, "what each comment asks for"),
            (self.place, "which demands mean the same"),
            (self.check, "whether a rule would settle its evidence"),
        ];
        let asked: Vec<&str> = questions.iter().filter(|(on, _)| *on).map(|(_, what)| *what).collect();
        let asked = match asked.as_slice() {
            [] => "nothing, as model.read, model.place and model.check are false".to_owned(),
            [one] => (*one).to_owned(),
            [others @ .., last] => format!("{}, and {last}", others.join(", ")),
        };
        let money = match self.budget.money > 0.0 {
            true => format!(", or {} {}", self.budget.money, self.price.currency),
            false => String::new(),
        };
        format!(
            "{} at {} ({interface} interface) is asked {asked}; at most {} tokens{money} a day",
            self.model, self.url, self.budget.tokens
        )
    }

    /// Returns the key, from `api_key_file` without its trailing newline; `None` if there is none.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read.
    pub fn api_key(&self) -> Result<Option<Secret>, ConfigError> {
        if self.key.is_some() || self.api_key_file == Path::new("") {
            return Ok(self.key.clone());
        }
        let text = read_file(&self.api_key_file, "model.api_key_file")?;
        Ok(Some(Secret::new(text.trim_end_matches(['\n', '\r']))))
    }
}

/// Reports whether a text is the base URL of a server: no user, no password, no query.
pub(super) fn is_base_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        let plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '@' | '?' | '#' | '\u{FFFD}');
        !rest.is_empty() && !rest.starts_with('/') && rest.chars().all(plain)
    })
}

/// Like `is_base_url`, but allows a query with the interface version, as in Azure's base URLs.
pub(super) fn is_versioned_url(text: &str) -> bool {
    let (base, query) = text.split_once('?').unwrap_or((text, "api-version=1"));
    let version = query.strip_prefix("api-version=").unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    is_base_url(base) && !version.is_empty() && version.chars().all(is_plain)
}

/// Reports whether secrets may be sent there: encrypted, or within this machine.
pub(super) fn is_trusted_url(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return is_base_url(url) };
    let host = rest.split('/').next().unwrap_or_default();
    let is_port = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    is_base_url(url) && (name == "localhost" || address.is_ok_and(|address| address.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_hold_no_secrets() {
        for good in ["https://api.example.org", "http://127.0.0.1:11434/v1", "http://[::1]:8080/"] {
            assert!(is_base_url(good), "{good}");
        }
        for bad in
            ["", "api.example.org", "https://", "https:///x", "https://me:pw@host", "https://h/?key=1", "ftp://h"]
        {
            assert!(!is_base_url(bad), "{bad}");
        }
    }

    #[test]
    fn a_query_may_say_a_version_alone() {
        for good in ["https://h/v1", "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21"] {
            assert!(is_versioned_url(good), "{good}");
        }
        for bad in ["https://h/v1?key=1", "https://h/?api-version=", "https://h/?api-version=1&key=2"] {
            assert!(!is_versioned_url(bad), "{bad}");
        }
    }

    #[test]
    fn secrets_are_sent_encrypted_or_within_this_machine() {
        for good in
            ["https://git.example.org/api/v1", "http://127.0.0.1:3000/api/v1", "http://[::1]:80", "http://localhost"]
        {
            assert!(is_trusted_url(good), "{good}");
        }
        for bad in
            ["http://git.example.org", "http://localhost.example.org", "https://me@x", "ftp://x", "http://10.0.0.1:1"]
        {
            assert!(!is_trusted_url(bad), "{bad}");
        }
    }
}
