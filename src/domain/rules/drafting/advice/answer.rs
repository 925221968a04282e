//! Reading a model's answer: exactly the object that was asked for, and nothing in it that could steer an agent.
//!
//! What is refused here is dropped, and the way without a model goes on. A text that passes is still only a
//! suggestion: people approve rules.

use super::question::AdviceQuestion;
use crate::domain::language::{guard, specificity};
use crate::domain::records::record::{AdviceReply, ChoiceReply, DraftReply, PairReply};
use crate::domain::redact::{clean_text, hidden_characters, redact};
use regex::{Regex, RegexSet, RegexSetBuilder};
use serde::de::DeserializeOwned;
use std::sync::LazyLock;
use thiserror::Error;

/// An answer may be at most so large, in bytes.
pub const MAX_ANSWER_BYTES: usize = 8 << 10;
const MAX_REASON: usize = 200;
const MAX_TITLE: usize = 72;
const MAX_RULE: usize = 300;
/// This many words in the order of a remark are a copy of it.
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
}

/// Reads the answer to a question.
///
/// # Errors
/// Where anything about it is not as it was asked for.
pub fn read_answer(question: &AdviceQuestion, text: &str) -> Result<AdviceReply, Refused> {
    match question {
        AdviceQuestion::Pair(_) => {
            let reply: PairReply = object(text)?;
            screen("the reason", &reply.reason, MAX_REASON)?;
            Ok(AdviceReply::Pair(reply))
        }
        AdviceQuestion::Draft(_) => {
            let reply: DraftReply = object(text)?;
            screen("the title", &reply.title, MAX_TITLE)?;
            screen("the reason", &reply.why, MAX_REASON)?;
            screen("the rule", &reply.rule, MAX_RULE)?;
            if sentences(&reply.rule) > 2 {
                return Err(Refused::Lint("the rule has more than two sentences".to_owned()));
            }
            if let Some(finding) = specificity::lint(&reply.rule).into_iter().next() {
                return Err(Refused::Lint(format!("the rule does not pass the linter: {}", finding.rule.as_str())));
            }
            if question.remarks().iter().any(|remark| is_copied(&reply.rule, remark)) {
                return Err(Refused::Lint("the rule is a remark, copied".to_owned()));
            }
            Ok(AdviceReply::Draft(reply))
        }
        AdviceQuestion::Choice(choice) => {
            let reply: ChoiceReply = object(text)?;
            screen("the reason", &reply.reason, MAX_REASON)?;
            if reply.group != 0 && choice.named(reply.group).is_none() {
                return Err(Refused::Schema("the answer names no group that was shown"));
            }
            Ok(AdviceReply::Choice(reply))
        }
        AdviceQuestion::Read(_) => Err(Refused::Schema("readings are taken one by one")),
    }
}

/// One JSON object and nothing else; a single code fence around it is tolerated.
fn object<T: DeserializeOwned>(text: &str) -> Result<T, Refused> {
    if text.len() > MAX_ANSWER_BYTES {
        return Err(Refused::Schema("the answer is too long"));
    }
    let text = unfenced(text.trim());
    // An array of the values in their order would be read as well.
    if !text.starts_with('{') {
        return Err(Refused::Schema("the answer is no JSON object"));
    }
    serde_json::from_str(text).map_err(|_| Refused::Schema("the answer is not the JSON object that was asked for"))
}

pub(super) fn unfenced(text: &str) -> &str {
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, |rest| rest.strip_prefix("json").unwrap_or(rest).trim())
}

/// What holds for every text of an answer that people or agents read.
fn screen(what: &str, text: &str, max: usize) -> Result<(), Refused> {
    let refuse = |why: &str| Err(Refused::Lint(format!("{what} {why}")));
    if text.trim().is_empty() {
        return refuse("is empty");
    }
    if let Some(place) = FORBIDDEN.matches(text).into_iter().next() {
        return refuse(FORBIDDEN_SHAPES[place].1);
    }
    if INSTRUCTIONS.is_match(text) {
        return refuse("speaks to whoever reads it as a prompt");
    }
    screen_reading(what, text, max)
}

/// What holds for a text that remarks are compared by: it may name an annotation, a tag or a function.
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
    (r"[a-z][a-z0-9+.-]*://|\bwww\.|\b(?:mailto|data|javascript|file):|\]\(", "has a link"),
    (r"\b[a-z0-9-]+\.(?:com|org|io|ru|cn|xyz|info|biz)\b|\b[a-z0-9-]+\.(?:net|dev|app|co|ai)/", "has a link"),
    (r"(?:^|[^\w`])@\w|[\w.+-]+@[\w-]+\.\w", "has a mention or an address"),
    (r"(?:^|[^\w])</?\s*[a-z!|]|<\||\|>|\[/?inst\]", "has a tag"),
];

static FORBIDDEN: LazyLock<RegexSet> = LazyLock::new(|| set(FORBIDDEN_SHAPES.iter().map(|(shape, _)| *shape)));

static LINKS: LazyLock<RegexSet> = LazyLock::new(|| set([r"[a-z][a-z0-9+.-]*://|\bwww\.|\]\("].into_iter()));

/// More than the linter's: a model has no reason to speak of these at all, not even to forbid them.
const SUSPECT: &[&str] = &[
    r"\b(?:ignore|disregard|override|bypass|forget|obey|follow) (?:\w+ ){0,4}(?:previous|prior|above|earlier|instructions?|prompts?|guardrails)\b",
    r"\b(?:system|developer|hidden|initial) (?:prompt|message|instructions?|role)\b",
    r"\b(?:this|the|your) (?:prompt|conversation|chat|context window)\b",
    r"\b(?:language model|as an ai|chatgpt|gpt-\d|claude|assistant)\b",
    r"\b(?:tool|function)[ _-]?(?:call|use|result|name)s?\b",
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

fn sentences(text: &str) -> usize {
    let ends = SENTENCE_END.find_iter(text).count();
    if text.trim_end().ends_with(['.', '!', '?']) { ends } else { ends + 1 }
}

/// Whether a rule is a remark, or holds a long piece of one.
fn is_copied(rule: &str, remark: &str) -> bool {
    let (rule, remark) = (words_of(rule), words_of(remark));
    if rule.is_empty() || remark.is_empty() {
        return false;
    }
    let wanted = COPIED.min(remark.len().max(4));
    if remark.len() < wanted {
        return rule == remark;
    }
    remark.windows(wanted).any(|piece| rule.windows(wanted).any(|other| other == piece))
}

fn words_of(text: &str) -> Vec<String> {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}
