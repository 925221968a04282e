//! What open proposals would change: their agents' corrections of the last 30 days, from the index.
//!
//! Read-only and bounded.

use crate::domain::records::record::ProposalRecord;
use crate::domain::reporting::impact::{CorrectionFacts, Impact};
use crate::ports::{Index, IndexError, OutcomeQuery};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// The period counted.
const WINDOW: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Maximum decisions per agent: the latest ones.
const MOST: usize = 20_000;

/// Recent corrections of the agents' work, as of loading.
#[derive(Clone, Debug, Default)]
pub struct Impacts {
    /// By tenant and agent.
    corrected: BTreeMap<(String, String), Vec<CorrectionFacts>>,
}

impl Impacts {
    /// Loads the data that [`Impacts::of`] needs for these proposals. `now` is the end of the 30 days.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn load<'a>(
        index: &dyn Index,
        proposals: impl IntoIterator<Item = &'a ProposalRecord>,
        now: Timestamp,
    ) -> Result<Impacts, IndexError> {
        let mut corrected = BTreeMap::new();
        for record in proposals {
            for key in keys(record) {
                if corrected.contains_key(&key) {
                    continue;
                }
                let query = OutcomeQuery {
                    tenant: key.0.clone(),
                    agent: key.1.clone(),
                    since: now.saturating_sub(WINDOW).ok(),
                    latest_first: true,
                    limit: MOST,
                    ..OutcomeQuery::default()
                };
                let outcomes = index.outcomes(&query)?.into_iter().filter(|outcome| outcome.is_correction);
                let found = outcomes.map(|outcome| CorrectionFacts { gate: outcome.gate, clusters: outcome.clusters });
                corrected.insert(key, found.collect());
            }
        }
        Ok(Impacts { corrected })
    }

    /// Returns what a proposal would change.
    pub fn of(&self, record: &ProposalRecord) -> Impact {
        Impact::of(record, keys(record).filter_map(|key| self.corrected.get(&key)).flatten())
    }
}

/// Returns the tenant with each of the proposal's agents.
fn keys(record: &ProposalRecord) -> impl Iterator<Item = (String, String)> {
    let tenant = record.tenant_id.clone().unwrap_or_default();
    record.affected_agents.iter().map(move |agent| (tenant.clone(), agent.clone()))
}
