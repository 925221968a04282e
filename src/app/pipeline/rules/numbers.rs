//! Assigns proposals their numbers and first records.

use super::commands::put_rule;
use crate::domain::records::layout;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::lifecycle::rule;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::text::ids::numbered;

/// Files a proposal as new under the next number, whatever its own state claims.
pub(crate) fn file(draft: &mut Draft<'_>, proposal: ProposalRecord) -> Result<String, PipelineError> {
    let year = layout::year(draft.now);
    let id = numbered("RULE", year, draft.memory.next_number("RULE", year));
    let record = rule::newborn(proposal, &id);
    draft.changed_rules.insert(id.clone(), None);
    put_rule(draft, record)?;
    draft.counts.proposals.push(id.clone());
    Ok(id)
}
