//! Following what a language model answered, as far as people leave room for that: every answer becomes a record.
//!
//! What people decided stands: what they keep apart, moved, approved or wrote is never touched. A model's merge is
//! made like a person's, so people can split it again; a model's words are a new version of a proposal, or the first
//! one of a pattern whose remarks make no rule, and people decide about it.

use super::advising::{Advising, Arrived, lacks_text};
use super::choosing::follow_choice;
use super::draft::Draft;
use super::error::{PipelineError, Stop};
use super::memory::{RuleEntry, advice_key};
use super::proposing::{Worded, offer_worded};
use super::regrouping::same;
use super::rules::{command, put_rule};
use super::said::unfit;
use crate::domain::grouping::Group;
use crate::domain::intake::submission::Review;
use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::record::{
    AdviceOutcome, AdviceRecord, AdviceReply, DraftReply, PairVerdict, ReviewOutcome, StoredRecord,
};
use crate::domain::rules::drafting::advice::{AdviceQuestion, PairQuestion, Refused};
use crate::domain::rules::lifecycle::rule::Command;
use crate::domain::source::Source;

/// Takes up what has come back.
pub(super) fn take_advice(draft: &mut Draft<'_>, advising: &Advising) -> Result<(), PipelineError> {
    for arrived in advising.arrived() {
        let hash = arrived.question.hash();
        if draft.memory.knows(&advice_key(&hash)) {
            continue;
        }
        let about = arrived.question.about();
        draft.memory.note_advice(&hash, &about, arrived.asked_at);
        let (outcome, effect) = match &arrived.reply {
            Ok(reply) => (AdviceOutcome::Accepted, follow_advice(draft, arrived, reply, &advising.adviser(), &hash)?),
            Err(why @ Refused::Schema(_)) => (AdviceOutcome::RefusedSchema, why.to_string()),
            Err(why @ Refused::Lint(_)) => (AdviceOutcome::RefusedLint, why.to_string()),
        };
        draft.counts.rule_events.push(format!("note what {} says of {}", advising.adviser(), about.join(" and ")));
        let record = AdviceRecord {
            schema: AdviceRecord::SCHEMA.to_owned(),
            question_hash: hash.clone(),
            kind: arrived.question.kind(),
            tenant_id: draft.settings.capture.tenant_id(),
            agent: arrived.question.agent().to_owned(),
            about,
            among: arrived.question.among(),
            model: advising.model().to_owned(),
            asked_at: arrived.asked_at,
            answered_at: draft.now,
            outcome,
            answer: arrived.reply.as_ref().ok().cloned(),
            effect,
        };
        draft.staging.put(record);
    }
    Ok(())
}

/// What came of an answer, in words.
fn follow_advice(
    draft: &mut Draft<'_>,
    arrived: &Arrived,
    reply: &AdviceReply,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    match (&arrived.question, reply) {
        (AdviceQuestion::Pair(pair), AdviceReply::Pair(reply)) => match reply.answer {
            PairVerdict::Same => put_together(draft, pair, &reply.reason, adviser, hash),
            PairVerdict::Different | PairVerdict::Unsure => Ok("everything stays as it is".to_owned()),
        },
        (AdviceQuestion::Draft(question), AdviceReply::Draft(reply)) => match &question.content_hash {
            Some(content_hash) => reword(draft, &question.about, content_hash, reply, adviser),
            None => word(draft, &question.about, reply, adviser),
        },
        (AdviceQuestion::Choice(question), AdviceReply::Choice(reply)) => {
            follow_choice(draft, question, question.named(reply.group), adviser, hash)
        }
        // `read_answer` gives each question its own kind of reply.
        _ => Ok("the answer is to another kind of question".to_owned()),
    }
}

fn put_together(
    draft: &mut Draft<'_>,
    pair: &PairQuestion,
    reason: &str,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    if let Some(why) = stays_apart(draft, pair)? {
        return Ok(format!("everything stays as it is: {why}"));
    }
    let (a, b) = (pair.a.about.clone(), pair.b.about.clone());
    // Made like a person's, under the model's name; the id leads to this answer.
    let review = Review {
        review_id: format!("{adviser}/{}", hash.get(..12).unwrap_or_default()),
        action: ReviewAction::Same { a: a.clone(), b: b.clone() },
        reviewer_id: adviser.to_owned(),
        timestamp: draft.now,
        reason: Some(reason.to_owned()),
        content_hash: None,
        signature: None,
        tenant_id: draft.settings.capture.tenant_id(),
        source: Source { stream: adviser.to_owned(), entry_id: hash.to_owned() },
    };
    match same(draft, &review, &a, &b) {
        Ok(effect) => Ok(format!("{effect} ({adviser})")),
        Err(Stop::Refused(refusal)) => Ok(format!("everything stays as it is: {}", refusal.message)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Why a model may not put two groups together, where it may not.
fn stays_apart(draft: &Draft<'_>, pair: &PairQuestion) -> Result<Option<String>, PipelineError> {
    let memory = &draft.memory.remarks.groups;
    let (Some(a), Some(b)) = (memory.group(&pair.a.about), memory.group(&pair.b.about)) else {
        return Ok(Some("one of the two is gone".to_owned()));
    };
    if memory.are_apart(a, b) {
        return Ok(Some("people say that they ask for different things".to_owned()));
    }
    let (Group::Cluster(x), Group::Cluster(y)) = (a, b) else { return Ok(None) };
    if memory.cluster(x).pointing.opposes(memory.cluster(y).pointing) {
        return Ok(Some("they point opposite ways".to_owned()));
    }
    let rule =
        |id: &Option<String>| id.as_ref().filter(|id| draft.memory.rule(id).is_some_and(RuleEntry::is_living)).cloned();
    if let (Some(one), Some(other)) = (rule(&memory.cluster(x).proposal), rule(&memory.cluster(y).proposal))
        && one != other
    {
        return Ok(Some(format!("{one} and {other} are different rules")));
    }
    // Whoever moves a remark from one to the other tells them apart, and where it came from is not recorded.
    let moved = |action: &ReviewAction| match action {
        ReviewAction::MoveFeedback { feedback_id, .. } => {
            memory.key_of(feedback_id).map(|key| memory.group_of(key)).is_some_and(|at| at == a || at == b)
        }
        _ => false,
    };
    let reviews = draft.outside.index.open.reviews()?;
    let by_hand = reviews.iter().any(|(_, r)| r.outcome == ReviewOutcome::Accepted && moved(&r.action));
    Ok(by_hand.then(|| "people moved remarks there by hand".to_owned()))
}

fn reword(
    draft: &mut Draft<'_>,
    id: &str,
    content_hash: &str,
    reply: &DraftReply,
    adviser: &str,
) -> Result<String, PipelineError> {
    let stays = |why: &str| Ok(format!("{id} keeps its text: {why}"));
    if draft.memory.rule(id).is_some_and(RuleEntry::was_edited) {
        return stays("somebody edited it");
    }
    if let Some(refusal) = unfit(draft, id, &reply.rule)? {
        return stays(&refusal.message);
    }
    let reword = Command::Reword {
        by: adviser.to_owned(),
        content_hash: content_hash.to_owned(),
        title: reply.title.clone(),
        content: reply.rule.clone(),
        reason: reply.why.clone(),
    };
    match command(draft, id, &reword, draft.now) {
        Ok(done) => {
            draft.counts.rule_events.push(format!("reword {id} ({adviser})"));
            Ok(done.effect)
        }
        Err(Stop::Refused(refusal)) => stays(&refusal.message),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// A pattern of which no remark makes a rule is proposed in the model's words, checked like any other text.
fn word(draft: &mut Draft<'_>, id: &str, reply: &DraftReply, adviser: &str) -> Result<String, PipelineError> {
    let nothing = |why: &str| Ok(format!("{id} gets no proposal: {why}"));
    let remarks = &draft.memory.remarks;
    let key = match remarks.groups.group(id) {
        Some(Group::Cluster(key)) if lacks_text(remarks.groups.cluster(key), &remarks.policy) => key,
        _ => return nothing("it has changed meanwhile"),
    };
    let (title, content) = (reply.title.trim().to_owned(), reply.rule.trim().to_owned());
    let proposal = match offer_worded(draft, key, title, content)? {
        Worded::Proposed(id) => id,
        Worded::TurnedAway(why) => return nothing(&why),
        Worded::NoRoom => return nothing("enough proposals wait for people"),
    };
    if draft.counts.proposals.last() != Some(&proposal) {
        return Ok(format!("{proposal} says the same, and {id} belongs to it"));
    }
    if let Some(mut record) = draft.memory.rule(&proposal).map(|rule| rule.record.clone()) {
        for event in &mut record.history {
            (event.by, event.note) = (Some(adviser.to_owned()), Some(reply.why.clone()));
        }
        put_rule(draft, record)?;
    }
    Ok(format!("{proposal} is proposed in its words ({adviser})"))
}
