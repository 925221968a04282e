//! Rules worded by a person for clusters that have none.

use super::cluster_edits::cluster;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::submission::Review;
use crate::domain::records::record::RefusalCode;
use crate::domain::rules::draft::proposal::title_of;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::{ReviewResult, refuse};
use crate::pipeline::rules::proposals::{WordingOutcome, offer_worded};
use crate::text::language::specificity;

/// Proposes a rule in a person's words for a cluster that has none. It is approved like any other.
pub(crate) fn word_rule(draft: &mut Draft<'_>, review: &Review, cluster_id: &str, text: &str) -> ReviewResult {
    let key = cluster(draft, cluster_id)?;
    let before = draft.memory.remarks.groups.cluster(key).clone();
    if let Some(id) = before.proposal.as_ref().filter(|id| draft.memory.rule(id).is_some_and(|rule| rule.is_living())) {
        let message = format!("{cluster_id} already has {id}; `feedbackd proposals modify {id}` changes its text");
        return refuse(RefusalCode::AlreadyDecided, message);
    }
    if let Some(finding) = specificity::lint(text).into_iter().next() {
        return refuse(RefusalCode::VagueText, finding.message);
    }
    if before.class(&draft.memory.remarks.policy) != Classification::GeneralizableHigh {
        // Too few people asked for a pattern; this person declares it one.
        draft.memory.remarks.groups.cluster_mut(key).decided_by = Some(review.review_id.clone());
    }
    let title = title_of(text);
    let refused = match offer_worded(draft, key, title, text.to_owned())? {
        WordingOutcome::Proposed(id) => {
            draft.marks.unsettled.extend(before.members);
            draft.marks.touched.insert(key);
            draft.counts.rule_events.push(format!("word {id}"));
            return Ok(format!("{id} is now the rule of {cluster_id}"));
        }
        WordingOutcome::TurnedAway(why) => refuse(RefusalCode::Restatement, why),
        WordingOutcome::NoRoom => {
            let why = "the agent has reached its limit of open proposals; decide some of them first";
            refuse(RefusalCode::Impossible, why.to_owned())
        }
    };
    // A rejected review decides nothing.
    *draft.memory.remarks.groups.cluster_mut(key) = before;
    refused
}
