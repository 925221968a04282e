//! A decision that is recorded arrived again, on another stream: what it adds.

use super::{Batch, Edit};
use crate::app::pipeline::PipelineError;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::event::HitlDecision;
use crate::domain::records::build;
use crate::domain::records::record::DecisionRecord;

impl Batch<'_> {
    /// A decision that is recorded arrived again. From the same stream that is a redelivery; from another one it may
    /// know more, and the record takes over what it did not have.
    pub fn complete(&mut self, decision: HitlDecision) -> Result<(), PipelineError> {
        let id = feedback_id(&decision.decision_id);
        let Some(known) = self.outside.index.open.feedback(&id)? else { return Ok(()) };
        let (path, mut edit) = match self.decisions.remove(&known.path) {
            Some(edit) => (known.path, edit),
            None => match self.load::<DecisionRecord>(&known.path)? {
                Some(stored) => (known.path, Edit::of(stored)),
                None => return Ok(()),
            },
        };
        if edit.after.source.stream != decision.source.stream {
            let said_nothing = edit.after.text().is_none();
            let had_correction = edit.after.feedback.correction.is_some();
            let mut feedback = self.capture(decision);
            build::fill_missing(&mut edit.after, &feedback);
            if let (false, Some(correction), Some(stored)) =
                (had_correction, &feedback.correction, &edit.after.feedback.correction)
            {
                self.texts.insert(stored.path.clone(), correction.diff.clone());
            }
            // What was withdrawn is completed, and teaches nothing all the same.
            if said_nothing && edit.after.text().is_some() && edit.after.feedback.retracted_by.is_none() {
                // What both say is as the record has it; the two events may differ in time, spelling or verdict.
                feedback.decision.verdict = edit.after.decision;
                feedback.decision.gate = edit.after.gate;
                feedback.decision.timestamp = edit.after.timestamp;
                feedback.decision.reviewer_id.clone_from(&edit.after.reviewer_id);
                feedback.agent.clone_from(&edit.after.feedback.agent);
                let understood = self.outside.understanding.feedback(&feedback)?;
                let vector = understood.map(|understood| understood.told(&mut feedback));
                edit.after.feedback.stance = feedback.stance.clone();
                edit.after.feedback.concern = feedback.concern.clone();
                self.decisions.insert(path.clone(), edit);
                return self.consider(feedback, vector, path);
            }
        }
        if edit.before.as_ref().is_none_or(|before| before.record != edit.after) {
            self.decisions.insert(path, edit);
        }
        Ok(())
    }
}
