//! Records of how comments were read: what they were read as, and the effect.

use crate::domain::intake::feedback::Feedback;
use crate::domain::records::layout;
use crate::domain::records::record::{AdviceOutcome, ReadingRecord, StoredRecord, Tokens};
use crate::pipeline::batch::draft::Draft;
use crate::text::language::model_reading::ModelReading;
use jiff::Timestamp;

/// The reader named for readings that came with their decision.
const RECORDED: &str = "recorded";
/// The effect of a reading.
const COMPARED: &str = "it is compared by that demand";
const NO_DEMAND: &str = "it asks for nothing, and is in no cluster";
const PARTICULAR: &str = "it is too specific for a rule, and is in no cluster";

/// A model's reading of one comment, and when it was requested.
pub(crate) struct CommentReading<'a> {
    pub feedback_id: &'a str,
    pub tenant: &'a str,
    pub agent: &'a str,
    pub at: Timestamp,
    pub model: &'a str,
    pub asked_at: Timestamp,
    /// The reading, or how and why it was rejected.
    pub reading: Result<ModelReading, (AdviceOutcome, String)>,
    /// Tokens used.
    pub tokens: Tokens,
}

/// Records the reading of a comment that is new in this batch.
pub(crate) fn note_recorded(draft: &mut Draft<'_>, feedback: &Feedback, reading: ModelReading) {
    let now = draft.now;
    let effect = effect_of(&reading).to_owned();
    let said = CommentReading {
        feedback_id: &feedback.id,
        tenant: &feedback.tenant,
        agent: &feedback.agent,
        at: feedback.decision.timestamp,
        model: RECORDED,
        asked_at: now,
        reading: Ok(reading),
        tokens: Tokens::default(),
    };
    note(draft, said, effect);
}

/// Writes the record of a reading: a comment is read once.
pub(crate) fn note(draft: &mut Draft<'_>, said: CommentReading<'_>, effect: String) {
    let CommentReading { feedback_id, tenant, agent, at, model, asked_at, reading, tokens } = said;
    draft.memory.note_reading(feedback_id, asked_at, tokens);
    let (outcome, reading) = match reading {
        Ok(reading) => (AdviceOutcome::Accepted, Some(reading)),
        Err((outcome, _)) => (outcome, None),
    };
    let record = ReadingRecord {
        schema: ReadingRecord::SCHEMA.to_owned(),
        feedback_id: feedback_id.to_owned(),
        timestamp: at,
        tenant_id: Some(tenant.to_owned()).filter(|tenant| !tenant.is_empty()),
        agent: agent.to_owned(),
        model: model.to_owned(),
        asked_at,
        answered_at: draft.now,
        outcome,
        reading,
        effect,
        tokens: Some(tokens).filter(|tokens| tokens.all() > 0),
    };
    draft.staging.put_at(layout::reading(at, feedback_id), record);
}

/// Returns the effect of a reading, in words.
pub(crate) fn effect_of(reading: &ModelReading) -> &'static str {
    match (reading.none, reading.sentence()) {
        (true, _) => NO_DEMAND,
        (false, Some(_)) => COMPARED,
        (false, None) => PARTICULAR,
    }
}
