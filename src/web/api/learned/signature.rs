//! The text to sign for a decision about a proposal.

use super::rows::found;
use crate::api::request::{ApiRequest, bad};
use crate::api::response::{ApiResponse, told};
use crate::api::submission::{SOURCE, person};
use crate::app::decisions::submission::review_id;
use crate::domain::rules::lifecycle::signature::NAMESPACE;
use crate::problem::Problem;
use crate::services::Services;
use crate::signature::signable;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// The text to sign, and what to send with the signature.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToSign {
    /// The exact text, including the line break at its end.
    pub text: String,
    /// The signature namespace, for `ssh-keygen -Y sign -n`.
    pub namespace: String,
    /// The `review_id` to send.
    pub review_id: String,
    /// The `timestamp` to send.
    pub timestamp: String,
    /// The value to send in `If-Match`, in quotes.
    pub content_hash: String,
}

/// `GET /proposals/{proposal}/signing`.
pub fn text(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let who = person(asked)?.decides(None)?;
    let decision = match asked.option("decision") {
        Some("approve") => "APPROVE",
        Some("reject") => "REJECT",
        _ => return Err(bad("`decision` must be `approve` or `reject`")),
    };
    let rule = found(services, asked.part("proposal"))?.record;
    let now = services.channels.clock.now();
    let review_id = review_id(SOURCE, now, &format!("{who} {decision} {} {}", rule.proposal_id, now.as_nanosecond()));
    let payload = json!({
        "decision": decision,
        "proposal_id": rule.proposal_id,
        "content_hash": rule.content_hash,
        "review_id": review_id,
        "reviewer_id": who,
        "timestamp": now.to_string(),
    });
    told(&ToSign {
        text: signable(services, &payload)?.text(),
        namespace: NAMESPACE.to_owned(),
        review_id,
        timestamp: now.to_string(),
        content_hash: rule.content_hash,
    })
}
