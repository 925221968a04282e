//! Why a review was refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Why a review was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// For programs.
    pub code: RefusalCode,
    /// For people: what is wrong, and what to do.
    pub message: String,
}

/// The kinds of refusal. The spelling is part of the contract with those who publish reviews.
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
    /// The text is another one than the reviewer saw.
    WrongContentHash,
    /// The proposal was approved or rejected before.
    AlreadyDecided,
    /// Nobody decided in time.
    Expired,
    /// The rule is not in force.
    NotInForce,
    /// A reason is required and missing.
    ReasonMissing,
    /// The new text is not specific, or is advice rather than a demand.
    VagueText,
    /// The new text says what the base prompt or another rule says already.
    Restatement,
    /// The signature is missing although the roster demands one, or it is not a signature of this review by this person.
    BadSignature,
    /// It makes no sense: a cluster merged into itself, members that are not there.
    Impossible,
}

impl RefusalCode {
    /// The spelling used in records, metrics and messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
