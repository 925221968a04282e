//! Derives records from the current clusters: each comment that is new or whose cluster changed is evaluated once and
//! its record updated, followed by the clusters' records.

use super::one_offs;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, MemberKey};
use crate::domain::records::record::{ClusterRecord, DecisionRecord, Registered};
use crate::domain::records::{build, layout};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;

/// How many bytes of existing records one batch reads and may rewrite, if the rest can be deferred. Otherwise a single
/// comment that changes the class of a large cluster would rewrite all of it at once.
const REVISITED: usize = 8 << 20;

/// Updates the records of the clusters and their members to match the current clusters. Unless `all` is set, only a
/// limited number of bytes of existing records is rewritten, to keep the batch small; the rest follows in the next
/// batch.
pub(crate) fn decide(draft: &mut Draft<'_>, all: bool) -> Result<(), PipelineError> {
    let left = std::mem::take(&mut draft.memory.unsettled);
    let mut unsettled = std::mem::take(&mut draft.marks.unsettled);
    unsettled.extend(left.iter().filter_map(|id| draft.memory.remarks.groups.key_of(id)));
    let mut revisited = 0;
    for key in unsettled {
        let member = draft.memory.remarks.groups.member(key);
        let (id, path) = (member.id.clone(), member.path.clone());
        // Staged records are loaded already.
        let is_at_hand = draft.staging.has(&path);
        if !is_at_hand && !all && revisited >= REVISITED {
            draft.memory.unsettled.insert(id);
            continue;
        }
        decide_member(draft, key)?;
        if !is_at_hand {
            revisited += draft.staging.bytes(&path);
        }
    }
    for key in std::mem::take(&mut draft.marks.touched) {
        write_cluster(draft, key)?;
    }
    Ok(())
}

/// Updates one comment's record to match its cluster.
fn decide_member(draft: &mut Draft<'_>, key: MemberKey) -> Result<(), PipelineError> {
    let member = draft.memory.remarks.groups.member(key);
    if member.withdrawn {
        // Its record already states this, and who did it.
        return Ok(());
    }
    let (path, cluster, edge_case) = (member.path.clone(), member.cluster, member.edge_case.clone());
    // A person removed the record or made it unreadable: people's edits take precedence.
    let judged = member.judged;
    let Some(record) = draft.open::<DecisionRecord>(&path)? else { return Ok(()) };
    if !judged {
        // It is no longer in the cluster that the model chose, or people placed it there.
        record.feedback.placed_by = None;
    }
    let record = record.clone();
    let before = draft.staging.before::<DecisionRecord>(&path);
    let written = before.map(|before| &before.evaluation);
    let revision = written.map_or(0, |w| w.revision) + 1;
    let evaluation = draft.evaluator().evaluate(key, draft.found.get(&key), revision, draft.now)?;
    if let Some(written) = written
        && written.classification == evaluation.classification
        && written.cluster == evaluation.cluster
        && *written == record.evaluation
    {
        // Its evaluation is unchanged, but another stream may have completed it.
        return Ok(());
    }
    let completed = before.is_some_and(|before| before.text() != record.text());
    let is_edge_case = evaluation.classification == Classification::EdgeCase;
    draft.memory.remarks.groups.note_evaluation(key, evaluation.classification, evaluation.revision);
    let member = draft.memory.remarks.groups.member(key);
    if !draft.vectors.contains_key(&member.id) {
        draft.vectors.insert(member.id.clone(), member.vector.clone());
    }
    // A comment that came with a second stream: its record opened a one-off before it could be compared.
    let edge_case = edge_case.or_else(|| record.feedback.edge_case.clone());
    draft.staging.put_at(path.clone(), DecisionRecord { evaluation, ..record });
    let edge_case = match edge_case {
        None if is_edge_case => one_offs::open_edge_case(draft, &path),
        None => return Ok(()),
        Some(id) => {
            if completed {
                one_offs::retell_edge_case(draft, &id, &path)?;
            }
            if let (false, Some(cluster)) = (is_edge_case, cluster) {
                one_offs::promote_edge_case(draft, &id, cluster)?;
            }
            Some(id)
        }
    };
    draft.memory.remarks.groups.note_edge_case(key, edge_case);
    Ok(())
}

/// Updates a cluster's record.
fn write_cluster(draft: &mut Draft<'_>, key: ClusterKey) -> Result<(), PipelineError> {
    let remarks = &draft.memory.remarks;
    let cluster = remarks.groups.cluster(key);
    let path = layout::cluster(&cluster.id);
    let mut after = build::cluster(cluster, &remarks.groups.representatives(key, 3), &remarks.policy);
    after.kept_apart = remarks.groups.kept_apart(&cluster.id).map(str::to_owned).collect();
    let before = match draft.outside.recent.file(&path) {
        Some(known) => Some(known.clone()),
        None => draft.load::<ClusterRecord>(&path)?,
    };
    if cluster.members.is_empty() && draft.marks.left.contains(&key) {
        // All of its members belong to other clusters now, as their records state.
        if before.is_some() {
            draft.staging.remove(&path);
        }
        return Ok(());
    }
    match before.as_ref().and_then(|known| ClusterRecord::of(&known.record)) {
        // A title that changed with every comment would help no one, and people may have written a better one.
        Some(known) => {
            after.title.clone_from(&known.title);
            if cluster.members.is_empty() {
                // No member is left to derive agent and dates from.
                after.tenant_id.clone_from(&known.tenant_id);
                after.agent.clone_from(&known.agent);
                (after.first_seen, after.last_seen) = (known.first_seen, known.last_seen);
            }
        }
        None => draft.counts.clusters_opened += 1,
    }
    if let Some(before) = before {
        draft.staging.hold(path, before);
    }
    draft.staging.put(after);
    Ok(())
}
