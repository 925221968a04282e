//! What can be wrong with a text, and how that is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a rule may be, in characters: what needs more is a document.
pub const MAX_CHARS: usize = 600;

/// How few words say nothing.
pub const MIN_WORDS: usize = 3;

/// What is wrong with a text. The spelling is part of the contract with those who read refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LintRule {
    /// A problem without a name (specification, "Review documents: Specificity").
    VagueIssue,
    /// Advice instead of a demand (specification, "Review documents: Actionability").
    AdvisorySuggestion,
    /// A word leaves it open whether anything is to be done.
    Hedge,
    /// A verb without an object or a measure that could be checked.
    VagueVerb,
    /// Fewer than three words.
    TooShort,
    /// No word names what it is about (specification, "Review documents: Specificity": specific_problem,
    /// concrete_action).
    NothingSpecific,
    /// It asks instead of demanding.
    Question,
    /// It points to something that whoever reads the prompt does not see.
    OpenReference,
    /// It tells in the first person what its author did or wants.
    Narrative,
    /// More than [`MAX_CHARS`].
    TooLong,
    /// It looks as if it wanted to change the prompt around it.
    PromptInjection,
    /// A character that nobody sees.
    HiddenCharacter,
}

impl LintRule {
    /// The spelling used in messages.
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

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What is wrong.
    pub rule: LintRule,
    /// The words that show it.
    pub found: String,
    /// What is wrong in words, and what would pass.
    pub message: String,
    /// Where they begin, in bytes.
    pub offset: usize,
}
