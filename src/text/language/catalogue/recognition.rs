//! What a comment was recognized as, and why.

use super::concern::ConcernId;
use crate::language::direction::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a comment demands, as far as the catalogue knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConcernReading {
    /// How much the comment is about each axis, see [`super::CompiledCatalogue::axis`]; probabilities, largest first.
    pub profile: Vec<(u16, f32)>,
    /// The candidate concerns, likeliest first; at most a few.
    pub weighed: Vec<ScoredConcern>,
    /// Its direction, if a concern was recognized.
    pub direction: Option<Direction>,
    /// The probability that it asks for nothing, 0 to 1.
    pub nothing: f32,
    /// The probability that its demand is too specific for a rule, 0 to 1.
    pub particular: f32,
    /// Whether it is a comment on code, see [`ConcernReading::on_code`].
    pub on_code: bool,
    /// Whether the comment waives a usual demand: then its words identify it, whatever concern it may be.
    pub waived: bool,
}

impl ConcernReading {
    /// Adjusts it for a comment on code. There, words refer to the code at hand: what is likely by them alone becomes
    /// less so, and what is unlikely means nothing.
    pub fn on_code(mut self) -> ConcernReading {
        self.on_code = true;
        self.profile.iter_mut().for_each(|(_, p)| *p *= *p);
        self
    }

    /// Sets an axis to a probability, whatever the text; the others share the rest proportionally.
    pub fn about(mut self, axis: u16, probability: f32) -> ConcernReading {
        self.profile.retain(|(other, _)| *other != axis);
        let rest: f32 = self.profile.iter().map(|(_, p)| p).sum();
        self.profile.iter_mut().for_each(|(_, p)| *p *= (1.0 - probability) / rest.max(1e-9));
        self.profile.insert(0, (axis, probability));
        self
    }
}

/// When a comment's own words show its direction better than its concern: of two concerns that differ in nothing else,
/// "more logging" and "less logging", it may voice either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordsTell {
    /// Nothing in it points the other way: the concern decides.
    #[default]
    Nothing,
    /// A contrary exists but is unlikely: an outright request counts ("do not log"), a mere complaint does not ("no
    /// timeout after the third attempt").
    Requests,
    /// Either is likely: the words decide.
    Everything,
}

/// A candidate concern of a comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredConcern {
    /// The concern's index in the catalogue.
    pub concern: usize,
    /// The probability, 0 to 1, among the concerns of the catalogue.
    pub probability: f32,
}

/// The concern that a comment voices, as stored in clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterConcern {
    /// The concern's id in the catalogue.
    pub concern: ConcernId,
    /// The probability, 0 to 1.
    pub probability: f64,
    /// Whether the comment waives what the concern demands.
    pub waived: bool,
    /// Whether a cue of the concern proves it.
    pub shown: bool,
}

impl ClusterConcern {
    /// Returns what a comment voices, given its match.
    pub fn of(found: Option<&Match>, waived: bool) -> Option<ClusterConcern> {
        found.map(|found| ClusterConcern {
            concern: found.concern.clone(),
            probability: found.probability,
            waived,
            shown: found.shown_by.is_some(),
        })
    }
}

/// A recognized concern with its reasons, as stored in records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// The concern's id in the catalogue.
    pub concern: String,
    /// The probability, 0 to 1, that the comment voices this concern rather than another one of the catalogue.
    pub probability: f64,
    /// The terms of the concern that occur in the comment; at most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// The concern's phrasing nearest to the comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nearest_phrasing: String,
    /// The cosine of the two.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub similarity: f64,
    /// The next likeliest concern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
    /// The proof: the sentence, or the lines of the suggestion, in which a cue of the concern was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_by: Option<String>,
}

/// Reports whether there is nothing to compare with.
fn is_zero(similarity: &f64) -> bool {
    *similarity == 0.0
}
