//! Who may say anything about what was learned: people of a roster that can be read.

use crate::domain::records::layout;
use crate::domain::records::record::{Refusal, RefusalCode};
use crate::pipeline::batch::draft::Draft;

/// A roster that cannot be read lets nobody decide, and that is no fault of whoever tries.
pub(crate) fn readable_roster(draft: &Draft<'_>) -> Result<(), Refusal> {
    match &draft.memory.roster_error {
        None => Ok(()),
        Some(error) => Err(Refusal {
            code: RefusalCode::NotAnApprover,
            message: format!("{} cannot be read ({error}); until it is mended nobody can decide", layout::ROSTER),
        }),
    }
}

/// Only a person on the roster decides about feedback and clusters.
pub(crate) fn known_person(draft: &Draft<'_>, id: &str) -> Result<(), Refusal> {
    readable_roster(draft)?;
    if draft.memory.roster.find(id).is_some() {
        return Ok(());
    }
    let message = format!("{id} is not on the roster; add this person to reviewers.yaml and commit it");
    Err(Refusal { code: RefusalCode::NotAnApprover, message })
}
