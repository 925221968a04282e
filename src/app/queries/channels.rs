//! Answers about the channels beside gate decisions: conversation turns, agents' actions, refined prompts, reviews of
//! iterations.

use super::{Queries, QueryError, not_found};
use crate::domain::action::{ActionRecord, Actions, Policy};
use crate::domain::channel::{ChannelKind, ChannelRecord, TurnFeedback};
use crate::domain::layout;
use crate::domain::refine::Effectiveness;
use crate::domain::turn::{FeedbackType, Ranked, TurnEvent, TurnMetadata, TurnRow, content_stems, rank};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// From which similarity on an earlier query is like the one that is asked.
pub const ALIKE: f64 = 0.5;

/// Which turns are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnFilter {
    /// Only this conversation's.
    pub session: Option<String>,
    /// Only those the user made this of.
    pub status: Option<FeedbackType>,
    /// At most so many; 0 for all.
    pub limit: usize,
}

/// A turn with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnPage {
    /// Its file in the store.
    pub path: String,
    /// The turn; absent where only its metadata is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnEvent>,
    /// The turn before it in its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_turn: Option<String>,
    /// Its metadata, with what the user made of it where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<TurnMetadata>,
    /// The verdict, why, and the context for whoever answers next; absent until the next turn or the session's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<TurnFeedback>,
}

/// A turn whose strategy may be used again, and what it shares with the words that were asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnHit {
    /// The turn and its rank.
    #[serde(flatten)]
    pub ranked: Ranked,
    /// How likely its query is to mean the same, 0 to 1; absent where a text has no known word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The stems of the content words that both have.
    pub shared: Vec<String>,
}

/// Which actions are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionFilter {
    /// Only this session's.
    pub session: Option<String>,
    /// Only this agent's.
    pub agent: Option<String>,
    /// At most so many; 0 for all.
    pub limit: usize,
}

impl Queries<'_> {
    /// Turns that pass the filter, the latest first.
    pub fn turns(&self, filter: &TurnFilter) -> Result<Vec<TurnRow>, QueryError> {
        let mut rows = self.index.turns("", 0)?;
        rows.retain(|row| filter.session.as_deref().is_none_or(|session| row.session_id == session));
        rows.retain(|row| filter.status.is_none_or(|status| row.user_feedback_status == status));
        cut(&mut rows, filter.limit);
        Ok(rows)
    }

    /// One turn.
    pub fn turn_show(&self, session: &str, turn: &str) -> Result<TurnPage, QueryError> {
        let record = |kind, name: &str| self.channel_record(kind, &layout::turn(session, turn, name));
        let metadata = match record(ChannelKind::TurnMetadata, "metadata.json")? {
            Some(ChannelRecord::TurnMetadata(metadata)) => Some(*metadata),
            _ => None,
        };
        let (turn_event, previous_turn) = match record(ChannelKind::Turn, "turn.json")? {
            Some(ChannelRecord::Turn(r)) => (Some(r.turn), r.previous_turn),
            _ => (None, None),
        };
        if metadata.is_none() && turn_event.is_none() {
            return Err(self.no_turn(session, turn)?);
        }
        let feedback = match record(ChannelKind::TurnFeedback, "feedback.json")? {
            Some(ChannelRecord::TurnFeedback(feedback)) => Some(*feedback),
            _ => None,
        };
        let path = layout::turn(session, turn, "metadata.json");
        Ok(TurnPage { path, turn: turn_event, previous_turn, metadata, feedback })
    }

    /// Turns whose query is like the words, as strategies to use again (001, "Strategy Search Filtering"): rejected ones
    /// are left out, accepted ones come first. `limit` 0 means all.
    pub fn turns_search(&self, words: &str, limit: usize) -> Result<Vec<TurnHit>, QueryError> {
        let mut rows = self.index.turns("", 0)?;
        rows.retain(|row| row.user_feedback_status != FeedbackType::Rejected && !row.query.trim().is_empty());
        let moment = self.understanding.moment();
        self.understanding.prepare(&mut rows.iter().map(|row| row.query.clone()).chain([words.to_owned()]))?;
        let asked = content_stems(words);
        let mut why: HashMap<(String, String), (Option<f64>, Vec<String>)> = HashMap::new();
        rows.retain(|row| {
            let similarity = self.understanding.similarity(words, &row.query);
            let shared: Vec<String> = asked.intersection(&content_stems(&row.query)).cloned().collect();
            let alike = similarity.is_some_and(|s| s >= ALIKE) || !shared.is_empty();
            if alike {
                why.insert((row.session_id.clone(), row.turn_id.clone()), (similarity, shared));
            }
            alike
        });
        self.understanding.sound_since(moment)?;
        let hit = |ranked: Ranked| {
            let key = (ranked.row.session_id.clone(), ranked.row.turn_id.clone());
            let (similarity, shared) = why.remove(&key).unwrap_or_default();
            TurnHit { ranked, similarity, shared }
        };
        let mut found: Vec<TurnHit> = rank(rows).into_iter().map(hit).collect();
        cut(&mut found, limit);
        Ok(found)
    }

    /// Actions that pass the filter, the latest first.
    pub fn actions_history(&self, filter: &ActionFilter) -> Result<Vec<ActionRecord>, QueryError> {
        let mut found = Vec::new();
        let wanted = |want: &Option<String>, is: &str| want.as_deref().is_none_or(|w| w == is);
        self.index.each_channel(ChannelKind::Action, &mut |_, record| {
            if let ChannelRecord::Action(r) = record
                && wanted(&filter.session, &r.result.session_id)
                && wanted(&filter.agent, &r.result.agent)
            {
                found.push(*r);
            }
        })?;
        found.reverse();
        cut(&mut found, filter.limit);
        Ok(found)
    }

    /// What was learned from all actions.
    pub fn actions(&self, policy: Policy) -> Result<Actions, QueryError> {
        let mut actions = Actions::new(policy);
        self.index.each_channel(ChannelKind::Action, &mut |_, record| {
            if let ChannelRecord::Action(r) = record {
                actions.restore(&r);
            }
        })?;
        Ok(actions)
    }

    /// How the actions of refined prompts fared.
    pub fn refinements(&self) -> Result<Effectiveness, QueryError> {
        let mut all = Effectiveness::default();
        self.index.each_channel(ChannelKind::Refinement, &mut |_, record| {
            if let ChannelRecord::Refinement(r) = record {
                r.feedback_log.iter().for_each(|entry| all.record(entry));
            }
        })?;
        Ok(all)
    }

    /// The record of a channel as the index has it; `None` where there is no such file.
    fn channel_record(&self, kind: ChannelKind, path: &str) -> Result<Option<ChannelRecord>, QueryError> {
        let Some(commit) = self.index.commit()? else { return Ok(None) };
        let Some(bytes) = self.store.read(&commit, path)? else { return Ok(None) };
        let read = ChannelRecord::read(kind, &String::from_utf8_lossy(&bytes));
        read.map(Some).map_err(|message| QueryError::Unreadable { path: path.to_owned(), message })
    }

    /// Names the session that is not known, or the turn that its session does not have.
    fn no_turn(&self, session: &str, turn: &str) -> Result<QueryError, QueryError> {
        let rows = self.index.turns("", 0)?;
        let of_session: Vec<&str> =
            rows.iter().filter(|row| row.session_id == session).map(|row| row.turn_id.as_str()).collect();
        if of_session.is_empty() {
            let sessions: BTreeSet<&str> = rows.iter().map(|row| row.session_id.as_str()).collect();
            return Ok(not_found("session", session, sessions.into_iter()));
        }
        Ok(not_found("turn", turn, of_session.into_iter()))
    }
}

fn cut<T>(found: &mut Vec<T>, limit: usize) {
    if limit > 0 {
        found.truncate(limit);
    }
}
