//! What was learned from actions, and the chains in hand: takes results in and answers them.
//!
//! A store has any number of chains. So none is kept: whoever takes results in opens the chains that these belong to, and
//! closes them afterwards. What was learned stays.

use super::answer::Suggestion;
use super::cause::{Classed, classify};
use super::chain::{Chain, chain_id};
use super::demand::demand;
use super::feedback::{Policy, respond};
use super::record::{ACTION_SCHEMA, ActionRecord};
use super::result::ActionResult;
use super::signature::signature;
use super::statistics::Learning;
use imbl::OrdMap;
use std::sync::Arc;

/// What was learned, and the chains that are open. One for each store.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    policy: Policy,
    chains: OrdMap<String, Arc<Chain>>,
    learning: Learning,
}

impl Actions {
    /// Nothing was seen yet.
    pub fn new(policy: Policy) -> Actions {
        Actions { policy, ..Actions::default() }
    }

    /// With what was learned before.
    pub fn with(policy: Policy, learning: Learning) -> Actions {
        Actions { policy, learning, ..Actions::default() }
    }

    /// Whether a chain is open.
    pub fn has_open(&self, id: &str) -> bool {
        self.chains.contains_key(id)
    }

    /// Opens a chain as the store has it. What was learned from it is known already.
    pub fn open(&mut self, id: String, chain: Chain) {
        self.chains.insert(id, Arc::new(chain));
    }

    /// Closes all chains.
    pub fn close(&mut self) {
        self.chains.clear();
    }

    /// Learns what a record of the store says was learned, in any order. Each counts once.
    pub fn learn(&mut self, record: &ActionRecord) {
        self.learning.take_record(record);
    }

    /// Takes a result in and answers it; `None` where its chain has an action of that id: a redelivery changes nothing,
    /// and the answer is in the store. (Of a chain of more than 200 actions the oldest are forgotten; the store knows
    /// them.) A chain that is not open begins with it.
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
        let Classed { class, cue } = classify(result);
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

    /// Takes a record of the store in, in any order, and opens its chain. One whose action is there already changes nothing.
    pub fn restore(&mut self, record: &ActionRecord) {
        let chain = Arc::make_mut(self.chains.entry(record.chain.clone()).or_default());
        if chain.restore(record) {
            self.learning.take_record(record);
        }
    }

    /// What to try after a result: what it would be answered if it arrived now. What it teaches is forgotten.
    pub fn suggest(&self, result: &ActionResult) -> Vec<Suggestion> {
        let mut asked = self.clone();
        asked.answer(result)
    }

    /// The same, with what it teaches: of several results the later ones are answered after the earlier ones.
    pub fn answer(&mut self, result: &ActionResult) -> Vec<Suggestion> {
        if let Some(record) = self.take(result) {
            return record.feedback.suggestions;
        }
        // It is in its chain already.
        let chain = self.chain(&chain_id(result)).cloned().unwrap_or_default();
        respond(result, &chain, &self.learning, &self.policy).map_or_else(Vec::new, |feedback| feedback.suggestions)
    }

    /// The remark that a failure makes after it was taken in ([`demand`]).
    pub fn demand(&self, result: &ActionResult) -> Option<String> {
        demand(result, &self.learning)
    }

    /// What was learned.
    pub fn learning(&self) -> &Learning {
        &self.learning
    }

    /// The chain of that id.
    pub fn chain(&self, id: &str) -> Option<&Chain> {
        self.chains.get(id).map(Arc::as_ref)
    }
}
