//! A rule's text from its cluster's concern: the catalogue's sentence, and names from the comments.
//!
//! The concern is determined elsewhere.

use super::draft::{Draft, type_of};
use super::specifics::{NameSearch, specifics};
use crate::records::record::Example;
use crate::text::language::catalogue::Concern;
use crate::text::language::specificity::lint;
use crate::text::prose::{line, one_line};
use std::collections::BTreeSet;

/// The maximum length of a title, in characters.
const TITLE: usize = 72;

/// The source of a rule's text.
pub struct TextSource<'a> {
    pub concern: &'a Concern,
    /// The language of most of the files they are about.
    pub language: Option<&'a str>,
    /// The comments that express it.
    pub remarks: &'a [&'a str],
    /// Their authors.
    pub people: &'a BTreeSet<&'a str>,
    /// Returns the number of concerns with a word in their phrasings.
    pub spread: &'a dyn Fn(&str) -> usize,
    /// How people corrected such work.
    pub example: Option<Example>,
}

/// Words a rule for a concern; `None` if it does not pass the linter.
pub fn worded(from: TextSource<'_>) -> Option<Draft> {
    let TextSource { concern, language, remarks, people, spread, example } = from;
    let rule = sentence(concern.rule_for(language));
    let terms = concern.terms.get("en").map_or_else(String::new, |terms| terms.join(" "));
    let said = [rule.as_str(), &concern.title, &concern.description, &terms.replace(['*', '_', '+'], " ")].join(" ");
    // Comments on code name what is in that place; the rule states the demand.
    let names =
        if language.is_some() { Vec::new() } else { specifics(&NameSearch { remarks, said: &said, people, spread }) };
    let specific = |names: &[String]| format!("{rule} In particular: {}.", and(names));
    // A name that the linter misinterprets is not worth losing a rule.
    let names = (0..=names.len()).rev().map(|n| &names[..n]).find(|n| !n.is_empty() && lint(&specific(n)).is_empty());
    let (content, title) = match names {
        Some(names) => (specific(names), format!("{}: {}", concern.title, and(names).replace('`', ""))),
        None => (rule.clone(), concern.title.clone()),
    };
    lint(&content).is_empty().then(|| Draft {
        title: line(&title, TITLE),
        rule_type: type_of(&content, concern.direction.direction(), example.as_ref()),
        content,
        concern: Some(concern.id.clone()),
        why: Some(sentence(&concern.why)).filter(|why| why.len() > 1),
        example,
    })
}

/// Formats a text as one line with a full stop.
fn sentence(text: &str) -> String {
    let text = one_line(text);
    format!("{}.", text.trim_end_matches('.'))
}

/// Joins as `a`, `a and b`, `a, b and c`.
fn and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::record::RuleType;
    use crate::text::language::catalogue::shipped;

    fn rule(id: &str, remarks: &[&str]) -> Draft {
        let catalogue = shipped();
        let concern = catalogue.get(id).unwrap();
        worded(TextSource { concern, language: None, remarks, people: &BTreeSet::new(), spread: &|_| 0, example: None })
            .unwrap()
    }

    #[test]
    fn a_rule_says_what_the_catalogue_says_and_what_the_remarks_name() {
        let remarks = ["no timeout on the ledger call", "what if we lose the ledger", "the gateway needs a timeout"];
        let draft = rule("res.timeout", &remarks);
        insta::assert_snapshot!(draft.content, @"Set an explicit timeout on every network, database, lock and subprocess call and handle its expiry. In particular: ledger.");
        insta::assert_snapshot!(draft.title, @"Timeout missing: ledger");
        assert_eq!((draft.concern.as_deref(), draft.rule_type), (Some("res.timeout"), RuleType::Guideline));
        assert!(draft.why.is_some_and(|why| why.ends_with('.')));
    }

    #[test]
    fn every_concern_of_the_catalogue_makes_a_rule() {
        let mut refused = Vec::new();
        for concern in shipped().concerns() {
            let languages = concern.rules.keys().map(|language| Some(language.as_str()));
            for language in languages.chain([None]) {
                let from = TextSource {
                    concern,
                    language,
                    remarks: &[],
                    people: &BTreeSet::new(),
                    spread: &|_| 0,
                    example: None,
                };
                if worded(from).is_none() {
                    let found = lint(concern.rule_for(language));
                    refused.push(format!("{} {language:?}: {found:?}", concern.id));
                }
            }
        }
        assert!(refused.is_empty(), "{}", refused.join("\n"));
    }
}
