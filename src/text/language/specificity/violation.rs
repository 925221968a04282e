//! Problems of a text, and how they are reported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest rule, in characters: anything longer is a document.
pub const MAX_CHARS: usize = 600;

/// Texts with fewer words say nothing.
pub const MIN_WORDS: usize = 3;

/// A problem of a text. The spelling is part of the contract with readers of rejections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LintRule {
    /// An unnamed problem (specification, "Review documents: Specificity").
    VagueIssue,
    /// Advice instead of a demand (specification, "Review documents: Actionability").
    AdvisorySuggestion,
    /// A word leaves open whether to do anything.
    Hedge,
    /// A verb without a verifiable object or measure.
    VagueVerb,
    /// Fewer than three words.
    TooShort,
    /// No word names its subject (specification, "Review documents: Specificity": specific_problem, concrete_action).
    NothingSpecific,
    /// It asks instead of demanding.
    Question,
    /// It refers to something that readers of the prompt cannot see.
    OpenReference,
    /// It recounts in the first person what its author did or wants.
    Narrative,
    /// More than [`MAX_CHARS`].
    TooLong,
    /// It seems to try to change the surrounding prompt.
    PromptInjection,
    /// An invisible character.
    HiddenCharacter,
}

impl LintRule {
    /// Returns the spelling used in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            LintRule::VagueIssue => "vague_issue",
            LintRule::AdvisorySuggestion => "advisory_suggestion",
            LintRule::Hedge => "hedge",
            LintRule::VagueVerb => "vague_verb",
            LintRule::TooShort => "too_short",
            LintRule::NothingSpecific => "nothing_specific",
            LintRule::Question => "question",
            LintRule::OpenReference => "open_reference",
            LintRule::Narrative => "narrative",
            LintRule::TooLong => "too_long",
            LintRule::PromptInjection => "prompt_injection",
            LintRule::HiddenCharacter => "hidden_character",
        }
    }
}

/// One problem of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The problem.
    pub rule: LintRule,
    /// The words that show it.
    pub found: String,
    /// The problem in words, and what would pass.
    pub message: String,
    /// Their start, in bytes.
    pub offset: usize,
}
