//! Submissions of a batch: reviews are applied and recorded as accepted or rejected; injections, imports and follow-ups
//! are recorded.

use super::contradiction_answers::teach;
use super::imports::{record_import, withdraw_import};
use super::known_people::{known_person, readable_roster};
use super::roster::decide_roster;
use super::rule_stops::{resume, stop};
use super::snoozes::{snooze, wake};
use crate::domain::intake::event::{RejectCode, Rejection};
use crate::domain::intake::submission::ReviewAction;
use crate::domain::intake::submission::{FollowUp, Injection, Review, Submission};
use crate::domain::records::layout;
use crate::domain::records::record::{
    FollowUpRecord, InjectionRecord, Judged, ProposalStatus, Refusal, RefusalCode, Registered, ReviewOutcome,
    ReviewRecord, ReviewedStatus, StoredRecord,
};
use crate::domain::rules::lifecycle::quorum;
use crate::domain::rules::lifecycle::rule::{Command, NO_NOTE, RuleNotes};
use crate::domain::rules::lifecycle::signature::{Place, Signed};
use crate::domain::rules::lifecycle::signer;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::batch::outcome::EntryOutcome;
use crate::pipeline::error::{PipelineError, ReviewResult, Stop};
use crate::pipeline::intake::decode::{Incoming, Outcomes};
use crate::pipeline::intake::rejections::reject;
use crate::pipeline::rules::commands::{activate, command, keep_target, unknown};
use crate::pipeline::rules::existing_guidance::unfit;
use crate::pipeline::working_set::{follow_up_key, injection_key, review_key};
use crate::text::prose::line;
use jiff::Timestamp;

/// Applies submissions and counts them for the commit message.
pub(crate) fn submit_all(draft: &mut Draft<'_>, incoming: &Incoming<'_>) -> Result<Outcomes, PipelineError> {
    let mut outcomes = Outcomes::new();
    for (place, submission) in &incoming.submissions {
        let outcome = submit(draft, submission)?;
        match &outcome {
            EntryOutcome::Submitted { .. } => draft.counts.submitted += 1,
            EntryOutcome::Refused { .. } => draft.counts.refused += 1,
            EntryOutcome::Rejected(rejection) => reject(draft, &incoming.entries[*place], rejection)?,
            _ => {}
        }
        outcomes.push((*place, outcome));
    }
    Ok(outcomes)
}

/// Applies a submission. A known one changes nothing.
fn submit(draft: &mut Draft<'_>, submission: &Submission) -> Result<EntryOutcome, PipelineError> {
    match submission {
        Submission::Review(review) => record_review(draft, review),
        Submission::Injection(injection) => Ok(inject(draft, injection)),
        Submission::Import(import) => record_import(draft, import),
        Submission::FollowUp(notice) => Ok(follow_up(draft, notice)),
    }
}

fn record_review(draft: &mut Draft<'_>, review: &Review) -> Result<EntryOutcome, PipelineError> {
    let key = review_key(&review.review_id);
    if draft.memory.knows(&key) {
        return known_review(draft, review);
    }
    // A rejected review does not use up its id: the real reviewer may still decide. Only the same entry is a
    // repetition.
    let refused = draft.memory.refused.get(&review.review_id).cloned();
    if let Some(path) = &refused
        && let Some(known) = draft.open::<ReviewRecord>(path)?
        && known.source == review.source
    {
        return Ok(EntryOutcome::Duplicate(review.review_id.clone()));
    }
    // Future timestamps are capped: a clock that is ahead must not skew a rule's age.
    let at = review.timestamp.min(draft.now);
    let (signed, outcome) = match readable_roster(draft).and_then(|()| signed(draft, review)) {
        Ok(signed) => {
            let outcome = refused_or_done(apply_counted(draft, review, signed.as_ref(), at))?;
            (signed, outcome)
        }
        Err(refusal) => (None, Err(refusal)),
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
    // A rejected review has no effect.
    let judged = Some(std::mem::take(&mut draft.judged)).filter(|_| refusal.is_none()).and_then(Judged::told);
    draft.memory.judged.add(judged.unwrap_or_default());
    let record = record_of(draft, review, signed.as_ref().filter(|_| refusal.is_none()));
    let approved_hash = draft.memory.approval(&record).and_then(|counted| counted.approved_hash.clone());
    let outcome = if refusal.is_none() { ReviewOutcome::Accepted } else { ReviewOutcome::Refused };
    let standing = standing(draft, &review.action);
    let record = ReviewRecord { outcome, refusal, effect, standing, judged, approved_hash, ..record };
    let path = record.path();
    if let Some(earlier) = refused.filter(|earlier| *earlier != path) {
        draft.staging.remove(&earlier);
    }
    match outcome {
        ReviewOutcome::Accepted => {
            draft.memory.know(&key);
            draft.memory.refused.remove(&review.review_id);
            draft.memory.note_approval(record.clone());
        }
        ReviewOutcome::Refused => {
            draft.memory.refused.insert(review.review_id.clone(), path);
        }
    }
    draft.staging.put(record);
    Ok(answer)
}

/// Handles a review under an id that already counts: either a repetition, or a different one, which must not pass for
/// it.
fn known_review(draft: &mut Draft<'_>, review: &Review) -> Result<EntryOutcome, PipelineError> {
    let path = if review.action.is_about_roster() {
        layout::roster_review(&review.review_id)
    } else {
        layout::review(review.timestamp, &review.review_id)
    };
    let path = draft.place_of(path)?;
    let known = match draft.staging.get::<ReviewRecord>(&path) {
        Some(staged) => Some(staged.clone()),
        None => draft.load::<ReviewRecord>(&path)?.and_then(|known| ReviewRecord::of(&known.record).cloned()),
    };
    let differs = match known {
        Some(known) => {
            let said = (&known.action, &known.reviewer_id, &known.content_hash);
            said != (&review.action, &review.reviewer_id, &review.content_hash)
        }
        // An unreadable record cannot be compared; one at another path is from another time.
        None => !draft.stands(&path)?,
    };
    if !differs {
        return Ok(EntryOutcome::Duplicate(review.review_id.clone()));
    }
    let message = format!(
        "`review_id` {} belongs to another accepted review; this one differs. Send it under its own id.",
        review.review_id
    );
    Ok(EntryOutcome::Rejected(Rejection {
        code: RejectCode::ConflictingId,
        field: Some("review_id".to_owned()),
        message,
    }))
}

/// Creates the record of a review, before its outcome is known.
fn record_of(draft: &Draft<'_>, review: &Review, signed: Option<&Signed>) -> ReviewRecord {
    ReviewRecord {
        schema: ReviewRecord::SCHEMA.to_owned(),
        review_id: review.review_id.clone(),
        tenant_id: draft.settings.capture.tenant_id(),
        action: review.action.clone(),
        reviewer_id: review.reviewer_id.clone(),
        timestamp: review.timestamp,
        reason: review.reason.clone(),
        content_hash: review.content_hash.clone(),
        signed: signed.is_some(),
        signature: signed.map(|signed| signed.signature.clone()),
        signed_text: signed.map(|signed| signed.text.clone()),
        signing_key: signed.map(|signed| signed.key.clone()),
        approved_hash: None,
        outcome: ReviewOutcome::Accepted,
        refusal: None,
        effect: None,
        standing: None,
        judged: None,
        recorded_at: draft.now,
        source: review.source.clone(),
    }
}

/// Returns the present state of the review's subject, if that is a proposal or a rule.
fn standing(draft: &Draft<'_>, action: &ReviewAction) -> Option<ReviewedStatus> {
    let rule = &draft.memory.rule(action.subject())?.record;
    let tally = quorum::tally(rule, &draft.memory.roster, draft.settings.terms.min_approvals);
    Some(ReviewedStatus {
        proposal_id: rule.proposal_id.clone(),
        version: rule.version,
        content_hash: rule.content_hash.clone(),
        status: rule.status,
        approvals: u32::try_from(tally.approvers.len()).unwrap_or(u32::MAX),
        needed: u32::try_from(tally.needed).unwrap_or(u32::MAX),
    })
}

/// Applies a review. An approval is counted while the review is applied, and removed again if it is rejected.
fn apply_counted(draft: &mut Draft<'_>, review: &Review, signed: Option<&Signed>, at: Timestamp) -> ReviewResult {
    if review.action.is_about_roster() {
        let record = record_of(draft, review, signed);
        return decide_roster(draft, review, record);
    }
    let ReviewAction::Approve { proposal_id } = &review.action else {
        return apply(draft, review, signed.is_some(), at);
    };
    if draft.settings.rules.require_signatures && review.content_hash.is_none() {
        let message = format!("the approval has no content_hash; sign the one that {proposal_id} shows");
        return Err(Refusal { code: RefusalCode::WrongContentHash, message }.into());
    }
    let hash = draft.memory.rule(proposal_id).map(|rule| rule.record.content_hash.clone());
    let record = ReviewRecord { approved_hash: hash, ..record_of(draft, review, signed) };
    draft.memory.note_approval(record);
    let done = apply(draft, review, signed.is_some(), at);
    if matches!(done, Err(Stop::Refused(_))) {
        draft.memory.forget_approval(proposal_id, &review.review_id);
    }
    done
}

/// Returns the signature of a review, if there is one. It must be valid even if none is required.
fn signed(draft: &Draft<'_>, review: &Review) -> Result<Option<Signed>, Refusal> {
    let bad = |message: String| Err(Refusal { code: RefusalCode::BadSignature, message });
    if review.signature.is_none() {
        if draft.settings.rules.require_signatures {
            return bad(format!(
                "reviews must be signed with a key of {} in reviewers.yaml; see the comment there",
                review.reviewer_id
            ));
        }
        return Ok(None);
    }
    let Some(identity) = draft.memory.identity() else {
        return bad("the store has no id to sign for; start the daemon once".to_owned());
    };
    let tenant = draft.settings.capture.tenant_id();
    let place = Place { store_id: &identity.store_id, tenant_id: tenant.as_deref().unwrap_or_default() };
    let person = draft.memory.roster.find(&review.reviewer_id);
    match signer::check(review, place, person, draft.now, draft.settings.rules.signature_window) {
        Ok(signed) => Ok(Some(signed)),
        Err(message) => bad(message),
    }
}

fn apply(draft: &mut Draft<'_>, review: &Review, signed: bool, at: Timestamp) -> ReviewResult {
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
        ReviewAction::Modify { proposal_id, modified_content, modified_why, modified_concern } => {
            let content = modified_content.clone();
            let is_new = draft.memory.rule(proposal_id).is_some_and(|rule| rule.record.rule_content != content.trim());
            if is_new && let Some(refusal) = unfit(draft, proposal_id, &content)? {
                return Err(refusal.into());
            }
            known_concern(draft, modified_concern.as_deref())?;
            let notes = RuleNotes { why: modified_why.clone(), concern: modified_concern.clone() };
            decide(draft, proposal_id, Command::Modify { by, content_hash, content, notes, reason }, at)
        }
        ReviewAction::Retire { rule_id } => decide(draft, rule_id, Command::Retire { by: Some(by), reason }, at),
        ReviewAction::RollBack { rule_id } => decide(draft, rule_id, Command::RollBack { by, reason }, at),
        ReviewAction::WithdrawImport { import } => withdraw_import(draft, review, import, at),
        ReviewAction::Stop { rule_id } => stop(draft, review, rule_id.as_deref(), at),
        ReviewAction::Resume { rule_id } => resume(draft, review, rule_id.as_deref(), at),
        ReviewAction::Snooze { item, until } => snooze(draft, review, item, *until),
        ReviewAction::Wake { item } => wake(draft, review, item),
        _ => {
            known_person(draft, &by)?;
            teach(draft, review, at)
        }
    }
}

/// Checks that the catalogue has a concern by which a rule is to be measured.
fn known_concern(draft: &Draft<'_>, concern: Option<&str>) -> Result<(), Refusal> {
    let Some(concern) = concern.filter(|id| *id != NO_NOTE) else { return Ok(()) };
    match draft.outside.understanding.catalogue().place(concern) {
        Some(_) => Ok(()),
        None => {
            let hint = "`feedbackd catalogue list` lists the known ones";
            let message = format!("the catalogue has no concern {concern}; {hint}");
            Err(Refusal { code: RefusalCode::UnknownId, message })
        }
    }
}

/// Applies a decision about one rule, and its consequences.
fn decide(draft: &mut Draft<'_>, id: &str, decision: Command, at: Timestamp) -> ReviewResult {
    let Some(record) = draft.memory.rule(id).map(|r| &r.record) else { return Err(unknown(id).into()) };
    let before = record.status;
    // A pattern cannot be decided before it exists: a backdated review must not make a rule older than its evidence,
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
        effect = format!("{effect}; it is pending until there is room");
    }
    if after == ProposalStatus::Rejected && before == ProposalStatus::Pending {
        keep_target(draft, id, "people rejected", at)?;
    }
    Ok(effect)
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

fn follow_up(draft: &mut Draft<'_>, notice: &FollowUp) -> EntryOutcome {
    let id = notice.follow_up_id.clone();
    let key = follow_up_key(&id);
    if draft.memory.knows(&key) {
        return EntryOutcome::Duplicate(id);
    }
    draft.memory.know(&key);
    let record = FollowUpRecord::of(notice, draft.settings.capture.tenant_id());
    let (what, of): (&'static str, _) = (record.what.into(), record.remark.as_ref().map_or("review", |_| "remark"));
    draft.counts.rule_events.push(format!("record a {of} {what} on {}#{}", record.repository, record.number));
    draft.staging.put(record);
    EntryOutcome::Submitted { id, effect: "recorded".to_owned() }
}

/// Returns what was done or why it was rejected; a failure ends the batch.
fn refused_or_done(reviewed: ReviewResult) -> Result<Result<String, Refusal>, PipelineError> {
    match reviewed {
        Ok(effect) => Ok(Ok(effect)),
        Err(Stop::Refused(refusal)) => Ok(Err(refusal)),
        Err(Stop::Failed(error)) => Err(error),
    }
}
