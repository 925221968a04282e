//! Proposals get their numbers and their first records.

use super::draft::Draft;
use super::error::PipelineError;
use super::rules::put_rule;
use crate::domain::ids::numbered;
use crate::domain::records::layout;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::lifecycle::rule;

/// Files a proposal under the next number, as a new one whatever it says of itself.
pub(super) fn file(draft: &mut Draft<'_>, proposal: ProposalRecord) -> Result<String, PipelineError> {
    let year = layout::year(draft.now);
    let id = numbered("RULE", year, draft.memory.next_number("RULE", year));
    let record = rule::newborn(proposal, &id);
    draft.changed_rules.insert(id.clone(), None);
    put_rule(draft, record)?;
    draft.counts.proposals.push(id.clone());
    Ok(id)
}
