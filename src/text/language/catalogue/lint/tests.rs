//! A catalogue with every problem, and the shipped one.

use super::checks::{LANGUAGES, lint};
use super::issue::Findings;
use super::*;
use crate::language::catalogue::fixture::{compiled, embed};
use crate::language::catalogue::{Catalogue, shipped};
use std::collections::BTreeMap;

fn read(concerns: &str) -> Catalogue {
    Catalogue::read([("test.yaml", format!("concerns:\n{concerns}").as_str())]).unwrap()
}

fn concern(id: &str, more: &str) -> String {
    let terms: Vec<String> = LANGUAGES.iter().map(|l| format!("{l}: [\"{}{l}\"]", id.replace('.', ""))).collect();
    let phrasings: Vec<String> = (0..6).map(|n| format!("{} says {n}", id.replace('.', " "))).collect();
    let mut lines: BTreeMap<&str, String> = BTreeMap::from([
        ("title", "Title".to_owned()),
        ("description", "What it is.".to_owned()),
        ("gates", "[code]".to_owned()),
        ("direction", "more".to_owned()),
        ("terms", format!("{{{}}}", terms.join(", "))),
        ("phrasings", format!("[{}]", phrasings.join(", "))),
        ("rule", "Give every network call a timeout of at most 30 seconds.".to_owned()),
        ("why", "A call without one never ends.".to_owned()),
    ]);
    for line in more.lines().filter(|l| !l.trim().is_empty()) {
        let (key, value) = line.trim().split_once(": ").unwrap();
        lines.insert(key, value.to_owned());
    }
    let lines: String = lines.iter().map(|(key, value)| format!("    {key}: {value}\n")).collect();
    format!("  - id: {id}\n{lines}")
}

fn found(concerns: &str) -> Vec<(Severity, String, Check)> {
    lint(&read(concerns)).into_iter().map(|f| (f.severity, f.concern, f.check)).collect()
}

fn one(severity: Severity, concern: &str, check: Check) -> (Severity, String, Check) {
    (severity, concern.to_owned(), check)
}

#[test]
fn a_good_concern_has_nothing_to_mend() {
    assert_eq!(lint(&read(&concern("a.good", ""))), []);
}

#[test]
fn links_must_lead_somewhere_and_back() {
    use Check::{OppositeDirection, OppositeNotMutual, UnknownId};
    use Severity::Error;
    let own = concern("a.one", "related: [a.one, a.none]");
    assert_eq!(found(&own), [one(Error, "a.one", UnknownId), one(Error, "a.one", UnknownId)]);
    let pair = |one: &str, other: &str| concern("a.one", one) + &concern("b.two", other);
    let mutual = pair("opposite: b.two", "opposite: a.one\ndirection: less");
    assert_eq!(found(&mutual), []);
    let not_mutual = pair("opposite: b.two", "direction: less");
    assert_eq!(found(&not_mutual), [one(Error, "a.one", OppositeNotMutual)]);
    let same_way = pair("opposite: b.two", "opposite: a.one");
    assert_eq!(found(&same_way), [one(Error, "a.one", OppositeDirection), one(Error, "b.two", OppositeDirection)]);
}

#[test]
fn phrasings_and_terms_are_held_against_each_other() {
    use Severity::{Error, Warning};
    let few = concern("a.one", "phrasings: [Only this., only this]");
    let expected = [one(Warning, "a.one", Check::FewPhrasings), one(Warning, "a.one", Check::RepeatedPhrasing)];
    assert_eq!(found(&few), expected);
    let shared = concern("a.one", "") + &concern("b.two", "phrasings: [a one says 3, b, c, d, e, f]");
    assert_eq!(found(&shared), [one(Warning, "b.two", Check::SharedPhrasing)]);
    let elsewhere = concern("a.one", "") + &concern("b.two", "gates: [prd]\nphrasings: [a one says 3, b, c, d, e, f]");
    assert_eq!(found(&elsewhere), [], "where the work differs, the gate tells them apart");
    let terms = concern("a.one", "terms: {en: [\"slow*^2\", \"Slow*\"]}\nnot: [\"slow*\"]");
    let checks: Vec<Check> = found(&terms).into_iter().map(|f| f.2).collect();
    assert_eq!(checks, [vec![Check::RepeatedTerm; 2], vec![Check::Language; 6]].concat());
    let mut unreadable = read(&concern("a.one", "")).concerns().next().unwrap().clone();
    unreadable.against.push("word^9".to_owned());
    let mut findings = Findings::default();
    super::checks::terms(&unreadable, false, &mut findings);
    assert_eq!(findings.0.iter().map(|f| (f.severity, f.check)).collect::<Vec<_>>(), [(Error, Check::Term)]);
}

#[test]
fn heavy_words_of_everybody_are_told_of() {
    let others: String = ('b'..='v').map(|c| concern(&format!("{c}.other"), "")).collect();
    let heavy = |weight: &str| {
        let terms: Vec<String> = LANGUAGES.iter().map(|l| format!("{l}: [\"says{weight}\"]")).collect();
        concern("a.one", &format!("terms: {{{}}}", terms.join(", "))) + &others
    };
    assert_eq!(found(&heavy("^2")), [one(Severity::Warning, "a.one", Check::CommonTerm)]);
    assert_eq!(found(&heavy("")), []);
}

#[test]
fn rules_and_reasons_are_sentences_of_use() {
    use Severity::{Error, Warning};
    let vague = concern("a.one", "rule: \"The code is good – maybe.\"\nwhy: \"\"");
    let found = found(&vague);
    assert!(found.contains(&one(Error, "a.one", Check::Rule)), "{found:?}");
    assert!(found.contains(&one(Error, "a.one", Check::Why)), "{found:?}");
    assert!(found.contains(&one(Warning, "a.one", Check::NotImperative)), "{found:?}");
    assert!(found.contains(&one(Warning, "a.one", Check::NotAscii)), "{found:?}");
}

#[test]
fn phrasings_that_others_take_are_found() {
    let strays = "phrasings: [b two says 1, b two says 2, b two says 4, b two says 9, b two says 8, b two]";
    let crowd: String =
        ["b.two", "b.three", "b.four"].map(|id| concern(id, "phrasings: [b two says 5, b two says 7]")).concat();
    let compiled = compiled(read(&(concern("a.one", strays) + &crowd)));
    let place = compiled.concerns().iter().position(|c| c.id == "a.one").unwrap();
    let all: Vec<Misread> =
        (0..compiled.concerns().len()).flat_map(|c| misread(&compiled, c, &embed).unwrap()).collect();
    assert!(all.iter().all(|m| m.taken_by != m.concern), "{all:?}");
    let findings = lint_nearness(&compiled, &all);
    let near: Vec<&LintIssue> = findings.iter().filter(|f| f.check == Check::NearlyTheSame).collect();
    assert!(near.iter().any(|f| f.concern == "b.four" && f.message.contains("b.three")), "{findings:?}");
    let told = findings.iter().filter(|f| f.check == Check::MisreadPhrasing && f.concern == "a.one").count();
    assert_eq!(told > 0, all.iter().any(|m| m.concern == place));
}

/// Its rules are checked with the rule linter where rules are built.
#[test]
fn the_shipped_catalogue_has_no_errors_beside_its_rules() {
    let found = lint(&shipped()).into_iter();
    let errors: Vec<_> = found.filter(|f| f.severity == Severity::Error && f.check != Check::Rule).collect();
    assert_eq!(errors, []);
}
