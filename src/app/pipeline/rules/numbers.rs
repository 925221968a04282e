//! Proposals get their numbers and their first records.

use super::commands::put_rule;
use crate::domain::records::layout;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::lifecycle::rule;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::text::ids::numbered;

/// Files a proposal under the next number, as a new one whatever it says of itself.
pub(crate) fn file(draft: &mut Draft<'_>, proposal: ProposalRecord) -> Result<String, PipelineError> {
    let year = layout::year(draft.now);
    let id = numbered("RULE", year, draft.memory.next_number("RULE", year));
    let record = rule::newborn(proposal, &id);
    draft.changed_rules.insert(id.clone(), None);
    put_rule(draft, record)?;
    draft.counts.proposals.push(id.clone());
    Ok(id)
}
