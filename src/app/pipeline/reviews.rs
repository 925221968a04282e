//! Submissions of a batch: reviews are applied and recorded, accepted or refused; injections and imports are recorded.

use super::Batch;
use super::rules::unknown;
use crate::app::pipeline::state::{injection_key, review_key};
use crate::app::pipeline::{EntryOutcome, PipelineError};
use crate::domain::intake::submission::ReviewAction;
use crate::domain::intake::submission::{Import, Injection, Review, Submission};
use crate::domain::language::specificity;
use crate::domain::prose::line;
use crate::domain::records::layout;
use crate::domain::records::record::{
    ImportRecord, InjectionRecord, ProposalStatus, Refusal, RefusalCode, ReviewOutcome, ReviewRecord, StoredRecord,
};
use crate::domain::rules::drafting::restate;
use crate::domain::rules::lifecycle::rule::Command;
use crate::domain::rules::lifecycle::signature;
use jiff::Timestamp;

/// What a review led to, in words, or why it changes nothing.
pub(super) type Reviewed = Result<Result<String, Refusal>, PipelineError>;

impl Batch<'_> {
    /// Takes a submission up. One that is known changes nothing.
    pub fn submit(&mut self, submission: &Submission) -> Result<EntryOutcome, PipelineError> {
        match submission {
            Submission::Review(review) => self.review(review),
            Submission::Injection(injection) => Ok(self.inject(injection)),
            Submission::Import(import) => self.import(import),
        }
    }

    /// Counts what was submitted, for the commit's message.
    pub fn count_submissions(&mut self, outcomes: &[EntryOutcome]) {
        for outcome in outcomes {
            match outcome {
                EntryOutcome::Submitted { .. } => self.counts.submitted += 1,
                EntryOutcome::Refused { .. } => self.counts.refused += 1,
                _ => {}
            }
        }
    }

    fn review(&mut self, review: &Review) -> Result<EntryOutcome, PipelineError> {
        let key = review_key(&review.review_id);
        if self.state.knows(&key) {
            return Ok(EntryOutcome::Duplicate(review.review_id.clone()));
        }
        self.state.know(&key);
        // Nobody decides in the future: a clock that is ahead must not make a rule older than it is.
        let at = review.timestamp.min(self.now);
        let (signed, outcome) = match self.readable_roster().and_then(|()| self.signed(review)) {
            Ok(signed) => (signed, self.apply(review, signed, at)?),
            Err(refusal) => (false, Err(refusal)),
        };
        if let Err(refusal) = &outcome {
            let what =
                format!("refuse {} of {} by {}", review.action.word(), review.action.subject(), review.reviewer_id);
            self.counts.rule_events.push(line(&format!("{what} ({})", refusal.code.as_str()), 120));
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
        let record = ReviewRecord {
            schema: "feedbackd.review/1".to_owned(),
            review_id: review.review_id.clone(),
            tenant_id: self.settings.capture.tenant_id(),
            action: review.action.clone(),
            reviewer_id: review.reviewer_id.clone(),
            timestamp: review.timestamp,
            reason: review.reason.clone(),
            content_hash: review.content_hash.clone(),
            signed,
            outcome: if refusal.is_none() { ReviewOutcome::Accepted } else { ReviewOutcome::Refused },
            refusal,
            effect,
            recorded_at: self.now,
            source: review.source.clone(),
        };
        self.staging.put(record);
        Ok(answer)
    }

    /// Whether a review is signed, where the roster knows keys of its maker.
    fn signed(&self, review: &Review) -> Result<bool, Refusal> {
        let bad = |message: String| Err(Refusal { code: RefusalCode::BadSignature, message });
        let keys = self.state.roster.find(&review.reviewer_id).map(|r| r.ssh_public_keys.clone()).unwrap_or_default();
        if review.signature.is_none() {
            if self.settings.rules.require_signatures {
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

    fn apply(&mut self, review: &Review, signed: bool, at: Timestamp) -> Reviewed {
        let (by, reason) = (review.reviewer_id.clone(), review.reason.clone());
        let content_hash = review.content_hash.clone();
        match &review.action {
            ReviewAction::Approve { proposal_id } => {
                let review_id = review.review_id.clone();
                self.decide(proposal_id, Command::Approve { by, review_id, content_hash, signed }, at)
            }
            ReviewAction::Reject { proposal_id } => {
                self.decide(proposal_id, Command::Reject { by, content_hash, reason }, at)
            }
            ReviewAction::Modify { proposal_id, modified_content } => {
                let content = modified_content.clone();
                if let Some(refusal) = self.unfit(proposal_id, &content)? {
                    return Ok(Err(refusal));
                }
                self.decide(proposal_id, Command::Modify { by, content_hash, content, reason }, at)
            }
            ReviewAction::Retire { rule_id } => self.decide(rule_id, Command::Retire { by: Some(by), reason }, at),
            ReviewAction::RollBack { rule_id } => self.decide(rule_id, Command::RollBack { by, reason }, at),
            _ => match self.known_person(&by) {
                Err(refusal) => Ok(Err(refusal)),
                Ok(()) => self.teach(review, at),
            },
        }
    }

    /// Why a text cannot be a rule: it is vague or mere advice, or it says what is said already.
    pub(super) fn unfit(&self, id: &str, content: &str) -> Result<Option<Refusal>, PipelineError> {
        if let Some(finding) = specificity::lint(content).into_iter().next() {
            return Ok(Some(Refusal { code: RefusalCode::VagueText, message: finding.message }));
        }
        let Some(record) = self.state.rule(id).map(|r| &r.record) else { return Ok(None) };
        let vector = self.outside.understanding.rule_text(content, record.concern.as_deref())?;
        let known =
            self.said_already(record.tenant_id.as_deref().unwrap_or_default(), &record.affected_agents, Some(id));
        let found = restate::restates(
            content,
            vector.as_ref(),
            &known,
            &self.state.remarks.policy.calibration,
            self.settings.thresholds.duplicate_at,
        );
        let refusal = |found| Refusal { code: RefusalCode::Restatement, message: format!("the text {found}") };
        Ok(found.map(refusal))
    }

    /// A decision about one rule, and what follows from it.
    fn decide(&mut self, id: &str, command: Command, at: Timestamp) -> Reviewed {
        let Some(record) = self.state.rule(id).map(|r| &r.record) else { return Ok(Err(unknown(id))) };
        let before = record.status;
        // Nobody decides about a pattern before it is one: a date of long ago must not make a rule older than its
        // evidence, and what was decided before it look like its effect.
        let at = at.max(record.pattern_since.unwrap_or(record.created_at).min(self.now));
        let done = match self.command(id, &command, at)? {
            Ok(done) => done,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let after = done.after.status;
        let word = match (&command, after) {
            (Command::Approve { .. }, ProposalStatus::Approved) => "approve",
            (Command::Approve { .. }, _) => "count an approval of",
            (Command::Reject { .. }, _) => "reject",
            (Command::Modify { .. }, _) => "modify",
            (Command::Retire { .. }, _) => "retire",
            _ => "roll back",
        };
        self.counts.rule_events.push(format!("{word} {id}"));
        let mut effect = done.effect;
        if after == ProposalStatus::Approved
            && let Some(more) = self.activate(id, true, at)?
        {
            effect = format!("{effect}; {more}");
        } else if after == ProposalStatus::Approved {
            effect = format!("{effect}; it waits until there is room");
        }
        if after == ProposalStatus::Rejected && before == ProposalStatus::Pending {
            self.keep_target(id, "people rejected", at)?;
        }
        Ok(Ok(effect))
    }

    /// A retirement was turned down, or came to nothing: its rule is no longer in question, until it is asked again.
    pub(super) fn keep_target(&mut self, id: &str, why: &str, at: Timestamp) -> Result<(), PipelineError> {
        let Some(record) = self.state.rule(id).map(|r| r.record.clone()) else { return Ok(()) };
        if record.action_type == crate::domain::grouping::evaluation::ActionType::RetireRule
            && let Some(target) = &record.target_rule
        {
            let reason = format!("{why} {id}: {}", record.reason.unwrap_or_default());
            let _ = self.command(target, &Command::Clear { reason }, at)?;
        }
        Ok(())
    }

    /// A roster that cannot be read lets nobody decide, and that is no fault of whoever tries.
    fn readable_roster(&self) -> Result<(), Refusal> {
        match &self.state.roster_error {
            None => Ok(()),
            Some(error) => Err(Refusal {
                code: RefusalCode::NotAnApprover,
                message: format!("{} cannot be read ({error}); until it is mended nobody can decide", layout::ROSTER),
            }),
        }
    }

    /// What is decided about feedback and clusters takes somebody of the roster.
    fn known_person(&self, id: &str) -> Result<(), Refusal> {
        self.readable_roster()?;
        if self.state.roster.find(id).is_some() {
            return Ok(());
        }
        let message = format!("{id} is not on the roster; add this person to reviewers.yaml and commit it");
        Err(Refusal { code: RefusalCode::NotAnApprover, message })
    }

    fn inject(&mut self, injection: &Injection) -> EntryOutcome {
        let id = injection.injection_id.clone();
        let key = injection_key(&id);
        if self.state.knows(&key) {
            return EntryOutcome::Duplicate(id);
        }
        self.state.know(&key);
        let record = InjectionRecord::of(injection, self.settings.capture.tenant_id());
        self.counts.rule_events.push(format!("log a prompt of {}", record.agent));
        self.staging.put(record);
        EntryOutcome::Submitted { id, effect: "recorded".to_owned() }
    }

    /// Imported rules replace those of the same name.
    fn import(&mut self, import: &Import) -> Result<EntryOutcome, PipelineError> {
        // What is imported is not proposed any more: that is not for strangers to say.
        if let Err(refusal) = self.known_person(&import.imported_by) {
            tracing::warn!(import = import.name, by = import.imported_by, refusal = refusal.message, "import refused");
            return Ok(EntryOutcome::Refused { id: import.name.clone(), refusal });
        }
        let record = ImportRecord::of(import, self.settings.capture.tenant_id());
        let known = self.open::<ImportRecord>(&record.path())?;
        if known.is_some_and(|known| known.file_hash == record.file_hash && known.agents == record.agents) {
            return Ok(EntryOutcome::Duplicate(import.name.clone()));
        }
        self.counts.rule_events.push(format!("import {} rules of {}", import.rules.len(), import.name));
        self.state.note_import(&record, self.outside.understanding.as_ref())?;
        self.staging.put(record);
        let effect = format!("{} rules are known as in force elsewhere", import.rules.len());
        Ok(EntryOutcome::Submitted { id: import.name.clone(), effect })
    }
}
