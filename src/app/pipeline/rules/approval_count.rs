//! The valid approvals of a rule, recounted from the review records, before and after it comes into force.

use crate::domain::records::record::{ProposalRecord, StoredRecord};
use crate::domain::rules::lifecycle::approvals::{Demands, Recount, recount, voice, voice_then};
use crate::domain::rules::lifecycle::signature::Place;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use std::collections::BTreeSet;

/// Returns the approvals of a proposal that count on the present roster.
pub(crate) fn count_now(draft: &Draft<'_>, rule: &ProposalRecord) -> Recount {
    let tenant = draft.settings.capture.tenant_id();
    let demands = demands(draft, tenant.as_deref());
    let roster = draft.memory.roster.as_ref();
    let approvals = draft.memory.approvals_of(&rule.proposal_id);
    let counted = approvals.map(|review| (review.review_id.clone(), voice(review, rule, roster, &demands)));
    let alone = demands.min_approvals == 1 && roster.approvers() == 1;
    // A rule in force was decided on the evidence that it lists; later evidence does not affect who could decide.
    let authors = if rule.status.in_force() { listed_authors(draft, rule) } else { authors(draft, rule) };
    recount(rule, counted, &authors, alone, &demands)
}

/// Returns the approvals of a rule in force that count on the present roster or on the one at the time.
pub(crate) fn count_then(draft: &Draft<'_>, rule: &ProposalRecord) -> Result<Recount, PipelineError> {
    let now = count_now(draft, rule);
    let (Some(past), Some(head)) = (&draft.memory.past, &draft.memory.head) else { return Ok(now) };
    if now.is_met() {
        return Ok(now);
    }
    let tenant = draft.settings.capture.tenant_id();
    let demands = demands(draft, tenant.as_deref());
    let (mut counted, mut alone) = (Vec::new(), false);
    for review in draft.memory.approvals_of(&rule.proposal_id) {
        let present = voice(review, rule, &draft.memory.roster, &demands);
        let found = match present {
            Ok(voice) => Ok(voice),
            Err(why) => match past.roster_then(draft.outside.store.as_ref(), head, &review.path())? {
                None => Err(why),
                Some((_, then)) => {
                    alone |= demands.min_approvals == 1 && then.approvers() == 1;
                    voice_then(review, rule, &then, &draft.memory.roster, &demands)
                }
            },
        };
        counted.push((review.review_id.clone(), found));
    }
    alone |= demands.min_approvals == 1 && draft.memory.roster.approvers() == 1;
    Ok(recount(rule, counted, &listed_authors(draft, rule), alone, &demands))
}

fn demands<'a>(draft: &'a Draft<'_>, tenant: Option<&'a str>) -> Demands<'a> {
    let store_id = draft.memory.identity().map_or("", |identity| identity.store_id.as_str());
    Demands {
        min_approvals: draft.settings.terms.min_approvals,
        signed: draft.settings.rules.require_signatures,
        place: Place { store_id, tenant_id: tenant.unwrap_or_default() },
    }
}

/// Returns all authors of evidence, however much there is.
fn authors(draft: &Draft<'_>, rule: &ProposalRecord) -> Vec<String> {
    let groups = &draft.memory.remarks.groups;
    let clusters = rule.clusters().filter_map(|id| groups.find_cluster(id)).map(|key| groups.cluster(key));
    let mut authors: BTreeSet<String> = clusters.flat_map(|cluster| cluster.tied_reviewers.keys().cloned()).collect();
    authors.extend(listed_authors(draft, rule));
    authors.into_iter().collect()
}

/// Returns the authors of the comments that a rule lists.
fn listed_authors(draft: &Draft<'_>, rule: &ProposalRecord) -> Vec<String> {
    let groups = &draft.memory.remarks.groups;
    let listed = rule.created_from_feedback_ids.iter().filter_map(|id| groups.key_of(id));
    listed.map(|key| groups.member(key).reviewer.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}
