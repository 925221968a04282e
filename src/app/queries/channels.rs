//! Answers about the channels beside gate decisions: conversation turns, agents' actions, refined prompts, reviews of
//! iterations.

use super::error::{QueryError, not_found};
use super::lists::Queries;
use crate::domain::channels::action::{ActionRecord, Actions, Policy};
use crate::domain::channels::refine::Effectiveness;
use crate::domain::channels::turn::{FeedbackType, TurnEvent, TurnMetadata, TurnRow};
use crate::domain::records::layout;
use crate::domain::records::record::{RefinementRecord, Registered, Stored, TurnFeedback, TurnRecord};
use serde::Serialize;
use std::collections::{BTreeSet, VecDeque};

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

/// What the store has of a turn, each from its file.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnFiles {
    /// The turn; absent where only its metadata is there.
    pub turn: Option<TurnRecord>,
    /// What is known of its quality.
    pub metadata: Option<TurnMetadata>,
    /// What the next turn, or the session's end, says about it; absent until then.
    pub feedback: Option<TurnFeedback>,
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
        let all = filter.session.is_none() && filter.status.is_none();
        let mut rows = self.index.turns(if all { filter.limit } else { 0 })?;
        rows.retain(|row| filter.session.as_deref().is_none_or(|session| row.session_id == session));
        rows.retain(|row| filter.status.is_none_or(|status| row.user_feedback_status == status));
        cut(&mut rows, filter.limit);
        Ok(rows)
    }

    /// The files of one turn.
    pub fn turn_files(&self, session: &str, turn: &str) -> Result<TurnFiles, QueryError> {
        let files = TurnFiles {
            turn: self.channel_record(&layout::turn(session, turn, "turn.json"))?,
            metadata: self.channel_record(&layout::turn(session, turn, "metadata.json"))?,
            feedback: self.channel_record(&layout::turn(session, turn, "feedback.json"))?,
        };
        match (&files.turn, &files.metadata) {
            (None, None) => Err(self.no_turn(session, turn)?),
            _ => Ok(files),
        }
    }

    /// One turn.
    pub fn turn_show(&self, session: &str, turn: &str) -> Result<TurnPage, QueryError> {
        let path = layout::turn(session, turn, "metadata.json");
        let TurnFiles { turn, metadata, feedback } = self.turn_files(session, turn)?;
        let (turn, previous_turn) = turn.map_or((None, None), |r| (Some(r.turn), r.previous_turn));
        Ok(TurnPage { path, turn, previous_turn, metadata, feedback })
    }

    /// Actions that pass the filter, the latest first.
    pub fn actions_history(&self, filter: &ActionFilter) -> Result<Vec<ActionRecord>, QueryError> {
        let mut last = VecDeque::new();
        let most = if filter.limit == 0 { usize::MAX } else { filter.limit };
        let wanted = |want: &Option<String>, is: &str| want.as_deref().is_none_or(|w| w == is);
        self.index.each::<ActionRecord>(&mut |_, r| {
            if wanted(&filter.session, &r.result.session_id) && wanted(&filter.agent, &r.result.agent) {
                last.push_front(r);
                last.truncate(most);
            }
        })?;
        Ok(last.into())
    }

    /// What was learned from all actions.
    pub fn actions(&self, policy: Policy) -> Result<Actions, QueryError> {
        let mut actions = Actions::new(policy);
        self.index.each::<ActionRecord>(&mut |_, r| actions.restore(&r))?;
        Ok(actions)
    }

    /// How the actions of refined prompts fared.
    pub fn refinements(&self) -> Result<Effectiveness, QueryError> {
        let mut all = Effectiveness::default();
        self.index.each::<RefinementRecord>(&mut |_, r| r.feedback_log.iter().for_each(|entry| all.record(entry)))?;
        Ok(all)
    }

    /// The record of a channel as the index has it; `None` where there is no such file.
    fn channel_record<R: Registered>(&self, path: &str) -> Result<Option<R>, QueryError> {
        let Some(commit) = self.index.commit()? else { return Ok(None) };
        let Some(bytes) = self.store.read(&commit, path)? else { return Ok(None) };
        match Stored::read(R::KIND, &String::from_utf8_lossy(&bytes)) {
            Ok(record) => Ok(R::out_of(record)),
            Err(message) => Err(QueryError::Unreadable { path: path.to_owned(), message }),
        }
    }

    /// Names the session that is not known, or the turn that its session does not have.
    pub(in crate::app) fn no_turn(&self, session: &str, turn: &str) -> Result<QueryError, QueryError> {
        let rows = self.index.turns(0)?;
        let of_session: Vec<&str> =
            rows.iter().filter(|row| row.session_id == session).map(|row| row.turn_id.as_str()).collect();
        if of_session.is_empty() {
            let sessions: BTreeSet<&str> = rows.iter().map(|row| row.session_id.as_str()).collect();
            return Ok(not_found("session", session, sessions.into_iter()));
        }
        Ok(not_found("turn", turn, of_session.into_iter()))
    }
}

pub(super) fn cut<T>(found: &mut Vec<T>, limit: usize) {
    if limit > 0 {
        found.truncate(limit);
    }
}
