//! Comments that leave their clusters, and the consequences for those.

use crate::domain::clusters::{ClusterKey, Departure, MemberKey};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::rules::evidence::leave_proposal;
use std::collections::BTreeMap;

/// Removes comments from their clusters; each is then alone.
pub(crate) fn leave(draft: &mut Draft<'_>, keys: &[MemberKey]) -> Result<(), PipelineError> {
    let mut of: BTreeMap<ClusterKey, Vec<MemberKey>> = BTreeMap::new();
    for key in keys {
        if let Some(cluster) = draft.memory.remarks.groups.member(*key).cluster {
            of.entry(cluster).or_default().push(*key);
        }
    }
    for (cluster, members) in &of {
        leave_proposal(draft, *cluster, members)?;
    }
    let (left, lonely) = draft.memory.remarks.groups.release(keys);
    draft.marks.unsettled.extend(keys.iter().chain(&lonely));
    draft.marks.left.extend(&left);
    draft.regrouped(&left);
    Ok(())
}

/// Updates the cluster that a comment left automatically: its proposal's evidence and its members' evaluations.
pub(crate) fn follow_leaving(draft: &mut Draft<'_>, key: MemberKey, left: Departure) -> Result<(), PipelineError> {
    leave_proposal(draft, left.cluster, &[key])?;
    if left.is_plain {
        draft.marks.left.insert(left.cluster);
    }
    draft.marks.unsettled.extend(left.changed);
    draft.regrouped(&[left.cluster]);
    Ok(())
}
