//! A person words the rule of a pattern that has none.

use super::draft::Draft;
use super::error::{Reviewed, refuse};
use super::proposing::offer;
use super::regrouping::cluster;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::intake::submission::Review;
use crate::domain::language::specificity;
use crate::domain::prose::line;
use crate::domain::records::record::{RefusalCode, RuleType};
use crate::domain::rules::drafting::proposal::Draft as Wording;

/// Proposes a rule in a person's words for a group that has none. It is approved like any other.
pub(super) fn word_rule(draft: &mut Draft<'_>, review: &Review, cluster_id: &str, text: &str) -> Reviewed {
    let key = cluster(draft, cluster_id)?;
    let living = draft.memory.remarks.groups.cluster(key).proposal.clone();
    if let Some(id) = living.filter(|id| draft.memory.rule(id).is_some_and(|rule| rule.is_living())) {
        let message = format!("{cluster_id} has {id} already; `feedbackd proposals modify {id}` gives it another text");
        return refuse(RefusalCode::AlreadyDecided, message);
    }
    if let Some(finding) = specificity::lint(text).into_iter().next() {
        return refuse(RefusalCode::VagueText, finding.message);
    }
    let policy = draft.memory.remarks.policy;
    let cluster = draft.memory.remarks.groups.cluster_mut(key);
    let before = (cluster.proposal.take(), cluster.not_proposed.take());
    if cluster.class(&policy) != Classification::GeneralizableHigh {
        // Too few said it for a pattern; this person says that it is one.
        cluster.decided_by = Some(review.review_id.clone());
    }
    let wording = Wording {
        title: line(text.trim_end_matches('.'), 72),
        content: text.to_owned(),
        rule_type: RuleType::Guideline,
        concern: None,
        why: None,
        example: None,
    };
    offer(draft, key, Some(wording))?;
    let members = draft.memory.remarks.groups.cluster(key).members.clone();
    draft.marks.unsettled.extend(members);
    draft.marks.touched.insert(key);
    let cluster = draft.memory.remarks.groups.cluster_mut(key);
    match cluster.proposal.clone() {
        Some(id) => {
            draft.counts.rule_events.push(format!("word {id}"));
            Ok(format!("{id} is the rule of {cluster_id} now"))
        }
        None => {
            let why = cluster.not_proposed.take();
            (cluster.proposal, cluster.not_proposed) = before;
            let full = "the agent has as many open proposals as it may have; decide some of them first";
            refuse(RefusalCode::Restatement, why.unwrap_or_else(|| full.to_owned()))
        }
    }
}
