//! What no text of a model may say that people or agents read: it must not steer an agent, and it quotes no comment.

use crate::domain::language::guard;
use crate::domain::records::record::AdviceOutcome;
use crate::domain::redact::{clean_text, hidden_characters, redact};
use regex::{Regex, RegexSet, RegexSetBuilder};
use std::sync::LazyLock;
use thiserror::Error;

/// This many words in the order of a comment are a copy of it.
const COPIED: usize = 8;

/// Why an answer is not believed. Only the program's own words: nothing of the answer is in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// It is not the object that was asked for.
    #[error("{0}")]
    Schema(&'static str),
    /// It says what no rule, and no reason for one, may say.
    #[error("{0}")]
    Lint(String),
    /// The model or its provider refuses to answer, or what it thinks takes all the room.
    #[error("{0}")]
    Unanswered(String),
}

/// What holds for every text of an answer that people or agents read.
pub(super) fn screen(what: &str, text: &str, max: usize) -> Result<(), Refused> {
    let refuse = |why: &str| Err(Refused::Lint(format!("{what} {why}")));
    if text.trim().is_empty() {
        return refuse("is empty");
    }
    // A tag of Javadoc is no mention of anybody.
    let without_tags = JAVADOC.replace_all(text, "{");
    if let Some(place) = FORBIDDEN.matches(&without_tags).into_iter().next() {
        return refuse(FORBIDDEN_SHAPES[place].1);
    }
    if INSTRUCTIONS.is_match(text) {
        return refuse("speaks to whoever reads it as a prompt");
    }
    screen_reading(what, text, max)
}

/// What holds for a text that comments are compared by: it may name an annotation, a tag or a function.
pub(super) fn screen_reading(what: &str, text: &str, max: usize) -> Result<(), Refused> {
    let refuse = |why: &str| Err(Refused::Lint(format!("{what} {why}")));
    if text.chars().count() > max {
        return refuse("is too long");
    }
    if text.chars().any(char::is_control) || hidden_characters(text).next().is_some() || clean_text(text) != text {
        return refuse("has a character that nobody sees");
    }
    if LINKS.is_match(text) {
        return refuse("has a link");
    }
    if steers(text) {
        return refuse("speaks to whoever reads it as a prompt");
    }
    if !redact(text).kinds.is_empty() {
        return refuse("holds what looks like a secret");
    }
    Ok(())
}

const FORBIDDEN_SHAPES: &[(&str, &str)] = &[
    (r"```|~~~", "has a code fence"),
    (r"[a-z][a-z0-9+.-]*://|\bwww\.|\b(?:mailto|data|javascript|file):[\w/]|\]\(", "has a link"),
    (r"\b[a-z0-9-]+\.(?:com|org|io|ru|cn|xyz|info|biz)\b|\b[a-z0-9-]+\.(?:net|dev|app|co|ai)/", "has a link"),
    (r"(?:^|[^\w`])@\w|[\w.+-]+@[\w-]+\.\w", "has a mention or an address"),
    (r"(?:^|[^\w])</?\s*[a-z!|]|<\||\|>|\[/?inst\]", "has a tag"),
];

static FORBIDDEN: LazyLock<RegexSet> = LazyLock::new(|| set(FORBIDDEN_SHAPES.iter().map(|(shape, _)| *shape)));

static JAVADOC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{@(?:code|docRoot|index|inheritDoc|linkplain|link|literal|snippet|summary|value)\b")
        .expect("a constant, and a test builds it")
});

static LINKS: LazyLock<RegexSet> = LazyLock::new(|| set([r"[a-z][a-z0-9+.-]*://|\bwww\.|\]\("].into_iter()));

/// More than the linter's: a model has no reason to speak of these at all, not even to forbid them.
const SUSPECT: &[&str] = &[
    r"\b(?:ignore|disregard|override|bypass|forget|obey|follow) (?:\w+ ){0,4}(?:previous|prior|above|earlier|instructions?|prompts?|guardrails)\b",
    r"\b(?:system|developer|hidden|initial) (?:prompt|message|instructions?|role)\b",
    r"\b(?:this|the|your) (?:prompt|conversation|chat|context window)\b",
    r"\b(?:language model|as an ai|chatgpt|gpt-\d|claude|assistant)\b",
    r"\btool[ _-]?(?:call|use|result|name)s?\b",
    r"\b(?:web_search|web_fetch|bash_tool|computer_use|code_interpreter|execute_command|run_command|run_shell|read_file|write_file|str_replace\w*|send_email|http_request)\b",
    r"\b(?:curl|wget|sudo|rm -rf|chmod|netcat|powershell)\b",
    r"\b(?:approve|accept|merge|pass) (?:all|every|everything|any|without)\b",
    r"\b(?:skip|disable|remove|bypass|avoid) (?:\w+ ){0,2}(?:review|reviews|reviewers?|approvals?|gates?|feedbackd)\b",
];

static INSTRUCTIONS: LazyLock<RegexSet> = LazyLock::new(|| set(SUSPECT.iter().copied()));

/// Whether a text speaks to its reader, or looks like a part of a prompt, in code too.
fn steers(text: &str) -> bool {
    !guard::orders(text).is_empty() || !guard::shapes(text, |_| false).is_empty()
}

fn set<'p>(patterns: impl Iterator<Item = &'p str>) -> RegexSet {
    RegexSetBuilder::new(patterns)
        .case_insensitive(true)
        .build()
        .expect("the patterns are constants, and a test builds them")
}

static SENTENCE_END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[.!?](?:\s+\p{Lu}|\s*$)").expect("a constant, and a test builds it"));

pub(super) fn sentences(text: &str) -> usize {
    let ends = SENTENCE_END.find_iter(text).count();
    if text.trim_end().ends_with(['.', '!', '?']) { ends } else { ends + 1 }
}

/// Whether a rule is a comment, or holds a long piece of one.
pub(super) fn is_copied(rule: &str, comment: &str) -> bool {
    let (rule, comment) = (words_of(rule), words_of(comment));
    if rule.is_empty() || comment.len() < COPIED {
        return !rule.is_empty() && rule == comment;
    }
    comment.windows(COPIED).any(|piece| rule.windows(COPIED).any(|other| other == piece))
}

impl Refused {
    /// How it is recorded.
    pub fn outcome(&self) -> AdviceOutcome {
        match self {
            Refused::Schema(_) => AdviceOutcome::RefusedSchema,
            Refused::Lint(_) => AdviceOutcome::RefusedLint,
            Refused::Unanswered(_) => AdviceOutcome::Unanswered,
        }
    }
}

static ANNOTATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(^|[\s(,])(@(?:[A-Z]\w+|author|deprecated|param|return|see|since|throws)\b)")
        .expect("a constant, and a test builds it")
});

/// The text with annotations and tags of Javadoc in back-ticks, which models forget: a bare one would be a mention of somebody.
pub(super) fn quoted(text: &str) -> String {
    ANNOTATION.replace_all(text.trim(), "$1`$2`").into_owned()
}

fn words_of(text: &str) -> Vec<String> {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}
