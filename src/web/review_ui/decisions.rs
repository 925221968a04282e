//! `POST /rules/{ruleId}/approve` and `/reject`: people's decisions about a proposal. As for all callers, the review
//! stream is the way in.

use super::call::{Call, refused, tell};
use super::shapes::{RuleDecision, RuleDecisionResponse, RuleStatus};
use crate::api::request;
use crate::api::request::unprocessable;
use crate::app::decisions::submission::SubmissionOutcome;
use crate::app::queries::QueryError;
use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ProposalStatus};
use crate::problem::Problem;
use crate::submission;
use crate::submission::RequestIdentity;
use crate::text::yaml;
use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The source stated in records of these submissions.
const SOURCE: &str = "review-ui";

/// The UI polls every minute and does not report what it showed. A text listed for this long is the one it shows.
const SHOWN_AFTER: SignedDuration = SignedDuration::from_secs(90);

/// Handles `POST /rules/{ruleId}/approve`: with another text it is a modification, followed by an approval of that.
pub fn approve(call: &Call<'_>) -> Result<Vec<u8>, Problem> {
    let (id, sent) = read(call, "approved")?;
    let who = call.who(&sent.decided_by)?;
    let shown = proposal(call, &id)?;
    let seen = seen(&shown, sent.content_hash.as_deref(), call.services.channels.clock.now())?;
    let other_text = sent.modified_content.as_deref().map(str::trim);
    let other_text = other_text.filter(|text| !text.is_empty() && *text != shown.rule_content);
    let (hash, modified) = match other_text {
        None => (seen, None),
        Some(text) => {
            let action = json!({
                "decision": "MODIFY", "proposal_id": id, "modified_content": text, "content_hash": seen,
                "reason": sent.reason,
            });
            let modified = decide(call, &who, action)?;
            let Some(now) = stored(call, &id)? else { return Err(gone(&id)) };
            (now.content_hash, Some(modified))
        }
    };
    let action = json!({ "decision": "APPROVE", "proposal_id": id, "content_hash": hash, "reason": sent.reason });
    let approved = decide(call, &who, action).map_err(|problem| match &modified {
        Some(modified) => problem.with("modified", modified.effect.as_str()),
        None => problem,
    })?;
    let effects: Vec<&str> = modified.iter().chain([&approved]).map(|done| done.effect.as_str()).collect();
    answer(call, id, effects.join("; "))
}

/// Handles `POST /rules/{ruleId}/reject`
pub fn reject(call: &Call<'_>) -> Result<Vec<u8>, Problem> {
    let (id, sent) = read(call, "rejected")?;
    if sent.modified_content.as_deref().is_some_and(|text| !text.trim().is_empty()) {
        return Err(unprocessable("a rejection takes no `modifiedContent`; approve the proposal with it instead"));
    }
    let who = call.who(&sent.decided_by)?;
    let seen = seen(&proposal(call, &id)?, sent.content_hash.as_deref(), call.services.channels.clock.now())?;
    let action = json!({ "decision": "REJECT", "proposal_id": id, "content_hash": seen, "reason": sent.reason });
    let rejected = decide(call, &who, action)?;
    answer(call, id, rejected.effect)
}

/// Returns the id in the path and the body, which must agree with it.
fn read(call: &Call<'_>, decision: &str) -> Result<(String, RuleDecision), Problem> {
    let id = call.part("rule");
    let sent: RuleDecision = request::json(&call.body)?;
    if sent.rule_id.as_ref().is_some_and(|named| *named != id) {
        return Err(unprocessable("`ruleId` differs from the one in the path; send the same"));
    }
    match sent.decision.as_deref() {
        Some(other) if other != decision => {
            Err(unprocessable(format!("`decision` is `{other}`, but this call is for `{decision}`")))
        }
        _ => Ok((id, sent)),
    }
}

/// Returns the hash of the viewed version, as far as it can be known.
fn seen(shown: &ProposalRecord, named: Option<&str>, now: Timestamp) -> Result<String, Problem> {
    if let Some(hash) = named {
        return Ok(hash.to_owned());
    }
    let age = shown.version_at.filter(|_| shown.version > 1).map(|at| now.duration_since(at));
    if age.is_some_and(|age| age < SHOWN_AFTER) {
        let detail = format!(
            "the text of {} has just changed, and the list may have shown the previous one; read it again and decide \
             in {} seconds, or send `contentHash` from the list",
            shown.proposal_id,
            SHOWN_AFTER.as_secs()
        );
        return Err(Problem::new(StatusCode::CONFLICT, detail).with("code", "changed_lately"));
    }
    Ok(shown.content_hash.clone())
}

fn decide(call: &Call<'_>, who: &str, mut action: Value) -> Result<SubmissionOutcome, Problem> {
    if action["reason"].is_null()
        && let Some(fields) = action.as_object_mut()
    {
        fields.remove("reason");
    }
    submission::decide(call.services, SOURCE, who, action, RequestIdentity::default())
}

/// Returns a proposal as listed.
fn proposal(call: &Call<'_>, id: &str) -> Result<ProposalRecord, Problem> {
    call.services.channels.ask(|c| c.queries.proposal_show(id)).map(|found| found.record).map_err(refused)
}

/// Returns the proposal as currently stored, wherever it is.
fn stored(call: &Call<'_>, id: &str) -> Result<Option<ProposalRecord>, Problem> {
    for status in [ProposalStatus::Pending, ProposalStatus::Active, ProposalStatus::Rejected, ProposalStatus::Retired] {
        let text = (call.services.reviews.read)(&layout::rule(id, status));
        let text = text.map_err(|error| refused(QueryError::Store(error)))?;
        if let Some(record) = text.and_then(|text| yaml::parse(&text).ok()) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

fn answer(call: &Call<'_>, id: String, message: String) -> Result<Vec<u8>, Problem> {
    let Some(record) = stored(call, &id)? else { return Err(gone(&id)) };
    let status = RuleStatus::from(record.status);
    tell(&RuleDecisionResponse { success: true, rule_id: id, status, message })
}

fn gone(id: &str) -> Problem {
    let detail =
        format!("{id} was decided, but its file cannot be read; check it with `feedbackd proposals show {id}`");
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail)
}
