//! Asking a language model, where there is one: what is worth asking, how much a day, and what came back.
//!
//! Nothing here waits, and nothing here follows an answer: that is the batch's work (`advice.rs`). A model that
//! fails is left alone for a while; without one none of this runs.

use super::choosing::Undecided;
use super::memory::{Memory, about_key, advice_key, utc_day};
use super::settings::Settings;
use super::unread::{ReadOne, Unread};
use crate::app::evaluator::Evaluator;
use crate::domain::grouping::evaluation::{ActionType, Classification};
use crate::domain::grouping::question::Question;
use crate::domain::grouping::{Cluster, Group, Groups, Policy};
use crate::domain::ids::CommitId;
use crate::domain::records::record::AdviceReply;
use crate::domain::rules::drafting::advice::{
    AdviceFailure, AdviceQuestion, DRAFT_REMARKS, DraftQuestion, PAIR_REMARKS, PairQuestion, Refused, Side, adviser,
    read_answer,
};
use crate::metrics::{self, Answered};
use crate::ports::{Advisor, KnowledgeError};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::RangeInclusive;

/// How the reason for a missing proposal begins where none of a pattern's remarks makes a rule.
pub(super) const NO_TEXT: &str = "No remark makes a rule";

/// How probable it must be that two groups ask for the same, for a model to be asked about them.
const BAND: RangeInclusive<f64> = 0.1..=0.8;
/// How many of the questions that pay most are looked at.
const RANKED: usize = 40;
/// How many new questions one look asks at most.
const A_LOOK: usize = 2;
/// Ranking compares many groups: not with every commit.
const RANK_EVERY: SignedDuration = SignedDuration::from_secs(30);
/// How long a model that failed is left alone; doubled each time, up to an hour.
const PAUSE: SignedDuration = SignedDuration::from_secs(30);
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// A model and what it was asked.
pub(super) struct Advising {
    advisor: Box<dyn Advisor>,
    in_flight: HashMap<String, (AdviceQuestion, Timestamp)>,
    arrived: Vec<Arrived>,
    /// Questions of a day that brought no answer: they count, and have no record.
    lost: (Date, u64),
    waiting: VecDeque<AdviceQuestion>,
    ranked: Option<(Option<CommitId>, Timestamp)>,
    pause: Option<(Timestamp, SignedDuration)>,
    unread: Unread,
    undecided: Undecided,
}

/// An answer that is not followed yet.
pub(super) struct Arrived {
    /// What was asked.
    pub question: AdviceQuestion,
    /// When.
    pub asked_at: Timestamp,
    /// What it says, or why it is not believed.
    pub reply: Result<AdviceReply, Refused>,
}

impl Advising {
    pub(super) fn new(advisor: Box<dyn Advisor>) -> Advising {
        Advising {
            advisor,
            in_flight: HashMap::new(),
            arrived: Vec::new(),
            lost: (Date::MIN, 0),
            waiting: VecDeque::new(),
            ranked: None,
            pause: None,
            unread: Unread::new(),
            undecided: Undecided::default(),
        }
    }

    /// The model's name, for records.
    pub(super) fn model(&self) -> &str {
        self.advisor.model()
    }

    /// Who is named where the model decides something.
    pub(super) fn adviser(&self) -> String {
        adviser(self.advisor.model())
    }

    /// Answers that are not durable yet.
    pub(super) fn arrived(&self) -> &[Arrived] {
        &self.arrived
    }

    /// Readings that are not durable yet.
    pub(super) fn readings(&self) -> &[ReadOne] {
        self.unread.arrived()
    }

    /// Whether an answer is under way, or not durable yet.
    pub(super) fn is_busy(&self) -> bool {
        !self.in_flight.is_empty() || !self.arrived.is_empty() || !self.unread.arrived().is_empty()
    }

    /// Takes in what has come back.
    pub(super) fn collect(&mut self, now: Timestamp) {
        for answer in self.advisor.answers() {
            let Some((question, asked_at)) = self.in_flight.remove(&answer.question) else { continue };
            match answer.text {
                Ok(text) => {
                    if self.pause.take().is_some() {
                        tracing::info!(model = self.model(), "the language model answers again");
                    }
                    if let AdviceQuestion::Read(read) = &question {
                        let taken = self.unread.take(read, &text, asked_at);
                        metrics::advice_answered(answered(&taken));
                        continue;
                    }
                    let reply = read_answer(&question, &text);
                    metrics::advice_answered(answered(&reply));
                    self.arrived.push(Arrived { question, asked_at, reply });
                }
                Err(failure) => self.failed(&question, &failure, asked_at, now),
            }
        }
    }

    fn failed(&mut self, question: &AdviceQuestion, failure: &AdviceFailure, asked_at: Timestamp, now: Timestamp) {
        let in_time = *failure != AdviceFailure::Timeout;
        metrics::advice_answered(if in_time { Answered::Error } else { Answered::Timeout });
        if let AdviceQuestion::Read(read) = question {
            self.unread.failed(read, asked_at, !in_time);
        } else {
            let day = utc_day(asked_at);
            self.lost = if self.lost.0 == day { (day, self.lost.1 + 1) } else { (day, 1) };
        }
        self.undecided.look_again();
        let pause = match self.pause {
            // Several questions that fail together are one failure.
            Some((until, _)) if now < until => return,
            Some((_, last)) => (last * 2).min(LONGEST_PAUSE),
            None => {
                tracing::warn!(
                    model = self.model(), %failure,
                    "the language model does not answer; without it nothing stops, and it is asked again later"
                );
                PAUSE
            }
        };
        self.pause = Some((now.checked_add(pause).unwrap_or(now), pause));
        // What was not answered may be asked again.
        self.ranked = None;
    }

    /// Questions that the day has left: those of the day with a record, those under way, and those that brought nothing.
    fn budget_left(&self, memory: &Memory, settings: &Settings, now: Timestamp) -> u64 {
        let today = utc_day(now);
        let recorded = memory.advised.get(&today).copied().unwrap_or_default();
        let counts = |(question, at): &&(AdviceQuestion, Timestamp)| {
            utc_day(*at) == today && !matches!(question, AdviceQuestion::Read(_))
        };
        let under_way = self.in_flight.values().filter(counts).count() as u64;
        let lost = if self.lost.0 == today { self.lost.1 } else { 0 };
        settings.advice.daily_budget.saturating_sub(recorded + under_way + lost)
    }

    fn rank(
        &mut self,
        memory: &Memory,
        evaluator: Evaluator<'_>,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<(), KnowledgeError> {
        let stale =
            self.ranked.as_ref().is_none_or(|(head, at)| *head != memory.head && now.duration_since(*at) >= RANK_EVERY);
        if !stale {
            return Ok(());
        }
        self.waiting.clear();
        if settings.advice.draft {
            self.waiting.extend(drafts(memory));
            self.waiting.extend(new_drafts(memory));
        }
        if settings.advice.judge {
            self.waiting.extend(pairs(evaluator)?);
        }
        self.ranked = Some((memory.head.clone(), now));
        Ok(())
    }

    /// What was taken in is durable now; asks what is worth asking next, where the day has questions left.
    pub(super) fn ask_next(
        &mut self,
        memory: &Memory,
        evaluator: Evaluator<'_>,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<(), KnowledgeError> {
        self.arrived.clear();
        self.unread.clear();
        let mut left = self.budget_left(memory, settings, now);
        let paused = self.pause.is_some_and(|(until, _)| now < until);
        // What is not read yet may belong elsewhere: nothing is asked about groups before.
        let reads = !paused && settings.advice.read && self.read_next(memory, settings, now);
        if !paused && !reads && left > 0 {
            if settings.advice.choose {
                left -= self.choose_next(memory, evaluator, left, now)?;
            }
            self.rank(memory, evaluator, settings, now)?;
            let mut asked = 0;
            while asked < A_LOOK && left > 0 {
                let Some(question) = self.waiting.pop_front() else { break };
                let (hash, about) = (question.hash(), question.about());
                let known = memory.knows(&advice_key(&hash)) || memory.knows(&about_key(&about));
                let same = |(other, _): &(AdviceQuestion, Timestamp)| other.about() == about;
                if known || self.in_flight.contains_key(&hash) || self.in_flight.values().any(same) {
                    continue;
                }
                if !self.advisor.ask(question.clone()) {
                    self.waiting.push_front(question);
                    break;
                }
                metrics::advice_asked(question.kind());
                self.in_flight.insert(hash, (question, now));
                (asked, left) = (asked + 1, left - 1);
            }
        }
        metrics::advice_budget_left(left);
        Ok(())
    }

    /// Asks what the next remarks ask for, one question at a time. Whether something is left to read, and may be today.
    fn read_next(&mut self, memory: &Memory, settings: &Settings, now: Timestamp) -> bool {
        let reading = |(question, _): &(AdviceQuestion, Timestamp)| match question {
            AdviceQuestion::Read(read) => Some(read.about()),
            _ => None,
        };
        let under_way: BTreeSet<String> = self.in_flight.values().filter_map(reading).flatten().collect();
        let left = self.unread.budget_left(memory, settings, under_way.len() as u64, now);
        metrics::readings_budget_left(left);
        if !under_way.is_empty() {
            return true;
        }
        if left == 0 {
            return false;
        }
        let Some(read) = self.unread.next(memory, settings, left, &under_way) else { return false };
        let question = AdviceQuestion::Read(read.clone());
        if self.advisor.ask(question.clone()) {
            metrics::advice_asked(question.kind());
            self.in_flight.insert(question.hash(), (question, now));
        } else {
            self.unread.put_back(&read);
        }
        true
    }

    /// Asks to which groups remarks belong. Returns how many questions that were.
    fn choose_next(
        &mut self,
        memory: &Memory,
        evaluator: Evaluator<'_>,
        left: u64,
        now: Timestamp,
    ) -> Result<u64, KnowledgeError> {
        let choosing = self.in_flight.values().filter(|(q, _)| matches!(q, AdviceQuestion::Choice(_))).count();
        // The next answer may change which groups there are.
        if choosing > 0 || left == 0 {
            return Ok(0);
        }
        let Some(choice) = self.undecided.next(memory, evaluator)? else { return Ok(0) };
        let question = AdviceQuestion::Choice(choice);
        if !self.advisor.ask(question.clone()) {
            self.undecided.look_again();
            return Ok(0);
        }
        metrics::advice_asked(question.kind());
        self.in_flight.insert(question.hash(), (question, now));
        Ok(1)
    }
}

/// What became of an answer, for metrics.
fn answered<T>(reply: &Result<T, Refused>) -> Answered {
    match reply {
        Ok(_) => Answered::Accepted,
        Err(Refused::Schema(_)) => Answered::RefusedSchema,
        Err(Refused::Lint(_)) => Answered::RefusedLint,
    }
}

/// Pairs about which the vectors say neither yes nor no, those that pay most first.
fn pairs(evaluator: Evaluator<'_>) -> Result<Vec<AdviceQuestion>, KnowledgeError> {
    let memory = &evaluator.remarks.groups;
    let ranked = evaluator.questions(None, RANKED)?.into_iter().filter(|q| BAND.contains(&q.probability));
    let side = |id: &str| side_of(memory, memory.group(id)?);
    let pair = |q: Question| Some(AdviceQuestion::Pair(PairQuestion { a: side(&q.a.id)?, b: side(&q.b.id)? }));
    Ok(ranked.filter_map(pair).collect())
}

fn side_of(memory: &Groups, group: Group) -> Option<Side> {
    let remarks = match group {
        Group::Cluster(key) => memory.representatives(key, PAIR_REMARKS),
        Group::Lone(key) => vec![memory.member(key)],
    };
    let first = remarks.first()?;
    let gate = match group {
        Group::Cluster(key) => memory.cluster(key).gates.iter().max_by_key(|(_, n)| **n).map(|(gate, _)| *gate)?,
        Group::Lone(_) => first.gate,
    };
    let texts = remarks.iter().map(|m| m.text.as_str());
    Some(Side::new(memory.group_id(group), &first.agent, &gate.to_string(), texts))
}

/// Proposals that came from patterns, whose text nobody has looked at yet.
fn drafts(memory: &Memory) -> Vec<AdviceQuestion> {
    let groups = &memory.remarks.groups;
    let rules = memory.rules().filter(|r| r.is_pending() && !r.was_edited()).map(|r| &r.record);
    rules
        .filter(|r| r.version == 1 && r.approvals.is_empty() && r.action_type == ActionType::CreateRule)
        .filter(|r| r.target_rule.is_none() && r.consolidates.is_empty() && !r.cluster_id.is_empty())
        // What a model worded is not worded again.
        .filter(|r| !memory.knows(&about_key(std::slice::from_ref(&r.cluster_id))))
        .filter_map(|r| {
            let agent = r.affected_agents.first()?;
            let keys = r.created_from_feedback_ids.iter().filter_map(|id| groups.key_of(id));
            let texts = keys.map(|key| groups.member(key).text.as_str()).take(4 * DRAFT_REMARKS);
            let question = DraftQuestion::new(&r.proposal_id, Some(&r.content_hash), agent, &r.rule_content, texts);
            (!question.remarks.is_empty()).then_some(AdviceQuestion::Draft(question))
        })
        .collect()
}

/// Whether a pattern has no proposal only because nothing words it.
pub(super) fn lacks_text(cluster: &Cluster, policy: &Policy) -> bool {
    let turned_away = cluster.not_proposed.as_deref().is_some_and(|why| why.starts_with(NO_TEXT));
    turned_away && cluster.class(policy) == Classification::GeneralizableHigh
}

/// Patterns that have no proposal, as none of their remarks makes a rule.
fn new_drafts(memory: &Memory) -> Vec<AdviceQuestion> {
    let (groups, policy) = (&memory.remarks.groups, &memory.remarks.policy);
    let silent = groups.clusters().filter(|(_, cluster)| lacks_text(cluster, policy));
    silent
        .filter_map(|(key, cluster)| {
            let remarks = groups.representatives(key, DRAFT_REMARKS);
            let agent = &remarks.first()?.agent;
            let texts = remarks.iter().map(|m| m.text.as_str());
            Some(AdviceQuestion::Draft(DraftQuestion::new(&cluster.id, None, agent, "", texts)))
        })
        .collect()
}
