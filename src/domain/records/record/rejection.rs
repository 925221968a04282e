//! Why a review was rejected.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Why a review was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// For programs.
    pub code: RefusalCode,
    /// For people: what is wrong, and what to do.
    pub message: String,
}

/// The kinds of rejection. The spelling is part of the contract with publishers of reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RefusalCode {
    /// There is no such proposal, rule, feedback or cluster.
    UnknownId,
    /// The reviewer is not on the roster, or may not approve.
    NotAnApprover,
    /// The reviewer approved this version before.
    AlreadyApproved,
    /// The text differs from the one the reviewer saw.
    WrongContentHash,
    /// The proposal was approved or rejected before.
    AlreadyDecided,
    /// It expired undecided.
    Expired,
    /// The rule is not in force.
    NotInForce,
    /// A required reason is missing.
    ReasonMissing,
    /// The new text is not specific, or is advice rather than a demand.
    VagueText,
    /// The new text repeats the base prompt or another rule.
    Restatement,
    /// The signature is missing although the roster requires one, or is not this person's signature of this review.
    BadSignature,
    /// It makes no sense: a cluster merged into itself, members that do not exist.
    Impossible,
}

impl RefusalCode {
    /// Returns the spelling used in records, metrics and messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
