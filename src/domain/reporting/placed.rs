//! Statistics of places: whether comments that ask for the same are about similar places, and whether a scope proposed
//! for the first of them holds for later ones.

use crate::intake::place::RemarkedPlace;
use crate::rules::draft::proposal::narrow;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many earlier comments a scope is compared with, as for proposals.
const OTHERS: usize = 200;
/// How many comments by how many people make a pattern.
const PATTERN: (usize, usize) = (3, 2);

/// A labelled comment.
#[derive(Clone, Debug)]
pub struct LabelledComment {
    /// Its demand, by its label.
    pub theme: String,
    /// Its author.
    pub reviewer: String,
    /// Its places.
    pub places: Vec<RemarkedPlace>,
}

/// Computes the figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlacedFigures {
    /// Comments that name a place.
    pub remarks: u64,
    /// Pairs of comments that ask for the same.
    pub same: Pairs,
    /// All other pairs.
    pub different: Pairs,
    /// Patterns: themes of three or more comments by two or more people.
    pub patterns: u64,
    /// Scopes that would have been proposed, in chronological order.
    pub scopes: Vec<ProposedScope>,
}

/// How many pairs are about similar places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pairs {
    /// All pairs.
    pub all: u64,
    /// About the same file.
    pub file: u64,
    /// About files of the same kind.
    pub kind: u64,
    /// About files in the same language.
    pub language: u64,
}

/// A scope that would have been proposed, and the comments that followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProposedScope {
    /// The demand of its comments.
    pub theme: String,
    /// After how many of them it would have been proposed.
    pub after: u64,
    /// The patterns.
    pub paths: Vec<String>,
    /// Later comments of the theme inside it.
    pub inside: u64,
    /// Later ones outside it, where the rule would have been missing.
    pub outside: u64,
}

/// Computes the figures of comments in chronological order. A theme's name stands in for the rule's text. `is_inside`
/// tells whether a file is in a scope.
pub fn figures(
    remarks: &[LabelledComment],
    is_inside: impl Fn(&ProposedScope, &RemarkedPlace) -> bool,
) -> PlacedFigures {
    let mut figures = PlacedFigures { remarks: remarks.len() as u64, ..PlacedFigures::default() };
    for (at, one) in remarks.iter().enumerate() {
        for other in &remarks[..at] {
            let pairs = if one.theme == other.theme { &mut figures.same } else { &mut figures.different };
            pairs.count(one, other);
        }
    }
    let mut themes: BTreeMap<&str, Vec<&LabelledComment>> = BTreeMap::new();
    let mut scopes: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, one) in remarks.iter().enumerate() {
        if let Some(scope) = scopes.get(one.theme.as_str()) {
            let scope = &mut figures.scopes[*scope];
            let inside = one.places.iter().all(|place| is_inside(scope, place));
            *(if inside { &mut scope.inside } else { &mut scope.outside }) += 1;
            continue;
        }
        let said = themes.entry(&one.theme).or_default();
        said.push(one);
        let mut people: Vec<&str> = said.iter().map(|one| one.reviewer.as_str()).collect();
        people.sort_unstable();
        people.dedup();
        if said.len() < PATTERN.0 || people.len() < PATTERN.1 {
            continue;
        }
        let others = remarks[..at].iter().rev().filter(|other| other.theme != one.theme).take(OTHERS);
        let others: Vec<_> = others.map(|other| other.places.clone()).collect();
        let behind: Vec<_> = said.iter().map(|one| one.places.clone()).collect();
        if let Some(narrowed) = narrow(&one.theme.replace('-', " "), &behind, &others) {
            scopes.insert(&one.theme, figures.scopes.len());
            figures.scopes.push(ProposedScope {
                theme: one.theme.clone(),
                after: said.len() as u64,
                paths: narrowed.scope.paths,
                inside: 0,
                outside: 0,
            });
        }
    }
    figures.patterns = patterns(remarks);
    figures
}

fn patterns(remarks: &[LabelledComment]) -> u64 {
    let mut themes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in remarks {
        themes.entry(&one.theme).or_default().push(&one.reviewer);
    }
    let recur = |people: &&Vec<&str>| people.len() >= PATTERN.0 && people.iter().any(|one| *one != people[0]);
    themes.values().filter(recur).count() as u64
}

impl Pairs {
    fn count(&mut self, one: &LabelledComment, other: &LabelledComment) {
        let (Some(a), Some(b)) = (one.places.first(), other.places.first()) else { return };
        self.all += 1;
        self.file += u64::from(a.file == b.file);
        self.kind += u64::from(a.kind == b.kind);
        self.language += u64::from(a.language == b.language);
    }

    /// Returns the shares of pairs about the same file, kind and language; 0 if there are no pairs.
    pub fn shares(&self) -> [f64; 3] {
        let all = self.all.max(1) as f64;
        [self.file, self.kind, self.language].map(|alike| alike as f64 / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::place::{PlaceKind, language};

    fn said(theme: &str, reviewer: &str, file: &str) -> LabelledComment {
        let place = RemarkedPlace {
            file: file.to_owned(),
            kind: PlaceKind::of(file),
            language: language(file).map(str::to_owned),
            ..RemarkedPlace::default()
        };
        LabelledComment { theme: theme.into(), reviewer: reviewer.into(), places: vec![place] }
    }

    #[test]
    fn a_scope_is_held_against_what_comes_later() {
        let mut remarks: Vec<LabelledComment> =
            (0..20).map(|n| said(&format!("one-{n}"), "ann", &format!("src/f{n}.py"))).collect();
        for (reviewer, file) in [
            ("ann", "t/test_a.py"),
            ("ben", "t/test_b.py"),
            ("ann", "t/test_c.py"),
            ("ann", "t/test_d.py"),
            ("ben", "t/test_e.py"),
            ("eva", "src/f1.py"),
        ] {
            remarks.push(said("name-fixtures", reviewer, file));
        }
        let found = figures(&remarks, |scope, place| {
            scope.paths.iter().any(|p| p == "test_*.py") && place.file.starts_with("t/")
        });
        let scope = ProposedScope {
            theme: "name-fixtures".into(),
            after: 4,
            paths: vec!["test_*.py".into()],
            inside: 1,
            outside: 1,
        };
        assert_eq!((found.patterns, found.scopes), (1, vec![scope]));
        assert_eq!((found.same.all, found.same.file, found.same.kind), (15, 0, 10));
        assert_eq!((found.different.all, found.different.file, found.different.language), (310, 1, 310));
    }
}
