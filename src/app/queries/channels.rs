//! Answers about the channels beside gate decisions: conversation turns, agents' actions, refined prompts, reviews of
//! iterations.

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
        let session = filter.session.as_deref();
        Ok(self.index.turns(&TurnQuery { session, status: filter.status, limit: filter.limit })?)
    }

    /// The files of one turn.
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

    /// One turn.
    pub fn turn_show(&self, session: &str, turn: &str) -> Result<TurnPage, QueryError> {
        let path = self.turn_file(session, turn, "metadata.json")?;
        let TurnFiles { turn, metadata, feedback } = self.turn_files(session, turn)?;
        let (turn, previous_turn) = turn.map_or((None, None), |r| (Some(r.turn), r.previous_turn));
        Ok(TurnPage { path, turn, previous_turn, metadata, feedback })
    }

    /// Actions that pass the filter, the latest first.
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

    /// What was learned from all actions. Reads every one of them: beside a daemon, what that learned is there already.
    pub fn actions(&self, policy: Policy) -> Result<Actions, QueryError> {
        let mut actions = Actions::new(policy);
        self.index.each::<ActionRecord>(&mut |_, r| actions.learn(&r))?;
        Ok(actions)
    }

    /// How the actions of refined prompts fared.
    pub fn refinements(&self) -> Result<Effectiveness, QueryError> {
        let mut all = Effectiveness::default();
        self.index.each::<RefinementRecord>(&mut |_, r| r.feedback_log.iter().for_each(|entry| all.record(entry)))?;
        Ok(all)
    }

    /// Where a file of a turn is.
    fn turn_file(&self, session: &str, turn: &str, name: &str) -> Result<String, QueryError> {
        let path = layout::turn(session, turn, name);
        Ok(match self.index.commit()? {
            Some(commit) => self.store.place_of(&commit, path)?,
            None => path,
        })
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
