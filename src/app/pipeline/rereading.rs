//! A remark that is recorded was read by a language model: it leaves its group and comes again, compared by the sentence
//! in which the model says what it asks for.
//!
//! What people said about where a remark belongs stands: then the reading is kept, and changes nothing.

use super::advising::Advising;
use super::draft::Draft;
use super::error::{PipelineError, UnlessRefused};
use super::evidence::leave_proposal;
use super::memory::reading_key;
use super::place::place;
use super::read::read_by;
use super::rules::{command, keep_target};
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{ClusterKey, MemberKey};
use crate::domain::intake::feedback::Feedback;
use crate::domain::language::reading::Reading;
use crate::domain::prose::count;
use crate::domain::records::again;
use crate::domain::records::layout;
use crate::domain::records::record::{AdviceOutcome, DecisionRecord, ReadingRecord, StoredRecord};
use crate::domain::rules::drafting::advice::Refused;
use crate::domain::rules::lifecycle::rule::Command;
use jiff::Timestamp;

/// Who read what came with its reading.
const RECORDED: &str = "recorded";
/// What follows from a reading.
const COMPARED: &str = "it is compared by that demand";
const NO_DEMAND: &str = "it asks for nothing, and takes part in no group";
const PARTICULAR: &str = "it is too particular for a rule, and takes part in no group";

/// What a model said of one remark, and when it was asked.
struct Said<'a> {
    feedback_id: &'a str,
    tenant: &'a str,
    agent: &'a str,
    at: Timestamp,
    model: &'a str,
    asked_at: Timestamp,
    /// What it said, or how and why that was refused.
    reading: Result<Reading, (AdviceOutcome, String)>,
}

/// Notes the reading of a remark that is new in this batch.
pub(super) fn note_recorded(draft: &mut Draft<'_>, feedback: &Feedback, reading: Reading) {
    let now = draft.now;
    let effect = effect_of(&reading).to_owned();
    let said = Said {
        feedback_id: &feedback.id,
        tenant: &feedback.tenant,
        agent: &feedback.agent,
        at: feedback.decision.timestamp,
        model: RECORDED,
        asked_at: now,
        reading: Ok(reading),
    };
    note(draft, said, effect);
}

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

fn note(draft: &mut Draft<'_>, said: Said<'_>, effect: String) {
    let Said { feedback_id, tenant, agent, at, model, asked_at, reading } = said;
    draft.memory.note_reading(feedback_id, asked_at);
    let (outcome, reading) = match reading {
        Ok(reading) => (AdviceOutcome::Accepted, Some(reading)),
        Err((outcome, _)) => (outcome, None),
    };
    let record = ReadingRecord {
        schema: ReadingRecord::SCHEMA.to_owned(),
        feedback_id: feedback_id.to_owned(),
        timestamp: at,
        tenant_id: Some(tenant.to_owned()).filter(|tenant| !tenant.is_empty()),
        agent: agent.to_owned(),
        model: model.to_owned(),
        asked_at,
        answered_at: draft.now,
        outcome,
        reading,
        effect,
    };
    draft.staging.put_at(layout::reading(at, feedback_id), record);
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
    leave_proposal(draft, left.cluster, &[key])?;
    if left.is_plain {
        draft.marks.left.insert(left.cluster);
    }
    draft.marks.unsettled.extend(left.changed);
    draft.regrouped(&[left.cluster]);
    withdraw_empty(draft, left.cluster)
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

fn effect_of(reading: &Reading) -> &'static str {
    match (reading.none, reading.sentence()) {
        (true, _) => NO_DEMAND,
        (false, Some(_)) => COMPARED,
        (false, None) => PARTICULAR,
    }
}
