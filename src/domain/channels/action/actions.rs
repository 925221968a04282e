//! What was learned from actions, and the open chains: accepts results and answers them.
//!
//! A store can have any number of chains, so none is kept: the caller opens the chains its results belong to, and
//! closes them afterwards. What was learned stays.

use super::answer::Suggestion;
use super::cause::{CauseMatch, classify};
use super::chain::{Chain, chain_id};
use super::demand::demand;
use super::feedback::{Policy, respond};
use super::record::{ACTION_SCHEMA, ActionRecord};
use super::result::ActionResult;
use super::signature::signature;
use super::statistics::ActionStatistics;
use imbl::OrdMap;
use std::sync::Arc;

/// What was learned, and the open chains. One per store.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    policy: Policy,
    chains: OrdMap<String, Arc<Chain>>,
    learning: ActionStatistics,
}

impl Actions {
    /// Creates an empty instance.
    pub fn new(policy: Policy) -> Actions {
        Actions { policy, ..Actions::default() }
    }

    /// Creates an instance with what was learned before.
    pub fn with(policy: Policy, learning: ActionStatistics) -> Actions {
        Actions { policy, learning, ..Actions::default() }
    }

    /// Reports whether a chain is open.
    pub fn has_open(&self, id: &str) -> bool {
        self.chains.contains_key(id)
    }

    /// Opens a chain as stored. What was learned from it is already known.
    pub fn open(&mut self, id: String, chain: Chain) {
        self.chains.insert(id, Arc::new(chain));
    }

    /// Closes all chains.
    pub fn close(&mut self) {
        self.chains.clear();
    }

    /// Learns what a stored record contains, in any order. Each record counts once.
    pub fn learn(&mut self, record: &ActionRecord) {
        self.learning.take_record(record);
    }

    /// Adds a result and answers it. Returns `None` if its chain already has an action with that id: a redelivery
    /// changes nothing, and the answer is in the store. (Of a chain of more than 200 actions the oldest are dropped;
    /// the store has them.) A result whose chain is not open starts it.
    pub fn take(&mut self, result: &ActionResult) -> Option<ActionRecord> {
        let id = chain_id(result);
        let chain = Arc::make_mut(self.chains.entry(id.clone()).or_default());
        if chain.attempts().iter().any(|attempt| attempt.action_id == result.action_id) {
            return None;
        }
        let taught = self.learning.observe(result, chain);
        let feedback = respond(result, chain, &self.learning, &self.policy)?;
        if feedback.escalation.is_some() {
            chain.note_escalation(&result.action_id);
        }
        chain.trim();
        let CauseMatch { class, cue } = classify(result);
        Some(ActionRecord {
            schema: ACTION_SCHEMA.to_owned(),
            result: result.clone(),
            signature: signature(result),
            class,
            cue,
            chain: id,
            position: feedback.attempt,
            feedback,
            taught,
        })
    }

    /// Adds a stored record, in any order, and opens its chain. A known action changes nothing.
    pub fn restore(&mut self, record: &ActionRecord) {
        let chain = Arc::make_mut(self.chains.entry(record.chain.clone()).or_default());
        if chain.restore(record) {
            self.learning.take_record(record);
        }
    }

    /// Returns what to try after a result: the answer if it arrived now. What it teaches is discarded.
    pub fn suggest(&self, result: &ActionResult) -> Vec<Suggestion> {
        let mut asked = self.clone();
        asked.answer(result)
    }

    /// Returns the same, but learns from the result: of several results, the later ones are answered after the earlier
    /// ones.
    pub fn answer(&mut self, result: &ActionResult) -> Vec<Suggestion> {
        if let Some(record) = self.take(result) {
            return record.feedback.suggestions;
        }
        // It is already in its chain.
        let chain = self.chain(&chain_id(result)).cloned().unwrap_or_default();
        respond(result, &chain, &self.learning, &self.policy).map_or_else(Vec::new, |feedback| feedback.suggestions)
    }

    /// Returns the comment that a failure causes after it was added ([`demand`]).
    pub fn demand(&self, result: &ActionResult) -> Option<String> {
        demand(result, &self.learning)
    }

    /// Returns what was learned.
    pub fn learning(&self) -> &ActionStatistics {
        &self.learning
    }

    /// Returns the chain with that id.
    pub fn chain(&self, id: &str) -> Option<&Chain> {
        self.chains.get(id).map(Arc::as_ref)
    }
}
