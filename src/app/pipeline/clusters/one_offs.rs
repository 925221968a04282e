//! One-offs of a batch: opened, updated, promoted.

use crate::domain::clusters::ClusterKey;
use crate::domain::records::build;
use crate::domain::records::layout;
use crate::domain::records::record::{DecisionRecord, EdgeCaseRecord};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::text::ids::{numbered, parse_numbered};

pub(crate) fn open_edge_case(draft: &mut Draft<'_>, decision_path: &str) -> Option<String> {
    let decision = draft.staging.get_mut::<DecisionRecord>(decision_path)?;
    if decision.feedback.edge_case.is_some() {
        return decision.feedback.edge_case.clone();
    }
    let year = layout::year(decision.timestamp);
    let number = draft.memory.next_number("EDGE", year);
    let id = numbered("EDGE", year, number);
    decision.feedback.edge_case = Some(id.clone());
    let record = build::edge_case(id.clone(), decision, decision_path);
    draft.staging.put(record);
    Some(id)
}

pub(crate) fn promote_edge_case(draft: &mut Draft<'_>, id: &str, cluster: ClusterKey) -> Result<(), PipelineError> {
    let Some(path) = take_up_edge_case(draft, id)? else { return Ok(()) };
    if let Some(record) = draft.staging.get_mut(&path) {
        build::promote(record, draft.memory.remarks.groups.cluster(cluster), draft.now);
    }
    Ok(())
}

/// Updates a one-off that had no words until another stream delivered them.
pub(crate) fn retell_edge_case(draft: &mut Draft<'_>, id: &str, decision_path: &str) -> Result<(), PipelineError> {
    let Some(path) = take_up_edge_case(draft, id)? else { return Ok(()) };
    let decision = draft.staging.get(decision_path);
    let told = decision.map(|decision| build::edge_case(id.to_owned(), decision, decision_path));
    if let (Some(told), Some(record)) = (told, draft.staging.get_mut::<EdgeCaseRecord>(&path)) {
        (record.what, record.why) = (told.what, told.why);
    }
    Ok(())
}

/// Stages a one-off for changing and returns its path; `None` if it is missing or unreadable.
fn take_up_edge_case(draft: &mut Draft<'_>, id: &str) -> Result<Option<String>, PipelineError> {
    let Some((year, number)) = parse_numbered("EDGE", id) else { return Ok(None) };
    let path = layout::edge_case(year, number);
    Ok(draft.open::<EdgeCaseRecord>(&path)?.is_some().then_some(path))
}
