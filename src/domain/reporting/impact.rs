//! What a proposal would change: the recent corrections it would have spared, the gates where these were made, and the
//! risk that its demand is unwanted.

use crate::interval::{CorrectionTally, rate};
use crate::records::record::ProposalRecord;
use crate::text::ids::Gate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Confidence level of the bound on wrong hits.
const CONFIDENCE: f64 = 0.95;
/// Upper bound on the rate of wrong hits if the risk is low.
const LOW_BELOW: f64 = 0.1;
/// At high risk, the rate of wrong hits may exceed this.
const HIGH_ABOVE: f64 = 0.3;

/// The counted parts of a correcting decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrectionFacts {
    /// The gate.
    pub gate: Gate,
    /// The clusters of the decision or its comments.
    pub clusters: Vec<String>,
}

/// What a proposal would change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    /// Corrections of the agents' work in the last 30 days, at its gates.
    pub corrections: u64,
    /// How many of them ask for what it requires: they belong to its source clusters.
    pub spared: u64,
    /// The gates at which those were made.
    pub gates: Vec<Gate>,
    /// The risk that its demand is unwanted.
    pub risk: Risk,
}

/// The risk that a proposal's demand is unwanted, by the approvals it was compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Risk {
    /// Its level.
    pub level: RiskLevel,
    /// Past approvals on which it would have fired wrongly.
    pub wrong: u64,
    /// The past approvals of its agents.
    pub approvals: u64,
    /// Upper end of Wilson's interval at 95 % for the rate of wrong hits, 0 to 1, so that few approvals do not pass for
    /// many. 1 if there were none.
    pub at_most: f64,
}

/// Level of a risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// Wrong hits are certainly rarer than one in ten, and there is no opposition.
    Low,
    /// Neither of the others: usually, too little is known.
    Medium,
    /// It would have fired wrongly, and that may be more often than three times in ten.
    High,
}

impl Impact {
    /// Returns the share of corrections it would have spared, 0 to 1; 0 if there were none.
    pub fn share(&self) -> f64 {
        CorrectionTally { corrections: self.spared, decisions: self.corrections }.rate()
    }

    /// Returns what a proposal would change. `corrected` are its agents' corrections of the last 30 days.
    pub fn of<'a>(record: &ProposalRecord, corrected: impl IntoIterator<Item = &'a CorrectionFacts>) -> Impact {
        let clusters: BTreeSet<&str> = record.clusters().collect();
        let in_scope = |gate: Gate| record.scope.gates.is_empty() || record.scope.gates.contains(&gate);
        let (mut corrections, mut spared, mut gates) = (0, 0, BTreeSet::new());
        for one in corrected.into_iter().filter(|one| in_scope(one.gate)) {
            corrections += 1;
            if one.clusters.iter().any(|cluster| clusters.contains(cluster.as_str())) {
                spared += 1;
                gates.insert(one.gate);
            }
        }
        Impact { corrections, spared, gates: gates.into_iter().collect(), risk: Risk::of(record) }
    }
}

impl Risk {
    /// Judges by a proposal's card and by its opponents.
    pub fn of(record: &ProposalRecord) -> Risk {
        let (wrong, approvals) = record.card.as_ref().map_or((0, 0), |card| (card.would_fire_wrongly, card.approvals));
        let tally = CorrectionTally { corrections: wrong.min(approvals), decisions: approvals };
        let at_most = rate(tally, CONFIDENCE).map_or(1.0, |rate| rate.interval.high);
        let disputed = !record.dissent.is_empty() || !record.conflicts.is_empty();
        let level = if wrong > 0 && at_most > HIGH_ABOVE {
            RiskLevel::High
        } else if at_most <= LOW_BELOW && !disputed {
            RiskLevel::Low
        } else {
            RiskLevel::Medium
        };
        Risk { level, wrong, approvals, at_most }
    }

    /// Explains the level in a sentence.
    pub fn why(&self) -> String {
        let (wrong, approvals) = (self.wrong, self.approvals);
        match approvals {
            0 => "Its agents have no past approvals to compare it with.".to_owned(),
            _ => format!(
                "It would have misfired on {wrong} of {approvals} past approvals: at most {:.0} % (95 % confidence).",
                (self.at_most * 100.0).ceil()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::record::{Card, Scope};
    use crate::testing::sample::proposal;

    fn risk(wrong: u64, approvals: u64) -> RiskLevel {
        let card = Card { would_fire_wrongly: wrong, approvals, ..Card::default() };
        Risk::of(&ProposalRecord { card: Some(card), ..plain() }).level
    }

    #[test]
    fn few_approvals_make_no_low_risk() {
        for (wrong, approvals) in [(0, 0), (0, 2), (0, 20), (1, 40)] {
            assert_eq!(risk(wrong, approvals), RiskLevel::Medium, "{wrong} of {approvals}");
        }
        for (wrong, approvals) in [(0, 35), (0, 1_000), (5, 1_000)] {
            assert_eq!(risk(wrong, approvals), RiskLevel::Low, "{wrong} of {approvals}");
        }
        for (wrong, approvals) in [(1, 1), (1, 2), (5, 20), (400, 1_000)] {
            assert_eq!(risk(wrong, approvals), RiskLevel::High, "{wrong} of {approvals}");
        }
    }

    #[test]
    fn what_somebody_speaks_against_is_no_low_risk() {
        let card = Some(Card { approvals: 1_000, ..Card::default() });
        let disputed = ProposalRecord { card, dissent: vec!["dec-9".to_owned()], ..plain() };
        assert_eq!(Risk::of(&disputed).level, RiskLevel::Medium);
        assert!(Risk::of(&disputed).why().starts_with("It would have misfired on 0 of 1000"));
    }

    #[test]
    fn the_share_is_of_the_corrections_in_scope() {
        let gate = |number| Gate::new(number).expect("a gate");
        let one = |number, cluster: &str| CorrectionFacts { gate: gate(number), clusters: vec![cluster.to_owned()] };
        let corrected = [one(4, "CLUSTER-1"), one(4, "CLUSTER-2"), one(5, "CLUSTER-1"), one(4, "CLUSTER-3")];
        let record = ProposalRecord {
            cluster_id: "CLUSTER-1".to_owned(),
            merged_clusters: vec!["CLUSTER-2".to_owned()],
            ..plain()
        };
        let impact = Impact::of(&record, &corrected);
        assert_eq!((impact.spared, impact.corrections, impact.gates.as_slice()), (3, 4, &[gate(4), gate(5)][..]));
        let scope = Scope { gates: vec![gate(4)], paths: Vec::new() };
        let impact = Impact::of(&ProposalRecord { scope, ..record }, &corrected);
        assert_eq!((impact.spared, impact.corrections, impact.gates.as_slice()), (2, 3, &[gate(4)][..]));
        assert!((impact.share() - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(Impact::of(&plain(), &[]).share(), 0.0);
    }

    fn plain() -> ProposalRecord {
        ProposalRecord { dissent: Vec::new(), conflicts: Vec::new(), ..proposal(1) }
    }
}
