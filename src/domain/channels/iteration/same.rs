//! Comparison of two items: the same issue has the same aspect, the same place, and similar words. Lines may have
//! shifted and sentences may have been reworded lightly. `track` uses the result.

use super::document::{Aspect, Location, LocationType};
use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The minimum word overlap for two issues at the same named place to be the same.
const AT_A_NAME: f64 = 0.45;
/// The same for lines, which shift: the words must match better.
const AT_LINES: f64 = 0.5;
/// The same if the kinds of places differ, or the named places do and the words are nearly the same.
const ELSEWHERE: f64 = 0.6;
/// The maximum distance of lines that count as the same place.
const NEAR: u64 = 5;
/// How many words of an issue are compared.
const MOST_WORDS: usize = 120;

/// An item prepared for comparison.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    aspect: Aspect,
    kind: LocationType,
    name: String,
    first_line: Option<u64>,
    around: Option<String>,
    words: BTreeSet<String>,
}

impl Shape {
    pub(super) fn of(aspect: Aspect, location: &Location, issue: &str) -> Shape {
        let around = [&location.context_before, &location.context_after];
        let around: Vec<String> = around.into_iter().flatten().map(|text| squeezed(text)).collect();
        Shape {
            aspect,
            kind: location.kind,
            name: name(&location.reference),
            first_line: first_line(&location.reference),
            around: Some(around.join("\n")).filter(|text| !text.trim().is_empty()),
            words: words(issue),
        }
    }

    /// Returns how similar two items are, 0 to 1; `None` if they are about different issues.
    pub(super) fn likeness(&self, other: &Shape) -> Option<f64> {
        if self.aspect != other.aspect {
            return None;
        }
        let alike = overlap(&self.words, &other.words);
        (alike >= self.needed(other)).then_some(alike)
    }

    fn needed(&self, other: &Shape) -> f64 {
        let on_lines = |shape: &Shape| matches!(shape.kind, LocationType::Line | LocationType::Range);
        match (on_lines(self), on_lines(other)) {
            (true, true) => {
                let near = self.first_line.zip(other.first_line).is_some_and(|(a, b)| a.abs_diff(b) <= NEAR);
                let around = self.around.is_some() && self.around == other.around;
                if near || around { AT_A_NAME } else { AT_LINES }
            }
            (false, false) if names_the_same(&self.name, &other.name) => AT_A_NAME,
            // Two named places: the same complaint about another function is another issue.
            (false, false) if self.kind == other.kind => f64::INFINITY,
            _ => ELSEWHERE,
        }
    }

    /// Returns the text for the place and its issue in a fingerprint.
    pub(super) fn key(&self) -> String {
        let lines = matches!(self.kind, LocationType::Line | LocationType::Range);
        let place = if lines { "" } else { self.name.as_str() };
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        format!("{}\n{place}\n{}", self.aspect.as_str(), words.join(" "))
    }
}

/// Treats "AuthService.validateToken" as "validateToken", and "src/auth/validate.ts" as "validate.ts".
fn names_the_same(a: &str, b: &str) -> bool {
    let within = |long: &str, short: &str| {
        !short.is_empty() && long.strip_suffix(short).is_some_and(|rest| rest.ends_with(['.', ':', '/', '#', '>']))
    };
    a == b || within(a, b) || within(b, a)
}

/// Normalises a name: "function `parse()`" becomes "parse".
fn name(reference: &str) -> String {
    static CALL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\([^()]*\)").expect("a constant"));
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:the|in|at|function|method|fn|def|func|section|element|file|path|chapter|§|#+)\s+|\d+(?:\.\d+)*\.?\s+|\./|/)+")
            .expect("a constant")
    });
    let plain = reference.trim().to_lowercase();
    let plain = CALL.replace_all(&plain, "");
    let plain: String = plain.chars().filter(|c| !matches!(c, '`' | '"' | '\'' | '“' | '”' | '*')).collect();
    let named = LEAD.replace(plain.trim(), "");
    let named = named.trim_end_matches(" function").trim_end_matches(" method").trim_end_matches(" section");
    if named.trim().is_empty() { squeezed(&plain) } else { squeezed(named) }
}

fn first_line(reference: &str) -> Option<u64> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)(?:^|[:#,]\s*|\s)L?(\d{1,9})\b").expect("a constant"));
    LINE.captures(reference.trim()).and_then(|c| c.get(1)).and_then(|m| m.as_str().parse().ok())
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().take(MOST_WORDS).collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Words that do not distinguish issues.
const COMMON: &str = "a an the this that these those it its is are was were be been being has have had do does did in \
    on at of to from for with by as and or but if so not no still again yet also only just there here which who what \
    when where will would can could should must may might than then into any some all every each because without \
    missing lacks lack without issue problem error bug wrong";

/// Returns the stems of an issue's words, without numbers: these are lines and counts, which change.
fn words(text: &str) -> BTreeSet<String> {
    static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty() && !word.bytes().all(|b| b.is_ascii_digit()))
        .filter(|word| !COMMON.split_whitespace().any(|common| common == *word))
        .take(MOST_WORDS)
        .map(|word| STEMMER.stem(word).into_owned())
        .collect()
}

/// Returns the overlap of two sets, 0 to 1: Dice's coefficient. Two empty sets overlap fully.
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let all = a.len() + b.len();
    if all == 0 { 1.0 } else { 2.0 * a.intersection(b).count() as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn at(kind: LocationType, reference: &str) -> Location {
        Location {
            kind,
            reference: reference.to_owned(),
            context_before: None,
            context_after: None,
            extra: BTreeMap::new(),
        }
    }

    fn same(a: (LocationType, &str, &str), b: (LocationType, &str, &str)) -> bool {
        let shape =
            |(kind, place, issue): (LocationType, &str, &str)| Shape::of(Aspect::Correctness, &at(kind, place), issue);
        shape(a).likeness(&shape(b)).is_some()
    }

    #[test]
    fn light_rewording_and_shifted_lines_are_the_same_issue() {
        use LocationType::{Function, Line, Range, Section};
        let expiry = "Missing validation for token expiration timestamp";
        let reworded = "Token expiration timestamp is still not validated";
        assert!(same((Line, "42-48", expiry), (Line, "51-57", reworded)));
        assert!(same((Line, "42", expiry), (Range, "lines 200-210", expiry)));
        assert!(same((Function, "validateToken()", expiry), (Function, "function `validateToken(token)`", reworded)));
        assert!(same((Function, "validateToken()", expiry), (Line, "42", reworded)));
        assert!(same((Section, "3.2 Error Handling", expiry), (Section, "Error handling", expiry)));
    }

    #[test]
    fn other_places_and_other_words_are_other_issues() {
        use LocationType::{Function, Line};
        let expiry = "Missing validation for token expiration timestamp";
        assert!(!same((Function, "validateToken()", expiry), (Function, "refreshToken()", expiry)));
        assert!(!same((Line, "42", expiry), (Line, "44", "Regex evaluation backtracks on long input strings")));
        assert!(!same(
            (Line, "42", "Handler returns 500 for an unknown order id"),
            (Line, "300", "Handler returns 200 with an empty body for a deleted invoice")
        ));
    }

    /// Our own pairs: how a second reviewer phrases it, and how another issue nearby looks.
    #[rustfmt::skip]
    const REWORDED: &[(&str, &str)] = &[
        ("Missing validation for token expiration timestamp", "The expiration timestamp of the token is not validated"),
        ("fetchOrders() retries forever when the gateway answers 503", "Retries of fetchOrders() never end if the gateway responds with 503"),
        ("The plan names no condition under which the rollout is stopped", "There is still no stop condition for the rollout in the plan"),
        ("`timeout` has no unit, and callers pass seconds as well as milliseconds", "Unit of `timeout` is missing; callers mix seconds and milliseconds"),
        ("The test sleeps for two seconds and fails on slow runners", "Test still sleeps and is flaky on slow runners"),
        ("Amounts with a comma as decimal separator are parsed as thousands", "A decimal comma in amounts is read as a thousands separator"),
        ("Public functions have no doc comments", "Doc comments on public functions are missing"),
        ("The password is compared with `==`, which leaks timing", "Password comparison with `==` leaks timing"),
    ];
    #[rustfmt::skip]
    const OTHERS: &[(&str, &str)] = &[
        ("Missing validation for token expiration timestamp", "Token is logged in plain text when parsing fails"),
        ("fetchOrders() retries forever when the gateway answers 503", "fetchOrders() reads all pages into memory"),
        ("The plan names no condition under which the rollout is stopped", "The plan does not say who informs customers"),
        ("`timeout` has no unit, and callers pass seconds as well as milliseconds", "Retry count is not configurable"),
        ("The test sleeps for two seconds and fails on slow runners", "The test asserts only on the status code"),
        ("Amounts with a comma as decimal separator are parsed as thousands", "Negative amounts are accepted by the transfer form"),
        ("Public functions have no doc comments", "Public functions panic on empty input"),
        ("The password is compared with `==`, which leaks timing", "Passwords are stored with an unsalted hash"),
    ];

    #[test]
    fn how_a_second_reviewer_puts_it() {
        use LocationType::{Function, Line};
        for (kind, before, after) in [(Line, "40-48", "190-198"), (Line, "40", "42"), (Function, "f", "Mod::f()")] {
            let missed: Vec<_> = REWORDED.iter().filter(|(a, b)| !same((kind, before, a), (kind, after, b))).collect();
            let joined: Vec<_> = OTHERS.iter().filter(|(a, b)| same((kind, before, a), (kind, after, b))).collect();
            assert!(missed.is_empty() && joined.is_empty(), "{kind:?} {after}: {missed:#?} {joined:#?}");
        }
    }

    #[test]
    fn the_aspect_counts() {
        let place = at(LocationType::Line, "4");
        let a = Shape::of(Aspect::Security, &place, "Missing validation for token");
        let b = Shape::of(Aspect::Style, &place, "Missing validation for token");
        assert!(a.likeness(&b).is_none() && a.likeness(&a).is_some());
    }
}
