//! The proposed scope of a rule: the files that all comments behind it are about, if that is not by chance.
//!
//! A rule restricted too little costs little; one restricted too much loses its purpose. So a scope is proposed only if
//! this agent's comments are rarely about such files, and people approve it with the rule.

use crate::intake::place::{PlaceKind, RemarkedPlace, extensions, marker};
use crate::records::record::Scope;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The minimum number of files that the comments are about. On real projects, half of the scopes proposed after three
/// were wrong: reviews of one change to tests state what holds everywhere (`feedbackd eval places`).
const FILES: usize = 4;
/// The maximum probability that so many files are of one kind by chance.
const CHANCE: f64 = 0.005;
/// The maximum number of patterns in a scope; more are no convention.
const PATTERNS: usize = 4;

/// A scope and its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct ScopeProposal {
    /// Where the rule applies.
    pub scope: Scope,
    /// The reason, in a sentence.
    pub why: String,
}

/// A demand for tests is made where tests are missing, and it may be relevant in either place.
static WANTS_TESTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:add|cover|extend|include|missing|need|needs|provide|write)\b.*\b(?:coverage|tests?|test cases?)\b|\btested\b")
        .expect("a constant")
});

/// Returns the scope for a rule of these words. `behind` are the places of the comments behind it, one list per
/// comment; `others` those of the agent's other comments. `None` if any comment has no place or is about several kinds.
pub fn narrow(content: &str, behind: &[Vec<RemarkedPlace>], others: &[Vec<RemarkedPlace>]) -> Option<ScopeProposal> {
    if behind.is_empty() || behind.iter().any(Vec::is_empty) {
        return None;
    }
    by_kind(content, behind, others).or_else(|| by_language(behind, others))
}

fn by_kind(content: &str, behind: &[Vec<RemarkedPlace>], others: &[Vec<RemarkedPlace>]) -> Option<ScopeProposal> {
    let kind = common(behind, |place| place.kind)?;
    let wanted = kind == PlaceKind::Test && WANTS_TESTS.is_match(content);
    // A scope of all sources is nearly everything.
    if wanted || matches!(kind, PlaceKind::Source | PlaceKind::Generated) {
        return None;
    }
    let files = files(behind);
    let share = unlikely(files.len(), others, |place| place.kind.map(|of| of == kind))?;
    let patterns: Option<BTreeSet<String>> = files.iter().map(|file| marker(file)).collect();
    let name: &'static str = kind.into();
    narrowed(patterns?, format!("are about {name} files"), files.len(), behind.len(), share)
}

fn by_language(behind: &[Vec<RemarkedPlace>], others: &[Vec<RemarkedPlace>]) -> Option<ScopeProposal> {
    let language = common(behind, |place| place.language.clone())?;
    let files = files(behind);
    let share = unlikely(files.len(), others, |place| place.language.as_ref().map(|of| *of == language))?;
    let patterns = extensions(&language).iter().map(|end| format!("*.{end}")).collect();
    narrowed(patterns, format!("are about {language}"), files.len(), behind.len(), share)
}

fn narrowed(
    patterns: BTreeSet<String>,
    what: String,
    files: usize,
    remarks: usize,
    share: f64,
) -> Option<ScopeProposal> {
    if patterns.is_empty() || patterns.len() > PATTERNS {
        return None;
    }
    let paths: Vec<String> = patterns.into_iter().collect();
    let why = format!(
        "All {remarks} comments, on {files} files, {what}; of the other files with comments on this agent's work, \
         {:.0} % are such files. So it is proposed for {} only.",
        share * 100.0,
        paths.join(", ")
    );
    Some(ScopeProposal { scope: Scope { gates: Vec::new(), paths }, why })
}

/// Returns what all places have in common.
fn common<T: PartialEq>(behind: &[Vec<RemarkedPlace>], of: impl Fn(&RemarkedPlace) -> Option<T>) -> Option<T> {
    let mut places = behind.iter().flatten();
    let first = of(places.next()?)?;
    places.all(|place| of(place).as_ref() == Some(&first)).then_some(first)
}

fn files(behind: &[Vec<RemarkedPlace>]) -> BTreeSet<&str> {
    behind.iter().flatten().map(|place| place.file.as_str()).collect()
}

/// Returns the share of similar others, if so many files would rarely be similar by chance. Each file counts once: a
/// long review of one file is one case.
fn unlikely(
    files: usize,
    others: &[Vec<RemarkedPlace>],
    alike: impl Fn(&RemarkedPlace) -> Option<bool>,
) -> Option<f64> {
    let by_file: BTreeMap<&str, bool> =
        others.iter().flatten().filter_map(|place| Some((place.file.as_str(), alike(place)?))).collect();
    let like = by_file.values().filter(|alike| **alike).count();
    // Adds one of each: a few others reveal little.
    let share = (like as f64 + 1.0) / (by_file.len() as f64 + 2.0);
    let exponent = i32::try_from(files).unwrap_or(i32::MAX);
    (files >= FILES && share.powi(exponent) <= CHANCE).then_some(like as f64 / by_file.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(files: &[&str]) -> Vec<Vec<RemarkedPlace>> {
        let place = |file: &&str| RemarkedPlace {
            file: (*file).to_owned(),
            kind: PlaceKind::of(file),
            language: crate::intake::place::language(file).map(str::to_owned),
            ..RemarkedPlace::default()
        };
        files.iter().map(|file| vec![place(file)]).collect()
    }

    fn others() -> Vec<Vec<RemarkedPlace>> {
        let files: Vec<String> = (0..40).map(|n| format!("src/f{n}.py")).collect();
        on(&files.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn paths(content: &str, behind: &[&str]) -> Option<String> {
        narrow(content, &on(behind), &others()).map(|narrowed| narrowed.scope.paths.join(" "))
    }

    const TESTS: [&str; 4] = ["tests/test_a.py", "tests/test_b.py", "api/test_c.py", "api/test_d.py"];

    #[test]
    fn a_rule_is_for_what_all_remarks_are_about() {
        assert_eq!(paths("Name fixtures.", &TESTS).as_deref(), Some("**/tests/** test_*.py"));
        assert_eq!(
            paths("Say what it locks.", &["m/a.sql", "m/b.sql", "r/c.sql", "r/d.sql"]).as_deref(),
            Some("*.sql")
        );
        let why = narrow("Name fixtures.", &on(&TESTS), &others()).unwrap().why;
        insta::assert_snapshot!(why, @"All 4 comments, on 4 files, are about test files; of the other files with comments on this agent's work, 0 % are such files. So it is proposed for **/tests/**, test_*.py only.");
    }

    #[test]
    fn everywhere_where_it_may_be_chance_or_is_not_known() {
        assert_eq!(paths("Name fixtures.", &TESTS[..3]), None, "few");
        assert_eq!(paths("Name fixtures.", &["tests/a.py"; 5]), None, "one file");
        assert_eq!(
            paths("Name fixtures.", &["tests/a.py", "tests/b.py", "tests/c.py", "src/d.py"]),
            None,
            "another kind"
        );
        assert_eq!(paths("Name things.", &["src/a.py", "src/b.py", "src/c.py", "src/d.py"]), None, "what all is");
        assert_eq!(paths("Add tests for errors.", &TESTS), None, "tests are missing elsewhere");
        assert_eq!(narrow("Name fixtures.", &on(&TESTS), &[]), None, "nothing else is known");
        let mut unknown = on(&TESTS);
        unknown.push(Vec::new());
        assert_eq!(narrow("Name fixtures.", &unknown, &others()), None, "one says no place");
    }
}
