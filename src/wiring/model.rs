//! The language model, where one is configured.

use super::error::WiringError;
use super::similarity::without_version;
use crate::adapters::model::{Dialect, HttpAdvisor, MAX_ANSWER, ModelOptions};
use crate::adapters::rest::{RestOptions, RestServer};
use crate::config::{Config, ModelProvider};
use crate::ports::Advisor;
use std::time::Duration;

/// The configured language model; `None` where there is none.
///
/// # Errors
/// When the file with its key cannot be read.
pub fn advisor(config: &Config) -> Result<Option<Box<dyn Advisor>>, WiringError> {
    let model = &config.model;
    let dialect = match model.provider {
        ModelProvider::Off => return Ok(None),
        ModelProvider::OpenAi => Dialect::OpenAi,
        ModelProvider::Anthropic => Dialect::Anthropic,
    };
    let (header, before) = dialect.key_header();
    let rest = RestServer::start(RestOptions {
        url: without_version(&model.url),
        key: model.api_key()?.map(|key| (header, before, key)),
        headers: dialect.headers(),
        timeout: Duration::from_secs(model.timeout_seconds),
        max_answer: MAX_ANSWER,
        use_environment_proxy: model.use_environment_proxy,
    });
    let rest = rest.map_err(|e| WiringError::Model(e.to_string()))?;
    let options = ModelOptions { dialect, model: model.model.clone() };
    let advisor = HttpAdvisor::start(Box::new(rest), options).map_err(|e| WiringError::Model(e.to_string()))?;
    Ok(Some(Box::new(advisor)))
}
