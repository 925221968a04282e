//! What a remark was recognised as, and why.

use super::catalogue::ConcernId;
use crate::domain::feedback::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a remark demands, as far as the catalogue knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// How much the remark is about each axis, see [`super::Compiled::axis`]; probabilities, the largest first.
    pub profile: Vec<(u16, f32)>,
    /// The concerns that it may be, the likeliest first; at most a few.
    pub weighed: Vec<Weighed>,
    /// Which way it points, where a concern was recognised.
    pub direction: Option<Direction>,
}

/// A concern that a remark may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// The concern, by its place in the catalogue.
    pub concern: usize,
    /// The probability, 0 to 1, among the concerns of the catalogue.
    pub probability: f32,
    /// Its score.
    pub score: f32,
}

/// The concern that a remark voices, as groups remember it.
#[derive(Clone, Debug, PartialEq)]
pub struct Voiced {
    /// The concern's id in the catalogue.
    pub concern: ConcernId,
    /// The probability, 0 to 1.
    pub probability: f64,
    /// Whether the remark waives what the concern asks for.
    pub waived: bool,
}

impl Voiced {
    /// What a remark voices, by what it was recognised as.
    pub fn of(found: Option<&Match>, waived: bool) -> Option<Voiced> {
        found.map(|found| Voiced { concern: found.concern.clone(), probability: found.probability, waived })
    }
}

/// A recognised concern with its reasons, as records keep it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// The concern's id in the catalogue.
    pub concern: String,
    /// The probability, 0 to 1, that the remark voices this concern rather than another one of the catalogue.
    pub probability: f64,
    /// The terms of the concern that stand in the remark; at most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// The concern's phrasing that is nearest to the remark.
    pub nearest_phrasing: String,
    /// The cosine of the two.
    pub similarity: f64,
    /// The concern it would be otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
}
