//! Checks a catalogue's content: links, phrasings and terms, per concern and across all of them.

use super::issue::{Check, Findings, LintIssue};
use super::texts;
use crate::language::catalogue::automaton::Automaton;
use crate::language::catalogue::concern::{Catalogue, Concern, Towards, Work};
use crate::language::catalogue::term::Term;
use crate::prose::one_line;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The languages that a concern should have terms in.
pub const LANGUAGES: [&str; 7] = ["en", "de", "fr", "es", "pt", "ja", "zh"];

/// Fewer phrasings than this are not representative.
pub const FEW_PHRASINGS: usize = 6;

/// A term with this weight or more should be unique to the concern.
const HEAVY: f32 = 2.0;

/// Maximum other concerns of the same work that may contain a heavy term.
const ELSEWHERE: usize = 20;

/// Checks a catalogue. Errors first, then by concern.
pub fn lint(catalogue: &Catalogue) -> Vec<LintIssue> {
    let mut findings = Findings::default();
    let cued: BTreeSet<&str> = catalogue.cues().iter().map(|cues| cues.concern.as_str()).collect();
    for concern in catalogue.concerns() {
        links(catalogue, concern, &mut findings);
        // A concern recognized by cues needs no words.
        let is_cued = cued.contains(concern.id.as_str());
        phrasings(concern, is_cued, &mut findings);
        terms(concern, is_cued, &mut findings);
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

pub(super) fn phrasings(concern: &Concern, is_cued: bool, findings: &mut Findings) {
    let count = concern.phrasings.len();
    if count < FEW_PHRASINGS && !is_cued {
        let message = format!("has {count} of at least {FEW_PHRASINGS} phrasings");
        findings.warn(concern, Check::FewPhrasings, message);
    }
    let mut seen = BTreeSet::new();
    for phrasing in concern.phrasings.iter().filter(|p| !seen.insert(plain(p))) {
        findings.warn(concern, Check::RepeatedPhrasing, format!("says “{phrasing}” twice"));
    }
}

pub(super) fn terms(concern: &Concern, is_cued: bool, findings: &mut Findings) {
    let missing = LANGUAGES.into_iter().filter(|l| !is_cued && concern.terms.get(*l).is_none_or(Vec::is_empty));
    for language in missing {
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

/// Finds heavy terms that occur in the phrasings of many other concerns of the same work: they prove nothing.
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

pub(super) fn share_work(a: &Concern, b: &Concern) -> bool {
    a.gates.iter().any(|work: &Work| b.gates.contains(work))
}

/// Lower-cases and collapses spaces, as in term look-ups.
fn plain_spaces(text: &str) -> String {
    one_line(text).to_lowercase()
}

/// Reduces a text to its words, so that a full stop makes no difference. A text without words is compared unchanged.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if words.is_empty() { plain_spaces(text) } else { words.join(" ").to_lowercase() }
}
