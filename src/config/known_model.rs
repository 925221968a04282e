//! Models known by name: their addresses, their interfaces, and the usual place of their keys.
//!
//! Lets a command be tried with a model before there is a configuration.

use super::model::{ModelConfig, ModelProvider};
use super::secret::Secret;
use super::variables::Environment;

/// A provider.
struct Provider {
    name: &'static str,
    /// Prefixes of the names of its models, if those identify the provider.
    models: &'static [&'static str],
    interface: ModelProvider,
    url: &'static str,
    /// The environment variables that usually hold its key; empty if it needs none.
    keys: &'static [&'static str],
}

const PROVIDERS: [Provider; 9] = [
    Provider {
        name: "openai",
        models: &["gpt-", "chatgpt-", "o1", "o3", "o4"],
        interface: ModelProvider::OpenAi,
        url: "https://api.openai.com/v1",
        keys: &["OPENAI_API_KEY"],
    },
    Provider {
        name: "anthropic",
        models: &["claude-"],
        interface: ModelProvider::Anthropic,
        url: "https://api.anthropic.com/v1",
        keys: &["ANTHROPIC_API_KEY"],
    },
    Provider {
        name: "google",
        models: &["gemini-"],
        interface: ModelProvider::OpenAi,
        url: "https://generativelanguage.googleapis.com/v1beta/openai",
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    },
    Provider {
        name: "mistral",
        models: &["mistral-", "ministral-", "magistral-", "codestral-", "devstral-"],
        interface: ModelProvider::OpenAi,
        url: "https://api.mistral.ai/v1",
        keys: &["MISTRAL_API_KEY"],
    },
    Provider {
        name: "deepseek",
        models: &["deepseek-"],
        interface: ModelProvider::OpenAi,
        url: "https://api.deepseek.com/v1",
        keys: &["DEEPSEEK_API_KEY"],
    },
    Provider {
        name: "xai",
        models: &["grok-"],
        interface: ModelProvider::OpenAi,
        url: "https://api.x.ai/v1",
        keys: &["XAI_API_KEY"],
    },
    Provider {
        name: "openrouter",
        models: &[],
        interface: ModelProvider::OpenAi,
        url: "https://openrouter.ai/api/v1",
        keys: &["OPENROUTER_API_KEY"],
    },
    Provider {
        name: "groq",
        models: &[],
        interface: ModelProvider::OpenAi,
        url: "https://api.groq.com/openai/v1",
        keys: &["GROQ_API_KEY"],
    },
    Provider {
        name: "ollama",
        models: &[],
        interface: ModelProvider::OpenAi,
        url: "http://127.0.0.1:11434/v1",
        keys: &[],
    },
];

/// Why a model's name is not usable, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownModel {
    /// The problem.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl ModelConfig {
    /// Returns this configuration with another model. If a model is configured, its server is asked for the other one.
    /// Otherwise the name identifies the provider, by its prefix (`claude-…`, `gpt-…`) or as `PROVIDER/MODEL`, and the
    /// key comes from the environment.
    ///
    /// # Errors
    /// If no provider of such a model is known, or there is no key.
    pub fn with_model(&self, name: &str, environment: &Environment) -> Result<ModelConfig, UnknownModel> {
        if self.is_on() {
            return Ok(ModelConfig { model: name.to_owned(), ..self.clone() });
        }
        let (provider, model) = of(name).ok_or_else(|| UnknownModel {
            message: format!("the provider of the model {name:?} is unknown, and no model is configured"),
            hint: format!(
                "write PROVIDER/MODEL with one of {}, or configure a server in [model]",
                PROVIDERS.map(|provider| provider.name).join(", ")
            ),
        })?;
        let key = provider.keys.iter().find_map(|key| environment.get(*key).filter(|key| !key.trim().is_empty()));
        if key.is_none() && !provider.keys.is_empty() {
            return Err(UnknownModel {
                message: format!("there is no key for {}", provider.name),
                hint: format!("set it in the environment as {}, or configure [model]", provider.keys.join(" or ")),
            });
        }
        Ok(ModelConfig {
            provider: provider.interface,
            url: provider.url.to_owned(),
            model: model.to_owned(),
            key: key.map(|key| Secret::new(key.trim())),
            ..self.clone()
        })
    }
}

/// Returns a model's provider and its name there.
fn of(name: &str) -> Option<(&'static Provider, &str)> {
    let named = name.split_once('/').and_then(|(provider, model)| {
        let known = PROVIDERS.iter().find(|known| known.name.eq_ignore_ascii_case(provider))?;
        Some((known, model)).filter(|(_, model)| !model.is_empty())
    });
    named.or_else(|| {
        let known = PROVIDERS.iter().find(|known| known.models.iter().any(|begin| name.starts_with(begin)))?;
        Some((known, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_name_tells_whose_model_it_is() {
        let keys =
            environment(&[("ANTHROPIC_API_KEY", "a-key\n"), ("OPENROUTER_API_KEY", "r-key"), ("GOOGLE_API_KEY", "g")]);
        let given = |name: &str| Config::default().model.with_model(name, &keys).unwrap();
        let claude = given("claude-haiku-4-5");
        assert_eq!((claude.provider, claude.model.as_str()), (ModelProvider::Anthropic, "claude-haiku-4-5"));
        assert_eq!(claude.api_key().unwrap().unwrap().expose(), "a-key");
        assert_eq!(given("openrouter/openai/gpt-5-mini").model, "openai/gpt-5-mini");
        assert_eq!(given("gemini-3-flash").api_key().unwrap().unwrap().expose(), "g");
        let local = given("ollama/qwen3:8b");
        assert_eq!((local.url.as_str(), local.api_key().unwrap()), ("http://127.0.0.1:11434/v1", None));
    }

    #[test]
    fn what_is_not_known_or_has_no_key_is_said() {
        let none = environment(&[("OPENAI_API_KEY", " ")]);
        let wrong = |name: &str| Config::default().model.with_model(name, &none).unwrap_err();
        assert!(wrong("gpt-5-mini").hint.contains("OPENAI_API_KEY"));
        for name in ["my-model", "nobody/x", "openai/", ""] {
            assert!(wrong(name).hint.contains("openrouter"), "{name}");
        }
    }

    #[test]
    fn a_configured_server_is_asked_for_another_model() {
        let configured = ModelConfig {
            provider: ModelProvider::OpenAi,
            url: "https://models.example.org".to_owned(),
            model: "one".to_owned(),
            ..Config::default().model
        };
        let other = configured.with_model("claude-sonnet", &environment(&[])).unwrap();
        assert_eq!((other.url.as_str(), other.model.as_str()), ("https://models.example.org", "claude-sonnet"));
    }
}
