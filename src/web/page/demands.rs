//! `/demands`: recurring demands, with the evidence.

use super::failure::Failure;
use super::frame::Frame;
use super::link;
use super::request::Visit;
use super::snapshot::Snapshot;
use super::text::shown;
use crate::app::reports::demands::{DemandFilter, MOST, SHOWN};
use crate::html::{Links, demands_body};
use askama::Template;
use axum::http::StatusCode;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

#[derive(Template)]
#[template(path = "demands.html")]
struct DemandsPage<'a> {
    frame: Frame,
    repositories: &'a [String],
    agents: &'a [String],
    repository: &'a str,
    agent: &'a str,
    since: &'a str,
    until: &'a str,
    body: String,
}

/// Renders `/demands?repository=&agent=&since=&until=&limit=`
pub fn page(visit: &Visit) -> Result<String, Failure> {
    let option = |name: &str| visit.option(name).unwrap_or_default();
    let owned = |name: &str| visit.option(name).map(str::to_owned);
    let filter = DemandFilter {
        repository: owned("repository"),
        agent: owned("agent"),
        since: day(visit, "since")?,
        until: day(visit, "until")?,
        limit: visit.option("limit").and_then(|limit| limit.parse().ok()).map_or(SHOWN, |limit: usize| limit.min(MOST)),
    };
    let is_whole = filter.limit >= MOST;
    let services = &visit.pages.services;
    let (it, commit) = services.demands.ask(&services.channels, &services.questions, filter)?;
    let asked = ["repository", "agent", "since", "until"].map(|name| (name, option(name)));
    let more = [&asked[..], &[("limit", "100")]].concat();
    let more = if is_whole { String::new() } else { link::query("/demands", &more) };
    let seen = Snapshot { it, commit };
    let page = DemandsPage {
        frame: Frame::new(visit, "What reviewers ask for", &seen),
        repositories: &seen.it.repositories,
        agents: &seen.it.agents,
        repository: option("repository"),
        agent: option("agent"),
        since: option("since"),
        until: option("until"),
        body: demands_body(&seen.it, Links::Daemon, &more)?,
    };
    Ok(page.render()?)
}

/// Returns the beginning of a day, in UTC.
fn day(visit: &Visit, name: &str) -> Result<Option<Timestamp>, Failure> {
    let Some(text) = visit.option(name) else { return Ok(None) };
    let wrong = || Failure::new(StatusCode::BAD_REQUEST, format!("“{text}” is not a date. Write it as 2026-01-31."));
    let day: Date = text.parse().map_err(|_| wrong())?;
    Ok(Some(day.to_zoned(TimeZone::UTC).map_err(|_| wrong())?.timestamp()))
}
