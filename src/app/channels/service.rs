//! Queries by programs about the channels other than gate decisions (specification, "Turns", "Refinement", "Actions"
//! and "Review documents"): verdicts on submitted data, and the store's content.
//!
//! Changes nothing: submitted data is evaluated as the streams would evaluate it, and discarded. Reads use the current
//! index, which the daemon keeps at its last commit.

use super::action_knowledge::{ActionKnowledge, chain};
use crate::comments::analyzer::InUse;
use crate::domain::channels::action::{
    ActionRecord, ActionResult, Actions, Cause, Fallback, Policy, Problem, Signature, Suggestion, chain_id, classify,
    signature,
};
use crate::domain::channels::iteration;
use crate::domain::channels::iteration::{Diagnostic, Document, ParseError};
use crate::domain::channels::refine::{Outcome, RefineConfig, refine};
use crate::domain::channels::signal::{Observation, Signal, detect};
use crate::domain::channels::turn::{
    Context, Exchange, FeedbackResult, FeedbackType, RankedStrategy, Strategy, TurnMetadata, TurnRow, context_text,
    judge,
};
use crate::domain::records::record::{StopsRecord, TurnFeedback, TurnRecord};
use crate::ports::{Clock, Index, IndexError, StoreReader};
use crate::queries::cached_index::{CachedIndex, CachedLists};
use crate::queries::{ActionFilter, Comparisons, Queries, QueryError, TurnFiles, TurnFilter};
use crate::rules::approval_history::KnownPast;
use crate::rules::in_force::{Board, InForce, PromptBuilder};
use crate::text::prose::beginning;
use crate::text::redact::redact_json;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// How much of a turn's text is read, in characters; no more is kept of text from the stream.
const MAX_TURN_TEXT: usize = 20_000;
/// Number of latest turns whose queries are compared with the search words: an answer must be quick, and an embedder
/// caches about as many texts.
const COMPARED: usize = 4_000;

/// Store and index, open for one query; answers reflect what is indexed.
pub struct Snapshot {
    /// The store failed.
    pub store: Box<dyn StoreReader>,
    /// The index.
    pub index: Box<dyn Index>,
}

/// Opens a [`Snapshot`]. It is not kept beyond a query: while an old state of the index is being read, its log only
/// grows.
pub type OpenSnapshot = Box<dyn Fn() -> Result<Snapshot, QueryError> + Send + Sync>;

/// Query service for the channels. Shared by all callers; every call may block.
pub struct ChannelService {
    /// Opens snapshots.
    pub open: OpenSnapshot,
    /// Compares queries.
    pub understanding: Arc<InUse>,
    /// The settings of the refinement loop.
    pub refine: RefineConfig,
    /// The settings of suggestions.
    pub actions: Policy,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The known part of the store's history.
    pub past: KnownPast,
    /// Decides which rules enter prompts.
    pub prompting: PromptBuilder,
    /// The contents of the agents' keys, if a daemon creates them.
    pub board: Arc<Board>,
    /// What was learned from actions, if a daemon runs in this process.
    pub learned: Arc<ActionKnowledge>,
    /// The lists last read from the index.
    pub remembered: CachedLists,
}

/// The verdict on a turn with the text for the next respondent (specification, "Turns: The context text").
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TurnJudgement {
    /// The verdict.
    #[serde(flatten)]
    pub result: FeedbackResult,
    /// The section's text.
    pub context: String,
}

/// Optional details that the text for the next respondent may mention.
#[derive(Clone, Debug, Default)]
pub struct JudgedTurn<'a> {
    /// The judged turn.
    pub turn_id: Option<&'a str>,
    /// The turn that gives the signal.
    pub detected_in: Option<&'a str>,
    /// How the judged response was produced.
    pub strategy: Option<&'a Strategy>,
    /// How many consecutive turns were rejected before it.
    pub rejections_before: usize,
}

/// A turn with everything the store has about it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TurnPage {
    /// The turn.
    pub turn: TurnRecord,
    /// What is known about its quality.
    pub metadata: Option<TurnMetadata>,
    /// Feedback from the next turn; null until then.
    pub feedback: Option<TurnFeedback>,
}

/// Suggestions after a result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SuggestionList {
    /// The action.
    pub action_id: String,
    /// The class of its cause.
    pub class: Cause,
    /// The signature shared with failures of the same cause.
    pub signature: Signature,
    /// Suggestions, best first, each with how often it was tried and helped; empty after a success.
    pub suggestions: Vec<Suggestion>,
}

impl ChannelService {
    /// Lists the problems of a text as one actionable-feedback document, JSON or YAML (specification, "Review
    /// documents").
    ///
    /// # Errors
    /// If it is neither, or contains several documents.
    pub fn validate(&self, text: &str) -> Result<Vec<Diagnostic>, ParseError> {
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

    /// Returns the failure signal in an output or comment, if any (specification, "Refinement").
    pub fn detect(&self, seen: &Observation<'_>) -> Option<Signal> {
        redacted(seen, detect)
    }

    /// Refines a prompt that was refined `done` times before (specification, "Refinement").
    pub fn refine(&self, prompt: &str, feedback: &Observation<'_>, done: u32) -> Outcome {
        redacted(feedback, |seen| refine(&clean(prompt), seen, &self.refine, done, self.clock.now()))
    }

    /// Judges a turn by the one that followed it (specification, "Turns").
    ///
    /// # Errors
    /// [`QueryError::Embed`] if the queries cannot be compared.
    pub fn judge(&self, exchange: &Exchange, turn: &JudgedTurn<'_>) -> Result<TurnJudgement, QueryError> {
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
        Ok(TurnJudgement { result, context })
    }

    /// Returns turns, latest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn turns(&self, filter: &TurnFilter) -> Result<Vec<TurnRow>, QueryError> {
        self.ask(|c| c.queries.turns(filter))
    }

    /// Returns strategies to reuse, best first (specification, "Turns: Strategy search").
    ///
    /// # Errors
    /// If the index cannot be read; [`QueryError::Embed`] if the queries cannot be compared.
    pub fn strategies(&self, words: &str, limit: usize) -> Result<Vec<RankedStrategy>, QueryError> {
        let found = self.ask(|c| c.turns_search(&clean(words), COMPARED, limit))?;
        Ok(found.into_iter().map(|hit| hit.ranked).collect())
    }

    /// Returns one turn.
    ///
    /// # Errors
    /// [`QueryError::NotFound`] if there is no such session or turn.
    pub fn turn(&self, session_id: &str, turn_id: &str) -> Result<TurnPage, QueryError> {
        self.ask(|c| match c.queries.turn_files(session_id, turn_id)? {
            TurnFiles { turn: Some(turn), metadata, feedback } => Ok(TurnPage { turn, metadata, feedback }),
            _ => Err(c.queries.no_turn(session_id, turn_id)?),
        })
    }

    /// Returns the actions that pass the filter, latest first (specification, "Actions").
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn actions(&self, filter: &ActionFilter) -> Result<Vec<ActionRecord>, QueryError> {
        self.ask(|c| c.queries.actions_history(filter))
    }

    /// Returns the stopped rules.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn stops(&self) -> Result<StopsRecord, QueryError> {
        self.ask(|c| c.queries.stops())
    }

    /// Returns the rules in force, as the agents' keys hold them, or from store and index if no keys exist yet.
    ///
    /// # Errors
    /// If store or index must be read and cannot be.
    pub fn in_force(&self) -> Result<Arc<InForce>, QueryError> {
        if let Some(made) = self.board.read() {
            return Ok(made);
        }
        self.ask(|c| InForce::read(&c.queries, &self.prompting, self.clock.now())).map(Arc::new)
    }

    /// Returns suggestions after an action's result from what was learned so far (specification, "Actions"). One event
    /// may carry several results.
    ///
    /// # Errors
    /// [`SuggestError::Event`] if it is not a result.
    pub fn suggest(&self, mut event: Value) -> Result<Vec<SuggestionList>, SuggestError> {
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
        let suggested = results.iter().map(|result| SuggestionList {
            action_id: result.action_id.clone(),
            class: classify(result).class,
            signature: signature(result),
            suggestions: known.answer(result),
        });
        Ok(suggested.collect())
    }

    /// Runs a query on the current store and index.
    ///
    /// # Errors
    /// If they cannot be read, or the query's own error.
    pub fn ask<T>(&self, question: impl FnOnce(Comparisons<'_>) -> Result<T, QueryError>) -> Result<T, QueryError> {
        let understanding = self.understanding.get();
        let Snapshot { store, index } = (self.open)()?;
        let staged = index.staged()?;
        // Every store has a commit: an index without one is still being built.
        let Some(commit) = index.commit()?.filter(|_| staged.is_none()) else {
            return Err(IndexError::Io("it is catching up with the store".into()).into());
        };
        let index = CachedIndex::new(index, commit, &self.remembered);
        let queries = Queries { known: Some(&self.past), ..Queries::new(store.as_ref(), &index) };
        question(Comparisons { queries, understanding: &understanding })
    }
}

/// Why there are no suggestions.
#[derive(Debug, thiserror::Error)]
pub enum SuggestError {
    /// The event is not the result of an action.
    #[error(transparent)]
    Event(Problem),
    /// What was learned cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Evaluates an observation with its secrets removed, as for data from a stream.
fn redacted<T>(seen: &Observation<'_>, look: impl FnOnce(&Observation<'_>) -> T) -> T {
    let (text, tool, report) = (clean(seen.text), seen.tool.map(clean), seen.report.map(clean));
    look(&Observation { text: &text, tool: tool.as_deref(), report: report.as_deref(), ..*seen })
}

fn clean(text: &str) -> String {
    let mut value = Value::String(text.to_owned());
    redact_json("text", &mut value);
    value.as_str().unwrap_or_default().to_owned()
}
