//! Tracing of entries, according to the configuration.

use super::error::WiringError;
#[cfg(feature = "otel")]
use crate::adapters::otlp::{OtlpOptions, OtlpTracer};
use crate::app::publication::{Member, Traces};
use crate::config::Config;
#[cfg(not(feature = "otel"))]
use crate::config::WITHOUT_OTEL;
use crate::ports::Tracer;
use std::sync::Arc;

/// Returns the tracing of entries; without a collector nothing is sent.
pub(super) fn traces(config: &Config) -> Result<Traces, WiringError> {
    let member = Member {
        group: config.redis.group.clone(),
        consumer: config.redis.consumer_name(),
        prefix: config.redis.key(""),
    };
    Ok(Traces { tracer: tracer(config)?, member })
}

#[cfg(feature = "otel")]
fn tracer(config: &Config) -> Result<Option<Arc<dyn Tracer>>, WiringError> {
    use std::time::Duration;
    let traces = &config.traces;
    let endpoint = Some(traces.endpoint.clone()).filter(|endpoint| !endpoint.is_empty());
    if endpoint.is_none() && !OtlpTracer::is_wanted_by_environment() {
        return Ok(None);
    }
    let pairs = traces.pairs().flatten().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let tracer = OtlpTracer::start(OtlpOptions {
        endpoint,
        headers: traces.headers()?,
        service_name: traces.service_name.clone(),
        instance: config.redis.consumer_name(),
        attributes: pairs.collect(),
        untraced_share: traces.untraced_share,
        timeout: Duration::from_secs(traces.timeout_seconds),
        use_environment_proxy: traces.use_environment_proxy,
    })
    .map_err(WiringError::Traces)?;
    Ok(Some(Arc::new(tracer)))
}

/// Environment settings meant for other programs are not errors here.
#[cfg(not(feature = "otel"))]
fn tracer(config: &Config) -> Result<Option<Arc<dyn Tracer>>, WiringError> {
    match config.traces.endpoint.as_str() {
        "" => Ok(None),
        _ => Err(WiringError::Traces(WITHOUT_OTEL.to_owned())),
    }
}
