//! What the pipeline remembers of the channels beside gate decisions: open conversations, chains of actions, prompts
//! under refinement, and the last reviews of each target. All of it is loaded from the index.

use super::keys::{action_key, iteration_key, refinement_key, turn_key};
use crate::domain::channels::action::{ActionRecord, Actions, Policy};
use crate::domain::channels::iteration::{Reviewed, WINDOW_SIZE};
use crate::domain::channels::turn::{FeedbackType, TurnMetadata, expired, rejections_in_a_row};
use crate::domain::records::record::{IterationRecord, RefinementRecord, TurnRecord};
use crate::domain::source::entry_time;
use crate::ports::{Index, IndexError};
use imbl::OrdMap;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// How much older than the latest action a chain's last one may be to be remembered, in days.
const CHAIN_DAYS: i64 = 7;

/// A conversation whose last turn nobody has judged yet.
#[derive(Clone, Debug)]
pub struct Dialogue {
    /// The last turn.
    pub last: TurnRecord,
    /// How many turns before it were rejected in a row.
    pub rejections: usize,
}

/// The channels' memory. Cheap to copy.
#[derive(Clone, Default)]
pub struct Channels {
    /// Chains of actions and what was learned from them.
    pub actions: Actions,
    /// Conversations by session.
    dialogues: OrdMap<String, Arc<Dialogue>>,
    /// The record of the last refinement of each task.
    pub refining: OrdMap<String, String>,
    /// The last reviews of each target with their records, the oldest first.
    reviewed: OrdMap<String, Arc<VecDeque<(String, Reviewed)>>>,
}

impl Channels {
    /// Nothing was seen yet.
    pub fn new(policy: Policy) -> Channels {
        Channels { actions: Actions::new(policy), ..Channels::default() }
    }

    /// Loads what the index knows; calls `know` with the key of every record.
    pub fn load(index: &dyn Index, policy: Policy, know: &mut dyn FnMut(&str)) -> Result<Channels, IndexError> {
        let mut channels = Channels::new(policy);
        let mut judged: HashMap<(String, String), FeedbackType> = HashMap::new();
        index.each::<TurnMetadata>(&mut |_, r| {
            if let Some(feedback) = &r.user_feedback {
                judged.insert((r.session_id.clone(), r.turn_id.clone()), feedback.status);
            }
        })?;
        let mut sessions: BTreeMap<String, Vec<TurnRecord>> = BTreeMap::new();
        index.each::<TurnRecord>(&mut |_, r| {
            know(&turn_key(&r.turn.session_id, &r.turn.turn_id));
            let session = sessions.entry(r.turn.session_id.clone()).or_default();
            session.push(r);
            // Only the last ones tell how the conversation goes.
            if session.len() > 2 * RECENT_TURNS {
                session.sort_by_key(|r| r.turn.timestamp);
                session.drain(..RECENT_TURNS);
            }
        })?;
        for (id, mut turns) in sessions {
            turns.sort_by(|a, b| (a.turn.timestamp, &a.turn.turn_id).cmp(&(b.turn.timestamp, &b.turn.turn_id)));
            let Some(last) = turns.pop() else { continue };
            let verdict = |r: &TurnRecord| judged.get(&(id.clone(), r.turn.turn_id.clone())).copied();
            if verdict(&last).is_none() {
                let statuses: Vec<FeedbackType> = turns.iter().filter_map(verdict).collect();
                channels.put_dialogue(id, Dialogue { last, rejections: rejections_in_a_row(&statuses) });
            }
        }
        let mut latest = Timestamp::MIN;
        index.each::<ActionRecord>(&mut |_, r| {
            know(&action_key(&r.result.action_id));
            latest = latest.max(r.result.timestamp);
            channels.actions.restore(&r);
        })?;
        // By the actions' own times: what is remembered is the same whenever it is loaded. What was learned stays.
        if let Ok(before) = latest.checked_sub(SignedDuration::from_hours(24 * CHAIN_DAYS)) {
            channels.actions.forget_before(before);
        }
        let mut tasks: HashMap<String, (Timestamp, String)> = HashMap::new();
        index.each::<RefinementRecord>(&mut |path, r| {
            know(&refinement_key(&r.refinement_id));
            if let Some(task) = r.task()
                && tasks.get(&task).is_none_or(|(at, _)| *at <= r.timestamp)
            {
                tasks.insert(task, (r.timestamp, path.to_owned()));
            }
        })?;
        channels.refining = tasks.into_iter().map(|(task, (_, path))| (task, path)).collect();
        index.each::<IterationRecord>(&mut |path, r| {
            know(&iteration_key(&r.document.target.path, &r.document.id));
            channels.note_review(path, &r);
        })?;
        Ok(channels)
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
    pub fn reviewed(&self, target: &str) -> impl Iterator<Item = &(String, Reviewed)> {
        self.reviewed.get(target).into_iter().flat_map(|window| window.iter())
    }

    /// Remembers a review, to compare later ones with it.
    pub fn note_review(&mut self, path: &str, record: &IterationRecord) {
        let window = Arc::make_mut(self.reviewed.entry(record.document.target.path.clone()).or_default());
        window.push_back((path.to_owned(), Reviewed::of(&record.document).named(&record.tracking)));
        window.make_contiguous().sort_by_key(|(_, reviewed)| reviewed.timestamp);
        while window.len() > WINDOW_SIZE {
            window.pop_front();
        }
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
            expired(entry_time(&source.entry_id), now) && expired(dialogue.last.turn.timestamp, now)
        };
        self.dialogues.values().filter(is_over).map(|d| d.last.turn.session_id.clone()).collect()
    }
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
