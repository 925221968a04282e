//! A decision that is recorded arrived again, on another stream: what it adds.

use super::Batch;
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
        let path = known.path;
        let Some(mut record) = self.open::<DecisionRecord>(&path)?.cloned() else { return Ok(()) };
        if record.source.stream == decision.source.stream {
            return Ok(());
        }
        let said_nothing = record.text().is_none();
        let had_correction = record.feedback.correction.is_some();
        let mut feedback = self.capture(decision);
        build::fill_missing(&mut record, &feedback);
        if let (false, Some(correction), Some(stored)) =
            (had_correction, &feedback.correction, &record.feedback.correction)
        {
            self.texts.insert(stored.path.clone(), correction.diff.clone());
        }
        // What was withdrawn is completed, and teaches nothing all the same.
        let teaches = said_nothing && record.text().is_some() && record.feedback.retracted_by.is_none();
        if !teaches {
            self.staging.put_at(path, record);
            return Ok(());
        }
        // What both say is as the record has it; the two events may differ in time, spelling or verdict.
        feedback.decision.verdict = record.decision;
        feedback.decision.gate = record.gate;
        feedback.decision.timestamp = record.timestamp;
        feedback.decision.reviewer_id.clone_from(&record.reviewer_id);
        feedback.agent.clone_from(&record.feedback.agent);
        let understood = self.outside.understanding.feedback(&feedback)?;
        let vector = understood.map(|understood| understood.told(&mut feedback));
        record.feedback.stance = feedback.stance.clone();
        record.feedback.concern = feedback.concern.clone();
        self.staging.put_at(path.clone(), record);
        self.place(feedback, vector, path)
    }
}
