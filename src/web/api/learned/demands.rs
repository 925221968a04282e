//! Recurring demands.

use super::rows::{AGENT, list};
use crate::api::operation::Operation;
use crate::api::request::{ApiRequest, Parameter, bad};
use crate::api::response::{ApiResponse, refused, told};
use crate::app::reports::demands::{DemandFilter, Demands, MOST, SHOWN};
use crate::problem::Problem;
use crate::services::Services;
use jiff::Timestamp;
use schemars::json_schema;

/// The call.
pub const DEMANDS: &[Operation] = &[list(
    "/demands",
    "listDemands",
    "What reviewers keep asking for, with the figures and some of the comments, most frequent first",
    &[
        Parameter::new("repository", "only comments from this repository of a forge, `owner/name`"),
        AGENT,
        Parameter::new("since", "only from this time on, in RFC 3339 format"),
        Parameter::new("until", "only before this time, in RFC 3339 format"),
        Parameter::new("limit", "maximum number of patterns, 1 to 100; default 10")
            .of(|_| json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST })),
    ],
    |g| g.subschema_for::<Demands>(),
    demands,
)];

fn demands(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let owned = |name: &str| asked.option(name).map(str::to_owned);
    let limit = match asked.option("limit") {
        None => SHOWN,
        Some(text) => {
            let limit = text.parse().ok().filter(|limit| (1..=MOST).contains(limit));
            limit.ok_or_else(|| bad(format!("`limit` must be a number from 1 to {MOST}")))?
        }
    };
    let filter = DemandFilter {
        repository: owned("repository"),
        agent: owned("agent"),
        since: moment(asked, "since")?,
        until: moment(asked, "until")?,
        limit,
    };
    let (found, _) = services.demands.ask(&services.channels, &services.questions, filter).map_err(refused)?;
    told(&found)
}

fn moment(asked: &ApiRequest, name: &str) -> Result<Option<Timestamp>, Problem> {
    let moment = asked
        .option(name)
        .map(|text| text.parse().map_err(|_| bad(format!("`{name}` must be a time such as 2026-01-31T12:00:00Z"))));
    moment.transpose()
}
