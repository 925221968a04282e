//! Queries a language model, if one is configured: what to ask next, the daily budget, and the answers received.
//!
//! Nothing here blocks, and nothing here applies an answer: the batch does that (`advice.rs`). Comments are read first,
//! then demands are placed, then patterns are checked, with as many concurrent questions as the model accepts. A
//! failing model is left alone for a while. Without a model, none of this runs.

use super::pending_checks::PendingChecks;
use super::pending_placements::PendingPlacements;
use super::pending_readings::{ReadOne, Unread};
use super::progress::Progress;
use crate::domain::records::record::{AdviceKind, AdviceReply, CheckReplies, Tokens};
use crate::domain::rules::draft::advice::{
    AdviceAnswer, AdviceFailure, AdviceQuestion, CheckQuestion, OneCheck, ScreenError, adviser, prompt, read_checks,
    read_places,
};
use crate::metrics;
use crate::metrics::ModelOutcome;
use crate::pipeline::deps::Deps;
use crate::pipeline::settings::{AdviceSettings, Settings};
use crate::pipeline::working_set::{WorkingSet, advice_key};
use crate::ports::{Advisor, KnowledgeError};
use crate::text::prose::utc_day;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeSet, HashMap};

/// Initial pause after a model failure; doubled each time, up to an hour.
const PAUSE: SignedDuration = SignedDuration::from_secs(10);
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// The pause length from which a command stops waiting.
const FAILED: SignedDuration = SignedDuration::from_secs(80);
/// The pause length from which the program carries on as if there were no model.
const AWAY: SignedDuration = SignedDuration::from_mins(5);
/// The number of consecutive unusable answers that is blamed on the model rather than on the content shown.
const IN_ROW: usize = 8;
/// How many placing questions may run while comments are still being read, and the minimum size of a pattern checked at
/// that stage.
const EARLY: usize = 2;
const LARGE: u64 = 6;
/// Approximate number of characters per token.
const CHARACTERS: u64 = 4;

/// A model and the questions sent to it.
pub(crate) struct ModelQueue {
    advisor: Box<dyn Advisor>,
    in_flight: HashMap<String, UnderWay>,
    arrived: Vec<PendingAnswer>,
    /// Tokens spent that day on questions that yielded nothing and so have no record.
    lost: (Date, Tokens),
    pause: Option<(Timestamp, SignedDuration)>,
    /// Consecutive questions without a usable answer.
    in_row: usize,
    unread: Unread,
    unplaced: PendingPlacements,
    unchecked: PendingChecks,
    progress: Progress,
}

/// A question in flight.
struct UnderWay {
    question: AdviceQuestion,
    asked_at: Timestamp,
    /// Its estimated token cost.
    expected: Tokens,
}

/// An answer that has not been applied yet.
pub(crate) struct PendingAnswer {
    /// The question.
    pub question: AdviceQuestion,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// The reply, or why it was rejected.
    pub reply: Result<AdviceReply, ScreenError>,
    /// Patterns that are not retried although no usable answer came for them, each with the reason.
    pub given_up: Vec<(String, String)>,
    /// Tokens used.
    pub tokens: Tokens,
}

impl ModelQueue {
    pub(crate) fn new(advisor: Box<dyn Advisor>) -> ModelQueue {
        ModelQueue {
            advisor,
            in_flight: HashMap::new(),
            arrived: Vec::new(),
            lost: (Date::MIN, Tokens::default()),
            pause: None,
            in_row: 0,
            unread: Unread::default(),
            unplaced: PendingPlacements::default(),
            unchecked: PendingChecks::default(),
            progress: Progress::default(),
        }
    }

    /// Returns the model's name, for records.
    pub(crate) fn model(&self) -> &str {
        self.advisor.model()
    }

    /// Returns the name recorded when the model decides something.
    pub(crate) fn adviser(&self) -> String {
        adviser(self.advisor.model())
    }

    /// Returns the answers that are not durable yet.
    pub(crate) fn arrived(&self) -> &[PendingAnswer] {
        &self.arrived
    }

    /// Returns the readings that are not durable yet.
    pub(crate) fn readings(&self) -> &[ReadOne] {
        self.unread.arrived()
    }

    /// Reports whether an answer is in flight or not durable yet.
    pub(crate) fn is_busy(&self) -> bool {
        !self.in_flight.is_empty() || self.has_arrived()
    }

    /// Reports whether an answer is not durable yet.
    pub(crate) fn has_arrived(&self) -> bool {
        !self.arrived.is_empty() || !self.unread.arrived().is_empty()
    }

    /// Returns the model's progress.
    pub(crate) fn progress(&self) -> Progress {
        let has_failed = self.pause.is_some_and(|(_, pause)| pause >= FAILED);
        Progress { under_way: self.in_flight.len() as u64, has_failed, ..self.progress.clone() }
    }

    /// Reports whether the model has failed for so long that the program continues without it.
    pub(crate) fn is_away(&self) -> bool {
        self.pause.is_some_and(|(_, pause)| pause >= AWAY)
    }

    /// Reports whether the model is paused after a failure.
    pub(crate) fn is_paused(&self, now: Timestamp) -> bool {
        self.pause.is_some_and(|(until, _)| now < until)
    }

    /// Collects the answers that have arrived.
    pub(crate) fn collect(&mut self, now: Timestamp) {
        for AdviceAnswer { question, text, usage } in self.advisor.answers() {
            let Some(UnderWay { question, asked_at, .. }) = self.in_flight.remove(&question) else { continue };
            let tokens = Tokens { input: usage.input, output: usage.output };
            self.progress.answered += 1;
            self.progress.tokens += tokens;
            match text {
                Ok(text) => self.take(question, &text, asked_at, now, tokens),
                Err(AdviceFailure::Refused(why)) => {
                    metrics::advice_answered(ModelOutcome::Refused);
                    self.refuse(question, &ScreenError::Unanswered(why), asked_at, now, tokens);
                }
                Err(failure @ AdviceFailure::CutOff) => {
                    metrics::advice_answered(ModelOutcome::Refused);
                    if let AdviceQuestion::Read(read) = &question {
                        self.lose(asked_at, tokens);
                        self.unread.skip(read);
                        self.count_bad(&failure.to_string(), now);
                        continue;
                    }
                    self.refuse(question, &ScreenError::Unanswered(failure.to_string()), asked_at, now, tokens);
                }
                Err(failure) => self.failed(&question, &failure, asked_at, now, tokens),
            }
        }
    }

    fn take(&mut self, question: AdviceQuestion, text: &str, asked_at: Timestamp, now: Timestamp, tokens: Tokens) {
        let reply = match &question {
            AdviceQuestion::Read(read) => {
                let taken = self.unread.take(read, text, asked_at, tokens);
                metrics::advice_answered(answered(&taken));
                match taken {
                    Ok(()) => self.answers_again(),
                    Err(why) => drop(self.count_bad(&why.to_string(), now)),
                }
                return;
            }
            AdviceQuestion::Place(place) => read_places(place, text).map(AdviceReply::Place),
            AdviceQuestion::Check(check) => {
                let check = check.clone();
                self.take_checks(question, &check, text, asked_at, now, tokens);
                return;
            }
        };
        metrics::advice_answered(answered(&reply));
        match reply {
            Ok(reply) => {
                self.answers_again();
                self.arrived.push(PendingAnswer { question, asked_at, reply: Ok(reply), given_up: Vec::new(), tokens });
            }
            Err(why) => {
                // Wording rejected by the linter does not mean that the model fails to understand.
                if matches!(why, ScreenError::Lint(_)) {
                    self.answers_again();
                }
                self.refuse(question, &why, asked_at, now, tokens);
            }
        }
    }

    /// Collects the check of each pattern. A pattern without a usable check is asked about once more, on its own.
    fn take_checks(
        &mut self,
        question: AdviceQuestion,
        check: &CheckQuestion,
        text: &str,
        asked_at: Timestamp,
        now: Timestamp,
        tokens: Tokens,
    ) {
        let checks = read_checks(check, text);
        metrics::advice_answered(answered(&checks));
        let checks = match checks {
            Ok(checks) => checks,
            Err(why) => return self.refuse(question, &why, asked_at, now, tokens),
        };
        self.answers_again();
        let (mut patterns, mut given_up) = (Vec::new(), Vec::new());
        for OneCheck { about, check } in checks {
            match check {
                Ok(reply) => patterns.push(reply),
                Err(why) => {
                    if !self.unchecked.try_again(&about, &why.to_string()) {
                        given_up.push((about, why.to_string()));
                    }
                }
            }
        }
        let reply = Ok(AdviceReply::Check(CheckReplies { patterns }));
        self.arrived.push(PendingAnswer { question, asked_at, reply, given_up, tokens });
    }

    fn answers_again(&mut self) {
        self.in_row = 0;
        self.progress.failure = None;
        if self.pause.take().is_some() {
            tracing::info!(model = self.model(), "the language model answers again");
        }
    }

    /// Handles a question without a usable answer: its content is asked about in smaller parts until the offending item
    /// is found.
    fn refuse(
        &mut self,
        question: AdviceQuestion,
        why: &ScreenError,
        asked_at: Timestamp,
        now: Timestamp,
        tokens: Tokens,
    ) {
        if !matches!(why, ScreenError::Lint(_)) && self.count_bad(&why.to_string(), now) {
            self.lose(asked_at, tokens);
            self.put_back(&question);
            return;
        }
        tracing::debug!(kind = <&str>::from(question.kind()), %why, "a question to the language model got no usable answer");
        let mut given_up = Vec::new();
        match &question {
            AdviceQuestion::Read(read) => {
                self.unread.refuse(read, why, asked_at, tokens);
                return;
            }
            AdviceQuestion::Place(place) if self.unplaced.refuse(place) => {
                self.lose(asked_at, tokens);
                return;
            }
            AdviceQuestion::Place(_) => {}
            AdviceQuestion::Check(check) => {
                for about in check.groups() {
                    if !self.unchecked.try_again(&about, &why.to_string()) {
                        given_up.push((about, why.to_string()));
                    }
                }
            }
        }
        self.arrived.push(PendingAnswer { question, asked_at, reply: Err(why.clone()), given_up, tokens });
    }

    /// Counts a question without a usable answer. Returns true if there were so many in a row that the model is to
    /// blame.
    fn count_bad(&mut self, why: &str, now: Timestamp) -> bool {
        self.in_row += 1;
        let is_to_blame = self.in_row >= IN_ROW;
        if is_to_blame {
            self.leave_alone(&format!("its answers are unusable: {why}"), now);
        }
        is_to_blame
    }

    fn failed(
        &mut self,
        question: &AdviceQuestion,
        failure: &AdviceFailure,
        asked_at: Timestamp,
        now: Timestamp,
        tokens: Tokens,
    ) {
        let too_long = *failure == AdviceFailure::Timeout;
        metrics::advice_answered(if too_long { ModelOutcome::Timeout } else { ModelOutcome::Error });
        self.lose(asked_at, tokens);
        match question {
            AdviceQuestion::Read(read) => self.unread.failed(read, too_long),
            _ => self.put_back(question),
        }
        self.leave_alone(&failure.to_string(), now);
    }

    fn put_back(&mut self, question: &AdviceQuestion) {
        match question {
            AdviceQuestion::Read(read) => self.unread.put_back(read),
            AdviceQuestion::Place(place) => self.unplaced.put_back(place),
            AdviceQuestion::Check(_) => self.unchecked.look_again(),
        }
    }

    fn leave_alone(&mut self, why: &str, now: Timestamp) {
        let pause = match self.pause {
            // Several questions failing together count as one failure.
            Some((until, _)) if now < until => return,
            Some((_, last)) => (last * 2).min(LONGEST_PAUSE),
            None => PAUSE,
        };
        tracing::warn!(
            model = self.model(),
            failure = why,
            pause_seconds = pause.as_secs(),
            "the language model is not asked for a while; everything else continues, and it is asked again later"
        );
        self.progress.failure = Some(why.to_owned());
        self.pause = Some((now.checked_add(pause).unwrap_or(now), pause));
    }

    fn lose(&mut self, asked_at: Timestamp, tokens: Tokens) {
        let day = utc_day(asked_at);
        if self.lost.0 != day {
            self.lost = (day, Tokens::default());
        }
        self.lost.1 += tokens;
    }

    /// Returns the tokens used today, including estimates for the questions in flight.
    fn spent(&self, memory: &WorkingSet, now: Timestamp) -> Tokens {
        let today = utc_day(now);
        let mut spent = memory.advised.get(&today).copied().unwrap_or_default();
        if self.lost.0 == today {
            spent += self.lost.1;
        }
        self.arrived.iter().for_each(|arrived| spent += arrived.tokens);
        self.in_flight.values().for_each(|under_way| spent += under_way.expected);
        spent
    }

    /// Called when everything collected is durable. Asks the next useful questions, within the model's capacity and the
    /// day's budget.
    pub(crate) fn ask_next(
        &mut self,
        memory: &WorkingSet,
        outside: &Deps,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<(), KnowledgeError> {
        self.arrived.clear();
        self.unread.clear();
        let spent = self.spent(memory, now);
        let left = settings.advice.left(spent);
        metrics::advice_tokens_left(left);
        self.progress.is_spent = left == 0;
        if self.is_paused(now) {
            return Ok(());
        }
        // After a failure, one question is enough to see whether the model answers again.
        let most = if self.pause.is_some() { 1 } else { usize::MAX };
        while self.in_flight.len() < most {
            let spent = self.spent(memory, now);
            let Some(question) = self.next(memory, outside, settings, now)? else { break };
            let expected = expected(&question);
            let mut with_it = spent;
            with_it += expected;
            self.progress.is_spent = settings.advice.left(with_it) == 0;
            if self.progress.is_spent || !self.advisor.ask(question.clone()) {
                self.put_back(&question);
                break;
            }
            metrics::advice_asked(question.kind());
            self.in_flight.insert(question.hash(), UnderWay { question, asked_at: now, expected });
        }
        Ok(())
    }

    /// Returns the next question worth asking now, if any.
    fn next(
        &mut self,
        memory: &WorkingSet,
        outside: &Deps,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<Option<AdviceQuestion>, KnowledgeError> {
        let AdviceSettings { read, place, check, .. } = settings.advice;
        if self.advisor.room() == 0 {
            return Ok(None);
        }
        let reading = self.under_way(|question| matches!(question, AdviceQuestion::Read(_)));
        let placing = self.under_way(|question| matches!(question, AdviceQuestion::Place(_)));
        let checking = self.under_way(|question| matches!(question, AdviceQuestion::Check(_)));
        // In a long history, the first patterns appear while the rest is still being read.
        let early = place && self.count(AdviceKind::Place) < EARLY && self.unplaced.are_many(memory, &placing);
        if early && let Some(next) = self.unplaced.next(memory, outside, &placing, false)? {
            return Ok(Some(AdviceQuestion::Place(next)));
        }
        let early = check && checking.is_empty() && !(reading.is_empty() && placing.is_empty());
        if early && let Some(next) = self.unchecked.next(memory, outside, settings, now, &checking, LARGE)? {
            return Ok(self.is_new(memory, AdviceQuestion::Check(next)));
        }
        if read && let Some(next) = self.unread.next(memory, outside, settings.advice.read_batch, &reading) {
            return Ok(Some(AdviceQuestion::Read(next)));
        }
        // Unread comments may belong with it.
        if !reading.is_empty() {
            return Ok(None);
        }
        if place && let Some(next) = self.unplaced.next(memory, outside, &placing, true)? {
            return Ok(Some(AdviceQuestion::Place(next)));
        }
        // Unplaced demands may change what there is to check.
        if !placing.is_empty() || !check {
            return Ok(None);
        }
        let next = self.unchecked.next(memory, outside, settings, now, &checking, 0)?;
        Ok(next.and_then(|next| self.is_new(memory, AdviceQuestion::Check(next))))
    }

    /// Returns the question if it was not asked before.
    fn is_new(&self, memory: &WorkingSet, question: AdviceQuestion) -> Option<AdviceQuestion> {
        (!memory.knows(&advice_key(&question.hash()))).then_some(question)
    }

    /// Returns the number of questions of a kind in flight.
    fn count(&self, kind: AdviceKind) -> usize {
        self.in_flight.values().filter(|under_way| under_way.question.kind() == kind).count()
    }

    /// Returns what the in-flight questions of a kind are about.
    fn under_way(&self, kind: impl Fn(&AdviceQuestion) -> bool) -> BTreeSet<String> {
        let asked = self.in_flight.values().map(|under_way| &under_way.question).filter(|question| kind(question));
        asked.flat_map(AdviceQuestion::about).collect()
    }
}

/// Estimates the tokens that a question may use.
fn expected(question: &AdviceQuestion) -> Tokens {
    let prompt = prompt(question);
    let characters = (prompt.system.len() + prompt.user.len()) as u64;
    Tokens { input: characters / CHARACTERS, output: u64::from(prompt.max_tokens) / 2 }
}

/// Returns the outcome of an answer, for metrics.
fn answered<T>(reply: &Result<T, ScreenError>) -> ModelOutcome {
    match reply {
        Ok(_) => ModelOutcome::Accepted,
        Err(ScreenError::Schema(_)) => ModelOutcome::RefusedSchema,
        Err(ScreenError::Lint(_)) => ModelOutcome::RefusedLint,
        Err(ScreenError::Unanswered(_)) => ModelOutcome::Refused,
    }
}
