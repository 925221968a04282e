//! What is wrong with a catalogue that can be used: what its editors should mend.
//!
//! It looks at what is written. How the catalogue reads its own phrasings is `lint/readings.rs`'s work; whether a concern
//! is worth having is for people to decide.

mod readings;
mod texts;

pub use readings::{Misread, lint_nearness, misread};

use super::automaton::Automaton;
use super::concern::{Catalogue, Concern, Towards, Work};
use super::term::Term;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The languages that a concern should have terms in.
pub const LANGUAGES: [&str; 7] = ["en", "de", "fr", "es", "pt", "ja", "zh"];
/// So few phrasings do not show what people say.
pub const FEW_PHRASINGS: usize = 6;
/// A term with this weight or more should be the concern's own.
const HEAVY: f32 = 2.0;
/// In how many other concerns of the same work a heavy term may stand.
const ELSEWHERE: usize = 20;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Remarks are read wrongly because of it, or a rule cannot be made.
    Error,
    /// Somebody should look at it.
    Warning,
}

/// What was looked for. The spelling is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A file cannot be read, or a concern in it is of no use.
    Unreadable,
    /// `related` or `opposite` names no concern, or the concern itself.
    UnknownId,
    /// The opposite of the opposite is another concern.
    OppositeNotMutual,
    /// Opposites point the same way: what asks for the one is taken for the other.
    OppositeDirection,
    /// Too few phrasings.
    FewPhrasings,
    /// The same phrasing twice in a concern.
    RepeatedPhrasing,
    /// The same phrasing in two concerns of the same work.
    SharedPhrasing,
    /// A term that cannot be read.
    Term,
    /// The same term twice in a language, or for and against.
    RepeatedTerm,
    /// No terms in a language.
    Language,
    /// A heavy term that stands in what many other concerns say.
    CommonTerm,
    /// A phrasing that is read as another concern.
    MisreadPhrasing,
    /// Two concerns that say nearly the same.
    NearlyTheSame,
    /// A rule that the linter of rules would refuse.
    Rule,
    /// A rule that does not begin like a demand.
    NotImperative,
    /// No reason.
    Why,
    /// English with other than ASCII characters.
    NotAscii,
}

/// Something to mend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LintFinding {
    /// How bad it is.
    pub severity: Severity,
    /// The concern; empty where a whole file is meant.
    pub concern: String,
    /// What was looked for.
    pub check: Check,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Collects findings.
#[derive(Default)]
struct Findings(Vec<LintFinding>);

impl Findings {
    fn error(&mut self, concern: &Concern, check: Check, message: impl Into<String>) {
        self.add(Severity::Error, concern, check, message);
    }

    fn warn(&mut self, concern: &Concern, check: Check, message: impl Into<String>) {
        self.add(Severity::Warning, concern, check, message);
    }

    fn add(&mut self, severity: Severity, concern: &Concern, check: Check, message: impl Into<String>) {
        self.0.push(LintFinding { severity, concern: concern.id.clone(), check, message: message.into() });
    }

    fn sorted(mut self) -> Vec<LintFinding> {
        self.0.sort();
        self.0
    }
}

/// Looks a catalogue over. Errors first, then by concern.
pub fn lint(catalogue: &Catalogue) -> Vec<LintFinding> {
    let mut findings = Findings::default();
    for concern in catalogue.concerns() {
        links(catalogue, concern, &mut findings);
        phrasings(concern, &mut findings);
        terms(concern, &mut findings);
        texts::check(concern, &mut findings);
    }
    shared_phrasings(catalogue, &mut findings);
    common_terms(catalogue, &mut findings);
    findings.sorted()
}

fn links(catalogue: &Catalogue, concern: &Concern, findings: &mut Findings) {
    for id in concern.related.iter().chain(&concern.opposite) {
        if *id == concern.id {
            findings.error(concern, Check::UnknownId, "names itself as related or as its opposite");
        } else if catalogue.get(id).is_none() {
            findings.error(concern, Check::UnknownId, format!("names {id}, which is no concern"));
        }
    }
    let Some(opposite) = concern.opposite.as_deref().and_then(|id| catalogue.get(id)) else { return };
    if opposite.opposite.as_deref() != Some(&concern.id) {
        let says = opposite.opposite.as_deref().unwrap_or("nothing");
        let message =
            format!("has the opposite {}, whose opposite is {says}; the two must name each other", opposite.id);
        findings.error(concern, Check::OppositeNotMutual, message);
    }
    let ways = (concern.direction, opposite.direction);
    if !matches!(ways, (Towards::More, Towards::Less) | (Towards::Less, Towards::More)) {
        let message = format!(
            "and its opposite {} do not point opposite ways, so remarks for the one count for the other; make one of them \
             `more` and the other one `less`",
            opposite.id
        );
        findings.error(concern, Check::OppositeDirection, message);
    }
}

fn phrasings(concern: &Concern, findings: &mut Findings) {
    let count = concern.phrasings.len();
    if count < FEW_PHRASINGS {
        let message = format!("has {count} of at least {FEW_PHRASINGS} phrasings");
        findings.warn(concern, Check::FewPhrasings, message);
    }
    let mut seen = BTreeSet::new();
    for phrasing in concern.phrasings.iter().filter(|p| !seen.insert(plain(p))) {
        findings.warn(concern, Check::RepeatedPhrasing, format!("says “{phrasing}” twice"));
    }
}

fn terms(concern: &Concern, findings: &mut Findings) {
    for language in LANGUAGES.into_iter().filter(|l| concern.terms.get(*l).is_none_or(Vec::is_empty)) {
        findings.warn(concern, Check::Language, format!("has no terms in {language}"));
    }
    let mut all: BTreeSet<String> = BTreeSet::new();
    for (language, terms) in &concern.terms {
        let mut seen = BTreeSet::new();
        for text in terms {
            match Term::parse(text) {
                Ok(term) if !seen.insert(term.text.clone()) => {
                    let message = format!("names “{}” twice in {language}; it counts twice", term.text);
                    findings.warn(concern, Check::RepeatedTerm, message);
                }
                Ok(_) => {}
                Err(error) => findings.error(concern, Check::Term, format!("in {language}: {error}")),
            }
        }
        all.append(&mut seen);
    }
    for text in &concern.against {
        match Term::parse(text) {
            Ok(term) if all.contains(&term.text) => {
                findings.warn(concern, Check::RepeatedTerm, format!("has “{}” for and against it", term.text));
            }
            Ok(_) => {}
            Err(error) => findings.error(concern, Check::Term, format!("in not: {error}")),
        }
    }
}

fn shared_phrasings(catalogue: &Catalogue, findings: &mut Findings) {
    let mut said: HashMap<String, Vec<&Concern>> = HashMap::new();
    for concern in catalogue.concerns() {
        for phrasing in concern.phrasings.iter().map(|p| plain(p)).collect::<BTreeSet<_>>() {
            let others = said.entry(phrasing.clone()).or_default();
            for other in others.iter().filter(|other| share_work(other, concern)) {
                let message = format!("and {} both say “{phrasing}”; it should speak for one of them", other.id);
                findings.warn(concern, Check::SharedPhrasing, message);
            }
            others.push(concern);
        }
    }
}

/// Heavy terms that stand in the phrasings of many other concerns of the same work: they prove nothing.
fn common_terms(catalogue: &Catalogue, findings: &mut Findings) {
    let concerns: Vec<&Concern> = catalogue.concerns().collect();
    let heavy: Vec<Vec<Term>> = concerns
        .iter()
        .map(|c| {
            let parsed = c.terms.values().flatten().filter_map(|t| Term::parse(t).ok());
            parsed.filter(|t| t.weight >= HEAVY).collect()
        })
        .collect();
    let automaton = Automaton::new(heavy.iter().map(|terms| (terms.as_slice(), &[][..])));
    let mut stands_in: BTreeMap<(usize, &str), BTreeSet<usize>> = BTreeMap::new();
    for (own, concern) in concerns.iter().enumerate() {
        for phrasing in &concern.phrasings {
            for found in automaton.find(&plain_spaces(phrasing)) {
                if found.concern != own && share_work(concerns[found.concern], concern) {
                    stands_in.entry((found.concern, found.term)).or_default().insert(own);
                }
            }
        }
    }
    for ((concern, term), others) in stands_in.into_iter().filter(|(_, others)| others.len() > ELSEWHERE) {
        let named: Vec<&str> = others.iter().take(3).map(|other| concerns[*other].id.as_str()).collect();
        let message = format!(
            "gives “{term}” a weight of {HEAVY} or more, and it stands in phrasings of {} other concerns of the same work \
             ({}, …); give it less, or join it with another word by &",
            others.len(),
            named.join(", ")
        );
        findings.warn(concerns[concern], Check::CommonTerm, message);
    }
}

fn share_work(a: &Concern, b: &Concern) -> bool {
    a.gates.iter().any(|work: &Work| b.gates.contains(work))
}

/// Lower case, single spaces: as terms are looked for.
fn plain_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Words alone, so that a full stop makes no difference. A text without words is compared as it is.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if words.is_empty() { plain_spaces(text) } else { words.join(" ").to_lowercase() }
}

#[cfg(test)]
mod tests;
