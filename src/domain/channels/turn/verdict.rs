//! The verdict on a turn: the user's reaction, how the turn was rejected, and the evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A user's reaction to a response (specification, "Turns: Verdicts").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FeedbackType {
    /// The next turn corrects it, repeats the question or gives up.
    Rejected,
    /// The next turn continues from it, is satisfied, or asks for something else.
    Accepted,
    /// No clear signal, or the session ended.
    #[default]
    Neutral,
}

impl FeedbackType {
    /// Returns the spelling: `rejected`, `accepted`, `neutral`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Accepted => "accepted",
            Self::Neutral => "neutral",
        }
    }
}

/// How a response was rejected (specification, "Turns: Detection").
///
/// The specification spells the first one in two ways: `explicit` in FeedbackResult, `explicit_correction` in
/// metadata.json. Both are accepted; FeedbackResult uses the short form, see [`CorrectionType::in_metadata`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CorrectionType {
    /// Stated explicitly: "No, I meant ...".
    #[serde(alias = "explicit_correction")]
    Explicit,
    /// The same question in other words.
    #[serde(alias = "rephrased_query")]
    Rephrased,
    /// Abandoned: "Forget that".
    Abandonment,
}

impl CorrectionType {
    /// Returns the spelling in metadata.json: `explicit_correction`, `rephrased`, `abandonment`.
    pub fn in_metadata(self) -> &'static str {
        match self {
            Self::Explicit => "explicit_correction",
            Self::Rephrased => "rephrased",
            Self::Abandonment => "abandonment",
        }
    }
}

/// A piece of evidence for a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cue {
    /// Its description: `changes a detail | after a confirmation asked for`, `words: not what`.
    pub cue: String,
    /// Its contribution to the verdict's score; above 0.
    pub weight: f64,
}

/// The verdict on a turn (specification, "Turns: Detection").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackResult {
    /// The user's reaction to the turn.
    pub feedback_type: FeedbackType,
    /// Calibrated probability of `feedback_type`, 0 to 1.
    pub confidence: f64,
    /// How it was rejected; null unless rejected.
    pub correction_type: Option<CorrectionType>,
    /// The correction's text, bounded; null unless rejected.
    pub user_said: Option<String>,
    /// The reason, in a sentence.
    pub rationale: String,
    /// The main evidence, strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<Cue>,
}
