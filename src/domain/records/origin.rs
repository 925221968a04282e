//! What the daemon writes once into a store: which store it is, and since when signatures are required.
//!
//! Both count as they were when they first appeared; a later change is undone. Neither is a secret.

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
