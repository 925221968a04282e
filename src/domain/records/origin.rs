//! What the daemon writes once into a store: which store it is, and since when signatures are required, and approvals of changes
//! of the roster.
//!
//! Each counts as it was when it first appeared; a later change is undone. None is a secret.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// `store.yaml`: which store it is. A signature is for one store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreIdentity {
    /// `feedbackd.store/1`
    pub schema: String,
    /// Random, 32 hexadecimal digits.
    pub store_id: String,
}

impl StoreIdentity {
    /// The identity of a store with this id.
    pub fn new(store_id: &str) -> StoreIdentity {
        StoreIdentity { schema: "feedbackd.store/1".to_owned(), store_id: store_id.to_owned() }
    }
}

/// `rosters.yaml`: since when changes of the roster need approvals. The roster of the commit that brings this file is in force
/// from then on, and each later one when a quorum of the one before approved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RostersSince {
    /// `feedbackd.rosters/1`
    pub schema: String,
    /// Since when.
    pub since: Timestamp,
    /// The hash of the roster that it began with, for people.
    #[serde(default)]
    pub roster_hash: String,
}

impl RostersSince {
    /// Changes need approvals from now on; it begins with this roster.
    pub fn new(since: Timestamp, roster_hash: String) -> RostersSince {
        RostersSince { schema: "feedbackd.rosters/1".to_owned(), since, roster_hash }
    }
}

/// `signatures.yaml`: since when signatures are required, and what was in force then. That stays in force without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignaturesSince {
    /// `feedbackd.signatures/1`
    pub schema: String,
    /// Since when.
    pub since: Timestamp,
    /// What was in force before, as it was then.
    #[serde(default)]
    pub in_force_before: Vec<RuleVersion>,
}

/// A rule as it was at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleVersion {
    /// The rule.
    pub rule_id: String,
    /// The hash of everything about it that has an effect.
    pub content_hash: String,
}

impl SignaturesSince {
    /// Signatures are required from now on, and these rules are in force.
    pub fn new(since: Timestamp, in_force_before: Vec<RuleVersion>) -> SignaturesSince {
        SignaturesSince { schema: "feedbackd.signatures/1".to_owned(), since, in_force_before }
    }

    /// Whether a rule was in force before, exactly as it is.
    pub fn had(&self, rule_id: &str, hash: &str) -> bool {
        self.in_force_before.iter().any(|rule| rule.rule_id == rule_id && rule.content_hash == hash)
    }
}
