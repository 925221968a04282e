//! Comments that a language model has not read yet: which are asked for next, and what came back.
//!
//! The oldest first. What is not answered is asked once more, and refused then; what has a record is never asked again.

use super::quotes::Quoted;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::records::record::Tokens;
use crate::domain::rules::draft::advice::{OneReading, ReadQuestion, Refused, read_readings};
use crate::pipeline::deps::Outside;
use crate::pipeline::working_set::{Memory, reading_key};
use crate::text::ids::CommitId;
use crate::text::language::model_reading::Reading;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// How many comments one look gathers: the next questions are made of them.
const GATHERED: usize = 1000;
/// Why what was shown twice and not answered is refused.
const UNANSWERED: &str = "nothing was said of it";

/// A reading that is not followed yet.
pub(crate) struct ReadOne {
    pub feedback_id: String,
    pub agent: String,
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// What was said, or why that is not believed.
    pub reading: Result<Reading, Refused>,
    /// Its share of what the question took.
    pub tokens: Tokens,
}

/// A comment to read.
struct ToRead {
    agent: String,
    path: String,
}

/// What is not read yet.
#[derive(Default)]
pub(crate) struct Unread {
    waiting: VecDeque<String>,
    /// Parts of questions that brought nothing as a whole: each is asked by itself.
    parts: Vec<Vec<String>>,
    /// The head at which nothing more was found.
    looked: Option<Option<CommitId>>,
    /// What was asked once without an answer that counts.
    tried: HashSet<String>,
    /// What a model thinks about for longer than it may: not asked again before the next start, and not recorded either.
    skipped: HashSet<String>,
    arrived: Vec<ReadOne>,
    /// How many comments one question shows less than it could, as the server is slow: halved so many times.
    halved: u32,
}

impl Unread {
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
    /// If the answer holds no reading at all: then its comments are asked again in halves, and one alone is refused.
    pub fn take(&mut self, question: &ReadQuestion, text: &str, at: Timestamp, all: Tokens) -> Result<(), Refused> {
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
            let reading = reading.unwrap_or(Err(Refused::Schema(UNANSWERED)));
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

    /// Nothing can be had for this question: it is asked in halves until the comment is found that it fails with.
    pub fn refuse(&mut self, question: &ReadQuestion, why: &Refused, asked_at: Timestamp, tokens: Tokens) {
        let about = question.about();
        if let [only] = about.as_slice() {
            let (feedback_id, agent) = (only.clone(), question.agent.clone());
            self.arrived.push(ReadOne { feedback_id, agent, asked_at, reading: Err(why.clone()), tokens });
            return;
        }
        let (a, b) = about.split_at(about.len() / 2);
        self.parts.extend([a.to_vec(), b.to_vec()]);
    }

    /// What the model thinks takes all the room: it is asked in halves, and leaves out one alone.
    pub fn skip(&mut self, question: &ReadQuestion) {
        let about = question.about();
        if let [only] = about.as_slice() {
            tracing::warn!(
                feedback = only.as_str(),
                "the language model comes to no answer about a comment; it is left out"
            );
            self.skipped.insert(only.clone());
            return;
        }
        let (a, b) = about.split_at(about.len() / 2);
        self.parts.extend([a.to_vec(), b.to_vec()]);
    }

    /// Nothing came back: they are asked again, fewer at once if it took too long.
    pub fn failed(&mut self, question: &ReadQuestion, too_long: bool) {
        if too_long {
            self.halved = (self.halved + 2).min(6);
        }
        self.put_back(question);
    }

    /// The next comments to read; `None` if nothing is left. Those `under_way` are left out.
    pub fn next(
        &mut self,
        memory: &Memory,
        outside: &Outside,
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

    /// The next comments on one agent's work, at most so many.
    fn take_next(&mut self, memory: &Memory, most: usize, under_way: &BTreeSet<String>) -> Vec<ToRead> {
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

    /// A question about these, as far as they say or suggest something.
    fn question(&mut self, memory: &Memory, outside: &Outside, found: &[ToRead]) -> Option<ReadQuestion> {
        let quoted = found.iter().filter_map(|one| Quoted::of(outside, memory, &one.path));
        let (quoted, empty): (Vec<Quoted>, Vec<Quoted>) = quoted.partition(Quoted::says_something);
        self.skipped.extend(empty.iter().map(|quoted| quoted.said().id.to_owned()));
        let agent = found.first().map_or("", |one| one.agent.as_str());
        (!quoted.is_empty()).then(|| ReadQuestion::new(agent, quoted.iter().map(Quoted::said)))
    }

    /// A question that could not be put waits.
    pub fn put_back(&mut self, question: &ReadQuestion) {
        question.about().into_iter().rev().for_each(|id| self.waiting.push_front(id));
    }
}

/// One of so many equal parts.
pub(crate) fn share(all: Tokens, count: usize) -> Tokens {
    let count = count.max(1) as u64;
    Tokens { input: all.input / count, output: all.output / count }
}

/// A comment that is not read yet. What waits for a person is read once that is decided.
fn to_read(memory: &Memory, id: &str) -> Option<ToRead> {
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

/// What was not read yet, the oldest first.
fn gather(memory: &Memory, may_be_asked: &dyn Fn(&str) -> bool) -> VecDeque<String> {
    let members = memory.remarks.groups.members().map(|(_, member)| (member.at, member.id.as_str()));
    let silent = memory.silent.iter().map(|(id, silent)| (silent.at, id.as_str()));
    let open = |(_, id): &(Timestamp, &str)| may_be_asked(id) && to_read(memory, id).is_some();
    let mut unread: Vec<(Timestamp, &str)> = members.chain(silent).filter(open).collect();
    unread.sort_unstable();
    unread.into_iter().take(GATHERED).map(|(_, id)| id.to_owned()).collect()
}

/// How many comments are not read yet.
pub(crate) fn count(memory: &Memory) -> usize {
    let members = memory.remarks.groups.members().map(|(_, member)| member.id.as_str());
    members.chain(memory.silent.keys().map(String::as_str)).filter(|id| to_read(memory, id).is_some()).count()
}
