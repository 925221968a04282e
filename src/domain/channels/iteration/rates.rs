//! Rates of the effect of feedback over many documents, for a report, with the counts behind them.

use super::document::ReviewVerdict;
use super::track::TrackingResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often something occurred, and how often it could have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// How often it occurred.
    pub count: u64,
    /// How often it could have occurred.
    pub of: u64,
    /// The share, 0 to 1, four decimals; absent if it never could have occurred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

/// The effect of feedback (specification, "Review documents: Tracking quality": follow, improvement and repeat rates;
/// and how often people are asked).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Tracked documents.
    pub documents: u64,
    /// Documents whose feedback was followed, of those with demands and a successor.
    pub follow_rate: Rate,
    /// Documents after which the score rose, of those that were followed.
    pub improvement_rate: Rate,
    /// Items named before, of all items.
    pub repeat_rate: Rate,
    /// Documents that escalate, of all documents.
    pub escalation_rate: Rate,
    /// The mean change of the score from one document to the next, four decimals; absent if none has a successor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_delta: Option<f64>,
}

/// A running tally of the rates, of constant size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RatesTally {
    rates: Rates,
    sum: f64,
    deltas: u64,
}

impl RatesTally {
    /// Counts a tracked document; pass each only once.
    pub fn add(&mut self, tracking: &TrackingResult) {
        let rates = &mut self.rates;
        rates.documents += 1;
        rates.escalation_rate.add(u64::from(tracking.verdict == ReviewVerdict::Escalate), 1);
        rates.repeat_rate.add(tracking.repeated.len() as u64, tracking.items.len() as u64);
        if let Some(followed) = tracking.followed {
            rates.follow_rate.add(u64::from(followed), 1);
            if followed {
                rates.improvement_rate.add(u64::from(tracking.improved == Some(true)), 1);
            }
        }
        if let Some(delta) = tracking.delta {
            self.sum += delta;
            self.deltas += 1;
        }
    }

    /// Returns the rates so far.
    pub fn rates(&self) -> Rates {
        let mean = (self.deltas > 0).then(|| crate::text::prose::round(self.sum / self.deltas as f64));
        Rates { mean_delta: mean, ..self.rates }
    }
}

impl Rates {
    /// Returns the rates over tracked documents, each passed once.
    pub fn of<'t>(tracked: impl IntoIterator<Item = &'t TrackingResult>) -> Rates {
        let mut tally = RatesTally::default();
        tracked.into_iter().for_each(|tracking| tally.add(tracking));
        tally.rates()
    }
}

impl Rate {
    fn add(&mut self, count: u64, of: u64) {
        self.count += count;
        self.of += of;
        self.rate = (self.of > 0).then(|| crate::text::prose::round(self.count as f64 / self.of as f64));
    }
}
