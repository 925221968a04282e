//! Applies a language model's reading of a recorded comment: it leaves its cluster and is processed again, compared by
//! the sentence in which the model states its demand.
//!
//! If people decided where the comment belongs, the reading is kept but changes nothing.

use super::queue::ModelQueue;
use super::readings::{CommentReading, effect_of, note};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, MemberKey};
use crate::domain::records::record::DecisionRecord;
use crate::domain::records::restore;
use crate::domain::rules::lifecycle::rule::Command;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::place::place;
use crate::pipeline::clusters::removal::follow_leaving;
use crate::pipeline::error::{PipelineError, RejectionExt};
use crate::pipeline::intake::read::read_by;
use crate::pipeline::rules::commands::{command, keep_target};
use crate::pipeline::working_set::reading_key;
use crate::text::language::model_reading::ModelReading;
use crate::text::prose::count;

/// Applies a model's readings of recorded comments. A comment is read only once.
pub(crate) fn take_readings(draft: &mut Draft<'_>, advising: &ModelQueue) -> Result<(), PipelineError> {
    let mut read = 0;
    for one in advising.readings() {
        if draft.memory.knows(&reading_key(&one.feedback_id)) {
            continue;
        }
        let groups = &draft.memory.remarks.groups;
        let key = groups.key_of(&one.feedback_id);
        // Comments withdrawn meanwhile need no reading.
        let (at, tenant, path) = match (key, draft.memory.silent.get(&one.feedback_id)) {
            (Some(key), _) => {
                let member = groups.member(key);
                (member.at, member.tenant.clone(), member.path.clone())
            }
            (None, Some(silent)) => (silent.at, silent.tenant.clone(), silent.path.clone()),
            (None, None) => continue,
        };
        let reading = one.reading.clone().map_err(|why| (why.outcome(), why.to_string()));
        let said = CommentReading {
            feedback_id: &one.feedback_id,
            tenant: &tenant,
            agent: &one.agent,
            at,
            model: advising.model(),
            asked_at: one.asked_at,
            reading,
            tokens: one.tokens,
        };
        let effect = match (&said.reading, key) {
            (Ok(reading), Some(key)) => follow(draft, key, reading)?,
            (Ok(reading), None) => hear(draft, &path, reading)?,
            (Err((_, why)), _) => why.clone(),
        };
        note(draft, said, effect);
        read += 1;
    }
    if read > 0 {
        draft.counts.rule_events.push(format!("record how {} reads {}", advising.adviser(), count(read, "comment")));
    }
    Ok(())
}

/// Processes a comment that could not be compared before, according to its reading.
fn hear(draft: &mut Draft<'_>, path: &str, reading: &ModelReading) -> Result<String, PipelineError> {
    let Some(record) = draft.open::<DecisionRecord>(path)?.cloned() else {
        return Ok("its record is gone".to_owned());
    };
    let mut feedback = restore::feedback(&record);
    feedback.stance.demand |= reading.sentence().is_some();
    let read = read_by(&draft.outside.understanding, feedback, reading.clone())?;
    let mut record = record;
    record.feedback.stance = read.feedback.stance.clone();
    record.feedback.reading = Some(reading.clone());
    draft.staging.put_at(path.to_owned(), record);
    place(draft, read, path.to_owned())?;
    Ok(effect_of(reading).to_owned())
}

/// Processes a comment again according to its reading. Returns the outcome in words.
fn follow(draft: &mut Draft<'_>, key: MemberKey, reading: &ModelReading) -> Result<String, PipelineError> {
    let groups = &draft.memory.remarks.groups;
    let member = groups.member(key);
    if member.withdrawn {
        return Ok("it stays withdrawn".to_owned());
    }
    if member.classification == Classification::Ambiguous {
        return Ok("it contradicts others, and is pending a decision".to_owned());
    }
    if let Some(cluster) = member.cluster.filter(|cluster| groups.is_peoples(*cluster)) {
        return Ok(format!("people decided about {}, and it stays there", groups.cluster(cluster).id));
    }
    let rule = member.cluster.and_then(|cluster| groups.cluster(cluster).proposal.as_deref());
    if let Some(rule) = rule.filter(|id| draft.memory.rule(id).is_some_and(|rule| !rule.is_pending())) {
        return Ok(format!("people decided about {rule}, and it stays where it is"));
    }
    let pending = rule.filter(|_| member.tied && draft.by_model.checks);
    if let Some(rule) = pending.filter(|id| draft.memory.rule(id).is_some_and(|rule| rule.is_living())) {
        return Ok(format!("it is evidence for {rule}, which is held against it"));
    }
    let (path, id, edge_case) = (member.path.clone(), member.id.clone(), member.edge_case.clone());
    let Some(record) = draft.open::<DecisionRecord>(&path)?.cloned() else {
        return Ok("its record is gone".to_owned());
    };
    let read = read_by(&draft.outside.understanding, restore::feedback(&record), reading.clone())?;
    leave(draft, key)?;
    // Nothing is compared with its old vector.
    draft.vectors.remove(&id);
    draft.reload = true;
    let mut record = record;
    record.feedback.stance = read.feedback.stance.clone();
    record.feedback.concern = read.feedback.concern.clone();
    record.feedback.reading = Some(reading.clone());
    record.feedback.edge_case = record.feedback.edge_case.or(edge_case);
    draft.staging.put_at(path.clone(), record);
    place(draft, read, path)?;
    Ok(effect_of(reading).to_owned())
}

/// Removes a comment from its cluster, which is re-evaluated together with its proposal.
fn leave(draft: &mut Draft<'_>, key: MemberKey) -> Result<(), PipelineError> {
    let policy = draft.memory.remarks.policy;
    let Some(left) = draft.memory.remarks.groups.take_out(key, &policy) else { return Ok(()) };
    let cluster = left.cluster;
    follow_leaving(draft, key, left)?;
    withdraw_empty(draft, cluster)
}

/// Withdraws a proposal that has no supporting evidence left.
pub(crate) fn withdraw_empty(draft: &mut Draft<'_>, cluster: ClusterKey) -> Result<(), PipelineError> {
    let Some(id) = draft.memory.remarks.groups.cluster(cluster).proposal.clone() else { return Ok(()) };
    let empty = draft.memory.rule(&id).is_some_and(|rule| rule.is_pending() && rule.record.evidence_count == 0);
    if !empty {
        return Ok(());
    }
    let withdraw = Command::Withdraw { reason: "all of its comments ask for something else".to_owned() };
    let now = draft.now;
    if command(draft, &id, &withdraw, now).unless_refused()?.is_some() {
        draft.counts.rule_events.push(format!("withdraw {id}"));
        keep_target(draft, &id, "no evidence is left for", now)?;
    }
    Ok(())
}
