//! What the groups, as they stand now, make of remarks: each that is new, or whose group changed, is evaluated once, and
//! its record says so; then the records of the groups.

use super::one_offs;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, MemberKey};
use crate::domain::records::record::{ClusterRecord, DecisionRecord, Registered};
use crate::domain::records::{build, layout};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;

/// How many bytes of records from before one batch looks at, and may write anew, where others can follow it: one remark that
/// changes the class of a large group would else rewrite all of that at once.
const REVISITED: usize = 8 << 20;

/// Writes what the groups, as they stand now, mean for the records of their members, and their own. Where `all` is not asked
/// for, so many bytes of records from before that a batch stays small; the rest follows with the next one.
pub(crate) fn decide(draft: &mut Draft<'_>, all: bool) -> Result<(), PipelineError> {
    let left = std::mem::take(&mut draft.memory.unsettled);
    let mut unsettled = std::mem::take(&mut draft.marks.unsettled);
    unsettled.extend(left.iter().filter_map(|id| draft.memory.remarks.groups.key_of(id)));
    let mut revisited = 0;
    for key in unsettled {
        let member = draft.memory.remarks.groups.member(key);
        let (id, path) = (member.id.clone(), member.path.clone());
        // What is staged is in hand already.
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

/// Brings one remark's record up to what its group means now.
fn decide_member(draft: &mut Draft<'_>, key: MemberKey) -> Result<(), PipelineError> {
    let member = draft.memory.remarks.groups.member(key);
    if member.withdrawn {
        // Its record says so, and who did it.
        return Ok(());
    }
    let (path, cluster, edge_case) = (member.path.clone(), member.cluster, member.edge_case.clone());
    // Somebody removed the record, or made it unreadable: what people do stands.
    let judged = member.judged;
    let Some(record) = draft.open::<DecisionRecord>(&path)? else { return Ok(()) };
    if !judged {
        // It is in another group now than the model said, or people said so.
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
        // Nothing new is to be said of it, but another stream may have completed it.
        return Ok(());
    }
    let completed = before.is_some_and(|before| before.text() != record.text());
    let is_edge_case = evaluation.classification == Classification::EdgeCase;
    draft.memory.remarks.groups.note_evaluation(key, evaluation.classification, evaluation.revision);
    let member = draft.memory.remarks.groups.member(key);
    if !draft.vectors.contains_key(&member.id) {
        draft.vectors.insert(member.id.clone(), member.vector.clone());
    }
    // A remark that came with a second stream: its record opened an edge case before it could be compared.
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

/// Brings a group's record up to what it is now.
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
        // All of it belongs to other groups now, as its members' records say.
        if before.is_some() {
            draft.staging.remove(&path);
        }
        return Ok(());
    }
    match before.as_ref().and_then(|known| ClusterRecord::of(&known.record)) {
        // A title that moved with every remark would help nobody, and people may have written a better one.
        Some(known) => {
            after.title.clone_from(&known.title);
            if cluster.members.is_empty() {
                // Nobody is left to say whom it was about, and when.
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
