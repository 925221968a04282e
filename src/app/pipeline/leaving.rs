//! Remarks that leave their groups.

use super::draft::Draft;
use super::error::PipelineError;
use super::evidence::leave_proposal;
use crate::domain::grouping::{ClusterKey, MemberKey};
use std::collections::BTreeMap;

/// Takes remarks out of their groups; each stands alone then.
pub(super) fn leave(draft: &mut Draft<'_>, keys: &[MemberKey]) -> Result<(), PipelineError> {
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
