//! Remarks that a language model has not read yet: which are asked for next, and what came back.
//!
//! The oldest first, and only those that demand something. What is not answered is asked once more, and refused then;
//! what has a record is never asked again.

use super::memory::{Memory, reading_key, utc_day};
use super::settings::Settings;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{Member, MemberKey};
use crate::domain::ids::CommitId;
use crate::domain::language::reading::Reading;
use crate::domain::rules::drafting::advice::{OneReading, ReadQuestion, Refused, read_readings};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// How many remarks one look gathers: the next questions are made of them.
const GATHERED: usize = 500;
/// Why what was shown twice and not answered is refused.
const UNANSWERED: &str = "nothing was said of it";

/// A reading that is not followed yet.
pub(super) struct ReadOne {
    pub feedback_id: String,
    pub agent: String,
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// What was said, or why that is not believed.
    pub reading: Result<Reading, Refused>,
}

/// What is not read yet.
pub(super) struct Unread {
    waiting: VecDeque<String>,
    /// The head at which nothing more was found.
    looked: Option<Option<CommitId>>,
    /// What was asked once without an answer that counts.
    tried: HashSet<String>,
    arrived: Vec<ReadOne>,
    /// Remarks of a day that were shown and have no record.
    lost: (Date, u64),
    /// How many remarks one question shows, where the server is slow.
    most: usize,
}

impl Unread {
    pub fn new() -> Unread {
        Unread {
            waiting: VecDeque::new(),
            looked: None,
            tried: HashSet::new(),
            arrived: Vec::new(),
            lost: (Date::MIN, 0),
            most: usize::MAX,
        }
    }

    /// What is not durable yet.
    pub fn arrived(&self) -> &[ReadOne] {
        &self.arrived
    }

    /// What was taken in is durable now.
    pub fn clear(&mut self) {
        self.arrived.clear();
    }

    /// Takes in an answer. What was refused of it for the first time is asked again.
    ///
    /// # Errors
    /// Where the answer holds no reading at all.
    pub fn take(&mut self, question: &ReadQuestion, text: &str, asked_at: Timestamp) -> Result<(), Refused> {
        self.most = self.most.saturating_add(1);
        let whole = read_readings(question, text);
        let all = match &whole {
            Ok(all) => all.clone(),
            Err(why) => {
                let refused = |about: String| OneReading { about, reading: Some(Err(why.clone())) };
                question.about().into_iter().map(refused).collect()
            }
        };
        for (OneReading { about, reading }, shown) in all.into_iter().zip(&question.remarks) {
            let reading = reading.unwrap_or(Err(Refused::Schema(UNANSWERED)));
            if reading.is_err() && self.tried.insert(about.clone()) {
                self.lose(asked_at, 1);
                self.waiting.push_front(about);
                continue;
            }
            self.tried.remove(&about);
            self.arrived.push(ReadOne { feedback_id: about, agent: shown.agent.clone(), asked_at, reading });
        }
        whole.map(drop)
    }

    /// Nothing came back: they are asked again, fewer at once where it took too long.
    pub fn failed(&mut self, question: &ReadQuestion, asked_at: Timestamp, too_long: bool) {
        self.lose(asked_at, question.remarks.len() as u64);
        if too_long {
            self.most = (question.remarks.len() / 2).max(1);
        }
        self.looked = None;
    }

    fn lose(&mut self, asked_at: Timestamp, remarks: u64) {
        let day = utc_day(asked_at);
        self.lost = if self.lost.0 == day { (day, self.lost.1 + remarks) } else { (day, remarks) };
    }

    /// Remarks that the day has left: those of the day with a record, those under way, and those that brought nothing.
    pub fn budget_left(&self, memory: &Memory, settings: &Settings, under_way: u64, now: Timestamp) -> u64 {
        let today = utc_day(now);
        let recorded = memory.read.get(&today).copied().unwrap_or_default();
        let lost = if self.lost.0 == today { self.lost.1 } else { 0 };
        settings.advice.daily_readings.saturating_sub(recorded + under_way + lost)
    }

    /// The next remarks to read, at most `left`; `None` where nothing is left. Those `under_way` are left out.
    pub fn next(
        &mut self,
        memory: &Memory,
        settings: &Settings,
        left: u64,
        under_way: &BTreeSet<String>,
    ) -> Option<ReadQuestion> {
        if self.waiting.is_empty() && self.looked.as_ref() != Some(&memory.head) {
            self.waiting = gather(memory, under_way);
            if self.waiting.is_empty() {
                self.looked = Some(memory.head.clone());
            }
        }
        let groups = &memory.remarks.groups;
        let most = settings.advice.read_batch.min(self.most).min(usize::try_from(left).unwrap_or(usize::MAX)).max(1);
        let mut next: Vec<&Member> = Vec::new();
        while next.len() < most {
            let Some(id) = self.waiting.pop_front() else { break };
            if under_way.contains(&id) {
                continue;
            }
            let member = groups.key_of(&id).map(|key| groups.member(key));
            next.extend(member.filter(|member| is_unread(memory, member)));
        }
        let shown = next.iter().map(|m| (m.id.as_str(), m.agent.as_str(), m.gate.to_string(), m.text.as_str()));
        (!next.is_empty()).then(|| ReadQuestion::new(shown))
    }

    /// A question that could not be put waits.
    pub fn put_back(&mut self, question: &ReadQuestion) {
        question.about().into_iter().rev().for_each(|id| self.waiting.push_front(id));
    }
}

/// What was not read yet, the oldest first.
fn gather(memory: &Memory, under_way: &BTreeSet<String>) -> VecDeque<String> {
    let groups = &memory.remarks.groups;
    let unread = groups.members().filter(|(_, member)| is_unread(memory, member) && !under_way.contains(&member.id));
    let mut unread: Vec<(Timestamp, MemberKey)> = unread.map(|(key, member)| (member.at, key)).collect();
    unread.sort_unstable();
    unread.into_iter().take(GATHERED).map(|(_, key)| groups.member(key).id.clone()).collect()
}

/// What waits for a person is read once that is decided.
fn is_unread(memory: &Memory, member: &Member) -> bool {
    !member.withdrawn && member.classification != Classification::Ambiguous && !memory.knows(&reading_key(&member.id))
}
