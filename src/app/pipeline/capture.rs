//! New decisions become feedback: cleaned, redacted, with their corrections and their agents.

use super::draft::Draft;
use crate::app::parallel;
use crate::domain::intake::capture::{CaptureContext, CorrectionInput, capture, feedback_id};
use crate::domain::intake::decode::fill_missing;
use crate::domain::intake::event::HitlDecision;
use crate::domain::intake::feedback::Feedback;
use crate::ports::CorrectionFiles;
use std::collections::HashMap;

/// The new decisions of a batch, each once, in their order.
#[derive(Default)]
pub(super) struct Fresh {
    decisions: Vec<HitlDecision>,
    place: HashMap<String, usize>,
}

impl Fresh {
    /// Adds a decision; false where it is there already, which then takes over what it did not have.
    pub fn add(&mut self, decision: &HitlDecision) -> bool {
        let id = feedback_id(&decision.decision_id);
        if let Some(place) = self.place.get(&id) {
            fill_missing(&mut self.decisions[*place], decision);
            return false;
        }
        self.place.insert(id, self.decisions.len());
        self.decisions.push(decision.clone());
        true
    }
}

/// Makes feedback of new decisions.
pub(super) fn capture_all(draft: &Draft<'_>, fresh: Fresh) -> Vec<Feedback> {
    let (files, context) = (draft.outside.corrections.as_ref(), &draft.settings.capture);
    parallel::map(fresh.decisions, |decision| capture_with(decision, files, context))
}

/// Makes feedback of one decision.
pub(super) fn capture_one(draft: &Draft<'_>, decision: HitlDecision) -> Feedback {
    capture_with(decision, draft.outside.corrections.as_ref(), &draft.settings.capture)
}

/// Makes feedback of a decision, with its correction.
fn capture_with(decision: HitlDecision, files: &dyn CorrectionFiles, context: &CaptureContext) -> Feedback {
    let input = match (&decision.correction_diff, &decision.correction_diff_path) {
        (None, Some(path)) => match files.read(path) {
            Ok(diff) => CorrectionInput::Read(diff),
            Err(reason) => CorrectionInput::Unavailable(reason),
        },
        _ => CorrectionInput::None,
    };
    capture(decision, input, context)
}
