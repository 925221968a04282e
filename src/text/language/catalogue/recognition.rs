//! What a remark was recognised as, and why.

use super::concern::ConcernId;
use crate::language::direction::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a remark demands, as far as the catalogue knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConcernReading {
    /// How much the remark is about each axis, see [`super::Compiled::axis`]; probabilities, the largest first.
    pub profile: Vec<(u16, f32)>,
    /// The concerns that it may be, the likeliest first; at most a few.
    pub weighed: Vec<Weighed>,
    /// Which way it points, where a concern was recognised.
    pub direction: Option<Direction>,
    /// How likely it is to ask for nothing, 0 to 1.
    pub nothing: f32,
    /// How likely it is to ask for something too particular for a rule, 0 to 1.
    pub particular: f32,
    /// Whether it is a comment on code, see [`ConcernReading::on_code`].
    pub on_code: bool,
    /// Whether the remark waives what is usually asked for: then its words tell what that is, whatever concern it may be.
    pub waived: bool,
}

impl ConcernReading {
    /// The same, as it counts of a comment on code. There words are said about the code at hand: what is likely by them alone is
    /// less so, and what is hardly likely means nothing.
    pub fn on_code(mut self) -> ConcernReading {
        self.on_code = true;
        self.profile.iter_mut().for_each(|(_, p)| *p *= *p);
        self
    }

    /// The same, but about an axis with a probability, whatever its text says; the others share the rest as they did.
    pub fn about(mut self, axis: u16, probability: f32) -> ConcernReading {
        self.profile.retain(|(other, _)| *other != axis);
        let rest: f32 = self.profile.iter().map(|(_, p)| p).sum();
        self.profile.iter_mut().for_each(|(_, p)| *p *= (1.0 - probability) / rest.max(1e-9));
        self.profile.insert(0, (axis, probability));
        self
    }
}

/// Where a remark's own words tell better than its concern which way it points: of two concerns that differ in nothing
/// else, "more logging" and "less logging", it may voice either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordsTell {
    /// Nothing of it points the other way: the concern tells.
    #[default]
    Nothing,
    /// There is a contrary, but it is unlikely: what the words ask for outright counts ("do not log"), a mere complaint
    /// does not ("no timeout after the third attempt").
    Requests,
    /// Either is likely: whatever the words tell.
    Everything,
}

/// A concern that a remark may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// The concern, by its place in the catalogue.
    pub concern: usize,
    /// The probability, 0 to 1, among the concerns of the catalogue.
    pub probability: f32,
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
    /// Whether a cue of the concern shows it beyond doubt.
    pub shown: bool,
}

impl Voiced {
    /// What a remark voices, by what it was recognised as.
    pub fn of(found: Option<&Match>, waived: bool) -> Option<Voiced> {
        found.map(|found| Voiced {
            concern: found.concern.clone(),
            probability: found.probability,
            waived,
            shown: found.shown_by.is_some(),
        })
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
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nearest_phrasing: String,
    /// The cosine of the two.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub similarity: f64,
    /// The concern it would be otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
    /// What shows it beyond doubt: the sentence, or the lines of the suggestion, in which a cue of the concern was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_by: Option<String>,
}

/// Whether there is nothing to compare with.
fn is_zero(similarity: &f64) -> bool {
    *similarity == 0.0
}
