//! A remark that is recorded was read by a language model: it leaves its group and comes again, compared by the sentence
//! in which the model says what it asks for.
//!
//! What people said about where a remark belongs stands: then the reading is kept, and changes nothing.

use super::advising::Advising;
use super::draft::Draft;
use super::error::{PipelineError, UnlessRefused};
use super::leaving::follow_leaving;
use super::memory::reading_key;
use super::noting::{Said, effect_of, note};
use super::place::place;
use super::read::read_by;
use super::rules::{command, keep_target};
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{ClusterKey, MemberKey};
use crate::domain::language::reading::Reading;
use crate::domain::prose::count;
use crate::domain::records::again;
use crate::domain::records::record::{AdviceOutcome, DecisionRecord};
use crate::domain::rules::drafting::advice::Refused;
use crate::domain::rules::lifecycle::rule::Command;

/// Takes up what a model said of remarks that are recorded. Once only: a remark is read once.
pub(super) fn take_readings(draft: &mut Draft<'_>, advising: &Advising) -> Result<(), PipelineError> {
    let mut read = 0;
    for one in advising.readings() {
        let groups = &draft.memory.remarks.groups;
        // What was withdrawn meanwhile needs no reading.
        let Some(key) = groups.key_of(&one.feedback_id) else { continue };
        if draft.memory.knows(&reading_key(&one.feedback_id)) {
            continue;
        }
        let (at, tenant) = (groups.member(key).at, groups.member(key).tenant.clone());
        let reading = one.reading.clone().map_err(|why| match why {
            Refused::Schema(_) => (AdviceOutcome::RefusedSchema, why.to_string()),
            Refused::Lint(_) => (AdviceOutcome::RefusedLint, why.to_string()),
        });
        let (feedback_id, agent, asked_at) = (one.feedback_id.as_str(), one.agent.as_str(), one.asked_at);
        let said = Said { feedback_id, tenant: &tenant, agent, at, model: advising.model(), asked_at, reading };
        let effect = match &said.reading {
            Ok(reading) => follow(draft, key, reading)?,
            Err((_, why)) => why.clone(),
        };
        note(draft, said, effect);
        read += 1;
    }
    if read > 0 {
        draft.counts.rule_events.push(format!("note how {} reads {}", advising.adviser(), count(read, "remark")));
    }
    Ok(())
}

/// Lets a remark come again as it was read. What came of it, in words.
fn follow(draft: &mut Draft<'_>, key: MemberKey, reading: &Reading) -> Result<String, PipelineError> {
    let groups = &draft.memory.remarks.groups;
    let member = groups.member(key);
    if member.withdrawn {
        return Ok("it is withdrawn, and stays so".to_owned());
    }
    if member.classification == Classification::Ambiguous {
        return Ok("it contradicts others, and waits for a person".to_owned());
    }
    if let Some(cluster) = member.cluster.filter(|cluster| groups.is_peoples(*cluster)) {
        return Ok(format!("people decided about {}, and it stays there", groups.cluster(cluster).id));
    }
    let rule = member.cluster.and_then(|cluster| groups.cluster(cluster).proposal.as_deref());
    if let Some(rule) = rule.filter(|id| draft.memory.rule(id).is_some_and(|rule| !rule.is_pending())) {
        return Ok(format!("people decided about {rule}, and it stays where it is"));
    }
    let (path, id, edge_case) = (member.path.clone(), member.id.clone(), member.edge_case.clone());
    let Some(record) = draft.open::<DecisionRecord>(&path)?.cloned() else {
        return Ok("its record is gone".to_owned());
    };
    let read = read_by(&draft.outside.understanding, again::feedback(&record), reading.clone())?;
    leave(draft, key)?;
    // Nothing is compared with what it was.
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

/// Takes a remark out of its group, which is looked at again, and its proposal with it.
fn leave(draft: &mut Draft<'_>, key: MemberKey) -> Result<(), PipelineError> {
    let policy = draft.memory.remarks.policy;
    let Some(left) = draft.memory.remarks.groups.take_out(key, &policy) else { return Ok(()) };
    let cluster = left.cluster;
    follow_leaving(draft, key, left)?;
    withdraw_empty(draft, cluster)
}

/// A proposal for which nothing speaks any more waits for nobody.
fn withdraw_empty(draft: &mut Draft<'_>, cluster: ClusterKey) -> Result<(), PipelineError> {
    let Some(id) = draft.memory.remarks.groups.cluster(cluster).proposal.clone() else { return Ok(()) };
    let empty = draft.memory.rule(&id).is_some_and(|rule| rule.is_pending() && rule.record.evidence_count == 0);
    if !empty {
        return Ok(());
    }
    let withdraw = Command::Withdraw { reason: "all of its remarks were read as asking for something else".to_owned() };
    let now = draft.now;
    if command(draft, &id, &withdraw, now).unless_refused()?.is_some() {
        draft.counts.rule_events.push(format!("withdraw {id}"));
        keep_target(draft, &id, "no evidence is left for", now)?;
    }
    Ok(())
}
