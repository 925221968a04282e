//! Splits a comment with several demands: lists, "also", and a second clause with another demand.
//!
//! A complaint with its reason or its remedy is one demand; if in doubt, there is one.

use super::text::{cut, ended, line, regex, says_something};
use super::wrapper;
use crate::language::stance::read_stance;
use crate::verdict::Verdict;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum demands per comment.
const MOST: usize = 4;
/// Minimum words of a separate demand.
const WORDS: usize = 3;

/// Returns the separate demands of a comment, from its own lines and the single line they form.
pub(super) fn demands(own: &str, demand: &str) -> Vec<String> {
    let mut parts = listed(own);
    if parts.len() < 2 {
        parts = numbered(&line(own));
    }
    if parts.len() < 2 {
        parts = sentences(demand);
    }
    parts.truncate(MOST);
    if parts.len() < 2 { vec![demand.to_owned()] } else { parts }
}

/// Returns the words of a list item.
pub(super) fn item(text: &str) -> Option<&str> {
    ITEM.find(text).map(|mark| &text[mark.end()..]).filter(|words| says_something(words))
}

/// Returns the items of a list of two or more; preceding text introduces it or is another demand.
fn listed(own: &str) -> Vec<String> {
    let items = own.lines().filter(|l| item(l).is_some()).count();
    if items < 2 {
        return Vec::new();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut before = true;
    for text in own.lines().filter(|l| says_something(l)) {
        match item(text) {
            Some(words) => {
                before = false;
                parts.push(words.to_owned());
            }
            None if before => {
                if !text.trim_end().ends_with(':') && asks(text) {
                    parts.push(text.to_owned());
                }
            }
            // An item continues on the next line.
            None => {
                if let Some(last) = parts.last_mut() {
                    last.push(' ');
                    last.push_str(text);
                }
            }
        }
    }
    cleaned(parts)
}

/// Splits inline numbering: "1) … 2) …".
fn numbered(own: &str) -> Vec<String> {
    for style in &*NUMBERED {
        let marks: Vec<_> = style
            .captures_iter(own)
            .filter_map(|c| Some((c.get(0)?, c.get(1)?.as_str().parse::<usize>().ok()?)))
            .collect();
        if marks.len() >= 2 && marks.iter().zip(1..).all(|((_, number), expected)| *number == expected) {
            let ends = marks.iter().skip(1).map(|(mark, _)| mark.start()).chain([own.len()]);
            return cleaned(marks.iter().zip(ends).map(|((mark, _), end)| own[mark.end()..end].to_owned()).collect());
        }
    }
    Vec::new()
}

/// Splits off what "also" and "and" add to a demand.
fn sentences(demand: &str) -> Vec<String> {
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    for found in ALSO.captures_iter(demand) {
        if let Some(mark) = found.name("mark") {
            cuts.push((mark.start(), mark.end()));
        }
    }
    let mut parts: Vec<String> = Vec::new();
    let mut start = 0;
    for (end, next) in cuts.into_iter().chain([(demand.len(), demand.len())]) {
        parts.extend(clauses(&demand[start..end]));
        start = next;
    }
    // "Also" itself announces something else; only a reference to the first part contradicts it.
    let told_apart = |part: &String| words(part) > WORDS && !BACK_AT_ONCE.is_match(part);
    let parts = cleaned(parts);
    if parts.iter().all(told_apart) { parts } else { Vec::new() }
}

/// Splits at ", and" if each side has its own demand.
fn clauses(text: &str) -> Vec<String> {
    for mark in AND.find_iter(text) {
        let (first, second) = (&text[..mark.start()], &text[mark.end()..]);
        let sides = on_its_own(first) && on_its_own(second) && !BACK.is_match(second);
        if sides && (ORDER.is_match(second) || PREDICATE.is_match(second)) {
            return vec![first.to_owned(), second.to_owned()];
        }
    }
    vec![text.to_owned()]
}

/// Reports whether a part is understandable without the other, and demands something.
fn on_its_own(part: &str) -> bool {
    words(part) > WORDS && asks(part)
}

/// Counts the words of a text; three Chinese or Japanese characters count as one.
fn words(text: &str) -> usize {
    text.split_whitespace().count() + text.chars().filter(|c| *c > '\u{2fff}').count() / 3
}

fn asks(text: &str) -> bool {
    let stance = read_stance(Verdict::Rejected, Some(text), None);
    stance.demand && stance.cue.is_some()
}

fn cleaned(parts: Vec<String>) -> Vec<String> {
    parts
        .iter()
        .map(line)
        .map(|part| ended(cut(ended(wrapper::peel(&part, &mut Vec::new())), super::text::DEMAND)).to_owned())
        .filter(|part| says_something(part))
        .collect()
}

static ITEM: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))\s+"));

static NUMBERED: LazyLock<[Regex; 2]> =
    LazyLock::new(|| [regex(r"(?:^|\s)\(?(\d)\)\s+"), regex(r"(?:^|[.;:!?]\s)(\d)\.\s+")]);

static ALSO: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(?:[.!?;。]\s*|\s[-–—]\s|,\s(?:and\s)?)(?P<mark>(?:and\s)?(?:also|besides|additionally|in addition|plus|furthermore|moreover|on top of (?:that|this)|apart from that|another thing|one more thing|secondly|außerdem|zudem|ferner|des weiteren|de plus|en outre|par ailleurs|además|también|além disso|também|そして|また|另外|还有)\b[,:]?\s*)",
    )
});

static AND: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)[,;]\s(?:and|und|et|y|e)\s"));

/// An order or a question.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:please |pls |bitte )?(?:add|include|write|document|describe|explain|define|specify|remove|delete|drop|use|rename|replace|move|test|check|handle|validate|make|give|show|list|state|put|split|extract|cover|provide|avoid|don't|do not|stop|fix|update|keep|ensure|set|cite|link|log|who|what|where|when|how|why|which)\b",
    )
});

/// A clause with a subject and a demand.
static PREDICATE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:the|a|an|every|each|all|there|nothing|no|nobody|our|der|die|das|le|la|les|el|los)\s.*\b(?:should|must|needs?|has to|have to|is|are|isn't|aren't|doesn't|don't|fehl\w+|manque\w*|faltan?)\b",
    )
});

/// A reference to the first part.
static BACK: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(?:it|its|them|they|their|this|these|those|such|there|then|so|say|to whom|the same|one)\b")
});

static BACK_AT_ONCE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)^(?:it|its|they|them|this|that|these|those|then|so)\b"));
