//! What worked, learned from attempts: counts for each signature and approach, and how likely each is to help.
//!
//! An approach's success rate in a situation has a Beta distribution. Its prior has three parts: a guess (one half, or
//! that of a built-in or given suggestion, which fades as the situation is seen more often) as strong as two
//! observations; observations that share only the class of the cause, as at most [`CLASS_STRENGTH`] of them; and
//! observations that share the inference too, as at most [`INFERENCE_STRENGTH`]. Observations of a narrower circle are
//! excluded from the wider one, so that none counts twice.
//!
//! Suggestions are ranked by the posterior's mean. Nothing is drawn at random and nothing is tried just to learn. An
//! approach that is seldom ranked first is still tried whenever those before it fail, which is as often as they are
//! worth replacing.

use super::beta::{Beta, CLASS_STRENGTH, Counts, Credible, GUESS_HALF, INFERENCE_STRENGTH};
use super::cause::Cause;
use super::chain::{Attempt, Chain};
use super::observation::{Observation, Outcome};
use super::record::ActionRecord;
use super::result::ActionResult;
use super::signature::Signature;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many agents must have seen an approach help before it is suggested to others: one agent repeating itself is
/// still one source.
const VOUCHING: usize = 2;

/// What is known about an approach in a situation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tally")]
pub struct ApproachTally {
    /// The outcomes.
    #[serde(flatten)]
    pub counts: Counts,
    /// How often it was an available tool.
    pub as_tool: u64,
    /// Its spellings, and how often each was used.
    pub names: BTreeMap<String, u64>,
    /// The agents that saw it help, and how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seen_by: BTreeMap<String, u64>,
}

impl ApproachTally {
    /// Returns the most frequent spelling; the first if several tie.
    pub fn name(&self) -> Option<&str> {
        let most = self.names.values().max()?;
        self.names.iter().find(|(_, count)| *count == most).map(|(name, _)| name.as_str())
    }

    fn take_in(&mut self, observation: &Observation) {
        let step = |count: &mut u64| {
            *count = if observation.withdrawn { count.saturating_sub(1) } else { count.saturating_add(1) };
        };
        step(match observation.outcome {
            Outcome::Success => &mut self.counts.successes,
            Outcome::Failure => &mut self.counts.failures,
            Outcome::Partial => &mut self.counts.partials,
        });
        if observation.is_tool {
            step(&mut self.as_tool);
        }
        let name = &observation.approach.name;
        step(self.names.entry(name.clone()).or_default());
        self.names.retain(|_, count| *count > 0);
        if observation.outcome == Outcome::Success {
            step(self.seen_by.entry(observation.agent.clone()).or_default());
            self.seen_by.retain(|_, count| *count > 0);
        }
    }
}

/// What is known about approaches, by key.
pub type Tallies = BTreeMap<String, ApproachTally>;

/// What is known about one situation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experience {
    /// The situation.
    pub signature: Signature,
    /// How many failures had this signature.
    pub occurrences: u64,
    /// The approaches tried, by key.
    pub approaches: Tallies,
}

/// Everything that was learned. One per store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionStatistics {
    situations: OrdMap<String, Arc<Experience>>,
    inferences: OrdMap<(String, Cause), Arc<Tallies>>,
    classes: OrdMap<Cause, Arc<Tallies>>,
    /// How often each observation was made minus how often it was withdrawn; never 0. Below 0 if it was withdrawn
    /// before it was made: records may arrive out of order.
    made: OrdMap<Observation, i64>,
}

/// The probability that an approach helps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The posterior's mean.
    pub mean: f64,
    /// The 90 % interval of the rate.
    pub credible: Credible,
    /// What was observed in this situation.
    pub here: Counts,
    /// Observations with the same inference and class, excluding this situation.
    pub inference: Counts,
    /// Observations with the same class, excluding both.
    pub class: Counts,
}

impl ActionStatistics {
    /// Learns from a result added to its chain, and returns what changed. A result whose id is already in the chain
    /// changes nothing. The chain then contains the result, and is not trimmed.
    pub fn observe(&mut self, result: &ActionResult, chain: &mut Chain) -> Vec<Observation> {
        let before = chain.observations();
        let attempt = Attempt::of(result);
        if !chain.add(attempt) {
            return Vec::new();
        }
        let changes = changes(before, chain.observations());
        if result.is_failure() {
            self.count(&super::signature::signature(result));
        }
        changes.iter().for_each(|observation| self.take_in(observation));
        changes
    }

    /// Learns what a record contains. Records give the same result in any order, each taken once.
    pub fn take_record(&mut self, record: &ActionRecord) {
        if record.result.is_failure() {
            self.count(&record.signature);
        }
        for observation in &record.taught {
            // Earlier versions did not record the agent: it was the one that sent this report.
            let agent = if observation.agent.is_empty() { &record.result.agent } else { &observation.agent };
            self.take_in(&Observation { agent: agent.clone(), ..observation.clone() });
        }
    }

    /// Returns the situations, by signature id.
    pub fn situations(&self) -> impl Iterator<Item = &Experience> {
        self.situations.values().map(Arc::as_ref)
    }

    /// Returns what is known about a situation.
    pub fn experience(&self, signature_id: &str) -> Option<&Experience> {
        self.situations.get(signature_id).map(Arc::as_ref)
    }

    /// Returns the keys of all approaches tried in a situation or a similar one.
    pub fn tried(&self, signature: &Signature) -> BTreeSet<&str> {
        let here = self.situations.get(&signature.id).map(|experience| &experience.approaches);
        let near = self.inferences.get(&inference_of(signature)).map(Arc::as_ref);
        let circles = [here, near, self.classes.get(&signature.class).map(Arc::as_ref)];
        circles.into_iter().flatten().flat_map(|tallies| tallies.keys().map(String::as_str)).collect()
    }

    /// Returns what is known about an approach in the narrowest circle that knows it.
    pub fn tally(&self, signature: &Signature, key: &str) -> Option<&ApproachTally> {
        let here = self.situations.get(&signature.id).and_then(|experience| experience.approaches.get(key));
        here.or_else(|| self.inferences.get(&inference_of(signature)).and_then(|tallies| tallies.get(key)))
            .or_else(|| self.classes.get(&signature.class).and_then(|tallies| tallies.get(key)))
    }

    /// Reports whether an approach may be suggested to an agent: it saw the approach help itself, or two agents did,
    /// after failures of that class.
    pub fn vouched(&self, signature: &Signature, key: &str, agent: &str) -> bool {
        let tally = self.classes.get(&signature.class).and_then(|tallies| tallies.get(key));
        tally.is_some_and(|tally| tally.seen_by.len() >= VOUCHING || tally.seen_by.contains_key(agent))
    }

    /// Estimates how likely an approach is to help in a situation; `guess` is the estimate without any observation.
    pub fn estimate(&self, signature: &Signature, key: &str, guess: f64) -> Estimate {
        let counts = |tallies: Option<&Tallies>| tallies.and_then(|t| t.get(key)).map(|t| t.counts).unwrap_or_default();
        let situation = self.situations.get(&signature.id).map(|experience| &experience.approaches);
        let here = counts(situation);
        let near = counts(self.inferences.get(&inference_of(signature)).map(Arc::as_ref));
        let class = counts(self.classes.get(&signature.class).map(Arc::as_ref)).without(near);
        let inference = near.without(here);
        let seen: u64 = situation.map_or(0, |tallies| tallies.values().map(|tally| tally.counts.tried()).sum());
        let fading = GUESS_HALF / (GUESS_HALF + seen as f64);
        let posterior = Beta::prior(0.5 + (guess - 0.5) * fading)
            .observed_elsewhere(class, CLASS_STRENGTH)
            .observed_elsewhere(inference, INFERENCE_STRENGTH)
            .observed(here);
        Estimate { mean: posterior.mean(), credible: posterior.credible(), here, inference, class }
    }

    fn count(&mut self, signature: &Signature) {
        self.situation(signature).occurrences += 1;
    }

    fn situation(&mut self, signature: &Signature) -> &mut Experience {
        let new = || Experience { signature: signature.clone(), occurrences: 0, approaches: Tallies::new() };
        Arc::make_mut(self.situations.entry(signature.id.clone()).or_insert_with(|| Arc::new(new())))
    }

    fn take_in(&mut self, observation: &Observation) {
        let made = Observation { withdrawn: false, ..observation.clone() };
        let count = self.made.entry(made.clone()).or_default();
        *count += if observation.withdrawn { -1 } else { 1 };
        let counted = if observation.withdrawn { *count >= 0 } else { *count > 0 };
        if *count == 0 {
            self.made.remove(&made);
        }
        if !counted {
            return;
        }
        let signature = &observation.situation;
        take_in(&mut self.situation(signature).approaches, observation);
        let inference = inference_of(signature);
        let near = Arc::make_mut(self.inferences.entry(inference.clone()).or_default());
        take_in(near, observation);
        if near.is_empty() {
            self.inferences.remove(&inference);
        }
        let wide = Arc::make_mut(self.classes.entry(signature.class).or_default());
        take_in(wide, observation);
        if wide.is_empty() {
            self.classes.remove(&signature.class);
        }
    }
}

fn take_in(tallies: &mut Tallies, observation: &Observation) {
    let key = &observation.approach.key;
    let tally = tallies.entry(key.clone()).or_default();
    tally.take_in(observation);
    if tally.counts == Counts::default() {
        tallies.remove(key);
    }
}

fn inference_of(signature: &Signature) -> (String, Cause) {
    (signature.inference.clone(), signature.class)
}

/// Returns what to learn, and what to withdraw, to get from one list to the other.
fn changes(before: Vec<Observation>, after: Vec<Observation>) -> Vec<Observation> {
    // Most events arrive in order: existing ones stay, and one is appended.
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let mut change: BTreeMap<Observation, i64> = BTreeMap::new();
    after.into_iter().skip(same).for_each(|made| *change.entry(made).or_default() += 1);
    before.into_iter().skip(same).for_each(|gone| *change.entry(gone).or_default() -= 1);
    let mut changes = Vec::new();
    for (observation, count) in change {
        let one = Observation { withdrawn: count < 0, ..observation };
        (0..count.unsigned_abs()).for_each(|_| changes.push(one.clone()));
    }
    changes
}
