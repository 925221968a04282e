//! The language model, where one is configured.

use super::error::WiringError;
use super::similarity::without_version;
use crate::adapters::model::{Dialect, HttpAdvisor, LabelAdvisor, MAX_ANSWER, ModelOptions};
use crate::adapters::rest::{RestOptions, RestServer};
use crate::app::pipeline::{AdviceSettings, Pipeline};
use crate::config::{Config, ModelProvider};
use crate::ports::Advisor;
use std::collections::HashMap;
use std::time::Duration;

/// Lets labels answer in place of a language model to which group each remark belongs that was read; `wrong` of the answers,
/// 0 to 1, are wrong by chance. Nothing else is asked.
pub fn answer_by_labels(pipeline: &mut Pipeline, labels: HashMap<String, String>, wrong: f64) {
    let asked = AdviceSettings { choose: true, daily_budget: u64::MAX, ..AdviceSettings::default() };
    pipeline.advise_by(Box::new(LabelAdvisor::new(labels, wrong)), asked);
}

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
