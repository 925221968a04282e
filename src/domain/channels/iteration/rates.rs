//! How feedback fares over many documents, for a report: rates with the counts behind them.

use super::document::ReviewVerdict;
use super::track::Tracking;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often something was so, of how many times it could have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// How often it was so.
    pub count: u64,
    /// How often it could have been.
    pub of: u64,
    /// The share, 0 to 1, four decimals; absent where it never could have been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

/// How feedback fares (specification, "Review documents: Tracking quality": follow, improvement and repeat rates; and
/// how often people are asked).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Documents that were tracked.
    pub documents: u64,
    /// Documents whose feedback was followed, of those that asked for something and have a successor.
    pub follow_rate: Rate,
    /// Documents after which the score rose, of those that were followed.
    pub improvement_rate: Rate,
    /// Items that were named before, of all items.
    pub repeat_rate: Rate,
    /// Documents that escalate, of all documents.
    pub escalation_rate: Rate,
    /// The mean change of the score from one document to the next, four decimals; absent where none has a successor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_delta: Option<f64>,
}

/// Rates while they are counted; its size does not grow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RatesTally {
    rates: Rates,
    sum: f64,
    deltas: u64,
}

impl RatesTally {
    /// Counts a tracked document; each is to be given once.
    pub fn add(&mut self, tracking: &Tracking) {
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

    /// The rates so far.
    pub fn rates(&self) -> Rates {
        let mean = (self.deltas > 0).then(|| crate::text::prose::round(self.sum / self.deltas as f64));
        Rates { mean_delta: mean, ..self.rates }
    }
}

impl Rates {
    /// The rates over tracked documents, each given once.
    pub fn of<'t>(tracked: impl IntoIterator<Item = &'t Tracking>) -> Rates {
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
