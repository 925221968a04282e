//! Whether the text of a rule says something that can be done and checked (specification, "Review documents:
//! Validation"; specification, "Rules").
//!
//! Words are judged where they stand: quotations and code do not count, and what a ban forbids is not what it says.
//! Whether a rule is right is for people to decide; whether it repeats another one is `restate`'s work.

mod checks;
mod context;
pub mod phrases;
#[cfg(test)]
mod tests;

use context::View;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::LazyLock;

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

/// What speaks against a text as a rule, in the order of the text; nothing where it may enter a prompt.
pub fn lint(text: &str) -> Vec<Finding> {
    let view = View::of(text);
    let mut findings = checks::Findings::default();
    checks::frame(&view, &mut findings);
    match demand(&view) {
        Demand::Own => checks::demand(&view, &mut findings),
        Demand::AllQuoted(inside) => findings.take_in(lint(&text[inside.clone()]), inside.start),
        Demand::Remark(inside) => {
            checks::tables(&view, &mut findings);
            findings.take_in(judge(&text[inside.clone()], checks::remark), inside.start);
        }
    }
    findings.sorted()
}

/// What speaks against a text as the description of a problem (004, `issue`): it is to name one, in whatever tone.
pub fn lint_issue(text: &str) -> Vec<Finding> {
    judge(text, checks::issue)
}

fn judge(text: &str, check: fn(&View<'_>, &mut checks::Findings)) -> Vec<Finding> {
    let view = View::of(text);
    let mut findings = checks::Findings::default();
    checks::frame(&view, &mut findings);
    check(&view, &mut findings);
    findings.sorted()
}

/// Where a text says what it demands.
enum Demand {
    /// In its own words.
    Own,
    /// It is a quotation as a whole.
    AllQuoted(Range<usize>),
    /// It says that a remark is to be obeyed, and quotes it.
    Remark(Range<usize>),
}

static ALL_QUOTED: LazyLock<Regex> = LazyLock::new(|| checks::regex(r#"^[\s.]*["'“„«‘]\x01+["'”“»’][\s.!]*$"#));
static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    checks::regex(
        r#"\b(?:this|these|the following) (?:remark|comment|demand|request|note|feedback|instruction|sentence|rule|advice)s?\b[^.“"]{0,60}[“"]\x01+[”"][\s.!]*$"#,
    )
});

fn demand(view: &View<'_>) -> Demand {
    match view.quotes.last() {
        Some(inside) if ALL_QUOTED.is_match(&view.own) => Demand::AllQuoted(inside.clone()),
        Some(inside) if REMARK.is_match(&view.own) => Demand::Remark(inside.clone()),
        _ => Demand::Own,
    }
}
