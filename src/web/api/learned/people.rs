//! A person's pending items, who may decide, and the outcome of a decision.

use super::inbox::{Waiting, waiting};
use super::rows::{AGENT, decision, hand_in, list, one};
use crate::api::operation::{Decides, Operation};
use crate::api::request::{ApiRequest, Parameter};
use crate::api::response::{ApiResponse, refused, told};
use crate::api::submission::{Nothing, SubmissionBody};
use crate::app::queries::{RecordLocation, Rosters, not_found};
use crate::domain::intake::submission::ROSTER;
use crate::domain::records::record::{Registered, ReviewRecord};
use crate::problem::Problem;
use crate::services::Services;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The calls about people.
pub const PEOPLE: &[Operation] = &[
    list(
        "/inbox",
        "getInbox",
        "Items pending for you, or for a named person, most valuable first",
        &[Parameter::new("who", "a person's id; `*` for everything that is pending"), AGENT],
        |g| g.subschema_for::<Waiting>(),
        waiting,
    ),
    decision(
        "/inbox/{item}/snooze",
        "snoozeItem",
        "Takes a proposal, a rule, a cluster or a contradiction out of everyone's inbox until a day",
        |g| g.subschema_for::<SubmissionBody<Snoozed>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Snoozed>(
                services,
                asked,
                |sent| json!({"decision": "SNOOZE", "item": asked.part("item"), "until": sent.until}),
            )
        },
    ),
    decision(
        "/inbox/{item}/wake",
        "wakeItem",
        "Puts a snoozed item back into the inbox",
        |g| g.subschema_for::<SubmissionBody<Nothing>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Nothing>(services, asked, |_| json!({"decision": "WAKE", "item": asked.part("item")}))
        },
    ),
    list(
        "/roster",
        "getRoster",
        "Who may decide, the basis for it, and the pending roster change",
        &[],
        |g| g.subschema_for::<Rosters>(),
        |services, _| told(&services.channels.ask(|c| c.queries.rosters(&services.asked)).map_err(refused)?),
    ),
    decision(
        "/roster/approve",
        "approveRoster",
        "Approves the pending roster change",
        |g| g.subschema_for::<SubmissionBody<Change>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Change>(
                services,
                asked,
                |sent| json!({"decision": "APPROVE", "proposal_id": ROSTER, "content_hash": sent.content_hash}),
            )
        },
    ),
    decision(
        "/roster/reject",
        "rejectRoster",
        "Rejects the pending roster change; needs a `reason`",
        |g| g.subschema_for::<SubmissionBody<Change>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Change>(
                services,
                asked,
                |sent| json!({"decision": "REJECT", "proposal_id": ROSTER, "content_hash": sent.content_hash}),
            )
        },
    ),
    one(
        "/reviews/{review}",
        "getReview",
        "The outcome of a decision",
        |g| g.subschema_for::<RecordLocation<ReviewRecord>>(),
        review,
    ),
];

/// A change of the roster.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The hash in `waits` of `GET /roster`.
    pub content_hash: String,
}

/// How long an item is snoozed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snoozed {
    /// The day, in UTC, on which it is back: `2026-12-01`; within a year.
    #[schemars(extend("format" = "date"))]
    pub until: String,
}

fn review(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let id = asked.part("review");
    let found = services.channels.ask(|c| match c.queries.index.record::<ReviewRecord>(id)? {
        Some(found) => Ok(found),
        None => {
            let ids = c.queries.index.record_ids(ReviewRecord::KIND)?;
            Err(not_found("review", id, ids.iter().map(String::as_str)))
        }
    });
    let (path, record) = found.map_err(refused)?;
    told(&RecordLocation { path, record })
}
