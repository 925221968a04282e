//! If signatures are required, everything in force rests on valid approvals, recounted from their records.

use super::approval_count::count_then;
use super::commands::set_aside;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::draft::proposal::hash_of;
use crate::domain::rules::lifecycle::approvals::Recount;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::rules::approval_history::as_proposed;

/// Sets aside rules in force with too few approvals, such as a pushed or edited file. They are pending approval.
pub(crate) fn set_aside_unapproved(draft: &mut Draft<'_>) -> Result<(), PipelineError> {
    // A store without an id belongs to a throwaway trial.
    if !draft.settings.rules.require_signatures || draft.memory.identity().is_none() {
        return Ok(());
    }
    let named = |rule: &ProposalRecord| (rule.proposal_id.clone(), rule.content_hash.clone());
    let new = draft.memory.rules().filter(|r| r.in_force() && !draft.memory.vetted.contains(&named(&r.record)));
    let new: Vec<ProposalRecord> = new.map(|r| r.record.clone()).collect();
    let Some(head) = draft.memory.head.clone() else { return Ok(()) };
    for rule in as_proposed(draft.outside.store.as_ref(), &head, new)? {
        let hash = hash_of(&rule);
        let before = draft.memory.signatures().is_some_and(|since| since.had(&rule.proposal_id, &hash));
        let count = if before { Recount::default() } else { count_then(draft, &rule)? };
        if count.is_met() {
            draft.memory.vetted.insert(named(&rule));
            continue;
        }
        set_aside(draft, &rule.proposal_id, &count)?;
    }
    Ok(())
}
