//! Completes a recorded decision that arrived again on another stream.

use super::capture::{EventFingerprint, capture_one, differs};
use super::read::read;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::event::HitlDecision;
use crate::domain::records::build;
use crate::domain::records::record::DecisionRecord;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::place::place;
use crate::pipeline::error::PipelineError;

/// Handles a recorded decision that arrived again. From the same stream it is a redelivery. From another stream it may
/// contain more, and the record takes over what it lacked. If it is a different decision with the same id, nothing is
/// taken over and the difference is returned.
pub(crate) fn complete(draft: &mut Draft<'_>, decision: HitlDecision) -> Result<Option<String>, PipelineError> {
    let id = feedback_id(&decision.decision_id);
    let Some(known) = draft.outside.index.open.feedback(&id)? else { return Ok(None) };
    let path = known.path;
    let Some(mut record) = draft.open::<DecisionRecord>(&path)?.cloned() else { return Ok(None) };
    if record.source == decision.source {
        return Ok(None);
    }
    let (said_nothing, corrected) = (record.text().is_none(), record.corrects());
    let had_correction = record.feedback.correction.is_some();
    let elsewhere = record.source.stream != decision.source.stream;
    let mut feedback = capture_one(draft, decision);
    let told = EventFingerprint {
        reviewer: &record.reviewer_id,
        verdict: record.decision,
        comment: record.reviewer_comment.as_deref(),
        source: &record.source,
    };
    // In the form in which it would be recorded: cleaned and redacted.
    let different = differs(&told, &EventFingerprint::of(&feedback.decision, &feedback.decision.source));
    if different.is_some() || !elsewhere {
        return Ok(different);
    }
    build::fill_missing(&mut record, &feedback);
    if let (false, Some(correction), Some(stored)) = (had_correction, &feedback.correction, &record.feedback.correction)
    {
        draft.texts.insert(stored.path.clone(), correction.diff.clone());
    }
    // Withdrawn feedback is completed but still teaches nothing.
    let teaches = said_nothing && record.text().is_some() && record.feedback.retracted_by.is_none();
    if !teaches {
        draft.staging.put_at(path, record);
        return Ok(None);
    }
    // For data that both have, the record wins; the two events may differ in time, spelling or verdict.
    feedback.decision.verdict = record.decision;
    feedback.decision.gate = record.gate;
    feedback.decision.timestamp = record.timestamp;
    feedback.decision.reviewer_id.clone_from(&record.reviewer_id);
    feedback.agent.clone_from(&record.feedback.agent);
    let read = read(&draft.outside.understanding, &draft.memory.examples, feedback)?;
    record.feedback.stance = read.feedback.stance.clone();
    record.feedback.concern = read.feedback.concern.clone();
    record.feedback.marked = read.feedback.marked.clone();
    draft.memory.note_verdict(&read.feedback.tenant, &read.feedback.agent, record.corrects(), Some(corrected));
    draft.staging.put_at(path.clone(), record);
    place(draft, read, path)?;
    Ok(None)
}
