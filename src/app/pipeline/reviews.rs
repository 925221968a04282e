//! Submissions of a batch: reviews are applied and recorded, accepted or refused; injections and imports are recorded.

use super::decode::{Incoming, Outcomes};
use super::draft::Draft;
use super::error::{PipelineError, Reviewed, Stop};
use super::memory::{injection_key, review_key};
use super::outcome::EntryOutcome;
use super::rules::{activate, command, keep_target, unknown};
use super::said::unfit;
use super::stopping::{resume, stop};
use super::teaching::teach;
use crate::domain::intake::submission::ReviewAction;
use crate::domain::intake::submission::{Import, Injection, Review, Submission};
use crate::domain::prose::line;
use crate::domain::records::layout;
use crate::domain::records::record::{
    ImportRecord, InjectionRecord, Judged, ProposalStatus, Refusal, RefusalCode, ReviewOutcome, ReviewRecord,
    StoredRecord,
};
use crate::domain::rules::lifecycle::rule::Command;
use crate::domain::rules::lifecycle::signature;
use jiff::Timestamp;

/// Takes up what was submitted, and counts it for the commit's message.
pub(super) fn submit_all(draft: &mut Draft<'_>, incoming: &Incoming<'_>) -> Result<Outcomes, PipelineError> {
    let mut outcomes = Outcomes::new();
    for (place, submission) in &incoming.submissions {
        let outcome = submit(draft, submission)?;
        match &outcome {
            EntryOutcome::Submitted { .. } => draft.counts.submitted += 1,
            EntryOutcome::Refused { .. } => draft.counts.refused += 1,
            _ => {}
        }
        outcomes.push((*place, outcome));
    }
    Ok(outcomes)
}

/// Takes a submission up. One that is known changes nothing.
fn submit(draft: &mut Draft<'_>, submission: &Submission) -> Result<EntryOutcome, PipelineError> {
    match submission {
        Submission::Review(review) => record_review(draft, review),
        Submission::Injection(injection) => Ok(inject(draft, injection)),
        Submission::Import(import) => record_import(draft, import),
    }
}

fn record_review(draft: &mut Draft<'_>, review: &Review) -> Result<EntryOutcome, PipelineError> {
    let key = review_key(&review.review_id);
    if draft.memory.knows(&key) {
        return Ok(EntryOutcome::Duplicate(review.review_id.clone()));
    }
    draft.memory.know(&key);
    // Nobody decides in the future: a clock that is ahead must not make a rule older than it is.
    let at = review.timestamp.min(draft.now);
    let (signed, outcome) = match readable_roster(draft).and_then(|()| signed(draft, review)) {
        Ok(signed) => (signed, refused_or_done(apply(draft, review, signed, at))?),
        Err(refusal) => (false, Err(refusal)),
    };
    if let Err(refusal) = &outcome {
        let what = format!("refuse {} of {} by {}", review.action.word(), review.action.subject(), review.reviewer_id);
        draft.counts.rule_events.push(line(&format!("{what} ({})", refusal.code.as_str()), 120));
    }
    let id = review.review_id.clone();
    let (effect, refusal, answer) = match outcome {
        Ok(effect) => (Some(effect.clone()), None, EntryOutcome::Submitted { id, effect }),
        Err(refusal) => (None, Some(refusal.clone()), EntryOutcome::Refused { id, refusal }),
    };
    tracing::info!(
        review = review.review_id,
        reviewer = review.reviewer_id,
        accepted = refusal.is_none(),
        effect = effect.as_deref(),
        refusal = refusal.as_ref().map(|r| r.message.as_str()),
        "review"
    );
    // What was refused says nothing.
    let judged = Some(std::mem::take(&mut draft.judged)).filter(|_| refusal.is_none()).and_then(Judged::told);
    draft.memory.judged.add(judged.unwrap_or_default());
    let record = ReviewRecord {
        schema: ReviewRecord::SCHEMA.to_owned(),
        review_id: review.review_id.clone(),
        tenant_id: draft.settings.capture.tenant_id(),
        action: review.action.clone(),
        reviewer_id: review.reviewer_id.clone(),
        timestamp: review.timestamp,
        reason: review.reason.clone(),
        content_hash: review.content_hash.clone(),
        signed,
        outcome: if refusal.is_none() { ReviewOutcome::Accepted } else { ReviewOutcome::Refused },
        refusal,
        effect,
        judged,
        recorded_at: draft.now,
        source: review.source.clone(),
    };
    draft.staging.put(record);
    Ok(answer)
}

/// Whether a review is signed, where the roster knows keys of its maker.
fn signed(draft: &Draft<'_>, review: &Review) -> Result<bool, Refusal> {
    let bad = |message: String| Err(Refusal { code: RefusalCode::BadSignature, message });
    let keys = draft.memory.roster.find(&review.reviewer_id).map(|r| r.ssh_public_keys.clone()).unwrap_or_default();
    if review.signature.is_none() {
        if draft.settings.rules.require_signatures {
            return bad(format!(
                "reviews must be signed with a key of {} in reviewers.yaml; see the comment there",
                review.reviewer_id
            ));
        }
        return Ok(false);
    }
    match signature::verify(review, &keys) {
        Ok(()) => Ok(true),
        Err(message) => bad(message),
    }
}

fn apply(draft: &mut Draft<'_>, review: &Review, signed: bool, at: Timestamp) -> Reviewed {
    let (by, reason) = (review.reviewer_id.clone(), review.reason.clone());
    let content_hash = review.content_hash.clone();
    match &review.action {
        ReviewAction::Approve { proposal_id } => {
            let review_id = review.review_id.clone();
            decide(draft, proposal_id, Command::Approve { by, review_id, content_hash, signed }, at)
        }
        ReviewAction::Reject { proposal_id } => {
            decide(draft, proposal_id, Command::Reject { by, content_hash, reason }, at)
        }
        ReviewAction::Modify { proposal_id, modified_content } => {
            let content = modified_content.clone();
            if let Some(refusal) = unfit(draft, proposal_id, &content)? {
                return Err(refusal.into());
            }
            decide(draft, proposal_id, Command::Modify { by, content_hash, content, reason }, at)
        }
        ReviewAction::Retire { rule_id } => decide(draft, rule_id, Command::Retire { by: Some(by), reason }, at),
        ReviewAction::RollBack { rule_id } => decide(draft, rule_id, Command::RollBack { by, reason }, at),
        ReviewAction::Stop { rule_id } => stop(draft, review, rule_id.as_deref(), at),
        ReviewAction::Resume { rule_id } => resume(draft, review, rule_id.as_deref()),
        _ => {
            known_person(draft, &by)?;
            teach(draft, review, at)
        }
    }
}

/// A decision about one rule, and what follows from it.
fn decide(draft: &mut Draft<'_>, id: &str, decision: Command, at: Timestamp) -> Reviewed {
    let Some(record) = draft.memory.rule(id).map(|r| &r.record) else { return Err(unknown(id).into()) };
    let before = record.status;
    // Nobody decides about a pattern before it is one: a date long past must not make a rule older than its evidence,
    // nor make earlier decisions look like its effect.
    let at = at.max(record.pattern_since.unwrap_or(record.created_at).min(draft.now));
    let done = command(draft, id, &decision, at)?;
    let after = done.after.status;
    let word = match (&decision, after) {
        (Command::Approve { .. }, ProposalStatus::Approved) => "approve",
        (Command::Approve { .. }, _) => "count an approval of",
        (Command::Reject { .. }, _) => "reject",
        (Command::Modify { .. }, _) => "modify",
        (Command::Retire { .. }, _) => "retire",
        _ => "roll back",
    };
    draft.counts.rule_events.push(format!("{word} {id}"));
    let mut effect = done.effect;
    if after == ProposalStatus::Approved
        && let Some(more) = activate(draft, id, true, at)?
    {
        effect = format!("{effect}; {more}");
    } else if after == ProposalStatus::Approved {
        effect = format!("{effect}; it waits until there is room");
    }
    if after == ProposalStatus::Rejected && before == ProposalStatus::Pending {
        keep_target(draft, id, "people rejected", at)?;
    }
    Ok(effect)
}

/// A roster that cannot be read lets nobody decide, and that is no fault of whoever tries.
fn readable_roster(draft: &Draft<'_>) -> Result<(), Refusal> {
    match &draft.memory.roster_error {
        None => Ok(()),
        Some(error) => Err(Refusal {
            code: RefusalCode::NotAnApprover,
            message: format!("{} cannot be read ({error}); until it is mended nobody can decide", layout::ROSTER),
        }),
    }
}

/// Only a person on the roster decides about feedback and clusters.
fn known_person(draft: &Draft<'_>, id: &str) -> Result<(), Refusal> {
    readable_roster(draft)?;
    if draft.memory.roster.find(id).is_some() {
        return Ok(());
    }
    let message = format!("{id} is not on the roster; add this person to reviewers.yaml and commit it");
    Err(Refusal { code: RefusalCode::NotAnApprover, message })
}

fn inject(draft: &mut Draft<'_>, injection: &Injection) -> EntryOutcome {
    let id = injection.injection_id.clone();
    let key = injection_key(&id);
    if draft.memory.knows(&key) {
        return EntryOutcome::Duplicate(id);
    }
    draft.memory.know(&key);
    let record = InjectionRecord::of(injection, draft.settings.capture.tenant_id());
    draft.counts.rule_events.push(format!("log a prompt of {}", record.agent));
    draft.staging.put(record);
    EntryOutcome::Submitted { id, effect: "recorded".to_owned() }
}

/// Imported rules replace those of the same name.
fn record_import(draft: &mut Draft<'_>, import: &Import) -> Result<EntryOutcome, PipelineError> {
    // An imported rule is no longer proposed; no stranger may cause that.
    if let Err(refusal) = known_person(draft, &import.imported_by) {
        tracing::warn!(import = import.name, by = import.imported_by, refusal = refusal.message, "import refused");
        return Ok(EntryOutcome::Refused { id: import.name.clone(), refusal });
    }
    let record = ImportRecord::of(import, draft.settings.capture.tenant_id());
    let known = draft.open::<ImportRecord>(&record.path())?;
    if known.is_some_and(|known| known.file_hash == record.file_hash && known.agents == record.agents) {
        return Ok(EntryOutcome::Duplicate(import.name.clone()));
    }
    draft.counts.rule_events.push(format!("import {} rules of {}", import.rules.len(), import.name));
    draft.memory.note_import(&record, draft.outside.understanding.as_ref())?;
    draft.staging.put(record);
    let effect = format!("{} rules are known as in force elsewhere", import.rules.len());
    Ok(EntryOutcome::Submitted { id: import.name.clone(), effect })
}

/// What was done, or why it was refused; a failure ends the batch.
fn refused_or_done(reviewed: Reviewed) -> Result<Result<String, Refusal>, PipelineError> {
    match reviewed {
        Ok(effect) => Ok(Ok(effect)),
        Err(Stop::Refused(refusal)) => Ok(Err(refusal)),
        Err(Stop::Failed(error)) => Err(error),
    }
}
