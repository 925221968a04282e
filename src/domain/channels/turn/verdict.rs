//! The verdict on a turn: what the user made of it, how it was rejected, and what speaks for that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user made of a response (specification, "Turns: Verdicts").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FeedbackType {
    /// The next turn corrects it, repeats the question or gives up.
    Rejected,
    /// The next turn goes on from it, is content, or asks for something else.
    Accepted,
    /// No clear signal, or the session ended.
    #[default]
    Neutral,
}

impl FeedbackType {
    /// As it is written: `rejected`, `accepted`, `neutral`.
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
/// The specification writes the first of them in two ways: `explicit` in FeedbackResult, `explicit_correction` in
/// metadata.json. Both are read; FeedbackResult writes the short form, see [`CorrectionType::in_metadata`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CorrectionType {
    /// Said in so many words: "No, I meant ...".
    #[serde(alias = "explicit_correction")]
    Explicit,
    /// The same question in other words.
    #[serde(alias = "rephrased_query")]
    Rephrased,
    /// Given up: "Forget that".
    Abandonment,
}

impl CorrectionType {
    /// As metadata.json writes it: `explicit_correction`, `rephrased`, `abandonment`.
    pub fn in_metadata(self) -> &'static str {
        match self {
            Self::Explicit => "explicit_correction",
            Self::Rephrased => "rephrased",
            Self::Abandonment => "abandonment",
        }
    }
}

/// One thing that speaks for a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cue {
    /// What it is, in words: `changes a detail | after a confirmation asked for`, `words: not what`.
    pub cue: String,
    /// How much it adds to the verdict's score; above 0.
    pub weight: f64,
}

/// The verdict on a turn (specification, "Turns: Detection").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackResult {
    /// What the user made of the turn.
    pub feedback_type: FeedbackType,
    /// Calibrated probability of `feedback_type`, 0 to 1.
    pub confidence: f64,
    /// How it was rejected; null unless it was.
    pub correction_type: Option<CorrectionType>,
    /// The correction's text, bounded; null unless rejected.
    pub user_said: Option<String>,
    /// Why, in a sentence.
    pub rationale: String,
    /// What speaks most for it, strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<Cue>,
}
