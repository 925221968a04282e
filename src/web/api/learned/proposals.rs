//! Proposals: rules submitted for review, and people's decisions about them.

use super::rows::{AGENT, CURSOR, decision, found, hand_in_with, list, one};
use super::signature;
use super::signature::ToSign;
use crate::api::cursor::part;
use crate::api::operation::{Decides, LIMIT, Operation, UNFIT, UNREADABLE, Verb};
use crate::api::request::{ApiRequest, Parameter};
use crate::api::response::{ApiResponse, refused, told, versions};
use crate::api::submission::{Nothing, SubmissionBody, person};
use crate::app::decisions::submission::SubmissionOutcome;
use crate::app::queries::RuleFile;
use crate::domain::records::record::RuleState;
use crate::problem::Problem;
use crate::services::Services;
use axum::http::StatusCode;
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The calls about proposals.
pub const PROPOSALS: &[Operation] = &[
    list(
        "/proposals",
        "listProposals",
        "Proposals and rules, latest first",
        &[
            Parameter::new("state", "only those that are `proposed`, `active`, `rejected` or `retired`")
                .of(|g| g.subschema_for::<RuleState>()),
            AGENT,
            LIMIT,
            CURSOR,
        ],
        |g| g.subschema_for::<Proposals>(),
        all,
    ),
    one(
        "/proposals/{proposal}",
        "getProposal",
        "The current state of a proposal or rule; its `ETag` identifies the text that a decision must name",
        |g| g.subschema_for::<RuleFile>(),
        show,
    ),
    Operation {
        verb: Verb::Get,
        path: "/proposals/{proposal}/signing",
        id: "getTextToSign",
        summary: "The text to sign with `ssh-keygen -Y sign` for a decision now, and the fields to send with the \
                  signature",
        query: &[Parameter::new("decision", "`approve` or `reject`")
            .needed()
            .of(|_| json_schema!({ "type": "string", "enum": ["approve", "reject"] }))],
        body: None,
        answer: |g| g.subschema_for::<ToSign>(),
        problems: &[UNREADABLE, UNFIT, (StatusCode::NOT_FOUND, "The proposal does not exist.")],
        decides: Decides::Nothing,
        call: signature::text,
    },
    decision(
        "/proposals/{proposal}/approve",
        "approveProposal",
        "Approves the text that you saw; a second approval by the same person changes nothing",
        |g| g.subschema_for::<SubmissionBody<Nothing>>(),
        Decides::AboutText,
        approve,
    ),
    decision(
        "/proposals/{proposal}/reject",
        "rejectProposal",
        "Rejects a proposal; needs a `reason`",
        |g| g.subschema_for::<SubmissionBody<Nothing>>(),
        Decides::AboutText,
        reject,
    ),
    decision(
        "/proposals/{proposal}/modify",
        "modifyProposal",
        "Changes the text of a proposal: this makes a new version and voids earlier approvals",
        |g| g.subschema_for::<SubmissionBody<Modified>>(),
        Decides::AboutText,
        modify,
    ),
];

/// Proposals and rules.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Proposals {
    /// The requested number of them.
    pub proposals: Vec<RuleFile>,
    /// The next cursor; omitted after the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Another text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modified {
    /// The new text of the rule; the present one if only the reason or the concern changes.
    pub modified_content: String,
    /// The new reason why the rule improves the work; `-` for none. Unchanged if absent.
    #[serde(default)]
    pub modified_why: Option<String>,
    /// The id of the concern by which the rule is measured from now on; `-` for none. Unchanged if absent.
    #[serde(default)]
    pub modified_concern: Option<String>,
}

fn all(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    listed(services, asked, |_| true)
}

/// Lists the matching ones, paginated.
pub fn listed(services: &Services, asked: &ApiRequest, passes: fn(&RuleFile) -> bool) -> Result<ApiResponse, Problem> {
    let (state, agent): (Option<RuleState>, _) = (asked.word("state")?, asked.option("agent"));
    let mut found = services.channels.ask(|c| c.queries.proposals(state, agent)).map_err(refused)?;
    found.retain(passes);
    let (proposals, next) = part(asked, found, |rule| &rule.record.proposal_id)?;
    told(&Proposals { proposals, next })
}

fn show(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    shown(services, asked.part("proposal"))
}

/// Returns one proposal or rule, with the hash of its text.
pub fn shown(services: &Services, id: &str) -> Result<ApiResponse, Problem> {
    let found = found(services, id)?;
    Ok(told(&found)?.of_version(&found.record.content_hash))
}

fn approve(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let SubmissionBody { with, .. }: SubmissionBody<Nothing> = SubmissionBody::read(asked)?;
    let who = person(asked)?.decides(with.reviewer_id.as_deref())?;
    let rule = found(services, asked.part("proposal"))?;
    let hash = seen(asked, &rule)?;
    let before = rule.record.approvals.iter().find(|a| a.reviewer_id == who && a.content_hash == hash);
    if let Some(before) = before.filter(|_| with.review_id.is_none() && with.signature.is_none()) {
        let effect = format!("you already approved this text, as {}; nothing changed", before.review_id);
        return told(&SubmissionOutcome { id: before.review_id.clone(), accepted: true, effect, refusal: None });
    }
    let action = json!({"decision": "APPROVE", "proposal_id": rule.record.proposal_id, "content_hash": hash});
    current(services, asked, hand_in_with(services, asked, action, with))
}

fn reject(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let SubmissionBody { with, .. }: SubmissionBody<Nothing> = SubmissionBody::read(asked)?;
    person(asked)?.decides(with.reviewer_id.as_deref())?;
    let rule = found(services, asked.part("proposal"))?;
    let hash = seen(asked, &rule)?;
    let action = json!({"decision": "REJECT", "proposal_id": rule.record.proposal_id, "content_hash": hash});
    current(services, asked, hand_in_with(services, asked, action, with))
}

fn modify(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let SubmissionBody { what, with }: SubmissionBody<Modified> = SubmissionBody::read(asked)?;
    person(asked)?.decides(with.reviewer_id.as_deref())?;
    let rule = found(services, asked.part("proposal"))?;
    let hash = seen(asked, &rule)?;
    let mut action = json!({
        "decision": "MODIFY",
        "proposal_id": rule.record.proposal_id,
        "content_hash": hash,
        "modified_content": what.modified_content,
    });
    for (name, value) in [("modified_why", what.modified_why), ("modified_concern", what.modified_concern)] {
        if let Some(value) = value {
            action[name] = json!(value);
        }
    }
    current(services, asked, hand_in_with(services, asked, action, with))
}

/// Returns the hash of the text that was seen, which must match the current one.
fn seen(asked: &ApiRequest, rule: &RuleFile) -> Result<String, Problem> {
    let now = &rule.record.content_hash;
    let named: Vec<&str> = asked.if_match.iter().flat_map(|header| versions(header)).collect();
    if named.is_empty() {
        let detail = "name the text that you decide about: send `If-Match` with the `ETag` of the proposal that you \
                      saw";
        return Err(Problem::new(StatusCode::PRECONDITION_REQUIRED, detail));
    }
    if named.contains(&now.as_str()) { Ok(now.clone()) } else { Err(stale(now)) }
}

fn stale(now: &str) -> Problem {
    let detail = "the text has changed since you saw it; read it again and decide about the new text";
    Problem::new(StatusCode::PRECONDITION_FAILED, detail).with("content_hash", now)
}

/// Returns an outcome; if the text changed in the meantime, with its current hash.
fn current(
    services: &Services,
    asked: &ApiRequest,
    outcome: Result<ApiResponse, Problem>,
) -> Result<ApiResponse, Problem> {
    outcome.or_else(|problem| match problem.code() {
        Some("wrong_content_hash") => Err(stale(&found(services, asked.part("proposal"))?.record.content_hash)),
        _ => Err(problem),
    })
}
