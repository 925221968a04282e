//! Answers about the channels other than gate decisions: conversation turns, agents' actions, refined prompts, reviews
//! of iterations.

use super::error::{QueryError, not_found};
use super::lists::Queries;
use crate::domain::channels::action::{ActionRecord, Actions, Policy};
use crate::domain::channels::refine::Effectiveness;
use crate::domain::channels::turn::{FeedbackType, TurnEvent, TurnMetadata, TurnRow};
use crate::domain::records::layout;
use crate::domain::records::record::{RefinementRecord, Registered, Stored, TurnFeedback, TurnRecord};
use crate::ports::{Order, TurnQuery, Which};
use serde::Serialize;
use std::ops::ControlFlow;

/// Filter for turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnFilter {
    /// Restricts the list to this conversation.
    pub session: Option<String>,
    /// Restricts the list to this user reaction.
    pub status: Option<FeedbackType>,
    /// Maximum number; 0 for all.
    pub limit: usize,
}

/// The stored files of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnFiles {
    /// The turn; absent if only its metadata is stored.
    pub turn: Option<TurnRecord>,
    /// Its quality metadata.
    pub metadata: Option<TurnMetadata>,
    /// The verdict from the next turn or the session's end; absent until then.
    pub feedback: Option<TurnFeedback>,
}

/// A turn with everything known about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnPage {
    /// Its file in the store.
    pub path: String,
    /// The turn; absent if only its metadata is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnEvent>,
    /// The turn before it in its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_turn: Option<String>,
    /// Its metadata, with the user's reaction if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<TurnMetadata>,
    /// The verdict, its reason, and the context for the next answer; absent until the next turn or the session's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<TurnFeedback>,
}

/// Filter for actions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionFilter {
    /// Restricts the list to this session.
    pub session: Option<String>,
    /// Restricts the list to this agent.
    pub agent: Option<String>,
    /// Maximum number; 0 for all.
    pub limit: usize,
}

impl Queries<'_> {
    /// Returns the turns that pass the filter, latest first.
    pub fn turns(&self, filter: &TurnFilter) -> Result<Vec<TurnRow>, QueryError> {
        let session = filter.session.as_deref();
        Ok(self.index.turns(&TurnQuery { session, status: filter.status, limit: filter.limit })?)
    }

    /// Returns the files of one turn.
    pub fn turn_files(&self, session: &str, turn: &str) -> Result<TurnFiles, QueryError> {
        let files = TurnFiles {
            turn: self.channel_record(&self.turn_file(session, turn, "turn.json")?)?,
            metadata: self.channel_record(&self.turn_file(session, turn, "metadata.json")?)?,
            feedback: self.channel_record(&self.turn_file(session, turn, "feedback.json")?)?,
        };
        match (&files.turn, &files.metadata) {
            (None, None) => Err(self.no_turn(session, turn)?),
            _ => Ok(files),
        }
    }

    /// Returns one turn.
    pub fn turn_show(&self, session: &str, turn: &str) -> Result<TurnPage, QueryError> {
        let path = self.turn_file(session, turn, "metadata.json")?;
        let TurnFiles { turn, metadata, feedback } = self.turn_files(session, turn)?;
        let (turn, previous_turn) = turn.map_or((None, None), |r| (Some(r.turn), r.previous_turn));
        Ok(TurnPage { path, turn, previous_turn, metadata, feedback })
    }

    /// Returns the actions that pass the filter, latest first.
    pub fn actions_history(&self, filter: &ActionFilter) -> Result<Vec<ActionRecord>, QueryError> {
        let mut last = Vec::new();
        let wanted = |want: &Option<String>, is: &str| want.as_deref().is_none_or(|w| w == is);
        let order = Order::GreatestFirst;
        self.index.find_records(ActionRecord::KIND, Which::All, order, &mut |_, record| {
            last.extend(
                ActionRecord::out_of(record).filter(|r| {
                    wanted(&filter.session, &r.result.session_id) && wanted(&filter.agent, &r.result.agent)
                }),
            );
            if last.len() == filter.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(last)
    }

    /// Returns what was learned from all actions. Reads every one of them; a running daemon already has the result.
    pub fn actions(&self, policy: Policy) -> Result<Actions, QueryError> {
        let mut actions = Actions::new(policy);
        self.index.each::<ActionRecord>(&mut |_, r| actions.learn(&r))?;
        Ok(actions)
    }

    /// Returns how the actions of refined prompts fared.
    pub fn refinements(&self) -> Result<Effectiveness, QueryError> {
        let mut all = Effectiveness::default();
        self.index.each::<RefinementRecord>(&mut |_, r| r.feedback_log.iter().for_each(|entry| all.record(entry)))?;
        Ok(all)
    }

    /// Returns the path of a turn's file.
    fn turn_file(&self, session: &str, turn: &str, name: &str) -> Result<String, QueryError> {
        let path = layout::turn(session, turn, name);
        Ok(match self.index.commit()? {
            Some(commit) => self.store.place_of(&commit, path)?,
            None => path,
        })
    }

    /// Returns a channel's record as indexed; `None` if there is no such file.
    fn channel_record<R: Registered>(&self, path: &str) -> Result<Option<R>, QueryError> {
        let Some(commit) = self.index.commit()? else { return Ok(None) };
        let Some(bytes) = self.store.read(&commit, path)? else { return Ok(None) };
        match Stored::read(R::KIND, &String::from_utf8_lossy(&bytes)) {
            Ok(record) => Ok(R::out_of(record)),
            Err(message) => Err(QueryError::Unreadable { path: path.to_owned(), message }),
        }
    }

    /// Names the unknown session, or the turn missing from its session.
    pub(crate) fn no_turn(&self, session: &str, turn: &str) -> Result<QueryError, QueryError> {
        let rows = self.index.turns(&TurnQuery { session: Some(session), ..TurnQuery::default() })?;
        if rows.is_empty() {
            return Ok(not_found("session", session, self.index.sessions()?.iter().map(String::as_str)));
        }
        Ok(not_found("turn", turn, rows.iter().map(|row| row.turn_id.as_str())))
    }
}

pub(super) fn cut<T>(found: &mut Vec<T>, limit: usize) {
    if limit > 0 {
        found.truncate(limit);
    }
}
