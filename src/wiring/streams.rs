//! Redis: the connection, and direct queries of commands.

use super::error::WiringError;
use super::settings::{decode_limits, personal};
use super::store::file_now;
use crate::adapters::redis::{
    self, Appender, GateRequests, MissingRight, Password, Probe, RedisLetters, RedisOptions, Sentinels, Tls, Topology,
};
use crate::app::admin::dead_letters::DeadLetterResender;
use crate::app::channels::action_outcomes::Outcomes;
use crate::app::decisions::gate_form::{GateFeedback, Said};
use crate::app::decisions::submission::{Append, Submitter};
use crate::config::{Config, RedisConfig, RedisMode};
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::intake::event::StreamKind;
use crate::metrics;
use crate::ports::LookAtBus;
use std::path::Path;
use std::time::Duration;

/// Returns the state of Redis and its streams.
///
/// # Errors
/// If it cannot be reached or returns an error.
pub async fn probe(config: &Config) -> Result<Probe, WiringError> {
    Ok(redis::probe(&redis_options(config)?).await?)
}

/// Writes a key to Redis and removes it, to check that writing works.
///
/// # Errors
/// As [`probe`].
pub async fn try_write(config: &Config) -> Result<(), WiringError> {
    Ok(redis::try_write(&redis_options(config)?).await?)
}

/// Describes how the server that holds the keys is found, and where it is.
///
/// # Errors
/// If it cannot be found.
pub async fn redis_route(config: &Config) -> Result<String, WiringError> {
    Ok(redis::route(&redis_options(config)?).await?)
}

/// Returns the commands that the user of Redis may not run.
///
/// # Errors
/// As [`probe`].
pub async fn missing_rights(config: &Config) -> Result<Vec<MissingRight>, WiringError> {
    Ok(redis::missing_rights(&redis_options(config)?).await?)
}

/// Returns the daemon's probe of Redis.
pub(super) fn look_at_bus(config: &Config) -> Result<LookAtBus, WiringError> {
    let options = redis_options(config)?;
    Ok(Box::new(move || {
        let options = options.clone();
        Box::pin(async move { Ok(redis::probe(&options).await?.state(&options)) })
    }))
}

/// Adds an entry to a stream, as a gate would.
///
/// # Errors
/// As [`probe`].
pub async fn append(config: &Config, stream: &str, fields: &[(String, String)]) -> Result<(), WiringError> {
    Ok(redis::append(&redis_options(config)?, stream, fields).await?)
}

/// Returns the path of a review to the daemon and back.
///
/// # Errors
/// If the configuration of Redis is unusable.
pub fn submitting(config: &Config) -> Result<Submitter, WiringError> {
    let append = appending(config, &config.redis.review_stream)?;
    let config = config.clone();
    Ok(Submitter {
        limits: DecodeLimits { personal: personal(&config)?, ..decode_limits(&config) },
        append,
        read: Box::new(move |path| file_now(&config, path)),
        recorded: None,
    })
}

/// Returns the path of an action's outcome to the daemon.
///
/// # Errors
/// If the configuration of Redis is unusable.
pub fn outcomes(config: &Config) -> Result<Outcomes, WiringError> {
    Ok(Outcomes {
        limits: DecodeLimits { personal: personal(config)?, ..decode_limits(config) },
        append: appending(config, &config.redis.action_stream)?,
    })
}

/// Returns the path of a dead letter back to its stream.
///
/// # Errors
/// If the configuration of Redis is unusable.
pub fn resending(config: &Config) -> Result<DeadLetterResender, WiringError> {
    let options = redis_options(config)?;
    Ok(DeadLetterResender {
        limits: DecodeLimits { personal: personal(config)?, ..decode_limits(config) },
        streams: options.streams.iter().map(|(name, kind)| (options.key(name), *kind)).collect(),
        letters: Box::new(RedisLetters::new(options)?),
    })
}

/// Returns the path of a gate's form to the daemon.
pub(super) fn gate_feedback(config: &Config) -> Result<GateFeedback, WiringError> {
    let requests = GateRequests::new(redis_options(config)?)?;
    Ok(GateFeedback {
        limits: DecodeLimits { personal: personal(config)?, ..decode_limits(config) },
        append: appending(config, &config.redis.hitl_stream)?,
        request: Box::new(move |id| requests.find(id)),
        said: Said::default(),
    })
}

/// Returns a function that appends payloads to a stream.
fn appending(config: &Config, stream: &str) -> Result<Append, WiringError> {
    let appender = Appender::new(&redis_options(config)?, stream)?;
    Ok(Box::new(move |payload| appender.append(&[("data".to_owned(), payload.to_string())])))
}

/// Returns the entries of a stream, as an agent would read them.
///
/// # Errors
/// As [`probe`].
pub async fn entries(config: &Config, stream: &str) -> Result<Vec<Vec<(String, String)>>, WiringError> {
    Ok(redis::entries(&redis_options(config)?, stream).await?)
}

/// Returns the text at a key, as an agent would read it.
///
/// # Errors
/// As [`probe`].
pub async fn text_at(config: &Config, key: &str) -> Result<Option<String>, WiringError> {
    Ok(redis::text_at(&redis_options(config)?, key).await?)
}

pub(super) fn redis_options(config: &Config) -> Result<RedisOptions, WiringError> {
    let redis = &config.redis;
    let [roots, certificate, key] = redis.tls_files()?.map(|file| file.map(|text| text.expose().to_owned()));
    // They are read again for each connection; a file that is missing from the start is a mistake.
    redis.password()?;
    redis.sentinel_password()?;
    Ok(RedisOptions {
        tls: Tls { roots, certificate, key },
        url: redis.url.expose().to_owned(),
        password: password(&redis.password_file),
        topology: match redis.mode {
            RedisMode::Single => Topology::Single,
            RedisMode::Sentinel => Topology::Sentinel(Sentinels {
                master: redis.sentinel_master.clone(),
                user: Some(redis.sentinel_user.clone()).filter(|user| !user.is_empty()),
                password: password(&redis.sentinel_password_file),
            }),
            RedisMode::Cluster => Topology::Cluster,
        },
        on_resolve: match redis.mode {
            RedisMode::Single => || metrics::redis_resolved(metrics::RedisMode::Single),
            RedisMode::Sentinel => || metrics::redis_resolved(metrics::RedisMode::Sentinel),
            RedisMode::Cluster => || metrics::redis_resolved(metrics::RedisMode::Cluster),
        },
        tenant: Some(redis.tenant.clone()).filter(|t| !t.is_empty()),
        hash_tags: redis.has_hash_tags(),
        group: redis.group.clone(),
        consumer: redis.consumer_name(),
        streams: StreamKind::ALL.map(|kind| (key_of(redis, kind).to_owned(), kind)),
        block: Duration::from_millis(redis.block_ms),
        claim_idle: Duration::from_millis(redis.claim_idle_ms),
        claim_every: Duration::from_millis(redis.claim_every_ms),
        response_timeout: Duration::from_millis(redis.response_timeout_ms),
        read_bytes: config.intake.batch_max_bytes,
        largest_entry: config.intake.max_entry_bytes,
        largest_request: config.intake.max_gate_request_bytes,
        max_len: None,
    })
}

fn password(file: &Path) -> Password {
    if file == Path::new("") { Password::None } else { Password::File(file.to_owned()) }
}

/// Returns a stream's configured key.
fn key_of(redis: &RedisConfig, kind: StreamKind) -> &str {
    match kind {
        StreamKind::HitlDecisions => &redis.hitl_stream,
        StreamKind::Dispatcher => &redis.dispatcher_stream,
        StreamKind::MetaHitl => &redis.review_stream,
        StreamKind::Turns => &redis.turn_stream,
        StreamKind::Refinements => &redis.refinement_stream,
        StreamKind::ActionResults => &redis.action_stream,
        StreamKind::IterationFeedback => &redis.iteration_stream,
    }
}
