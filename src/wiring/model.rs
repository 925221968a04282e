//! The language model, if configured.

use super::error::WiringError;
use crate::adapters::model::{
    self, Dialect, FIELDS, HttpAdvisor, MAX_ANSWER, ModelOptions, Probe, RecordedAdvisor, address, own_key_header,
};
use crate::adapters::rest::{RestOptions, RestServer};
use crate::app::pipeline::Pipeline;
use crate::config::{Config, ModelProvider};
use crate::ports::{Advisor, Rest};
use std::path::Path;
use std::time::Duration;

/// Enables a pipeline to ask the language model: the configured one unless `without`, or answers recorded in a file, to
/// which the configured one adds missing ones. Returns false if there is none.
///
/// # Errors
/// If the file of answers or the key file cannot be read.
pub fn advise(
    pipeline: &mut Pipeline,
    config: &Config,
    answers: Option<&Path>,
    without: bool,
) -> Result<bool, WiringError> {
    let configured = if without { None } else { advisor(config)? };
    let advisor = match answers {
        Some(path) => {
            let recorded = RecordedAdvisor::open(path, configured);
            let recorded = recorded.map_err(|e| WiringError::Model(format!("{}: {e}", path.display())))?;
            Some(Box::new(recorded) as Box<dyn Advisor>)
        }
        None => configured,
    };
    let Some(advisor) = advisor else { return Ok(false) };
    pipeline.advise_by(advisor);
    Ok(true)
}

/// Returns the configured language model; `None` if there is none.
///
/// # Errors
/// If its key file cannot be read.
pub fn advisor(config: &Config) -> Result<Option<Box<dyn Advisor>>, WiringError> {
    let model = &config.model;
    let Some(dialect) = dialect(config) else { return Ok(None) };
    let rests = (0..model.concurrency.max(1)).map(|_| rest(config, dialect)).collect::<Result<Vec<_>, _>>()?;
    let advisor = HttpAdvisor::start(rests, options(config, dialect));
    let advisor = advisor.map_err(|e| WiringError::Model(e.to_string()))?;
    Ok(Some(Box::new(advisor)))
}

/// Asks the configured language model one small question. `None` if no model is configured; else its answer, or why
/// there is none.
///
/// # Errors
/// If its key file cannot be read.
pub fn probe(config: &Config) -> Result<Option<Result<Probe, String>>, WiringError> {
    let Some(dialect) = dialect(config) else { return Ok(None) };
    Ok(Some(model::probe(rest(config, dialect)?, options(config, dialect))))
}

fn dialect(config: &Config) -> Option<Dialect> {
    match config.model.provider {
        ModelProvider::Off => None,
        ModelProvider::OpenAi => Some(Dialect::OpenAi),
        ModelProvider::Anthropic => Some(Dialect::Anthropic),
    }
}

fn rest(config: &Config, dialect: Dialect) -> Result<Box<dyn Rest>, WiringError> {
    let model = &config.model;
    let usual = dialect.key_header();
    let (header, before) = own_key_header(&model.url).map_or(usual, |header| (header, ""));
    let rest = RestServer::start(RestOptions {
        url: address(&model.url, dialect.endpoint()).0,
        key: model.api_key()?.map(|key| (header, before, key)),
        headers: dialect.headers(),
        timeout: Duration::from_secs(model.timeout_seconds),
        max_answer: MAX_ANSWER,
        use_environment_proxy: model.use_environment_proxy,
        fields: FIELDS,
    });
    Ok(Box::new(rest.map_err(|e| WiringError::Model(e.to_string()))?))
}

fn options(config: &Config, dialect: Dialect) -> ModelOptions {
    let model = &config.model;
    ModelOptions {
        dialect,
        model: model.model.clone(),
        path: address(&model.url, dialect.endpoint()).1,
        effort: model.reasoning_effort.clone(),
        server: model.url.clone(),
        known: Some(config.state.dir.join("model.json")),
    }
}
