//! People's markings of a single comment: nothing to learn from, too specific for a rule, or a demand from the
//! catalogue.
//!
//! The comment's record is marked, and derived data follows: a comment that asks for nothing, or for something too
//! specific, is no longer compared; a demand becomes what the comment is compared by.

use super::withdrawal::close_withdrawn;
use crate::comments::analyzer::Analyzer;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, MemberKey};
use crate::domain::intake::submission::{Mark, Review};
use crate::domain::records::record::{DecisionRecord, Marked, RefusalCode};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::removal::leave;
use crate::pipeline::error::{ReviewResult, Stop, impossible, refuse};
use crate::text::language::catalogue::Match;

/// Applies a person's marking of a comment.
pub(crate) fn mark(draft: &mut Draft<'_>, review: &Review, id: &str, mark: Mark, demand: Option<&str>) -> ReviewResult {
    if mark != Mark::Demand {
        mark_all(draft, review, &[(id, mark)])?;
        draft.counts.rule_events.push(format!("mark {id} as {}", mark.as_str().to_lowercase()));
        return Ok(match mark {
            Mark::Nothing => format!("{id} asks for nothing, as {} says", review.reviewer_id),
            _ => format!("{id} is too specific for a rule, as {} says", review.reviewer_id),
        });
    }
    let Some(demand) = demand else { return impossible("say which concern it asks for") };
    demand_of(draft, review, id, demand)
}

/// Marks comments that teach no rule in their records and removes them from their clusters.
pub(crate) fn mark_all(draft: &mut Draft<'_>, review: &Review, marks: &[(&str, Mark)]) -> Result<(), Stop> {
    let keys = marks.iter().map(|(id, _)| comparable(draft, id)).collect::<Result<Vec<_>, Stop>>()?;
    leave(draft, &keys)?;
    let at = review.timestamp.min(draft.now);
    for ((id, mark), key) in marks.iter().zip(&keys) {
        let path = draft.memory.remarks.groups.member(*key).path.clone();
        let said = match mark {
            Mark::Nothing => "asks for nothing",
            _ => "asks for something too specific for a rule",
        };
        let now = draft.now;
        let Some(record) = draft.open::<DecisionRecord>(&path)? else { continue };
        record.feedback.marked = Some(Marked { mark: *mark, demand: None, by: review.review_id.clone(), like: None });
        record.feedback.concern = None;
        let praise = *mark == Mark::Nothing && record.approves();
        let evaluation = &mut record.evaluation;
        evaluation.classification = if praise { Classification::Positive } else { Classification::EdgeCase };
        (evaluation.cluster, evaluation.proposed_action) = (None, None);
        evaluation.confidence = 0.95;
        evaluation.rationale = format!("{} said in {} that it {said}.", review.reviewer_id, review.review_id);
        evaluation.revision += 1;
        evaluation.evaluated_at = now;
        // It is no longer compared with anything.
        draft.vectors.remove(*id);
        close_withdrawn(draft, review, id, "it teaches no rule", at)?;
    }
    draft.memory.remarks.groups.withdraw(&keys);
    draft.reload = true;
    Ok(())
}

/// Assigns a concern of the catalogue to a comment: it is compared by that concern and joins the cluster that asks for
/// it.
fn demand_of(draft: &mut Draft<'_>, review: &Review, id: &str, demand: &str) -> ReviewResult {
    let key = comparable(draft, id)?;
    let Some(found) = voiced(&draft.outside.understanding, demand) else {
        let hint = "`feedbackd catalogue list` lists the known ones";
        return refuse(RefusalCode::UnknownId, format!("the catalogue has no concern {demand}; {hint}"));
    };
    let group = group_of(draft, key, demand);
    let catalogue = draft.outside.understanding.catalogue();
    let direction = catalogue.place(demand).map(|place| catalogue.towards(place));
    leave(draft, &[key])?;
    let path = draft.memory.remarks.groups.member(key).path.clone();
    let Some(record) = draft.open::<DecisionRecord>(&path)? else { return impossible("its record is missing") };
    record.feedback.marked =
        Some(Marked { mark: Mark::Demand, demand: Some(demand.to_owned()), by: review.review_id.clone(), like: None });
    record.feedback.concern = Some(found);
    if let Some(direction) = direction {
        record.feedback.stance.direction = direction;
    }
    let record = record.clone();
    if let Some(vector) = draft.outside.understanding.record(&record)? {
        draft.vectors.insert(id.to_owned(), vector);
    }
    if let Some(group) = group {
        let groups = &mut draft.memory.remarks.groups;
        let mut members = groups.cluster(group).members.clone();
        members.push(key);
        groups.assign(group, &members);
        groups.cluster_mut(group).taught_by = Some(review.review_id.clone());
        draft.regrouped(&[group]);
    }
    draft.marks.unsettled.insert(key);
    // Its vector has changed, including for near-neighbour searches.
    draft.reload = true;
    draft.counts.rule_events.push(format!("mark {id} as {demand}"));
    Ok(match group {
        Some(group) => format!("{id} asks for {demand}, as {} do", draft.memory.remarks.groups.cluster(group).id),
        None => format!("{id} asks for {demand}; similar comments will join it"),
    })
}

/// Returns the comparable comment with this id.
pub(crate) fn comparable(draft: &Draft<'_>, id: &str) -> Result<MemberKey, Stop> {
    let groups = &draft.memory.remarks.groups;
    match groups.key_of(id).filter(|key| !groups.member(*key).withdrawn) {
        Some(key) => Ok(key),
        None => refuse(RefusalCode::UnknownId, format!("there is no feedback {id} that asks for something")),
    }
}

/// Returns the largest cluster of the same agent that asks for a concern.
fn group_of(draft: &Draft<'_>, key: MemberKey, concern: &str) -> Option<ClusterKey> {
    let (groups, catalogue) = (&draft.memory.remarks.groups, draft.outside.understanding.catalogue());
    let own = groups.member(key);
    let asks = groups.clusters().filter(|(cluster, c)| {
        let first = c.members.first().map(|m| groups.member(*m));
        first.is_some_and(|m| (&m.tenant, &m.agent) == (&own.tenant, &own.agent))
            && groups.concern(*cluster, catalogue).is_some_and(|found| found.id == concern)
    });
    asks.max_by_key(|(cluster, c)| (c.members.len(), std::cmp::Reverse(*cluster))).map(|(cluster, _)| cluster)
}

/// Returns a concern named by a person, as a record stores it.
pub(crate) fn voiced(understanding: &Analyzer, concern: &str) -> Option<Match> {
    understanding.catalogue().find(concern).map(|known| Match {
        concern: known.id.clone(),
        probability: 1.0,
        terms: Vec::new(),
        shown_by: None,
        nearest_phrasing: known.phrasings.first().cloned().unwrap_or_default(),
        similarity: 0.0,
        otherwise: None,
    })
}
