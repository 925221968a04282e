//! Contradictions of a batch: opened if a comment points the other way, staged for deciding, moved to the decided ones.

use crate::comments::evaluator::Findings;
use crate::domain::clusters::ClusterKey;
use crate::domain::intake::feedback::Feedback;
use crate::domain::intake::submission::Resolution;
use crate::domain::records::record::{AmbiguousRecord, AmbiguousStatus};
use crate::domain::records::{build, layout};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::rules::evidence::dissents_no_more;
use jiff::Timestamp;

/// Opens a contradiction: a comment contradicts earlier feedback and people have to decide.
pub(crate) fn open_tiebreak(draft: &mut Draft<'_>, feedback: &Feedback, judged: &Findings, path: &str) {
    let evaluator = draft.evaluator();
    let opposing = evaluator.neighbours(&judged.opposing);
    let policy = &evaluator.remarks.policy;
    let record = build::ambiguous(feedback, path, &opposing, policy, draft.now);
    let groups = opposing.iter().filter(|n| n.similarity >= policy.similar_at);
    let groups: Vec<ClusterKey> = groups.filter_map(|n| n.member.cluster).collect();
    for cluster in groups {
        draft.marks.dissent.entry(cluster).or_default().insert(feedback.id.clone());
    }
    draft.staging.put(record);
}

/// Returns an open contradiction as it is so far in this batch, for changing.
pub(crate) fn open_tiebreak_of<'d>(
    draft: &'d mut Draft<'_>,
    id: &str,
) -> Result<Option<&'d mut AmbiguousRecord>, PipelineError> {
    let path = draft.place_of(layout::ambiguous(id))?;
    if draft.staging.is_removed(&path) { Ok(None) } else { draft.open(&path) }
}

/// The decision on a contradiction.
pub(crate) struct ContradictionDecision {
    pub(crate) resolved_as: Resolution,
    /// The resolution in words.
    pub(crate) resolution: String,
    /// The reason, in a person's words.
    pub(crate) rationale: Option<String>,
    /// The deciding review; `None` if the program decides.
    pub(crate) by: Option<String>,
    pub(crate) at: Timestamp,
}

/// Decides an open contradiction: it no longer blocks anyone, and its record, including people's notes in the file,
/// moves to the decided ones. Returns its record; `None` if it is not open.
pub(crate) fn decide_tiebreak(
    draft: &mut Draft<'_>,
    id: &str,
    decided: ContradictionDecision,
) -> Result<Option<AmbiguousRecord>, PipelineError> {
    let Some(record) = open_tiebreak_of(draft, id)? else { return Ok(None) };
    record.status = AmbiguousStatus::Resolved;
    record.resolved_as = Some(decided.resolved_as);
    record.resolution = Some(decided.resolution);
    record.rationale = decided.rationale;
    record.resolved_by = decided.by;
    record.resolved_at = Some(decided.at);
    let record = record.clone();
    draft.memory.note_decided(&record);
    let path = draft.place_of(layout::ambiguous(id))?;
    draft.staging.move_to(&path, layout::resolved(id));
    dissents_no_more(draft, id)?;
    Ok(Some(record))
}
