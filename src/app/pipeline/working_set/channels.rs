//! What the pipeline remembers of the channels beside gate decisions: open conversations and what was learned from actions,
//! loaded from the index. Chains of actions, prompts under refinement and the last reviews of a target are looked up there
//! while a batch is made that has to do with them, and forgotten with it: there is no end of them, and what is looked up is
//! the same whether the program was started since or not.

use super::keys::{action_key, iteration_key, refinement_key, turn_key};
use crate::channels::action_knowledge::chain;
use crate::domain::channels::action::{ActionRecord, ActionResult, Actions, Policy, chain_id};
use crate::domain::channels::iteration::{Reviewed, WINDOW_SIZE};
use crate::domain::channels::turn::{FeedbackType, TurnMetadata, expired, rejections_in_a_row};
use crate::domain::records::record::{IterationRecord, RefinementRecord, TurnRecord};
use crate::domain::source::entry_time;
use crate::ports::{Index, IndexError};
use imbl::OrdMap;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A conversation whose last turn nobody has judged yet.
#[derive(Clone, Debug)]
pub struct Dialogue {
    /// The last turn.
    pub last: TurnRecord,
    /// How many turns before it were rejected in a row.
    pub rejections: usize,
}

/// The last refinement of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRefinement {
    at: Timestamp,
    id: String,
    /// Its record.
    pub path: String,
}

/// The channels' memory. Cheap to copy.
#[derive(Clone, Default)]
pub struct Channels {
    /// What was learned from actions, and the chains in hand.
    pub actions: Actions,
    /// Conversations by session.
    dialogues: OrdMap<String, Arc<Dialogue>>,
    /// The last refinement of each task in hand; nothing where there was none.
    refining: OrdMap<String, Option<LastRefinement>>,
    /// The last reviews of each target in hand with their records, the oldest first.
    reviewed: OrdMap<String, Arc<Vec<(String, Reviewed)>>>,
}

impl Channels {
    /// Nothing was seen yet.
    pub fn new(policy: Policy) -> Channels {
        Channels { actions: Actions::new(policy), ..Channels::default() }
    }

    /// Loads what the index knows; calls `know` with the key of every record, which says whether it is new.
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
            // It told of the turn before it, and nothing told of it yet.
            if tellers.contains(&key) && !judged.contains_key(&key) {
                open.insert(key.0, r);
                return;
            }
            session.push(r);
            // Only the last ones tell how the conversation goes.
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

    /// The last refinement of a task.
    pub fn last_refinement(&mut self, task: &str, index: &dyn Index) -> Result<Option<LastRefinement>, IndexError> {
        if let Some(known) = self.refining.get(task) {
            return Ok(known.clone());
        }
        let found = index.about::<RefinementRecord>(task, 1)?.into_iter().next();
        let found = found.map(|(path, r)| LastRefinement { at: r.timestamp, id: r.refinement_id, path });
        self.refining.insert(task.to_owned(), found.clone());
        Ok(found)
    }

    /// Remembers a refinement of a task that was asked about, where none is later.
    pub fn note_refinement(&mut self, task: String, at: Timestamp, id: &str, path: &str) {
        let known = self.refining.entry(task).or_default();
        let order = (at, Reverse(id));
        if known.as_ref().is_none_or(|known| (known.at, Reverse(known.id.as_str())) < order) {
            *known = Some(LastRefinement { at, id: id.to_owned(), path: path.to_owned() });
        }
    }

    /// Forgets what was looked up for a batch.
    pub fn close(&mut self) {
        self.actions.close();
        self.refining.clear();
        self.reviewed.clear();
    }

    /// Takes the conversation of a session out, to be judged or continued.
    pub fn take_dialogue(&mut self, session: &str) -> Option<Dialogue> {
        self.dialogues.remove(session).map(Arc::unwrap_or_clone)
    }

    /// The conversation of a session goes on.
    pub fn put_dialogue(&mut self, session: String, dialogue: Dialogue) {
        self.dialogues.insert(session, Arc::new(dialogue));
    }

    /// The last reviews of a target with their records, the oldest first.
    pub fn reviewed(&mut self, target: &str, index: &dyn Index) -> Result<Arc<Vec<(String, Reviewed)>>, IndexError> {
        if let Some(known) = self.reviewed.get(target) {
            return Ok(Arc::clone(known));
        }
        let found = index.about::<IterationRecord>(target, WINDOW_SIZE)?.into_iter().rev();
        let window = Arc::new(found.map(|(path, record)| (path, reviewed(&record))).collect::<Vec<_>>());
        self.reviewed.insert(target.to_owned(), Arc::clone(&window));
        Ok(window)
    }

    /// Remembers a review of a target that was asked about, to compare later ones with it.
    pub fn note_review(&mut self, path: &str, record: &IterationRecord) {
        let window = Arc::make_mut(self.reviewed.entry(record.document.target.path.clone()).or_default());
        window.push((path.to_owned(), reviewed(record)));
        window.sort_by(|(_, a), (_, b)| (a.timestamp, Reverse(&a.id)).cmp(&(b.timestamp, Reverse(&b.id))));
        window.drain(..window.len().saturating_sub(WINDOW_SIZE));
    }

    /// How many conversations are open.
    pub fn open(&self) -> usize {
        self.dialogues.len()
    }

    /// Where more than `most` conversations are open, the sessions that have been silent longest, down to somewhat below
    /// it. What counts is when a turn arrived: its own time is what its sender says.
    pub fn beyond(&self, most: usize) -> Vec<String> {
        if self.dialogues.len() <= most {
            return Vec::new();
        }
        let mut silent: Vec<&TurnRecord> = self.dialogues.values().map(|dialogue| &dialogue.last).collect();
        silent.sort_by_cached_key(|last| arrival(&last.source.entry_id));
        silent.truncate(silent.len() - most + most / ROOM);
        silent.into_iter().map(|last| last.turn.session_id.clone()).collect()
    }

    /// The sessions that ended because nothing followed. The time that counts is when a turn arrived, for its own may be
    /// long past. What was read from a file ends with the file.
    pub fn ended(&self, now: Timestamp, flush: bool) -> Vec<String> {
        let is_over = |dialogue: &&Arc<Dialogue>| {
            let source = &dialogue.last.source;
            if source.stream == crate::domain::intake::decode::REPLAY {
                return flush;
            }
            // A sender's clock that is ahead says nothing.
            let at = dialogue.last.turn.timestamp;
            expired(entry_time(&source.entry_id), now) && (at > now || expired(at, now))
        };
        self.dialogues.values().filter(is_over).map(|d| d.last.turn.session_id.clone()).collect()
    }
}

fn reviewed(record: &IterationRecord) -> Reviewed {
    Reviewed::of(&record.document).named(&record.tracking)
}

/// Of so many conversations that are too many, one more is ended: looking for the longest silent ones takes all of them.
const ROOM: usize = 10;

/// An entry's id as what it counts: milliseconds, and entries in one.
fn arrival(entry_id: &str) -> (u64, u64) {
    let (milliseconds, sequence) = entry_id.split_once('-').unwrap_or((entry_id, ""));
    (milliseconds.parse().unwrap_or(0), sequence.parse().unwrap_or(0))
}

/// How many turns of a session are looked at, at least, to count rejections in a row.
const RECENT_TURNS: usize = 32;
