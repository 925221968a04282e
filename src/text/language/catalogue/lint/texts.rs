//! Checks the sentences of a concern: its rule, its reason, and its English.

use super::issue::{Check, Findings};
use crate::language::catalogue::concern::Concern;
use crate::language::specificity;

/// Words that cannot start a demand.
const NO_DEMAND: &str = "the a an this that these those there it its we you they i our your their all every each no any some \
    most many";
/// The second word of a statement: "tests must", "errors are".
const STATES: &str = "is are was were has have must should shall can could may might will would needs need";

pub(super) fn check(concern: &Concern, findings: &mut Findings) {
    for finding in specificity::lint(&concern.rule) {
        findings.error(concern, Check::Rule, format!("has a rule that would be refused: {}", finding.message));
    }
    if !is_imperative(&concern.rule) {
        let message = format!("has a rule that does not begin like a demand: “{}”; begin with a verb", concern.rule);
        findings.warn(concern, Check::NotImperative, message);
    }
    if concern.why.trim().is_empty() {
        findings.error(concern, Check::Why, "states no reason; reviewers of the rule will ask for one");
    }
    let mut english = vec![
        ("title", &concern.title),
        ("description", &concern.description),
        ("rule", &concern.rule),
        ("why", &concern.why),
    ];
    english.extend(concern.phrasings.iter().map(|p| ("phrasing", p)));
    english.extend(concern.terms.get("en").into_iter().flatten().map(|t| ("English term", t)));
    for (what, text) in english {
        if let Some(c) = text.chars().find(|c| !c.is_ascii()) {
            let message = format!("has “{c}” in a {what}: “{text}”; English is written in ASCII here");
            findings.warn(concern, Check::NotAscii, message);
        }
    }
}

/// Reports whether a sentence starts as a demand, judging by its first words.
fn is_imperative(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty());
    let is_one_of = |list: &str, word: &str| list.split_whitespace().any(|w| w == word);
    let Some(first) = words.next() else { return false };
    !is_one_of(NO_DEMAND, first) && !words.next().is_some_and(|second| is_one_of(STATES, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_begin_with_a_verb_or_a_condition() {
        for demand in ["Give every call a timeout.", "When a call fails, log it.", "Do not log tokens."] {
            assert!(is_imperative(demand), "{demand}");
        }
        for statement in ["The call has a timeout.", "Tests must pass.", "Errors are logged.", ""] {
            assert!(!is_imperative(statement), "{statement}");
        }
    }
}
