//! What the next turn of a conversation says about the one before (specification, "Turns"): rejected, accepted or
//! neutral.
//!
//! Rules read the cues and what the previous response asked for; one linear model weighs them; its strongest cues are
//! the rationale. Embeddings are the caller's: the similarity of two queries comes in as a number. No I/O, no clock.

mod before;
mod context;
mod cues;
mod features;
mod judge;
mod patterns;
mod record;
mod rephrase;
mod search;
#[cfg(test)]
mod tests;
mod text;
mod wish;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use context::{Context, context_text};
pub use judge::{features, judge};
pub use patterns::{REPHRASED_ABOVE, base};
pub use record::{
    CREATE_FEEDBACK_INDEX, CREATE_TURNS, Strategy, TurnEvent, TurnMetadata, TurnRow, UserFeedback, ValidationOutcome,
};
pub use rephrase::{Rephrase, content_stems, rephrase_features, rephrased};
pub use search::{
    Ranked, SESSION_TIMEOUT, expired, feedback_weight, rank, ranking_score, rejections_in_a_row, satisfaction,
    session_ended,
};
pub use wish::demand;

/// A turn and what the user said next.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// What the user asked in the turn that is judged.
    pub previous_query: String,
    /// What the assistant answered; may be empty where it is not known.
    pub previous_response: String,
    /// What the user said next.
    pub text: String,
    /// Calibrated similarity of the two queries, 0 to 1 (0.8: four of five such pairs mean the same). From an embedder;
    /// without one the words alone are compared.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub similarity: Option<f64>,
}

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

/// A user's words as records keep them: one line, at most 500 characters.
fn said(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if let Some((cut, _)) = line.char_indices().nth(499) {
            line.truncate(cut);
            line.push('…');
            break;
        }
    }
    line
}
