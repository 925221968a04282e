//! What somebody signs for a decision about a proposal.

use super::rows::found;
use crate::api::request::{Asked, bad};
use crate::api::response::{Told, told};
use crate::api::submission::{SOURCE, person};
use crate::app::decisions::submission::review_id;
use crate::domain::rules::lifecycle::signature::NAMESPACE;
use crate::problem::Problem;
use crate::services::Services;
use crate::signature::signable;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// What is signed, and what to send with the signature.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToSign {
    /// The text, to its last byte: with the line break at its end.
    pub text: String,
    /// What the signature is made for: `ssh-keygen -Y sign -n` takes it.
    pub namespace: String,
    /// To be sent as `review_id`.
    pub review_id: String,
    /// To be sent as `timestamp`.
    pub timestamp: String,
    /// To be sent in `If-Match`, in quotes.
    pub content_hash: String,
}

/// `GET /proposals/{proposal}/signing`.
pub fn text(services: &Services, asked: &Asked) -> Result<Told, Problem> {
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
