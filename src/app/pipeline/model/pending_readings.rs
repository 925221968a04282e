//! Comments that a language model has not read yet: which are asked about next, and the answers.
//!
//! The oldest first. Unanswered comments are retried once, then rejected. Comments with a record are never asked about
//! again.

use super::quotes::QuotedComment;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::records::record::Tokens;
use crate::domain::rules::draft::advice::{OneReading, ReadQuestion, ScreenError, read_readings};
use crate::pipeline::deps::Deps;
use crate::pipeline::working_set::{WorkingSet, reading_key};
use crate::text::ids::CommitId;
use crate::text::language::model_reading::ModelReading;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// How many comments are collected at a time for the next questions.
const GATHERED: usize = 1000;
/// Why a comment that was shown twice without an answer is rejected.
const UNANSWERED: &str = "it was not answered";

/// A reading that has not been applied yet.
pub(crate) struct ReadOne {
    pub feedback_id: String,
    pub agent: String,
    /// When it was requested.
    pub asked_at: Timestamp,
    /// The reading, or why it was rejected.
    pub reading: Result<ModelReading, ScreenError>,
    /// Its share of the question's tokens.
    pub tokens: Tokens,
}

/// A comment to read.
struct ToRead {
    agent: String,
    path: String,
}

/// The unread comments.
#[derive(Default)]
pub(crate) struct Unread {
    waiting: VecDeque<String>,
    /// Parts of questions that yielded nothing as a whole: each is asked separately.
    parts: Vec<Vec<String>>,
    /// The head at which nothing more was found.
    looked: Option<Option<CommitId>>,
    /// Comments asked about once without a valid answer.
    tried: HashSet<String>,
    /// Comments on which a model exceeded its reasoning limit: not asked about again until the next start, and not
    /// recorded.
    skipped: HashSet<String>,
    arrived: Vec<ReadOne>,
    /// How many times the number of comments per question was halved because the server is slow.
    halved: u32,
}

impl Unread {
    /// Returns the readings that are not durable yet.
    pub fn arrived(&self) -> &[ReadOne] {
        &self.arrived
    }

    /// Clears the readings, now durable.
    pub fn clear(&mut self) {
        self.arrived.clear();
    }

    /// Accepts an answer. Readings rejected for the first time are requested again.
    ///
    /// # Errors
    /// If the answer contains no reading: its comments are then asked about again in halves, and a single one is
    /// rejected.
    pub fn take(&mut self, question: &ReadQuestion, text: &str, at: Timestamp, all: Tokens) -> Result<(), ScreenError> {
        self.halved = self.halved.saturating_sub(1);
        let read = match read_readings(question, text) {
            Ok(read) => read,
            Err(why) => {
                self.refuse(question, &why, at, all);
                return Err(why);
            }
        };
        let each = share(all, question.comments.len());
        for OneReading { about, reading } in read {
            let reading = reading.unwrap_or(Err(ScreenError::Schema(UNANSWERED)));
            if reading.is_err() && self.tried.insert(about.clone()) {
                self.waiting.push_front(about);
                continue;
            }
            self.tried.remove(&about);
            self.arrived.push(ReadOne {
                feedback_id: about,
                agent: question.agent.clone(),
                asked_at: at,
                reading,
                tokens: each,
            });
        }
        Ok(())
    }

    /// Handles a question without a usable answer: it is asked again in halves until the offending comment is found.
    pub fn refuse(&mut self, question: &ReadQuestion, why: &ScreenError, asked_at: Timestamp, tokens: Tokens) {
        let about = question.about();
        if let [only] = about.as_slice() {
            let (feedback_id, agent) = (only.clone(), question.agent.clone());
            self.arrived.push(ReadOne { feedback_id, agent, asked_at, reading: Err(why.clone()), tokens });
            return;
        }
        let (a, b) = about.split_at(about.len() / 2);
        self.parts.extend([a.to_vec(), b.to_vec()]);
    }

    /// Handles a question on which the model's reasoning takes all the room: it is asked in halves; a single comment is
    /// skipped.
    pub fn skip(&mut self, question: &ReadQuestion) {
        let about = question.about();
        if let [only] = about.as_slice() {
            tracing::warn!(
                feedback = only.as_str(),
                "the language model reached no answer about a comment; it is left out"
            );
            self.skipped.insert(only.clone());
            return;
        }
        let (a, b) = about.split_at(about.len() / 2);
        self.parts.extend([a.to_vec(), b.to_vec()]);
    }

    /// Handles a failed question: its comments are asked about again, fewer at a time if it took too long.
    pub fn failed(&mut self, question: &ReadQuestion, too_long: bool) {
        if too_long {
            self.halved = (self.halved + 2).min(6);
        }
        self.put_back(question);
    }

    /// Returns the next comments to read; `None` if nothing is left. Those `under_way` are left out.
    pub fn next(
        &mut self,
        memory: &WorkingSet,
        outside: &Deps,
        batch: usize,
        under_way: &BTreeSet<String>,
    ) -> Option<ReadQuestion> {
        while let Some(part) = self.parts.pop() {
            let found: Vec<ToRead> = part.iter().filter_map(|id| to_read(memory, id)).collect();
            if let Some(question) = self.question(memory, outside, &found) {
                return Some(question);
            }
        }
        if self.waiting.is_empty() && self.looked.as_ref() != Some(&memory.head) {
            self.waiting = gather(memory, &|id| !under_way.contains(id) && !self.skipped.contains(id));
            if self.waiting.is_empty() {
                self.looked = Some(memory.head.clone());
            }
        }
        let most = (batch >> self.halved).max(1);
        while !self.waiting.is_empty() {
            let found = self.take_next(memory, most, under_way);
            if let Some(question) = self.question(memory, outside, &found) {
                return Some(question);
            }
        }
        None
    }

    /// Takes the next comments on one agent's work, up to a maximum.
    fn take_next(&mut self, memory: &WorkingSet, most: usize, under_way: &BTreeSet<String>) -> Vec<ToRead> {
        let mut found: Vec<ToRead> = Vec::new();
        let mut others = VecDeque::new();
        while found.len() < most {
            let Some(id) = self.waiting.pop_front() else { break };
            let open = |_: &ToRead| !under_way.contains(&id) && !self.skipped.contains(&id);
            let Some(one) = to_read(memory, &id).filter(open) else { continue };
            match found.first() {
                Some(first) if first.agent != one.agent => others.push_back(id),
                _ => found.push(one),
            }
        }
        others.append(&mut self.waiting);
        self.waiting = others;
        found
    }

    /// Builds a question about those that have words or a suggestion.
    fn question(&mut self, memory: &WorkingSet, outside: &Deps, found: &[ToRead]) -> Option<ReadQuestion> {
        let quoted = found.iter().filter_map(|one| QuotedComment::of(outside, memory, &one.path));
        let (quoted, empty): (Vec<QuotedComment>, Vec<QuotedComment>) = quoted.partition(QuotedComment::says_something);
        self.skipped.extend(empty.iter().map(|quoted| quoted.said().id.to_owned()));
        let agent = found.first().map_or("", |one| one.agent.as_str());
        (!quoted.is_empty()).then(|| ReadQuestion::new(agent, quoted.iter().map(QuotedComment::said)))
    }

    /// Puts back a question that could not be sent.
    pub fn put_back(&mut self, question: &ReadQuestion) {
        question.about().into_iter().rev().for_each(|id| self.waiting.push_front(id));
    }
}

/// Returns one of so many equal shares.
pub(crate) fn share(all: Tokens, count: usize) -> Tokens {
    let count = count.max(1) as u64;
    Tokens { input: all.input / count, output: all.output / count }
}

/// Returns a comment that is unread. Comments pending a person's decision are read after it.
fn to_read(memory: &WorkingSet, id: &str) -> Option<ToRead> {
    if memory.knows(&reading_key(id)) {
        return None;
    }
    if let Some(key) = memory.remarks.groups.key_of(id) {
        let member = memory.remarks.groups.member(key);
        let open = !member.withdrawn && member.classification != Classification::Ambiguous;
        return open.then(|| ToRead { agent: member.agent.clone(), path: member.path.clone() });
    }
    let silent = memory.silent.get(id)?;
    Some(ToRead { agent: silent.agent.clone(), path: silent.path.clone() })
}

/// Collects the unread comments, the oldest first.
fn gather(memory: &WorkingSet, may_be_asked: &dyn Fn(&str) -> bool) -> VecDeque<String> {
    let members = memory.remarks.groups.members().map(|(_, member)| (member.at, member.id.as_str()));
    let silent = memory.silent.iter().map(|(id, silent)| (silent.at, id.as_str()));
    let open = |(_, id): &(Timestamp, &str)| may_be_asked(id) && to_read(memory, id).is_some();
    let mut unread: Vec<(Timestamp, &str)> = members.chain(silent).filter(open).collect();
    unread.sort_unstable();
    unread.into_iter().take(GATHERED).map(|(_, id)| id.to_owned()).collect()
}

/// Returns the number of unread comments.
pub(crate) fn count(memory: &WorkingSet) -> usize {
    let members = memory.remarks.groups.members().map(|(_, member)| member.id.as_str());
    members.chain(memory.silent.keys().map(String::as_str)).filter(|id| to_read(memory, id).is_some()).count()
}
