//! Rules that are or were in force, and retiring them.

use super::proposals::{Proposals, listed, shown};
use super::rows::{AGENT, CURSOR, decision, hand_in, list, one};
use crate::api::operation::{Decides, LIMIT, Operation};
use crate::api::request::{ApiRequest, Parameter};
use crate::api::response::ApiResponse;
use crate::api::submission::{Nothing, SubmissionBody};
use crate::app::queries::RuleFile;
use crate::domain::records::record::RuleState;
use crate::problem::Problem;
use crate::services::Services;
use serde_json::json;

/// The calls about rules; those that stop them are elsewhere.
pub const RULES: &[Operation] = &[
    list(
        "/rules",
        "listRules",
        "Rules that are or were in force, latest first",
        &[
            Parameter::new("state", "only those that are `active` or `retired`").of(|g| g.subschema_for::<RuleState>()),
            AGENT,
            LIMIT,
            CURSOR,
        ],
        |g| g.subschema_for::<Proposals>(),
        |services, asked| listed(services, asked, |rule| matches!(rule.state, RuleState::Active | RuleState::Retired)),
    ),
    one(
        "/rules/{rule}",
        "getRule",
        "One rule with its history",
        |g| g.subschema_for::<RuleFile>(),
        |services, asked| shown(services, asked.part("rule")),
    ),
    decision(
        "/rules/{rule}/retire",
        "retireRule",
        "Retires a rule that is no longer needed; needs a `reason`",
        |g| g.subschema_for::<SubmissionBody<Nothing>>(),
        Decides::Something,
        |services, asked| leave(services, asked, "RETIRE"),
    ),
    decision(
        "/rules/{rule}/rollback",
        "rollBackRule",
        "Rolls back a rule that should not have been approved; needs a `reason`",
        |g| g.subschema_for::<SubmissionBody<Nothing>>(),
        Decides::Something,
        |services, asked| leave(services, asked, "ROLL_BACK"),
    ),
];

fn leave(services: &Services, asked: &ApiRequest, decision: &str) -> Result<ApiResponse, Problem> {
    hand_in::<Nothing>(services, asked, |_| json!({"decision": decision, "rule_id": asked.part("rule")}))
}
