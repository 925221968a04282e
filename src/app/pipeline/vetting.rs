//! Where signatures are required, everything that is in force rests on valid approvals, counted again from their records.

use super::counting::count_then;
use super::draft::Draft;
use super::error::PipelineError;
use super::rules::set_aside;
use crate::app::approving::as_proposed;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::drafting::proposal::hash_of;
use crate::domain::rules::lifecycle::approvals::Recount;

/// Takes out of force what too few people approved: a file that somebody pushed, or an edit. It waits for approvals.
pub(super) fn set_aside_unapproved(draft: &mut Draft<'_>) -> Result<(), PipelineError> {
    // A store without an id is nobody's: a trial that is thrown away.
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
