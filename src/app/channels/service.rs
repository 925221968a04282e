//! What programs may ask about the channels beside gate decisions (specification, "Turns", "Refinement", "Actions" and
//! "Review documents"): verdicts on what they send, and what the store keeps.
//!
//! Changes nothing: what is sent here is answered as the streams would answer it, and forgotten. Reading looks at the
//! index as it stands, which the daemon keeps at its last commit.

use super::action_knowledge::{Learned, chain};
use crate::comments::analyzer::InUse;
use crate::domain::channels::action::{
    ActionRecord, ActionResult, Actions, Cause, Fallback, Policy, Problem, Signature, Suggestion, chain_id, classify,
    signature,
};
use crate::domain::channels::iteration;
use crate::domain::channels::iteration::{Document, Finding, ParseError};
use crate::domain::channels::refine::{Outcome, RefineConfig, refine};
use crate::domain::channels::signal::{Observation, Signal, detect};
use crate::domain::channels::turn::{
    Context, Exchange, FeedbackResult, FeedbackType, Ranked, Strategy, TurnMetadata, TurnRow, context_text, judge,
};
use crate::domain::records::record::{StopsRecord, TurnFeedback, TurnRecord};
use crate::ports::{Clock, Index, IndexError, StoreReader};
use crate::queries::cached_index::{Remembered, Remembering};
use crate::queries::{ActionFilter, Comparisons, Queries, QueryError, TurnFiles, TurnFilter};
use crate::rules::approval_history::KnownPast;
use crate::rules::in_force::{Board, InForce, Prompting};
use crate::text::prose::beginning;
use crate::text::redact::redact_json;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// How much of a turn's text is read, in characters; of what comes on the stream no more is kept.
const MAX_TURN_TEXT: usize = 20_000;
/// Of so many turns, the latest, the queries are compared with the words that are asked: an answer must not take long,
/// and an embedder remembers about as many texts.
const COMPARED: usize = 4_000;

/// Store and index, open for one question; what the index reflects is what is answered.
pub struct Snapshot {
    /// The store.
    pub store: Box<dyn StoreReader>,
    /// The index.
    pub index: Box<dyn Index>,
}

/// Opens a [`Snapshot`]. It is not kept beyond a question: as long as anybody reads the index as it was, its log only grows.
pub type OpenSnapshot = Box<dyn Fn() -> Result<Snapshot, QueryError> + Send + Sync>;

/// Answers about the channels. One for all callers; every call may block.
pub struct ChannelService {
    /// Opens what is read.
    pub open: OpenSnapshot,
    /// What compares two queries.
    pub understanding: Arc<InUse>,
    /// The settings of the refinement loop.
    pub refine: RefineConfig,
    /// The settings of suggestions.
    pub actions: Policy,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// What is known of the store's history.
    pub past: KnownPast,
    /// What decides which rules enter prompts.
    pub prompting: Prompting,
    /// What the agents' keys hold, where a daemon makes them.
    pub board: Arc<Board>,
    /// What was learned from actions, where a daemon works in this process.
    pub learned: Arc<Learned>,
    /// The lists that were read of the index last.
    pub remembered: Remembered,
}

/// The verdict on a turn with the text for whoever answers next (specification, "Turns: The context text").
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Judged {
    /// The verdict.
    #[serde(flatten)]
    pub result: FeedbackResult,
    /// The section's text.
    pub context: String,
}

/// What the text for whoever answers next may name beside the exchange.
#[derive(Clone, Debug, Default)]
pub struct JudgedTurn<'a> {
    /// The turn that is judged.
    pub turn_id: Option<&'a str>,
    /// The turn that tells.
    pub detected_in: Option<&'a str>,
    /// How the judged response came about.
    pub strategy: Option<&'a Strategy>,
    /// How many turns in a row were rejected before it.
    pub rejections_before: usize,
}

/// One turn with everything the store has about it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TurnPage {
    /// The turn.
    pub turn: TurnRecord,
    /// What is known of its quality.
    pub metadata: Option<TurnMetadata>,
    /// What the next turn says about it; null until then.
    pub feedback: Option<TurnFeedback>,
}

/// What to try after a result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Suggested {
    /// The action.
    pub action_id: String,
    /// The class of its cause.
    pub class: Cause,
    /// What it shares with failures of the same cause.
    pub signature: Signature,
    /// What to try, best first, each with how often it was tried and helped; empty after a success.
    pub suggestions: Vec<Suggestion>,
}

impl ChannelService {
    /// What speaks against a text as one actionable-feedback document, JSON or YAML (specification, "Review
    /// documents").
    ///
    /// # Errors
    /// Where it is neither, or holds several documents.
    pub fn validate(&self, text: &str) -> Result<Vec<Finding>, ParseError> {
        let values = iteration::parse(text)?;
        let [value] = values.as_slice() else {
            return Err(ParseError {
                line: None,
                message: format!("the text holds {} documents", values.len()),
                hint: "Send one document at a time.".to_owned(),
            });
        };
        Ok(Document::of(value).err().unwrap_or_else(|| iteration::check(value)))
    }

    /// Whether an output or a remark signals a failure (specification, "Refinement").
    pub fn detect(&self, seen: &Observation<'_>) -> Option<Signal> {
        redacted(seen, detect)
    }

    /// Refines a prompt that had `done` refinements before (specification, "Refinement").
    pub fn refine(&self, prompt: &str, feedback: &Observation<'_>, done: u32) -> Outcome {
        redacted(feedback, |seen| refine(&clean(prompt), seen, &self.refine, done, self.clock.now()))
    }

    /// Judges a turn by the one that followed it (specification, "Turns").
    ///
    /// # Errors
    /// [`QueryError::Embed`] where the queries cannot be compared.
    pub fn judge(&self, exchange: &Exchange, turn: &JudgedTurn<'_>) -> Result<Judged, QueryError> {
        let [previous_query, previous_response, text] =
            [&exchange.previous_query, &exchange.previous_response, &exchange.text]
                .map(|text| clean(beginning(text, MAX_TURN_TEXT)));
        let understanding = self.understanding.get();
        let similarity = understanding.compared_with(&previous_query)?.similarity(&text)?;
        let exchange = Exchange { previous_query, previous_response, text, similarity };
        let result = judge(&exchange);
        let rejected = result.feedback_type == FeedbackType::Rejected;
        let context = context_text(&Context {
            turn_id: turn.turn_id.unwrap_or("N"),
            detected_in: Some(turn.detected_in.unwrap_or("N+1")),
            exchange: &exchange,
            result: &result,
            strategy: turn.strategy,
            rejections_in_a_row: if rejected { turn.rejections_before.saturating_add(1) } else { 0 },
        });
        Ok(Judged { result, context })
    }

    /// Turns, the latest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn turns(&self, filter: &TurnFilter) -> Result<Vec<TurnRow>, QueryError> {
        self.ask(|c| c.queries.turns(filter))
    }

    /// Strategies to use again, best first (specification, "Turns: Strategy search").
    ///
    /// # Errors
    /// When the index cannot be read; [`QueryError::Embed`] where the queries cannot be compared.
    pub fn strategies(&self, words: &str, limit: usize) -> Result<Vec<Ranked>, QueryError> {
        let found = self.ask(|c| c.turns_search(&clean(words), COMPARED, limit))?;
        Ok(found.into_iter().map(|hit| hit.ranked).collect())
    }

    /// One turn.
    ///
    /// # Errors
    /// [`QueryError::NotFound`] where there is no such session or turn.
    pub fn turn(&self, session_id: &str, turn_id: &str) -> Result<TurnPage, QueryError> {
        self.ask(|c| match c.queries.turn_files(session_id, turn_id)? {
            TurnFiles { turn: Some(turn), metadata, feedback } => Ok(TurnPage { turn, metadata, feedback }),
            _ => Err(c.queries.no_turn(session_id, turn_id)?),
        })
    }

    /// The history of actions, the latest first; those that pass the filter (specification, "Actions").
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn actions(&self, filter: &ActionFilter) -> Result<Vec<ActionRecord>, QueryError> {
        self.ask(|c| c.queries.actions_history(filter))
    }

    /// Which rules are stopped.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn stops(&self) -> Result<StopsRecord, QueryError> {
        self.ask(|c| c.queries.stops())
    }

    /// The rules in force, as the agents' keys hold them; where none were made yet, as store and index say.
    ///
    /// # Errors
    /// When store or index has to be read and cannot be.
    pub fn in_force(&self) -> Result<Arc<InForce>, QueryError> {
        if let Some(made) = self.board.read() {
            return Ok(made);
        }
        self.ask(|c| InForce::read(&c.queries, &self.prompting, self.clock.now())).map(Arc::new)
    }

    /// What to try after an action's result, by what was learned so far (specification, "Actions"). One event may carry
    /// several results.
    ///
    /// # Errors
    /// [`SuggestError::Event`] where it is no result.
    pub fn suggest(&self, mut event: Value) -> Result<Vec<Suggested>, SuggestError> {
        redact_json("", &mut event);
        let now = self.clock.now();
        let fallback = Fallback { action_id: Some("asked".into()), timestamp: Some(now), ..Fallback::default() };
        let results = ActionResult::from_value_or(&event, &fallback, now).map_err(SuggestError::Event)?;
        let mut known = self.ask(|c| {
            let mut known = match self.learned.read() {
                Some(learning) => Actions::with(self.actions, learning),
                None => c.queries.actions(self.actions)?,
            };
            for id in results.iter().map(chain_id) {
                let chain = chain(c.queries.index, &id)?;
                known.open(id, chain);
            }
            Ok(known)
        })?;
        let suggested = results.iter().map(|result| Suggested {
            action_id: result.action_id.clone(),
            class: classify(result).class,
            signature: signature(result),
            suggestions: known.answer(result),
        });
        Ok(suggested.collect())
    }

    /// Asks store and index as they stand now.
    ///
    /// # Errors
    /// When they cannot be read, and what the question fails with.
    pub fn ask<T>(&self, question: impl FnOnce(Comparisons<'_>) -> Result<T, QueryError>) -> Result<T, QueryError> {
        let understanding = self.understanding.get();
        let Snapshot { store, index } = (self.open)()?;
        let staged = index.staged()?;
        // Every store has a commit: an index of none is being made.
        let Some(commit) = index.commit()?.filter(|_| staged.is_none()) else {
            return Err(IndexError::Io("it is being brought up to the store".into()).into());
        };
        let index = Remembering::new(index, commit, &self.remembered);
        let queries = Queries { known: Some(&self.past), ..Queries::new(store.as_ref(), &index) };
        question(Comparisons { queries, understanding: &understanding })
    }
}

/// Why there are no suggestions.
#[derive(Debug, thiserror::Error)]
pub enum SuggestError {
    /// The event is no result of an action.
    #[error(transparent)]
    Event(Problem),
    /// What was learned cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Looks at what was seen without its secrets, as what comes on a stream is looked at.
fn redacted<T>(seen: &Observation<'_>, look: impl FnOnce(&Observation<'_>) -> T) -> T {
    let (text, tool, report) = (clean(seen.text), seen.tool.map(clean), seen.report.map(clean));
    look(&Observation { text: &text, tool: tool.as_deref(), report: report.as_deref(), ..*seen })
}

fn clean(text: &str) -> String {
    let mut value = Value::String(text.to_owned());
    redact_json("text", &mut value);
    value.as_str().unwrap_or_default().to_owned()
}
