//! The effect of the actions: how often a prompt refined by an action led to success (specification, "Refinement: The
//! log").
//!
//! An iteration with an unknown outcome counts only as applied.

use super::actions::{ActionKind, REFINEMENT_MAPPING};
use super::outcome::LogEntry;
use crate::channels::signal::{Signal, SignalKind};
use crate::interval;
use crate::text::prose::round;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The confidence level of the intervals.
const CONFIDENCE: f64 = 0.95;

/// The results of an action for a type of feedback.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionEffect {
    /// The type of feedback.
    pub feedback_type: SignalKind,
    /// The action.
    pub action: ActionKind,
    /// Iterations that applied it.
    pub applied: u64,
    /// Those of them with a known outcome.
    pub judged: u64,
    /// Those of them that led to success.
    pub succeeded: u64,
    /// `succeeded` of `judged`, 0 to 1; `None` if nothing is judged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rate: Option<f64>,
    /// The lower end of its 95 % interval (Wilson).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub high: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ActionTally {
    applied: u64,
    judged: u64,
    succeeded: u64,
}

/// Counts over logged iterations. Order does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effectiveness {
    tallies: BTreeMap<(SignalKind, ActionKind), ActionTally>,
}

impl Effectiveness {
    /// Counts all entries.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a LogEntry>) -> Effectiveness {
        let mut all = Effectiveness::default();
        entries.into_iter().for_each(|entry| all.record(entry));
        all
    }

    /// Counts an entry.
    pub fn record(&mut self, entry: &LogEntry) {
        for action in &entry.actions_applied {
            let tally = self.tallies.entry((entry.feedback_type, *action)).or_default();
            tally.applied += 1;
            tally.judged += u64::from(entry.success.is_some());
            tally.succeeded += u64::from(entry.success == Some(true));
        }
    }

    /// Returns the results of an action.
    pub fn effect(&self, feedback_type: SignalKind, action: ActionKind) -> ActionEffect {
        let ActionTally { applied, judged, succeeded } =
            self.tallies.get(&(feedback_type, action)).copied().unwrap_or_default();
        let rate = interval::rate(interval::CorrectionTally { corrections: succeeded, decisions: judged }, CONFIDENCE);
        ActionEffect {
            feedback_type,
            action,
            applied,
            judged,
            succeeded,
            rate: rate.map(|rate| round(rate.rate)),
            low: rate.map(|rate| round(rate.interval.low)),
            high: rate.map(|rate| round(rate.interval.high)),
        }
    }

    /// Returns the three actions of a type, the most reliable first: by the lower end of the interval; without outcomes
    /// and on ties by the specification's priority.
    pub fn rank(&self, feedback_type: SignalKind) -> Vec<ActionEffect> {
        let mut ranked: Vec<ActionEffect> = super::actions_for(feedback_type)
            .into_iter()
            .map(|action| self.effect(feedback_type, action.kind))
            .collect();
        ranked.sort_by(|a, b| b.low.unwrap_or(0.0).total_cmp(&a.low.unwrap_or(0.0)));
        ranked
    }

    /// Returns all twelve, by type and rank.
    pub fn all(&self) -> Vec<ActionEffect> {
        REFINEMENT_MAPPING.iter().flat_map(|(kind, _)| self.rank(*kind)).collect()
    }
}

/// Records the outcome of an earlier iteration once known: from the event, else from whether the task's next event
/// still signals a failure. A known outcome stays.
pub fn settle(earlier: &mut LogEntry, given: Option<bool>, next: Option<&Signal>) {
    if earlier.success.is_none() {
        earlier.success = Some(given.unwrap_or(next.is_none()));
    }
}
