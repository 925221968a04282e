//! Decisions of a batch, and other entries that make demands. Known ones complete their records; the others are new.

use super::capture::Fresh;
use super::decode::{Incoming, Outcomes};
use super::merge_duplicate::complete;
use super::rejections::reject;
use crate::domain::identity;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::event::{HitlDecision, RejectCode, Rejection};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::batch::outcome::EntryOutcome;
use crate::pipeline::error::PipelineError;
use serde_json::Value;

/// Sorts the decisions of a batch and the `demands` made by its other entries.
pub(crate) fn arrive(
    draft: &mut Draft<'_>,
    incoming: &Incoming<'_>,
    demands: &[HitlDecision],
) -> Result<(Fresh, Outcomes), PipelineError> {
    let (mut fresh, mut outcomes) = (Fresh::default(), Outcomes::new());
    for (place, sent) in &incoming.decisions {
        let id = feedback_id(&sent.decision_id);
        let decision = &named_apart(draft, sent);
        let conflict = match draft.memory.knows(&id) {
            // It may have arrived before this person was on the roster.
            true => match complete(draft, decision.clone())? {
                Some(_) if decision.reviewer_id != sent.reviewer_id => complete(draft, sent.clone())?,
                conflict => conflict,
            },
            false => fresh.differs(decision),
        };
        let outcome = match conflict {
            Some(what) => {
                let rejection = conflicting(decision, &what);
                reject(draft, &incoming.entries[*place], &rejection)?;
                EntryOutcome::Rejected(rejection)
            }
            None if !draft.memory.knows(&id) && fresh.add(decision) => EntryOutcome::Recorded(id),
            None => EntryOutcome::Duplicate(id),
        };
        outcomes.push((*place, outcome));
    }
    for demand in demands {
        if !draft.memory.knows(&feedback_id(&demand.decision_id)) {
            fresh.add(demand);
        }
    }
    Ok((fresh, outcomes))
}

/// Returns the decision with its reviewer as known here: an unmapped forge account never counts as a person on the
/// roster, whatever its name.
fn named_apart(draft: &Draft<'_>, sent: &HitlDecision) -> HitlDecision {
    let mut decision = sent.clone();
    if let Some(forge) = sent.extra.get("forge").and_then(unmapped) {
        let people = draft.memory.roster.reviewers.iter().map(|person| person.id.as_str());
        decision.reviewer_id = identity::apart(&sent.reviewer_id, forge, people);
    }
    decision
}

/// Returns the name of the forge if the configuration does not map the account to a person.
fn unmapped(forge: &Value) -> Option<&str> {
    let is_mapped = forge.get("mapped").and_then(Value::as_bool) == Some(true);
    forge.get("account")?.as_str().filter(|_| !is_mapped)?;
    Some(forge.get("name").and_then(Value::as_str).unwrap_or("forge"))
}

/// Rejects one person's words under another's name, and two events under one id.
fn conflicting(decision: &HitlDecision, what: &str) -> Rejection {
    Rejection {
        code: RejectCode::ConflictingId,
        field: Some("decision_id".to_owned()),
        message: format!(
            "`decision_id` {} belongs to another recorded event; {what} differs. Send this event under its own id.",
            feedback_id(&decision.decision_id)
        ),
    }
}
