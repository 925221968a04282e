//! Whether an issue names a problem, and a suggestion an action and its result (specification, "Review documents:
//! Validation").
//!
//! The forbidden phrases are in `lint`'s tables, and `lint` judges them in context: in code, in a quotation, as a name
//! or in a prohibition they are not the author's statement. Tables of words decide whether there is an action or an
//! outcome: a clear absence is an error, an unrecognised one a warning. English.

use super::DocumentRule;
use super::diagnostic::{Diagnostic, shown, text_at};
use super::verbs::{
    BAN, DEMAND, EFFECT, EMPTY_REASON, INSTRUCTION, LIKELY, LOOSE, OUTCOME, STATES, is_comparative, is_subject,
    may_be_verb, names_something,
};
use crate::text::language::specificity;
use crate::text::language::specificity::{LintRule, phrases};
use crate::text::prose::one_line;
use crate::text::redact::{clean_text, code_point, hidden_characters};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How much of a text is judged: the schema allows nothing longer.
const JUDGED: usize = 2_000;

/// Adds the findings against the issue of an item.
pub(super) fn issue(item: &Value, at: &str, judged: &dyn Fn(&str) -> bool, out: &mut Vec<Diagnostic>) {
    let path = format!("{at}/issue");
    let Some(original) = text_at(item, "/issue") else { return };
    hidden(original, &path, out);
    let text = prepared(original);
    let text = unwrapped(&text);
    let mut said = BTreeSet::new();
    let found = specificity::lint_issue(text);
    let vague = found.iter().any(|f| f.rule == LintRule::VagueIssue && is_forbidden(&f.found));
    for finding in found {
        let words = shown(&finding.found);
        let (rule, message, found, pass) = match finding.rule {
            LintRule::VagueIssue if is_forbidden(&finding.found) => (
                DocumentRule::IssueVague,
                format!("“{words}” does not say what is wrong"),
                context(text, &finding),
                "the problem and its effect: “Function lacks input validation for null parameters”",
            ),
            LintRule::VagueIssue => (
                DocumentRule::IssueLoose,
                format!("“{words}” judges without naming a problem"),
                context(text, &finding),
                "the problem itself in place of these words",
            ),
            // Already reported as a forbidden phrase.
            LintRule::TooShort | LintRule::NothingSpecific if judged(&path) && !vague => (
                DocumentRule::IssueUnspecific,
                "the issue does not say exactly what is wrong".to_owned(),
                format!("“{}”", shown(text)),
                "the part of the work and what is wrong with it: “`parse()` accepts a negative amount”",
            ),
            _ => continue,
        };
        if said.insert((rule, finding.found.to_lowercase())) {
            out.push(Diagnostic::new(&path, rule, message, found, pass));
        }
    }
    if said.is_empty()
        && let Some(words) = LOOSE.find(&blanked(text))
    {
        let message = format!("“{}” judges without naming a problem", words.as_str());
        let pass = "the problem itself in place of these words";
        out.push(Diagnostic::new(&path, DocumentRule::IssueLoose, message, format!("“{}”", shown(text)), pass));
    }
    let rationale = text_at(item, "/suggestion/rationale").map(prepared).unwrap_or_default();
    let known = said.is_empty() && judged(&path);
    if known && !EFFECT.is_match(text) && !EFFECT.is_match(&rationale) && !OUTCOME.is_match(&rationale) {
        let message = "neither the issue nor its rationale says what happens as a result";
        let pass = "an observable effect: “…, so a null amount ends in a 500”";
        out.push(Diagnostic::new(&path, DocumentRule::IssueNoEffect, message, format!("“{}”", shown(text)), pass));
    }
}

/// Adds the findings against the suggestion of an item.
pub(super) fn suggestion(item: &Value, at: &str, judged: &dyn Fn(&str) -> bool, out: &mut Vec<Diagnostic>) {
    let path = format!("{at}/suggestion/action");
    let action = text_at(item, "/suggestion/action");
    if let Some(original) = action {
        hidden(original, &path, out);
        let text = prepared(original);
        judge_action(unwrapped(&text), &path, judged(&path), out);
    }
    let path = format!("{at}/suggestion/rationale");
    let Some(original) = text_at(item, "/suggestion/rationale") else { return };
    hidden(original, &path, out);
    if judged(&path) {
        let others = [action, text_at(item, "/issue")];
        judge_rationale(&prepared(original), others, &path, out);
    }
}

fn judge_action(text: &str, path: &str, whole: bool, out: &mut Vec<Diagnostic>) {
    let mut advised = false;
    let mut doubts: Vec<(DocumentRule, String, String)> = Vec::new();
    let mut empty = false;
    let mut rest = text.to_owned();
    let mut said = BTreeSet::new();
    for finding in specificity::lint(text) {
        let words = shown(&finding.found);
        if !said.insert((finding.rule, finding.found.to_lowercase())) {
            continue;
        }
        let found = context(text, &finding);
        match finding.rule {
            LintRule::AdvisorySuggestion if is_conditional(text, finding.offset) => {}
            LintRule::AdvisorySuggestion | LintRule::VagueIssue if is_forbidden(&finding.found) => {
                advised = true;
                let message = format!("“{words}” is advice; it cannot be checked whether it was followed");
                let pass = "an instruction: “Replace the for loop with Array.map() for better readability”";
                out.push(Diagnostic::new(path, DocumentRule::SuggestionAdvisory, message, found, pass));
            }
            LintRule::VagueIssue | LintRule::VagueVerb => {
                rest = rest.replacen(&finding.found, "", 1);
                doubts.push((
                    DocumentRule::SuggestionVague,
                    format!("it cannot be checked whether “{words}” was done"),
                    found,
                ));
            }
            LintRule::Hedge => {
                doubts.push((DocumentRule::SuggestionHedge, format!("“{words}” makes it optional"), found));
            }
            LintRule::Question => {
                doubts.push((DocumentRule::SuggestionQuestion, "a question is not an instruction".to_owned(), found));
            }
            LintRule::TooShort | LintRule::NothingSpecific => empty = true,
            _ => {}
        }
    }
    let vague = |rule: DocumentRule| doubts.iter().any(|(r, ..)| *r == rule);
    // A forbidden phrase already explains why it is no action.
    if whole && !advised {
        let pass = "an action and its target: “Add a length check (max 1000 chars) to validateToken()”";
        // An uncheckable demand is no specific change; one next to it may be.
        match action(&rest) {
            Action::Named if !empty && names_something(&rest) => {}
            Action::Unclear
                if !empty && !vague(DocumentRule::SuggestionVague) && !vague(DocumentRule::SuggestionQuestion) =>
            {
                let message = "the suggestion does not begin with an action";
                let found = format!("“{}”", shown(text));
                out.push(Diagnostic::new(path, DocumentRule::SuggestionActionUnclear, message, found, pass));
            }
            _ => {
                let message = "the suggestion names no specific change to make";
                let found = format!("“{}”", shown(text));
                out.push(Diagnostic::new(path, DocumentRule::SuggestionNoAction, message, found, pass));
                doubts.clear();
            }
        }
    }
    for (rule, message, found) in doubts {
        out.push(Diagnostic::new(path, rule, message, found, rule.help()));
    }
}

/// Detects a condition. "If you might need more rows, …" states when, and advises nothing.
fn is_conditional(text: &str, at: usize) -> bool {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:if|when|whenever|where|wherever|whether|that|which|what|because|until|unless|in case)\s$")
            .expect("a constant")
    });
    static YOU: &str = "you might";
    let said = text.get(at..at + YOU.len()).is_some_and(|words| words.eq_ignore_ascii_case(YOU));
    said && BEFORE.is_match(&text[..at])
}

/// Whether a text demands a change.
enum Action {
    Named,
    /// It may be an instruction with an unlisted verb, or in another language.
    Unclear,
    None,
}

fn action(text: &str) -> Action {
    let view = blanked(text);
    if INSTRUCTION.is_match(&view) || BAN.is_match(&view) || DEMAND.is_match(&view) {
        return Action::Named;
    }
    if LIKELY.captures_iter(&view).filter_map(|c| c.get(1)).any(|verb| may_be_verb(verb.as_str())) {
        return Action::Named;
    }
    let first = view.split_whitespace().next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
    let states = STATES.is_match(&view) && is_subject(first);
    if states || is_comparative(first) { Action::None } else { Action::Unclear }
}

/// Replaces code in a text by one name. Quotations stay: an apostrophe and a quotation mark look the same.
fn blanked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 0 {
            out.push_str(part);
        } else if !part.is_empty() {
            out.push('\u{2}');
        }
    }
    out
}

fn judge_rationale(text: &str, others: [Option<&str>; 2], path: &str, out: &mut Vec<Diagnostic>) {
    let pass = "what the change prevents, allows or improves: “Prevents exponential backtracking on malicious input”";
    let found = format!("“{}”", shown(text));
    let plain = |t: &str| {
        t.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let repeats = others.into_iter().flatten().any(|other| plain(other) == plain(text));
    let message = if repeats {
        "the rationale repeats the issue or suggestion, not what will improve"
    } else if EMPTY_REASON.is_match(text) || !text.contains(char::is_alphabetic) {
        "the rationale does not say what will improve"
    } else {
        if !OUTCOME.is_match(text) {
            let message = "the rationale does not state explicitly what the change achieves";
            out.push(Diagnostic::new(path, DocumentRule::SuggestionOutcomeUnclear, message, found, pass));
        }
        return;
    };
    out.push(Diagnostic::new(path, DocumentRule::SuggestionNoOutcome, message, found, pass));
}

/// Reports invisible characters: they would split a phrase.
fn hidden(text: &str, path: &str, out: &mut Vec<Diagnostic>) {
    if let Some((_, c)) = hidden_characters(text).find(|(_, c)| !c.is_control()) {
        let found = code_point(c);
        let message = "the text contains an invisible character";
        out.push(Diagnostic::new(path, DocumentRule::TextHidden, message, found, "the text without it"));
    }
}

/// Prepares a text for judging: its beginning, without hidden characters, wrapped lines joined; lists keep their lines.
fn prepared(text: &str) -> String {
    let head: String = text.chars().take(JUDGED).collect();
    let clean = clean_text(&head);
    let mut out = String::with_capacity(clean.len());
    let mut parted = false;
    for line in clean.lines() {
        let words = one_line(line);
        if words.is_empty() {
            parted = true;
            continue;
        }
        let is_entry = words.starts_with(['-', '*', '•'])
            || words
                .split_once(['.', ')'])
                .is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if !out.is_empty() {
            out.push(if parted || is_entry { '\n' } else { ' ' });
        }
        out.push_str(&words);
        parted = false;
    }
    out
}

/// Removes the quotation marks of a text that is one quotation.
fn unwrapped(text: &str) -> &str {
    for (open, close) in [('"', '"'), ('“', '”'), ('\'', '\''), ('`', '`'), ('«', '»'), ('„', '“')] {
        let inner = text.strip_prefix(open).and_then(|rest| rest.trim_end_matches(['.', '!']).strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains([open, close]) && inner.contains(' ')) {
            return inner;
        }
    }
    text
}

/// Reports whether words are among the specification's own.
fn is_forbidden(words: &str) -> bool {
    let words = words.to_lowercase();
    phrases::ISSUE_SPECIFICITY.iter().chain(phrases::SUGGESTION_ACTIONABILITY).any(|phrase| words == **phrase)
}

/// Returns the words around a finding.
fn context(text: &str, finding: &specificity::Finding) -> String {
    let start = finding.offset.min(text.len());
    let from = text[..start].char_indices().rev().nth(24).map_or(0, |(at, _)| at);
    let from = if from == 0 { 0 } else { text[from..start].find(' ').map_or(start, |space| from + space + 1) };
    let lead = if from > 0 { "…" } else { "" };
    format!("“{lead}{}”", shown(&text[from..]))
}
