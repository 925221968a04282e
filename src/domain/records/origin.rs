//! What the daemon writes once into a store: the store's identity, and since when signatures, and approvals of roster
//! changes, are required.
//!
//! Each counts as it first appeared; later changes are undone. None is a secret.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// `store.yaml`: the store's identity. A signature is for one store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreIdentity {
    /// `feedbackd.store/1`
    pub schema: String,
    /// Random, 32 hexadecimal digits.
    pub store_id: String,
}

impl StoreIdentity {
    /// Creates the identity of a store with this id.
    pub fn new(store_id: &str) -> StoreIdentity {
        StoreIdentity { schema: "feedbackd.store/1".to_owned(), store_id: store_id.to_owned() }
    }
}

/// `rosters.yaml`: since when roster changes need approvals. The roster of the commit that adds this file is in force
/// from then on, and each later one once a quorum of its predecessor approved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RostersSince {
    /// `feedbackd.rosters/1`
    pub schema: String,
    /// When it became pending.
    pub since: Timestamp,
    /// The hash of the initial roster, for people.
    #[serde(default)]
    pub roster_hash: String,
}

impl RostersSince {
    /// Requires approvals of changes from now on, starting with this roster.
    pub fn new(since: Timestamp, roster_hash: String) -> RostersSince {
        RostersSince { schema: "feedbackd.rosters/1".to_owned(), since, roster_hash }
    }
}

/// `signatures.yaml`: since when signatures are required, and what was in force then. That stays in force unsigned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignaturesSince {
    /// `feedbackd.signatures/1`
    pub schema: String,
    /// When it became pending.
    pub since: Timestamp,
    /// What was in force before, in its state at the time.
    #[serde(default)]
    pub in_force_before: Vec<RuleVersion>,
}

/// A rule's state at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleVersion {
    /// The rule.
    pub rule_id: String,
    /// The hash of everything about it that has an effect.
    pub content_hash: String,
}

impl SignaturesSince {
    /// Requires signatures from now on, with these rules in force.
    pub fn new(since: Timestamp, in_force_before: Vec<RuleVersion>) -> SignaturesSince {
        SignaturesSince { schema: "feedbackd.signatures/1".to_owned(), since, in_force_before }
    }

    /// Reports whether a rule was in force before, unchanged.
    pub fn had(&self, rule_id: &str, hash: &str) -> bool {
        self.in_force_before.iter().any(|rule| rule.rule_id == rule_id && rule.content_hash == hash)
    }
}
