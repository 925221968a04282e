//! All chains of a store and what was learned from them: takes results in, answers them, and forgets what is old.

use super::answer::Suggestion;
use super::cause::{Classed, classify};
use super::chain::{Attempt, Chain, chain_id};
use super::demand::demand;
use super::feedback::{Policy, respond};
use super::guarded::guarded;
use super::learning::Learning;
use super::record::{ACTION_SCHEMA, ActionRecord};
use super::result::ActionResult;
use super::signature::signature;
use super::suggest::suggest;
use imbl::OrdMap;
use jiff::Timestamp;
use std::sync::Arc;

/// Chains and what was learned, in memory. One for each store.
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

    /// Takes a result in and answers it; `None` where its chain has an action of that id: a redelivery changes nothing,
    /// and the answer is in the store. (Of a chain of more than 200 actions the oldest are forgotten; the store knows
    /// them.)
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

    /// Takes a record of the store in, in any order. One whose action is there already changes nothing.
    pub fn restore(&mut self, record: &ActionRecord) {
        let chain = Arc::make_mut(self.chains.entry(record.chain.clone()).or_default());
        if chain.restore(record) {
            self.learning.take_record(record);
        }
    }

    /// What to try after a result, as if it arrived now. Nothing is learned from it.
    pub fn suggest(&self, result: &ActionResult) -> Vec<Suggestion> {
        let chain = self.chains.get(&chain_id(result)).map(|chain| chain.as_ref().clone()).unwrap_or_default();
        let mut asked = chain;
        asked.add(Attempt::of(result));
        let standing = asked.standing(&result.action_id);
        suggest(&guarded(result), &signature(result), standing.as_ref(), &self.learning, self.policy.max_suggestions)
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

    /// Forgets chains whose last attempt is older. What was learned from them stays; a redelivery of their actions has
    /// to be told by the store from then on.
    pub fn forget_before(&mut self, time: Timestamp) {
        let lives = |chain: &Chain| chain.attempts().last().is_some_and(|attempt| attempt.timestamp >= time);
        let over: Vec<String> = self.chains.iter().filter(|(_, c)| !lives(c)).map(|(id, _)| id.clone()).collect();
        over.iter().for_each(|id| drop(self.chains.remove(id)));
    }
}
