//! Decisions of a batch, and what else makes demands: those that are known complete their records, the others are new.

use super::capture::Fresh;
use super::completing::complete;
use super::decode::{Incoming, Outcomes};
use super::draft::Draft;
use super::error::PipelineError;
use super::outcome::EntryOutcome;
use super::rejecting::reject;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::event::{HitlDecision, RejectCode, Rejection};

/// Sorts the decisions of a batch, and the `demands` that its other entries make.
pub(super) fn arrive(
    draft: &mut Draft<'_>,
    incoming: &Incoming<'_>,
    demands: &[HitlDecision],
) -> Result<(Fresh, Outcomes), PipelineError> {
    let (mut fresh, mut outcomes) = (Fresh::default(), Outcomes::new());
    for (place, decision) in &incoming.decisions {
        let id = feedback_id(&decision.decision_id);
        let conflict =
            if draft.memory.knows(&id) { complete(draft, decision.clone())? } else { fresh.differs(decision) };
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

/// One person's words never pass under another's name, nor two events for one.
fn conflicting(decision: &HitlDecision, what: &str) -> Rejection {
    Rejection {
        code: RejectCode::ConflictingId,
        field: Some("decision_id".to_owned()),
        message: format!(
            "`decision_id` is {}, which another event has that is recorded; {what} differs. Send it under an id of its own.",
            feedback_id(&decision.decision_id)
        ),
    }
}
