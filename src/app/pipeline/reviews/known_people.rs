//! Checks who may review what was learned: people on a readable roster.

use crate::domain::records::layout;
use crate::domain::records::record::{Refusal, RefusalCode};
use crate::pipeline::batch::draft::Draft;

/// Fails if the roster cannot be read; no one can decide then, and the submitter is not at fault.
pub(crate) fn readable_roster(draft: &Draft<'_>) -> Result<(), Refusal> {
    match &draft.memory.roster_error {
        None => Ok(()),
        Some(error) => Err(Refusal {
            code: RefusalCode::NotAnApprover,
            message: format!(
                "{} cannot be read ({error}); no decisions are possible until it is fixed",
                layout::ROSTER
            ),
        }),
    }
}

/// Checks that a person is on the roster, as required to decide on feedback and clusters.
pub(crate) fn known_person(draft: &Draft<'_>, id: &str) -> Result<(), Refusal> {
    readable_roster(draft)?;
    if draft.memory.roster.find(id).is_some() {
        return Ok(());
    }
    let message = format!("{id} is not on the roster; add this person to reviewers.yaml and commit it");
    Err(Refusal { code: RefusalCode::NotAnApprover, message })
}
