//! Contradictions of a batch: opened if a remark points the other way, taken out to be decided, put among the decided.

use super::draft::Draft;
use super::error::PipelineError;
use crate::app::evaluator::Judged;
use crate::domain::grouping::ClusterKey;
use crate::domain::intake::feedback::Feedback;
use crate::domain::records::record::AmbiguousRecord;
use crate::domain::records::{build, layout};

/// A remark contradicts earlier feedback: people have to decide.
pub(super) fn open_tiebreak(draft: &mut Draft<'_>, feedback: &Feedback, judged: &Judged, path: &str) {
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

/// An open contradiction as this batch has it so far, to be changed.
pub(super) fn open_tiebreak_of<'d>(
    draft: &'d mut Draft<'_>,
    id: &str,
) -> Result<Option<&'d mut AmbiguousRecord>, PipelineError> {
    let path = layout::ambiguous(id);
    if draft.staging.is_removed(&path) { Ok(None) } else { draft.open(&path) }
}

/// Puts a decided contradiction among the others; people's notes in the file move with it.
pub(super) fn put_decided(draft: &mut Draft<'_>, id: &str) {
    draft.staging.move_to(&layout::ambiguous(id), layout::resolved(id));
}
