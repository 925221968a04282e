//! A rule's text from reviewers' comments, by a few sentence patterns.
//!
//! For clusters whose concern is not in the catalogue. A comment is never quoted: one that fits no pattern yields no
//! rule, and people or a model must word one. Whether a text may enter a prompt is up to the linter.

use crate::records::record::{Example, RuleType};
use crate::text::language::comment;
use crate::text::language::direction::Direction;
use crate::text::language::specificity::lint;
use crate::text::prose::{capitalise, line};
use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashSet;
use std::sync::LazyLock;

/// A rule's text with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// One line.
    pub title: String,
    /// One or two sentences in the imperative.
    pub content: String,
    /// The kind of rule.
    pub rule_type: RuleType,
    /// The concern it was made from.
    pub concern: Option<String>,
    /// The reason, in a sentence.
    pub why: Option<String>,
    /// How people corrected such work.
    pub example: Option<Example>,
}

/// The longest title made of a text, in characters.
const LONGEST_TITLE: usize = 72;

/// Returns the title that a rule with this text has.
pub fn title_of(text: &str) -> String {
    line(text.trim_end_matches('.'), LONGEST_TITLE)
}

/// Builds a rule's text from a comment; `None` if it fits no pattern or would cover only part of the comment: in a
/// list, the cluster may be about any item.
pub fn draft(text: &str, direction: Direction, example: Option<&Example>) -> Option<Draft> {
    let items = text.lines().filter(|line| line.starts_with("- ")).count();
    let content = (items < 2).then(|| imperative(&demand_of(text))).flatten().filter(|text| !PARTIAL.is_match(text))?;
    Some(Draft {
        title: title_of(&content),
        rule_type: type_of(&content, direction, example),
        content,
        concern: None,
        why: None,
        example: example.cloned(),
    })
}

/// Builds a rule's text from the first of several comments whose draft passes the linter and is supported by the
/// others. A vague comment that represents its cluster does not block a clear one, and what only one comment demands is
/// not a rule. Otherwise returns why none of them yields a rule.
pub fn draft_best(
    texts: &[&str],
    all: &[&str],
    direction: Direction,
    example: Option<&Example>,
) -> Result<Draft, String> {
    let mut refused: Option<String> = None;
    let supported = |draft: &Draft| is_supported(&draft.content, all);
    for draft in texts.iter().filter_map(|text| draft(text, direction, example)).filter(supported) {
        match lint(&draft.content).into_iter().next() {
            None => return Ok(draft),
            Some(finding) => {
                refused.get_or_insert_with(|| format!("“{}” makes no rule. {}", draft.content, finding.message));
            }
        }
    }
    Err(refused.unwrap_or_else(|| {
        "Its comments share no concern from the catalogue, and none of them says clearly enough what to do. People \
         can word a rule for it."
            .to_owned()
    }))
}

/// Reports whether most of a text's content is in most of the comments.
fn is_supported(text: &str, remarks: &[&str]) -> bool {
    let said: Vec<HashSet<String>> = remarks.iter().map(|remark| content_words(remark)).collect();
    let wanted = content_words(text);
    let supported =
        wanted.iter().filter(|word| 2 * said.iter().filter(|said| said.contains(*word)).count() >= said.len());
    SUPPORTED * supported.count() >= (SUPPORTED - 1) * wanted.len()
}

/// All but one of every so many words of a rule must occur in half of the comments.
const SUPPORTED: usize = 4;

/// Returns the stems of a text's content words.
fn content_words(text: &str) -> HashSet<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.chars().count() > 3);
    words
        .map(|word| stemmer.stem(&word.to_lowercase()).into_owned())
        .filter(|stem| !NO_CONTENT.contains(&stem.as_str()))
        .collect()
}

/// Stems of words that may occur in any demand.
const NO_CONTENT: [&str; 18] = [
    "includ", "pleas", "should", "need", "miss", "lack", "have", "that", "this", "with", "from", "here", "there",
    "also", "just", "could", "would", "make",
];

/// Returns the kind of a rule, from its words, its direction, and whether an example shows what not to do.
pub(super) fn type_of(content: &str, direction: Direction, example: Option<&Example>) -> RuleType {
    if STRICT.is_match(content) {
        RuleType::Constraint
    } else if direction == Direction::Less && example.is_some_and(|e| !e.before.is_empty()) {
        RuleType::NegativeExample
    } else {
        RuleType::Guideline
    }
}

/// Text that is truncated, or refers to something only the reviewer saw.
static PARTIAL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)…|\b(?:e\.g|i\.e|cf|vs|etc)\.?$|^(?:do not |don['’]t |never |always )?[a-z]+ (?:this|that|these|those|it|them)\b",
    )
});
static STRICT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\b(never|must|do not|don['’]t|always)\b"));
/// Sentence patterns of demands, each with the resulting imperative.
static PATTERNS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    // A few words: longer text is a story, which is not taken apart.
    let x = r"(?P<x>[^\s,;.:?]+(?: [^\s,;.:?]+){0,5})";
    let y = r"(?P<y>(?:[^\s,;.:?]+ ){0,3}[^\s,;.:?]+)";
    // A bare "no tests" may complain or forbid, so it is not included.
    [
        (format!(r"(?i)^(?:there(?:'s| is| are| was| were) |(?:it |this )?(?:has|have) )no {x}$"), "Include $x."),
        (format!(r"(?i)^no {x} (?:is |are )?(?:needed|necessary|required) (?:in|for|on) (?:the |a |an )?{y}$"), "Leave out $x in the $y."),
        (format!(r"(?i)^no {x} (?:is |are )?(?:needed|necessary|required)(?: here)?$"), "Leave out $x."),
        (format!(r"(?i)^(?:please )?(?:missing|lacks?|lacking|needs?|requires?|forgot(?: the)?) {x}$"), "Include $x."),
        (format!(r"(?i)^{y} (?:lacks?|has no|have no) {x}$"), "Include $x in $y."),
        (format!(r"(?i)^{y} (?:needs?|requires?|should have|must have) {x}$"), "Include $x in $y."),
        (format!(r"(?i)^{x} (?:is|are) (?:still )?missing$"), "Include $x."),
        (format!(r"(?i)^(?:there (?:is|are) )?too (?:many|much) {x}$"), "Keep $x to what is needed."),
        (
            r"(?i)^(?:please,? )?(?P<x>(?:don['’]t|do not|never|stop|avoid|always|add|include|remove|drop|delete|use|keep|write|define|describe|explain|document|validate|check|handle|test|cover|split|move|rename|replace|extract|name|list|state|give|provide|show|specify|quantify|pin|log|mask|limit|cap|set|make|ensure|put|call|batch|cache|reuse|follow|mention|say|tell|update|link|verify|assert|escape|measure|compare|decompose|inject|encrypt|restrict|price out|pull|carve out|wire up) [^?]+)$".to_owned(),
            "$x.",
        ),
        // A request is an imperative, whatever its verb.
        (r"(?i)^(?:can|could|would|will) (?:you|we) (?:please |also |just )*(?P<x>[a-z]+ [^?]+)\??$".to_owned(), "$x."),
        (r"(?i)^please,? (?:also |just )?(?P<x>[a-z]+ [^?]+)$".to_owned(), "$x."),
    ]
    .into_iter()
    .map(|(pattern, rule)| (regex(&pattern), rule))
    .collect()
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are constants and a test compiles them")
}

/// Location prefixes and attached text, which are not part of the demand.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?ix)^(?:(?:in\ |on\ )?(?:(?:step|milestone|story|task|item|goal|section)\ \d+|the\ (?:checklist|intro|introduction|summary))\s*[,:]|[A-Z]{2,5}-\d+:|in\ [\w./-]+\.\w{1,5},)\s*
        | \s*\((?:[A-Z]{2,5}-\d+|the\ [\w-]+|section\ \d+|step\ \d+|\w+\ sheet)\)\s*\.?$
        | \s*\bused\ (?:\w+\ )?\[(?:REDACTED:[^\]]*|(?:email|phone|ip|card|iban):[a-z2-7]{8})\](?:\ to\ reproduce)?\.?
        | \s*(?:```|~~~).*$",
    )
});
/// A thought experiment ("delete it and the tests stay green") states what is wrong, not what to do; and a noun that
/// looks like a verb ("log volume is no indicator") is not one.
static NO_ORDER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:delete|remove|drop|break|strip)\b[^,]{1,40} and (?:it|the|all|everything|nothing|every|tests?)\b|^(?:log|test|batch|cache|limit|list|name|link|set|call|cap|mask|update|measure|price)\s\S+ (?:is|isn['’]t|are|aren['’]t|was|were|has|have|should|must|needs?|can)\b",
    )
});
/// Words after a "please" that are not verbs.
const NO_VERBS: [&str; 12] = ["no", "not", "more", "less", "fewer", "smaller", "a", "an", "the", "some", "see", "talk"];
/// The length of a comment that is examined, in characters.
const LOOKED_AT: usize = 160;

/// Returns a comment without address, markers, place and thanks, on one line.
fn plain(text: &str) -> String {
    let text = line(text, 240);
    let inner = PLACE.replace_all(comment::unwrap(&text), "");
    // The text before the place may itself be wrapped.
    let plain = PLACE.replace_all(comment::unwrap(&inner), "").trim().to_owned();
    if plain.is_empty() { text } else { plain }
}

/// Returns the first statement of a comment.
fn demand_of(text: &str) -> String {
    line(comment::sentence(&plain(text)).trim_end_matches(['.', '!', ';', ' ']), LOOKED_AT)
}

fn imperative(demand: &str) -> Option<String> {
    if NO_ORDER.is_match(demand) {
        return None;
    }
    for (pattern, rule) in PATTERNS.iter() {
        if let Some(found) = pattern.captures(demand) {
            // "I need to know" is about the speaker, not about the work.
            let part = |name| found.name(name).map_or("", |m| m.as_str()).to_lowercase();
            let verb = part("x");
            if NO_VERBS.iter().any(|word| verb.split(' ').next() == Some(word))
                || verb.starts_with("to ")
                || matches!(part("y").as_str(), "i" | "we" | "you")
            {
                continue;
            }
            let mut text = String::new();
            found.expand(rule, &mut text);
            return Some(capitalise(&text.replace(" .", ".")));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_are_imperatives() {
        for (remark, rule) in [
            ("Missing error handling in API handler", "Include error handling in API handler."),
            ("nit: API handler lacks error handling", "Include error handling in API handler."),
            ("@coder_agent please add input validation (line 42)", "Add input validation."),
            ("success metrics are missing. Thanks!", "Include success metrics."),
            ("There's no rollback plan", "Include rollback plan."),
            ("There is no failure analysis. Otherwise ok", "Include failure analysis."),
            ("Never log personal data", "Never log personal data."),
            ("too many comments", "Keep comments to what is needed."),
            ("could you carve out the discount logic?", "Carve out the discount logic."),
            ("please wire up a health check for the importer", "Wire up a health check for the importer."),
            ("step 4: don't ship to 100% on day one (the checklist)", "Don't ship to 100% on day one."),
            ("Avoid GPL components in the binary ``` + line 0", "Avoid GPL components in the binary."),
        ] {
            let draft = draft(remark, Direction::More, None);
            assert_eq!(draft.map(|d| d.content).as_deref(), Some(rule), "{remark}");
        }
    }

    #[test]
    fn what_fits_no_pattern_makes_no_rule() {
        for remark in [
            "how does this recover after a crash?",
            "no bare literals in conditions (handlers.ts:17)",
            "half of this file is prose",
            "Delete the implementation and it stays green",
            "Log volume isn't an indicator, give me a rate",
            "Make this different in both sections, e.g. in the second one",
            "please move it to the line above",
            "- add a test for the importer\n- use another name",
        ] {
            assert_eq!(draft(remark, Direction::More, None), None, "{remark}");
        }
    }

    #[test]
    fn the_first_remark_that_says_something_makes_the_rule() {
        let texts = ["needs work", "put it there first", "missing success metrics", "add a rollback plan"];
        let all = ["missing success metrics", "no success metrics", "success metrics?"];
        let draft = draft_best(&texts, &all, Direction::More, None);
        assert_eq!(draft.map(|d| d.content), Ok("Include success metrics.".to_owned()));
        assert!(draft_best(&texts, &texts, Direction::More, None).is_err(), "one remark alone makes no rule");
        let refused = draft_best(&texts[..2], &["needs work"], Direction::More, None).unwrap_err();
        assert!(refused.starts_with("“Include work.” makes no rule."), "{refused}");
        let refused =
            draft_best(&["half of it is prose"], &["half of it is prose"], Direction::Less, None).unwrap_err();
        assert!(refused.contains("People can word a rule"), "{refused}");
    }

    #[test]
    fn an_example_of_what_not_to_do_makes_a_negative_example() {
        let example = Example { before: "x".into(), after: String::new(), feedback_id: "dec-1".into() };
        let of = |text, example| draft(text, Direction::Less, example).map(|d| d.rule_type);
        assert_eq!(of("remove the banners", Some(&example)), Some(RuleType::NegativeExample));
        assert_eq!(of("remove the banners", None), Some(RuleType::Guideline));
        assert_eq!(of("never draw banners", Some(&example)), Some(RuleType::Constraint));
    }
}
