//! Decisions of a batch, and what else makes demands: those that are known complete their records, the others are new.

use super::capture::Fresh;
use super::completing::complete;
use super::decode::{Incoming, Outcomes};
use super::draft::Draft;
use super::error::PipelineError;
use super::outcome::EntryOutcome;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::event::HitlDecision;

/// Sorts the decisions of a batch, and the `demands` that its other entries make.
pub(super) fn arrive(
    draft: &mut Draft<'_>,
    incoming: &Incoming<'_>,
    demands: &[HitlDecision],
) -> Result<(Fresh, Outcomes), PipelineError> {
    let (mut fresh, mut outcomes) = (Fresh::default(), Outcomes::new());
    for (place, decision) in &incoming.decisions {
        let id = feedback_id(&decision.decision_id);
        outcomes.push((
            *place,
            if draft.memory.knows(&id) {
                complete(draft, decision.clone())?;
                EntryOutcome::Duplicate(id)
            } else if fresh.add(decision) {
                EntryOutcome::Recorded(id)
            } else {
                EntryOutcome::Duplicate(id)
            },
        ));
    }
    for demand in demands {
        if !draft.memory.knows(&feedback_id(&demand.decision_id)) {
            fresh.add(demand);
        }
    }
    Ok((fresh, outcomes))
}
