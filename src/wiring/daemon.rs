//! Everything the daemon runs.

use super::clock::clock;
use super::demands::noted_by;
use super::error::WiringError;
use super::forge_streams::streaming;
use super::history::{polling, wakes};
use super::hooks::hooks;
use super::model::advisor;
use super::notifications::telling;
use super::oidc::oidc;
use super::people::people;
use super::pipeline::advised_pipeline;
use super::queries::asking_beside;
use super::remote::copy;
use super::review_ui::review_ui;
use super::rule_pull_requests::offers;
use super::settings::{asked, showing};
use super::store::{copy_from_host, name_of};
use super::store_accept::publishing;
use super::streams::{look_at_bus, outcomes, redis_options, resending, submitting};
use super::template;
use super::traces::traces;
use crate::adapters::git::InitOutcome;
use crate::adapters::redis::{RedisPublisher, RedisSource};
use crate::app::admin::health::Readiness;
use crate::app::decisions::submission::Submitter;
use crate::config::Config;
use crate::daemon::{Daemon, DemandsCache, GapKey, Identity, Proxy, Services, UndoBuffer};
use std::sync::Arc;
use std::time::Duration;

/// Builds everything the daemon runs.
///
/// # Errors
/// If the store, the state directory or the configuration is unusable. An unreachable Redis is not an error.
pub fn daemon(config: Config) -> Result<Daemon<RedisSource, RedisPublisher>, WiringError> {
    let options = redis_options(&config)?;
    config.old_keys.iter().for_each(|old| tracing::warn!("{old}"));
    let advisor = advisor(&config)?;
    if advisor.is_some() {
        tracing::info!(model = config.model.described(), "a language model is configured");
    }
    let token = config.http.api_token()?;
    if let Some(InitOutcome::Cloned(commit)) = copy_from_host(&config, false)? {
        tracing::info!(commit = commit.short(), "the store was copied from the Git host");
    }
    let pipeline = advised_pipeline(&config, advisor)?;
    let mut identity = Identity::default().with_people(people(&config));
    if let Some(token) = token {
        identity = identity.with_program(token.expose());
    }
    if let Some(proxy) = Proxy::new(&config.http.proxy.header, config.http.proxy.ips().unwrap_or_default()) {
        let key = config.http.proxy.signature_key()?;
        // An invalid key admits no one, rather than everyone.
        let proxy = match key {
            Some(key) => GapKey::parse(key.expose()).map(|key| proxy.signed(key)),
            None => Some(proxy),
        };
        if let Some(proxy) = proxy {
            identity = identity.with_proxy(proxy);
        }
    }
    if let Some(oidc) = oidc(&config)? {
        identity = identity.with_oidc(oidc);
    }
    match config.login_needed() {
        Some(why) => tracing::info!(why, "reading the pages requires login"),
        None => {
            tracing::info!(
                "anyone on this machine can read the pages without logging in, and so can anyone a proxy on it lets \
                 through: before you add a proxy, set http.anonymous_reading to off"
            );
            identity = identity.with_anonymous_reading();
        }
    }
    let wakes = wakes(&config);
    let services = Services {
        channels: Arc::new(asking_beside(&config, &pipeline)),
        questions: Arc::default(),
        demands: DemandsCache::new(noted_by(&config)),
        reviews: Submitter { recorded: Some(Arc::default()), ..submitting(&config)? },
        held: UndoBuffer::default(),
        review_ui: review_ui(&config)?,
        hooks: hooks(&config, &wakes)?,
        outcomes: Arc::new(outcomes(&config)?),
        resending: resending(&config)?,
        asked: asked(&config),
        schemas: template::schemas(),
        showing: showing(&config),
    };
    let publisher = RedisPublisher::new(options.clone(), &name_of(pipeline.root()))?;
    let readiness = Readiness::new(Duration::from_secs(config.http.stalled_after_seconds));
    Ok(Daemon {
        source: RedisSource::new(options)?,
        publishing: publishing(&config, publisher),
        traces: traces(&config)?,
        pipeline,
        clock: clock(),
        readiness: Arc::new(readiness),
        services,
        identity,
        telling: telling(&config)?,
        polling: polling(&config, &wakes)?,
        streaming: streaming(&config)?,
        offers: offers(&config)?,
        look: look_at_bus(&config)?,
        copy: copy(&config)?,
        config,
    })
}
