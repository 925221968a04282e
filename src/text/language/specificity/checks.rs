//! The checks: each examines a text and reports its problems.

use super::context::{self, CODE, QUOTE, View};
use super::phrases::{
    GENERIC, HEDGES, ISSUE_SPECIFICITY, MODALS, OPEN_REFERENCES, SAID_BEFORE, SUGGESTION_ACTIONABILITY, THINGS_AT_HAND,
    TIMES_AT_HAND, VAGUE_ISSUES, VAGUE_VERBS,
};
use super::violation::{Finding, LintRule, MAX_CHARS, MIN_WORDS};
use crate::language::guard;
use crate::redact::{code_point, hidden_characters};
use regex::Regex;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// The findings so far.
#[derive(Default)]
pub(super) struct Findings {
    found: Vec<Finding>,
    taken: Vec<Range<usize>>,
}

impl Findings {
    /// Adds a finding about some words, unless they already have one.
    fn add(&mut self, rule: LintRule, view: &View<'_>, at: Range<usize>, message: impl FnOnce(&str) -> String) {
        if self.taken.iter().any(|taken| taken.start < at.end && at.start < taken.end) {
            return;
        }
        self.taken.push(at.clone());
        self.whole(rule, view, at, message);
    }

    /// Adds a finding about the text as a whole.
    fn whole(&mut self, rule: LintRule, view: &View<'_>, at: Range<usize>, message: impl FnOnce(&str) -> String) {
        let found = view.words(at.clone());
        let message = message(&found);
        self.found.push(Finding { rule, found, message, offset: at.start });
    }

    pub(super) fn take_in(&mut self, inner: Vec<Finding>, shift: usize) {
        for mut finding in inner {
            finding.offset += shift;
            if !self.found.iter().any(|f| f.rule == finding.rule && f.offset == finding.offset) {
                self.found.push(finding);
            }
        }
    }

    pub(super) fn sorted(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|f| (f.offset, f.rule));
        self.found
    }
}

/// Checks for what is forbidden in any text.
pub(super) fn frame(view: &View<'_>, out: &mut Findings) {
    let mut hidden = hidden_characters(view.original);
    if let Some((at, c)) = hidden.next() {
        let found = code_point(c);
        let message = format!("It contains an invisible character ({found}). Remove it.");
        out.found.push(Finding { rule: LintRule::HiddenCharacter, found, message, offset: at });
    }
    let length = view.original.chars().count();
    if length > MAX_CHARS {
        let from = view.original.char_indices().nth(MAX_CHARS).map_or(0, |(at, _)| at);
        out.whole(LintRule::TooLong, view, from..from, |_| {
            format!(
                "It is {length} characters long; at most {MAX_CHARS} pass. Say one thing, or make several rules of it."
            )
        });
    }
    // Code may resemble a part of a prompt, but not a role or a call.
    let is_code = |at: usize| view.said[at..].starts_with(CODE);
    for found in guard::shapes(view.original, is_code) {
        out.add(LintRule::PromptInjection, view, found, |words| {
            format!(
                "“{words}” could end the rule and begin another part of the prompt. Say it in plain sentences, and put names like this in backticks."
            )
        });
    }
}

/// Finds attempts to rewrite the prompt; `bans` lets a rule forbid them.
fn injection(view: &View<'_>, out: &mut Findings, bans: bool) {
    for order in guard::orders(view.original) {
        if !(bans && context::is_banned(&order.before, order.before.len())) {
            out.add(LintRule::PromptInjection, view, order.at, |words| {
                format!(
                    "“{words}” speaks to the prompt, not about the work. Say what the work must or must not contain."
                )
            });
        }
    }
}

/// Finds what is wrong with a demand in its author's own words.
pub(super) fn demand(view: &View<'_>, out: &mut Findings) {
    injection(view, out, true);
    tables(view, out);
    for found in MODAL.find_iter(&view.own) {
        let fact = context::is_banned(&view.own, found.start()) || context::is_subordinate(&view.own, found.start());
        if !fact {
            out.add(LintRule::Hedge, view, found.range(), hedge);
        }
    }
    questions(view, out);
    vague_verbs(view, out, usize::MAX);
    references(view, out);
    at_hand(view, out);
    pronouns(view, out);
    // "As a buyer, I want …" speaks for another person.
    let speaks = |at: usize| view.original[at..].starts_with('I') || SAYS_I.is_match(&view.own[at..]);
    let own = |at: usize| !AS_SOMEBODY.is_match(&view.own[..at]);
    let told = FIRST_PERSON.captures_iter(&view.own).filter_map(|c| c.get(1));
    for found in told.filter(|m| speaks(m.start()) && own(m.start())) {
        out.add(LintRule::Narrative, view, found.range(), |words| {
            format!("“{words}” tells about its author, whom the agent does not know. Say what the work must contain, or leave it out.")
        });
    }
    substance(view, out, 2);
}

/// Checks a comment that a rule says to obey: it may ask and complain, and say "this" of its subject, but not advise or
/// stay vague.
pub(super) fn remark(view: &View<'_>, out: &mut Findings) {
    injection(view, out, false);
    tables(view, out);
    // Only its beginning: a final "please address" does not weaken what precedes it.
    vague_verbs(view, out, 1);
    references(view, out);
    substance(view, out, 2);
}

/// Finds what is wrong with the description of a problem.
pub(super) fn issue(view: &View<'_>, out: &mut Findings) {
    injection(view, out, false);
    for found in ISSUE.find_iter(&view.own) {
        out.add(LintRule::VagueIssue, view, found.range(), vague_issue);
    }
    references(view, out);
    substance(view, out, 2);
}

/// Finds phrases of the tables, which count anywhere except under a ban.
pub(super) fn tables(view: &View<'_>, out: &mut Findings) {
    for found in ISSUE.find_iter(&view.own).filter(|m| !context::is_banned(&view.own, m.start())) {
        out.add(LintRule::VagueIssue, view, found.range(), vague_issue);
    }
    for found in ADVICE.find_iter(&view.own) {
        if !context::is_banned(&view.own, found.start()) && !is_a_name(&view.own, &found.range()) {
            out.add(LintRule::AdvisorySuggestion, view, found.range(), |words| {
                format!("“{words}” advises, and whether advice was followed cannot be checked. Say what to do: “Add …”, “Replace … by …”, “Never …”.")
            });
        }
    }
    for found in HEDGE.find_iter(&view.own).filter(|m| !context::is_banned(&view.own, m.start())) {
        out.add(LintRule::Hedge, view, found.range(), hedge);
    }
}

fn vague_issue(words: &str) -> String {
    format!("“{words}” does not say what is wrong. Name the problem: “The handler accepts a negative amount”.")
}

fn hedge(words: &str) -> String {
    format!("“{words}” leaves it open whether to do it. Leave it out, or say when it applies: “When …, do …”.")
}

/// `Maybe<T>` and "the Maybe type" are names, and "reviewers consider" describes what others do.
fn is_a_name(text: &str, at: &Range<usize>) -> bool {
    static AFTER: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:<|\(|\.| (?:type|monad|value)s?\b)"));
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\b(?:we|they|who|that|which|reviewers|users|people|customers|clients|did|does|do|also) $")
    });
    let word = &text[at.clone()];
    (word == "maybe" && AFTER.is_match(&text[at.end..]) && !text[at.end..].starts_with(". "))
        || (word == "consider"
            && (BEFORE.is_match(&text[..at.start]) && !text[..at.start].ends_with("do ")
                || text[at.end..].starts_with('(')))
}

fn questions(view: &View<'_>, out: &mut Findings) {
    for found in QUESTION.find_iter(&view.own) {
        out.add(LintRule::Question, view, found.range(), |_| {
            "A question demands nothing of the agent. Say what the answer must be, or what the work must say."
                .to_owned()
        });
    }
}

/// Checks only the first clauses, up to the given number.
fn vague_verbs(view: &View<'_>, out: &mut Findings, most: usize) {
    let mut left = most;
    for sentence in context::sentences(&view.own) {
        let whole = &view.own[sentence.clone()];
        let measured = MEASURE.is_match(whole);
        for clause in context::clauses(&view.own, &sentence).into_iter().take(left) {
            left -= 1;
            let words = &view.own[clause.clone()];
            let vague = VAGUE.iter().any(|(verb, measurable)| !(*measurable && measured) && verb.is_match(words));
            // "Fix: …" labels what follows.
            let label = view.own[clause.end..].starts_with(": ");
            if vague && !label && !context::is_banned(&view.own, clause.start) {
                out.add(LintRule::VagueVerb, view, clause, |words| {
                    format!("Whether “{words}” was done cannot be checked. Name what to change, and a measure: “Keep functions under 40 lines”, “Name the field in each error message”.")
                });
            }
        }
    }
}

fn references(view: &View<'_>, out: &mut Findings) {
    let said = SAID.find_iter(&view.own).filter(|m| SAID_WHERE.is_match(&view.own[m.end()..]));
    for found in OPEN.find_iter(&view.own).chain(said) {
        out.add(LintRule::OpenReference, view, found.range(), open_reference);
    }
}

/// "Rename that function": the function is gone by the time the rule is read.
fn at_hand(view: &View<'_>, out: &mut Findings) {
    for found in TIMES.find_iter(&view.own) {
        out.add(LintRule::OpenReference, view, found.range(), open_reference);
    }
    for found in AT_HAND.captures_iter(&view.own) {
        let (Some(whole), Some(thing)) = (found.get(1), found.get(2)) else { continue };
        let before = &view.own[..whole.start()];
        // "Name each test; this test …" explains itself, and "check that line endings …" points to nothing.
        let clause = whole.as_str().starts_with("that") && THAT_CLAUSE.is_match(before);
        if !clause && !before.contains(thing.as_str()) {
            out.add(LintRule::OpenReference, view, whole.range(), open_reference);
        }
    }
}

/// "Put it on the internal tenant first": nothing before the pronoun identifies it.
fn pronouns(view: &View<'_>, out: &mut Findings) {
    let Some(found) = PRONOUN.captures(&view.own).and_then(|c| c.get(1)) else { return };
    let before = &view.own[..found.start()];
    let named = before.contains([QUOTE, CODE]) || words(before).filter(|w| is_specific(w)).count() >= 2;
    let expletive = EXPLETIVE.is_match(&view.own[found.start()..]);
    if !named && !expletive {
        out.add(LintRule::OpenReference, view, found.range(), open_reference);
    }
}

fn open_reference(words: &str) -> String {
    format!("“{words}” points to something that is not there when the rule is read. Name it.")
}

/// Checks that a text is long enough, and that enough of its words name something.
fn substance(view: &View<'_>, out: &mut Findings, least: usize) {
    let all = 0..view.original.len();
    let count: usize = words(&view.own).map(weight).sum();
    let specific = words(&view.own).filter(|w| is_specific(w)).map(weight).sum::<usize>();
    if count < MIN_WORDS {
        out.whole(LintRule::TooShort, view, all, |_| {
            format!("It has fewer than {MIN_WORDS} words. Say what to do with what: “Validate page numbers in every list endpoint”.")
        });
    } else if specific < least {
        out.whole(LintRule::NothingSpecific, view, all, |_| {
            "No word says what it is about. Name the part of the work and what must be true of it.".to_owned()
        });
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, QUOTE | CODE)))
        .filter(|w| !w.is_empty())
}

/// Languages without spaces: a character counts as a word.
fn weight(word: &str) -> usize {
    let ideograms = word.chars().filter(|c| matches!(*c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')).count();
    // Text in quotation marks or backticks is a name, including its article.
    let named = usize::from(word.contains([QUOTE, CODE]));
    ideograms.max(1) + named
}

fn is_specific(word: &str) -> bool {
    static GENERIC_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| GENERIC.split_whitespace().collect());
    let plain = word.replace('’', "'");
    word.contains([QUOTE, CODE]) || (plain.chars().count() > 1 && !GENERIC_WORDS.contains(plain.as_str()))
}

pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are constants and a test compiles them")
}

/// Compiles a table to one pattern, at word boundaries; `'` matches both apostrophes.
fn any(tables: &[&[&str]]) -> Regex {
    let rows: Vec<&str> = tables.iter().flat_map(|table| table.iter().copied()).collect();
    regex(&format!(r"(?:\b|^)(?:{})", rows.iter().map(|r| bounded(r)).collect::<Vec<_>>().join("|")))
}

fn bounded(row: &str) -> String {
    let row = row.replace('\'', "['’]");
    let plain = row.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ')');
    if plain { format!(r"(?:{row})\b") } else { format!("(?:{row})") }
}

static ISSUE: LazyLock<Regex> = LazyLock::new(|| any(&[ISSUE_SPECIFICITY, VAGUE_ISSUES]));
static ADVICE: LazyLock<Regex> = LazyLock::new(|| any(&[SUGGESTION_ACTIONABILITY]));
static HEDGE: LazyLock<Regex> = LazyLock::new(|| any(&[HEDGES]));
static TIMES: LazyLock<Regex> = LazyLock::new(|| any(&[TIMES_AT_HAND]));
static MODAL: LazyLock<Regex> = LazyLock::new(|| any(&[MODALS]));
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    let rows: Vec<String> = OPEN_REFERENCES.iter().map(|row| row.replace('\'', "['’]")).collect();
    regex(&format!(r"(?:\b|^|\[)(?:{})", rows.join("|").replace(r"\[redacted", "redacted:")))
});
static SAID: LazyLock<Regex> = LazyLock::new(|| regex(&format!(r"\b(?:{SAID_BEFORE})")));
/// "As stated in the style guide" names the source, and "as noted observations" is about something else.
static SAID_WHERE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*(?:[.,;!)]|$)|^ (?:above|before|earlier|previously|with|today|yesterday|last|offline|during|already|to (?:me|us|you))\b",
    )
});
static AT_HAND: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"\b((?:this|that|these|those) ({THINGS_AT_HAND}))\b(?:\s*(?:[.,;!?)]|$)|\s(?:is|was|are|in|of|on|at|to|and|or|should|must|needs?|has|into|from|with|for|before|after|instead|too|again|here|first|out|up)\b)"
    ))
});
static THAT_CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:verify|check|checks|ensure|assert|asserts|sure|so|such|states?|says?|know|tests?|confirm|show|shows|prove|note|means?|given|provided|requires?)\s+$",
    )
});
static PRONOUN: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?:^|[\s(])((?:it|them|they)\b|(?:this|that|these|those)\b(?:\s*(?:[.,;!)]|$)|",
        r"\s(?:is|was|are|should|must|needs?|has|before|after|into|to|in|on|first|again|instead|with|for|and|or|properly|too)\b))"
    ))
});
static EXPLETIVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"^it (?:[“"'`„«]|(?:is|must be|should be|has to be|becomes) \S+ (?:to|that|for|whether)\b|(?:clear|explicit|obvious|possible|impossible|easy|visible|a rule|a habit)\b)"#,
    )
});
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"[^\s?]*\s?[?？](?:\s|$|[)”])|^(?:please )?(?:why [a-z]+|how (?:do|does|would|is|are|will|should|come|many|much)|(?:can|could|would|will) (?:you|we|i)|is there|are there|do you|does (?:it|this|the)|has (?:anyone|anybody)|have you|did you)\b",
    )
});
static FIRST_PERSON: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?:^|[\s(,;])(i(?:['’](?:d|m|ve|ll))? (?:[a-z]+['’]?[a-z]*))\b"));
static SAYS_I: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^i(?:['’]\w+| (?:tried|think|said|do|don['’]t|need|see|can|can['’]t|cannot|want|would|expect|had|have|know|only|just|like|prefer))\b",
    )
});
static AS_SOMEBODY: LazyLock<Regex> = LazyLock::new(|| regex(r"\bas an? [^.;]*$"));
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\d|\x02|\bby \w+ing\b|:\s+\S+(?:\s+\S+)+|\bso that\b|\bsuch that\b|\b(?:at (?:least|most)|under|below|until|within|one|two|three|per|each|every) ",
    )
});
static VAGUE: LazyLock<Vec<(Regex, bool)>> = LazyLock::new(|| {
    VAGUE_VERBS.iter().map(|(verb, measurable)| (regex(&format!("^(?:{verb})")), *measurable)).collect()
});
