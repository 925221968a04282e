//! The catalogue source: concerns in YAML files, and a store's additions to the shipped ones.

use super::term::{Term, TermError};
use crate::language::cues::{ConcernCues, Cue};
use crate::language::direction::Direction;
use crate::yaml;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// A concern's id, `area.name`.
pub type ConcernId = String;

/// A kind of work that passes a gate, as the catalogue names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// HITL-1: requirements.
    Prd,
    /// HITL-2: architecture and design.
    Design,
    /// HITL-3: plans and task breakdowns.
    Plan,
    /// HITL-4: code.
    Code,
    /// HITL-5: tests and validation.
    Test,
    /// HITL-6: releases.
    Release,
}

impl Work {
    /// All kinds, in gate order.
    pub const ALL: [Work; 6] = [Work::Prd, Work::Design, Work::Plan, Work::Code, Work::Test, Work::Release];

    /// Returns the work that passes a gate; `None` for a gate beyond the six.
    pub fn at(gate: crate::ids::Gate) -> Option<Work> {
        let number = usize::from(gate.number());
        Work::ALL.get(number.checked_sub(1)?).copied()
    }

    /// Returns its gate.
    pub fn gate(self) -> crate::ids::Gate {
        crate::ids::Gate::new(self as u8 + 1).expect("1 to 6 are gates")
    }

    /// Returns the spelling in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            Work::Prd => "prd",
            Work::Design => "design",
            Work::Plan => "plan",
            Work::Code => "code",
            Work::Test => "test",
            Work::Release => "release",
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The direction of a concern, as named in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Towards {
    /// It asks to add, include, state or strengthen.
    More,
    /// It asks to remove, avoid, shorten or stop.
    Less,
    /// It asks to do it differently.
    Change,
}

impl Towards {
    /// Returns the spelling in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            Towards::More => "more",
            Towards::Less => "less",
            Towards::Change => "change",
        }
    }

    /// Returns the direction of a comment that voices the concern.
    pub fn direction(self) -> Direction {
        match self {
            Towards::More => Direction::More,
            Towards::Less => Direction::Less,
            Towards::Change => Direction::Unclear,
        }
    }
}

/// One possible demand on an agent's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concern {
    /// `area.name`, lower case.
    pub id: ConcernId,
    /// One to five words.
    pub title: String,
    /// The demand, in a sentence.
    pub description: String,
    /// The work it applies to; the main kind comes first.
    pub gates: Vec<Work>,
    /// Its direction.
    pub direction: Towards,
    /// The concern that asks for the opposite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opposite: Option<ConcernId>,
    /// Words that count for it, by language (`en`, `de`, ...), see [`Term`].
    #[serde(default)]
    pub terms: BTreeMap<String, Vec<String>>,
    /// Words that count against it.
    #[serde(default, rename = "not")]
    pub against: Vec<String>,
    /// Comments as people make them, in English. A concern with cues needs none.
    #[serde(default)]
    pub phrasings: Vec<String>,
    /// Related concerns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<ConcernId>,
    /// The instruction to an agent: one sentence in the imperative.
    pub rule: String,
    /// The same in other words, by the language of the files it is about.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
    /// The reason, in one short sentence.
    pub why: String,
}

impl Concern {
    /// Returns the instruction for files in a language: the rule worded for that language, if any.
    pub fn rule_for(&self, language: Option<&str>) -> &str {
        let own = language.and_then(|language| self.rules.get(language));
        own.or_else(|| self.rules.get(ANY)).unwrap_or(&self.rule)
    }

    /// Returns the terms for it, and those against it.
    ///
    /// # Errors
    /// If one cannot be parsed.
    pub fn parsed_terms(&self) -> Result<(Vec<Term>, Vec<Term>), TermError> {
        let speak_for = self.terms.values().flatten().map(|t| Term::parse(t)).collect::<Result<_, _>>()?;
        let against = self.against.iter().map(|t| Term::parse(t)).collect::<Result<_, _>>()?;
        Ok((speak_for, against))
    }
}

/// Why a catalogue file cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CatalogueError {
    /// It does not have the format of a catalogue file.
    #[error("{file}: {problem}")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong and where.
        problem: String,
    },
    /// A concern is unusable.
    #[error("{file}: {concern} {problem}")]
    Concern {
        /// The file.
        file: String,
        /// The concern.
        concern: ConcernId,
        /// What is wrong, phrased as the end of a sentence.
        problem: String,
    },
}

/// Denotes the rule that replaces a concern's own in any language.
const ANY: &str = "any";

/// Additional phrasings of concerns, by id.
pub type MorePhrasings = BTreeMap<ConcernId, Vec<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    concerns: Option<Vec<Concern>>,
    more_phrasings: Option<MorePhrasings>,
    cues: Option<Vec<ConcernCues>>,
    /// Named parts of expressions: `%NAME%` is replaced in the cues of this file.
    #[serde(default)]
    macros: BTreeMap<String, String>,
}

/// Concerns, each id once, sorted by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    concerns: BTreeMap<ConcernId, Concern>,
    /// Additions to concerns from any file, earlier or later.
    more: MorePhrasings,
    /// Returns how concerns are recognised beyond doubt, in file order.
    cues: Vec<ConcernCues>,
}

impl Catalogue {
    /// Parses files, each with its name and text. A concern of a later file replaces that of an earlier one.
    ///
    /// # Errors
    /// If a file cannot be parsed, or a concern in it is unusable.
    pub fn read<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Result<Catalogue, CatalogueError> {
        let mut catalogue = Catalogue::default();
        for (file, text) in files {
            catalogue.overlay(file, text)?;
        }
        Ok(catalogue)
    }

    /// The same without checking the expressions of cues, for files known to be valid: there are thousands.
    pub(super) fn read_known<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Result<Catalogue, CatalogueError> {
        let mut catalogue = Catalogue::default();
        for (file, text) in files {
            catalogue.overlay_with(file, text, false)?;
        }
        Ok(catalogue)
    }

    /// Adds the concerns of a file, replacing those of the same id.
    ///
    /// # Errors
    /// As [`Catalogue::read`]; nothing is then added.
    pub fn overlay(&mut self, file: &str, text: &str) -> Result<(), CatalogueError> {
        self.overlay_with(file, text, true)
    }

    fn overlay_with(&mut self, file: &str, text: &str, look_at_cues: bool) -> Result<(), CatalogueError> {
        let read: File =
            yaml::parse(text).map_err(|problem| CatalogueError::Unreadable { file: file.to_owned(), problem })?;
        if read.concerns.is_none() && read.more_phrasings.is_none() && read.cues.is_none() {
            let problem = "has none of `concerns`, `more_phrasings` and `cues`".to_owned();
            return Err(CatalogueError::Unreadable { file: file.to_owned(), problem });
        }
        let concerns = read.concerns.unwrap_or_default();
        let mut cues = read.cues.unwrap_or_default();
        cues.iter_mut().flat_map(|cues| &mut cues.cues).for_each(|cue| cue.write_out(&read.macros));
        for of_concern in cues.iter().filter(|_| look_at_cues) {
            of_concern.cues.iter().try_for_each(Cue::check).map_err(|error| CatalogueError::Concern {
                file: file.to_owned(),
                concern: of_concern.concern.clone(),
                problem: error.to_string(),
            })?;
        }
        for concern in &concerns {
            let has_cues = cues.iter().any(|cues| cues.concern == concern.id && !cues.cues.is_empty());
            check(concern, has_cues).map_err(|problem| CatalogueError::Concern {
                file: file.to_owned(),
                concern: concern.id.clone(),
                problem,
            })?;
        }
        self.concerns.extend(concerns.into_iter().map(|concern| (concern.id.clone(), concern)));
        self.add(read.more_phrasings.unwrap_or_default());
        self.add_cues(cues);
        Ok(())
    }

    /// Overlays another catalogue: its concerns replace those of the same id, and both catalogues' additional phrasings
    /// apply to the resulting concern.
    pub fn lay(&mut self, other: Catalogue) {
        self.concerns.extend(other.concerns);
        self.add(other.more);
        self.add_cues(other.cues);
    }

    fn add_cues(&mut self, cues: Vec<ConcernCues>) {
        self.cues.extend(cues);
        for of_concern in &self.cues {
            if let Some(concern) = self.concerns.get_mut(&of_concern.concern) {
                concern.rules.extend(of_concern.rules.clone());
            }
        }
    }

    /// Returns how concerns are recognised beyond doubt, in file order.
    pub fn cues(&self) -> &[ConcernCues] {
        &self.cues
    }

    fn add(&mut self, more: MorePhrasings) {
        for (id, texts) in more {
            self.more.entry(id).or_default().extend(texts);
        }
        for (id, texts) in &self.more {
            let Some(concern) = self.concerns.get_mut(id) else { continue };
            for text in texts {
                if !concern.phrasings.contains(text) {
                    concern.phrasings.push(text.clone());
                }
            }
        }
    }

    /// Returns missing concerns for which there are additional phrasings.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.more.keys().filter(|id| !self.concerns.contains_key(*id)).map(String::as_str)
    }

    /// Iterates over all concerns, by id.
    pub fn concerns(&self) -> impl ExactSizeIterator<Item = &Concern> {
        self.concerns.values()
    }

    /// Returns a concern.
    pub fn get(&self, id: &str) -> Option<&Concern> {
        self.concerns.get(id)
    }

    /// Returns a fingerprint of everything that affects how comments are read.
    pub fn fingerprint(&self) -> String {
        let mut text = serde_json::to_string(&self.concerns.values().collect::<Vec<_>>()).unwrap_or_default();
        if !self.cues.is_empty() {
            text += &serde_json::to_string(&self.cues).unwrap_or_default();
        }
        blake3::hash(text.as_bytes()).to_hex()[..12].to_owned()
    }
}

/// Checks for what makes a concern unusable, whatever its quality.
fn check(concern: &Concern, has_cues: bool) -> Result<(), String> {
    let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let mut parts = concern.id.split('.');
    let (area, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if area.is_empty() || rest.is_empty() || parts.next().is_some() || !concern.id.chars().all(|c| name(c) || c == '.')
    {
        return Err("needs an id like area.name, of a-z, 0-9 and _".to_owned());
    }
    if concern.gates.is_empty() {
        return Err("names no gate".to_owned());
    }
    if !has_cues && concern.phrasings.iter().all(|p| p.trim().is_empty()) {
        return Err("has no phrasing, and no cue in this file".to_owned());
    }
    if concern.rule.trim().is_empty() {
        return Err("has no rule".to_owned());
    }
    concern.parsed_terms().map(|_| ()).map_err(|error| error.to_string())
}
