//! The end of a batch: files, index updates and messages, all from the same records.

use super::draft::Draft;
use super::outcome::{BatchCounts, class_index};
use super::summary;
use crate::comments::evaluator::BatchVectors;
use crate::domain::intake::event::RawEntry;
use crate::domain::records::message::Outgoing;
use crate::domain::records::record::{DeadLetterRecord, DecisionRecord, Registered};
use crate::parallel;
use crate::pipeline::error::PipelineError;
use crate::pipeline::working_set::WorkingSet;
use crate::pipeline::working_set::recent_files::{Recent, RecentFile};
use crate::ports::{ChangeSet, FileWrite, IndexUpdate};
use std::collections::BTreeMap;

/// The changes of a batch: they take effect after the commit or not at all.
pub(crate) struct Changes {
    pub change: ChangeSet,
    pub updates: Vec<IndexUpdate>,
    pub messages: Vec<Outgoing>,
    pub counts: BatchCounts,
    /// To be cached once durable.
    pub written: Vec<(String, RecentFile)>,
    /// Whether the working set must be reloaded once durable.
    pub reload: bool,
    /// The resulting working set.
    pub memory: WorkingSet,
    /// Vectors for the knowledge store to add then.
    pub added: BatchVectors,
}

/// Builds the commit, the index updates and the messages.
pub(crate) fn finish(mut draft: Draft<'_>, entries: &[RawEntry]) -> Result<Changes, PipelineError> {
    for (_, before, after) in draft.staging.each::<DecisionRecord>() {
        match before {
            None => {
                draft.counts.by_class[class_index(after.evaluation.classification)] += 1;
                draft.counts.comments += u64::from(after.comment.is_some());
            }
            Some(before) if before.evaluation.revision != after.evaluation.revision => {
                draft.counts.reevaluated += 1;
            }
            Some(_) => {}
        }
    }
    let rejected = draft.staging.each::<DeadLetterRecord>().count();
    let (subject, body) = summary::message(&draft.counts, &proposed(&draft), rejected);
    let mut change = ChangeSet { subject, body, trailers: summary::trailers(entries), ..ChangeSet::default() };
    for (path, content) in std::mem::take(&mut draft.texts) {
        change.writes.push(FileWrite { path, content: content.into_bytes() });
    }
    stage_rules(&mut draft);
    let (edits, removed) = std::mem::take(&mut draft.staging).into_parts();
    let (mut updates, mut messages, mut written) = (Vec::new(), Vec::new(), Vec::new());
    // In path order, as a diff of the two commits lists them, so that publishing can resume from there.
    for file in parallel::map(edits, |(path, edit)| edit.finish(&path).map(|file| (path, file))) {
        let (path, Some((known, told))) = file? else { continue };
        change.writes.push(FileWrite { path: path.clone(), content: known.text.as_bytes().to_vec() });
        messages.extend(told);
        if Recent::takes(known.record.kind()) {
            written.push((path.clone(), known.clone()));
        }
        for mut update in IndexUpdate::written(path, known.record) {
            if let IndexUpdate::Written { record, vector, .. } = &mut update
                && let Some(record) = DecisionRecord::of(record)
            {
                // Completed but not evaluated: the index keeps the vector of the record's text.
                *vector = match draft.vectors.remove(&record.feedback.feedback_id) {
                    Some(vector) => Some(vector),
                    None => draft.outside.understanding.record(record)?,
                };
            }
            updates.push(update);
        }
    }
    for path in removed {
        change.removes.push(path.clone());
        updates.push(IndexUpdate::Removed { path });
    }
    let Draft { counts, reload, memory, added, .. } = draft;
    Ok(Changes { change, updates, messages, counts, written, reload, memory, added })
}

/// Stages the changed rules as they are in the working set.
fn stage_rules(draft: &mut Draft<'_>) {
    for (id, stored) in &draft.changed_rules {
        let Some(entry) = draft.memory.rule(id) else { continue };
        if let Some(at) = stored
            && *at != entry.path
        {
            draft.staging.move_to(at, entry.path.clone());
        }
        draft.staging.put_at(entry.path.clone(), entry.record.clone());
    }
}

/// Returns new proposals by agent.
fn proposed(draft: &Draft<'_>) -> BTreeMap<String, Vec<String>> {
    let mut agents: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in draft.changed_rules.iter().filter(|(_, stored)| stored.is_none()).map(|(id, _)| id) {
        let affected = draft.memory.rule(id).map(|entry| entry.record.affected_agents.as_slice());
        for agent in affected.unwrap_or_default() {
            agents.entry(agent.clone()).or_default().push(id.clone());
        }
    }
    agents
}
