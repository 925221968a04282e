//! The working set of channels other than gate decisions: open conversations and what was learned from actions, loaded
//! from the index. Chains of actions, prompts under refinement and the last reviews of a target are looked up there
//! when a batch needs them and dropped with the batch. Their number is unbounded, and lookups give the same result
//! before and after a restart.

use super::keys::{action_key, iteration_key, refinement_key, turn_key};
use crate::channels::action_knowledge::chain;
use crate::domain::channels::action::{ActionRecord, ActionResult, Actions, Policy, chain_id};
use crate::domain::channels::iteration::{DocumentSummary, WINDOW_SIZE};
use crate::domain::channels::turn::{FeedbackType, TurnMetadata, expired, rejections_in_a_row};
use crate::domain::records::record::{IterationRecord, RefinementRecord, TurnRecord};
use crate::domain::source::entry_time;
use crate::ports::{Index, IndexError};
use imbl::OrdMap;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A conversation whose last turn has not been judged yet.
#[derive(Clone, Debug)]
pub struct Dialogue {
    /// The last turn.
    pub last: TurnRecord,
    /// The number of consecutive rejected turns before it.
    pub rejections: usize,
}

/// Returns the last refinement of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRefinement {
    at: Timestamp,
    id: String,
    /// The path of its record.
    pub path: String,
}

/// The channels' working set. Cheap to copy.
#[derive(Clone, Default)]
pub struct Channels {
    /// What was learned from actions, and the chains in use.
    pub actions: Actions,
    /// Conversations by session.
    dialogues: OrdMap<String, Arc<Dialogue>>,
    /// The last refinement of each task in use; `None` if there was none.
    refining: OrdMap<String, Option<LastRefinement>>,
    /// The last reviews of each target in use with their records, the oldest first.
    reviewed: OrdMap<String, Arc<Vec<(String, DocumentSummary)>>>,
}

impl Channels {
    /// Creates an empty working set.
    pub fn new(policy: Policy) -> Channels {
        Channels { actions: Actions::new(policy), ..Channels::default() }
    }

    /// Loads what the index has. Calls `know` with the key of every record; it returns whether the record is new.
    pub fn load(index: &dyn Index, policy: Policy, know: &mut dyn FnMut(&str) -> bool) -> Result<Channels, IndexError> {
        let mut channels = Channels::new(policy);
        let mut judged: HashMap<(String, String), FeedbackType> = HashMap::new();
        let mut tellers: HashSet<(String, String)> = HashSet::new();
        index.each::<TurnMetadata>(&mut |_, r| {
            if let Some(feedback) = r.user_feedback {
                tellers.extend(feedback.detected_in_turn.map(|teller| (r.session_id.clone(), teller)));
                judged.insert((r.session_id, r.turn_id), feedback.status);
            }
        })?;
        let mut sessions: BTreeMap<String, Vec<TurnRecord>> = BTreeMap::new();
        let mut open: HashMap<String, TurnRecord> = HashMap::new();
        index.each::<TurnRecord>(&mut |_, r| {
            know(&turn_key(&r.turn.session_id, &r.turn.turn_id));
            let key = (r.turn.session_id.clone(), r.turn.turn_id.clone());
            let session = sessions.entry(key.0.clone()).or_default();
            if r.late {
                return;
            }
            // It judged the turn before it, and is itself not judged yet.
            if tellers.contains(&key) && !judged.contains_key(&key) {
                open.insert(key.0, r);
                return;
            }
            session.push(r);
            // Only the last turns show how the conversation is going.
            if session.len() > 2 * RECENT_TURNS {
                session.sort_by_key(|r| r.turn.timestamp);
                session.drain(..RECENT_TURNS);
            }
        })?;
        for (id, mut turns) in sessions {
            turns.sort_by_cached_key(|r| (r.turn.timestamp, arrival(&r.source.entry_id), r.turn.turn_id.clone()));
            let Some(last) = open.remove(&id).or_else(|| turns.pop()) else { continue };
            let verdict = |r: &TurnRecord| judged.get(&(id.clone(), r.turn.turn_id.clone())).copied();
            if verdict(&last).is_none() {
                let statuses: Vec<FeedbackType> = turns.iter().filter_map(verdict).collect();
                channels.put_dialogue(id, Dialogue { last, rejections: rejections_in_a_row(&statuses) });
            }
        }
        index.each::<ActionRecord>(&mut |_, r| {
            if know(&action_key(&r.result.action_id)) {
                channels.actions.learn(&r);
            }
        })?;
        index.each::<RefinementRecord>(&mut |_, r| {
            know(&refinement_key(&r.refinement_id));
        })?;
        index.each::<IterationRecord>(&mut |_, r| {
            know(&iteration_key(&r.document.target.path, &r.document.id));
        })?;
        Ok(channels)
    }

    /// Opens the chain that a result belongs to.
    pub fn open_chain(&mut self, result: &ActionResult, index: &dyn Index) -> Result<(), IndexError> {
        let id = chain_id(result);
        if !self.actions.has_open(&id) {
            let chain = chain(index, &id)?;
            self.actions.open(id, chain);
        }
        Ok(())
    }

    /// Returns the last refinement of a task.
    pub fn last_refinement(&mut self, task: &str, index: &dyn Index) -> Result<Option<LastRefinement>, IndexError> {
        if let Some(known) = self.refining.get(task) {
            return Ok(known.clone());
        }
        let found = index.about::<RefinementRecord>(task, 1)?.into_iter().next();
        let found = found.map(|(path, r)| LastRefinement { at: r.timestamp, id: r.refinement_id, path });
        self.refining.insert(task.to_owned(), found.clone());
        Ok(found)
    }

    /// Remembers a refinement of a task in use, unless a later one is known.
    pub fn note_refinement(&mut self, task: String, at: Timestamp, id: &str, path: &str) {
        let known = self.refining.entry(task).or_default();
        let order = (at, Reverse(id));
        if known.as_ref().is_none_or(|known| (known.at, Reverse(known.id.as_str())) < order) {
            *known = Some(LastRefinement { at, id: id.to_owned(), path: path.to_owned() });
        }
    }

    /// Drops what was looked up for a batch.
    pub fn close(&mut self) {
        self.actions.close();
        self.refining.clear();
        self.reviewed.clear();
    }

    /// Takes a session's conversation out, to judge or continue it.
    pub fn take_dialogue(&mut self, session: &str) -> Option<Dialogue> {
        self.dialogues.remove(session).map(Arc::unwrap_or_clone)
    }

    /// Puts a session's conversation back.
    pub fn put_dialogue(&mut self, session: String, dialogue: Dialogue) {
        self.dialogues.insert(session, Arc::new(dialogue));
    }

    /// Returns the last reviews of a target with their records, the oldest first.
    pub fn reviewed(
        &mut self,
        target: &str,
        index: &dyn Index,
    ) -> Result<Arc<Vec<(String, DocumentSummary)>>, IndexError> {
        if let Some(known) = self.reviewed.get(target) {
            return Ok(Arc::clone(known));
        }
        let found = index.about::<IterationRecord>(target, WINDOW_SIZE)?.into_iter().rev();
        let window = Arc::new(found.map(|(path, record)| (path, reviewed(&record))).collect::<Vec<_>>());
        self.reviewed.insert(target.to_owned(), Arc::clone(&window));
        Ok(window)
    }

    /// Remembers a review of a target in use, to compare later ones with it.
    pub fn note_review(&mut self, path: &str, record: &IterationRecord) {
        let window = Arc::make_mut(self.reviewed.entry(record.document.target.path.clone()).or_default());
        window.push((path.to_owned(), reviewed(record)));
        window.sort_by(|(_, a), (_, b)| (a.timestamp, Reverse(&a.id)).cmp(&(b.timestamp, Reverse(&b.id))));
        window.drain(..window.len().saturating_sub(WINDOW_SIZE));
    }

    /// Returns the number of open conversations.
    pub fn open(&self) -> usize {
        self.dialogues.len()
    }

    /// If more than `most` conversations are open, returns the sessions that have been silent longest, down to somewhat
    /// below the limit. Arrival times count; a turn's own timestamp is only the sender's claim.
    pub fn beyond(&self, most: usize) -> Vec<String> {
        if self.dialogues.len() <= most {
            return Vec::new();
        }
        let mut silent: Vec<&TurnRecord> = self.dialogues.values().map(|dialogue| &dialogue.last).collect();
        silent.sort_by_cached_key(|last| arrival(&last.source.entry_id));
        silent.truncate(silent.len() - most + most / ROOM);
        silent.into_iter().map(|last| last.turn.session_id.clone()).collect()
    }

    /// Returns the sessions that ended because nothing followed. Arrival times count, since a turn's own timestamp may
    /// be long past. Turns read from a file end with the file.
    pub fn ended(&self, now: Timestamp, flush: bool) -> Vec<String> {
        let is_over = |dialogue: &&Arc<Dialogue>| {
            let source = &dialogue.last.source;
            if source.stream == crate::domain::intake::decode::REPLAY {
                return flush;
            }
            // A sender's clock that is ahead is ignored.
            let at = dialogue.last.turn.timestamp;
            expired(entry_time(&source.entry_id), now) && (at > now || expired(at, now))
        };
        self.dialogues.values().filter(is_over).map(|d| d.last.turn.session_id.clone()).collect()
    }
}

fn reviewed(record: &IterationRecord) -> DocumentSummary {
    DocumentSummary::of(&record.document).named(&record.tracking)
}

/// For every so many excess conversations, one extra is ended: finding the longest silent ones scans all of them.
const ROOM: usize = 10;

/// Parses an entry's id: milliseconds, and the sequence number within one.
fn arrival(entry_id: &str) -> (u64, u64) {
    let (milliseconds, sequence) = entry_id.split_once('-').unwrap_or((entry_id, ""));
    (milliseconds.parse().unwrap_or(0), sequence.parse().unwrap_or(0))
}

/// The minimum number of turns of a session examined to count consecutive rejections.
const RECENT_TURNS: usize = 32;
