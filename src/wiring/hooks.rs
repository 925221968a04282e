//! The webhooks of forges, if one is connected.

use super::error::WiringError;
use super::forge_api::server;
use super::settings::decode_limits;
use super::streams::redis_options;
use crate::adapters::redis::RedisForges;
use crate::app::forges::deliveries::{Forge, Forges};
use crate::app::forges::members::Members;
use crate::app::forges::poll_triggers::PollTriggers;
use crate::config::{AgentClaim, Config, ForgeConfig, ForgeKind};
use crate::daemon::{Hooks, WebhookSecrets};
use crate::domain::intake::forge::{Claim, ClaimBy, HeardFrom, Kind, Policy};
use crate::domain::rules::in_force::pull_request::OWN_BRANCHES;
use jiff::SignedDuration;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Returns the webhook receiver; `None` if no forge is connected.
pub(super) fn hooks(config: &Config, wakes: &PollTriggers) -> Result<Option<Hooks>, WiringError> {
    let section = &config.forges;
    if section.connected.is_empty() {
        return Ok(None);
    }
    let mut locks = BTreeMap::new();
    for forge in &section.connected {
        let secrets = forge.secrets()?.iter().map(|secret| secret.expose().to_owned()).collect();
        locks.insert(forge.name.clone(), WebhookSecrets::new(secrets));
    }
    let forges = Forges { wakes: wakes.clone(), ..forges(config)? };
    Ok(Some(Hooks { forges: Arc::new(forges), locks }))
}

/// Returns the path of forge events to the daemon.
pub(super) fn forges(config: &Config) -> Result<Forges, WiringError> {
    let section = &config.forges;
    let remember = Duration::from_secs(section.remember_days * 24 * 60 * 60);
    let connected = section.connected.iter().map(|forge| Ok((forge.name.clone(), connection(forge)?)));
    Ok(Forges {
        connected: connected.collect::<Result<_, WiringError>>()?,
        inbox: Box::new(RedisForges::new(redis_options(config)?, remember)?),
        gather: SignedDuration::from_secs(i64::try_from(section.gather_seconds).unwrap_or(i64::MAX)),
        tenant: decode_limits(config).tenant,
        wakes: PollTriggers::default(),
    })
}

/// Converts the kind of a forge.
pub(super) fn kind(said: ForgeKind) -> Kind {
    match said {
        ForgeKind::Github => Kind::Github,
        ForgeKind::Gitlab => Kind::Gitlab,
        ForgeKind::Gitea => Kind::Gitea,
        ForgeKind::Forgejo => Kind::Forgejo,
        ForgeKind::Gerrit => Kind::Gerrit,
    }
}

fn connection(forge: &ForgeConfig) -> Result<Forge, WiringError> {
    let policy = Policy {
        claims: forge.agents.iter().map(claim).collect(),
        default_agent: Some(forge.default_agent.clone()).filter(|agent| !agent.is_empty()),
        ignored: forge.ignore.clone(),
        // Branches with our rules are always our own, whatever the configuration.
        own_branches: forge.own_branches.iter().cloned().chain([OWN_BRANCHES.to_owned()]).collect(),
        heard_from: heard_from(forge),
    };
    Ok(Forge {
        name: forge.name.clone(),
        kind: kind(forge.kind),
        members: members(forge, &policy.heard_from)?.map(Arc::new),
        gate: forge.gate.clone(),
        policy,
        people: forge.people.clone(),
        pages: match forge.kind {
            ForgeKind::Gerrit => forge.api().map(|api| api.trim_end_matches('/').trim_end_matches("/a").to_owned()),
            _ => None,
        },
    })
}

/// Returns whose comments count on a forge.
pub fn heard_from(forge: &ForgeConfig) -> HeardFrom {
    HeardFrom::named(kind(forge.kind), &forge.heard_from)
}

/// Returns the lookup of repository members, if they matter and the API may be asked: without a token it does not
/// disclose them.
fn members(forge: &ForgeConfig, heard_from: &HeardFrom) -> Result<Option<Members>, WiringError> {
    if *heard_from == HeardFrom::Anyone || !forge.can_be_asked() {
        return Ok(None);
    }
    Ok(Some(Members::new(&forge.name, kind(forge.kind), Box::new(server(forge)?), forge.heard_from.clone())))
}

/// The configuration check ensures that one of the three is set.
fn claim(said: &AgentClaim) -> Claim {
    let (by, is) = match (said.author.as_str(), said.branch.as_str()) {
        ("", "") => (ClaimBy::Trailer, &said.trailer),
        ("", _) => (ClaimBy::Branch, &said.branch),
        _ => (ClaimBy::Author, &said.author),
    };
    Claim { by, is: is.clone(), agent: said.agent.clone() }
}
