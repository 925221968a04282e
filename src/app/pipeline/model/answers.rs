//! Applies a language model's answers as far as people's decisions leave room. Every answer becomes a record.
//!
//! People's decisions take precedence: what they kept apart, moved, approved or wrote is never touched. A model's
//! wording becomes a new version of a proposal, or a pattern's first proposal, and people decide on it.

use super::pattern_check::follow_check;
use super::placement::follow_places;
use super::queue::{ModelQueue, PendingAnswer};
use crate::domain::records::record::{AdviceOutcome, AdviceRecord, AdviceReply, StoredRecord};
use crate::domain::rules::draft::advice::{AdviceQuestion, ScreenError};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::working_set::advice_key;

/// Applies the answers that have arrived.
pub(crate) fn take_advice(draft: &mut Draft<'_>, advising: &ModelQueue) -> Result<(), PipelineError> {
    for arrived in advising.arrived() {
        let hash = arrived.question.hash();
        if draft.memory.knows(&advice_key(&hash)) {
            continue;
        }
        let about = arrived.question.about();
        let (kind, asked_at, tokens) = (arrived.question.kind(), arrived.asked_at, arrived.tokens);
        let again = matches!(&arrived.question, AdviceQuestion::Place(place) if place.again);
        draft.memory.note_advice(&hash, kind, &about, again, asked_at, tokens);
        let (outcome, effect) = match &arrived.reply {
            Ok(reply) => (AdviceOutcome::Accepted, follow_advice(draft, arrived, reply, &advising.adviser(), &hash)?),
            Err(why) => (why.outcome(), refused(draft, arrived, why)),
        };
        draft.counts.rule_events.push(told(arrived, &advising.adviser()));
        let record = AdviceRecord {
            schema: AdviceRecord::SCHEMA.to_owned(),
            question_hash: hash.clone(),
            kind,
            tenant_id: draft.settings.capture.tenant_id(),
            agent: arrived.question.agent().to_owned(),
            about,
            among: arrived.question.among(),
            model: advising.model().to_owned(),
            asked_at,
            answered_at: draft.now,
            outcome,
            answer: arrived.reply.as_ref().ok().cloned(),
            effect,
            again,
            tokens: Some(tokens).filter(|tokens| tokens.all() > 0),
        };
        draft.staging.put(record);
    }
    Ok(())
}

fn told(arrived: &PendingAnswer, adviser: &str) -> String {
    match &arrived.question {
        AdviceQuestion::Place(place) => format!("record where {adviser} places {} demands", place.demands.len()),
        AdviceQuestion::Check(check) => format!("record how {adviser} checks {}", check.groups().join(", ")),
        AdviceQuestion::Read(_) => format!("record what {adviser} reads"),
    }
}

/// Applies an answer and returns the outcome in words.
fn follow_advice(
    draft: &mut Draft<'_>,
    arrived: &PendingAnswer,
    reply: &AdviceReply,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    match (&arrived.question, reply) {
        (AdviceQuestion::Place(_), AdviceReply::Place(reply)) => follow_places(draft, reply, adviser, hash),
        (AdviceQuestion::Check(question), AdviceReply::Check(reply)) => {
            let mut effects = Vec::new();
            for pattern in &question.patterns {
                let effect = match reply.patterns.iter().find(|reply| reply.cluster == pattern.about) {
                    Some(reply) => follow_check(draft, pattern, reply, adviser, hash)?,
                    None => go_without(draft, arrived, &pattern.about),
                };
                effects.push(format!("{}: {effect}", pattern.about));
            }
            Ok(effects.join("; "))
        }
        // Each kind of question has its own kind of reply.
        _ => Ok("the answer is for another kind of question".to_owned()),
    }
}

/// Handles an answer that was rejected and returns the consequence in words.
fn refused(draft: &mut Draft<'_>, arrived: &PendingAnswer, why: &ScreenError) -> String {
    if let AdviceQuestion::Check(check) = &arrived.question {
        check.groups().iter().for_each(|cluster| drop(go_without(draft, arrived, cluster)));
    }
    why.to_string()
}

/// Handles a pattern for which no usable answer came: no rule, once the retry has failed too.
fn go_without(draft: &mut Draft<'_>, arrived: &PendingAnswer, cluster: &str) -> String {
    let Some((_, why)) = arrived.given_up.iter().find(|(about, _)| about == cluster) else {
        return "no answer was obtained; it is asked once more".to_owned();
    };
    let groups = &mut draft.memory.remarks.groups;
    if let Some(key) = groups.find_cluster(cluster) {
        groups.cluster_mut(key).not_proposed = Some(format!("The language model wrote no rule for it: {why}."));
        draft.marks.touched.insert(key);
    }
    format!("no rule was written: {why}")
}
