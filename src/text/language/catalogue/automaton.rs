//! Finds terms in a text: one Aho-Corasick automaton over all terms of all concerns.

use super::term::{Phrase, Term};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{BTreeMap, HashMap};

/// All terms, compiled for searching.
#[derive(Debug)]
pub struct Automaton {
    automaton: AhoCorasick,
    /// The phrases that begin with each pattern.
    begins: Vec<Vec<u32>>,
    phrases: Vec<Phrase>,
    terms: Vec<Entry>,
    /// The terms that use each phrase.
    used_in: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Entry {
    concern: u16,
    /// Below 0 if it counts against the concern.
    weight: f32,
    text: String,
    /// The required phrases.
    needs: Vec<u32>,
}

/// A term found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct TermMatch<'a> {
    /// The index of the concern.
    pub concern: usize,
    /// Its weight; below 0 if it counts against the concern.
    pub weight: f32,
    /// The term as displayed.
    pub term: &'a str,
}

impl Automaton {
    /// Compiles the terms of concerns: for each, the terms for it and those against it.
    pub fn new<'t>(concerns: impl Iterator<Item = (&'t [Term], &'t [Term])>) -> Automaton {
        let mut place: HashMap<Phrase, u32> = HashMap::new();
        let (mut phrases, mut terms) = (Vec::new(), Vec::new());
        for (concern, (speaks_for, against)) in concerns.enumerate() {
            let signed = speaks_for.iter().map(|t| (t, t.weight)).chain(against.iter().map(|t| (t, -t.weight)));
            for (term, weight) in signed {
                let needs = term.parts.iter().map(|part| {
                    *place.entry(part.clone()).or_insert_with(|| {
                        phrases.push(part.clone());
                        index(phrases.len() - 1)
                    })
                });
                let needs = needs.collect();
                terms.push(Entry { concern: index(concern) as u16, weight, text: term.text.clone(), needs });
            }
        }
        let mut used_in = vec![Vec::new(); phrases.len()];
        for (term, entry) in terms.iter().enumerate() {
            entry.needs.iter().for_each(|phrase| used_in[*phrase as usize].push(index(term)));
        }
        let mut patterns: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (phrase, words) in phrases.iter().enumerate() {
            patterns.entry(words.pieces[0].as_str()).or_default().push(index(phrase));
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(patterns.keys())
            .expect("some thousand short words are far below the automaton's limits");
        let begins = patterns.into_values().collect();
        Automaton { automaton, begins, phrases, terms, used_in }
    }

    /// Returns the terms in a text (lower case, single spaces), each once.
    pub fn find(&self, text: &str) -> Vec<TermMatch<'_>> {
        let mut there: Vec<u32> = Vec::new();
        for found in self.automaton.find_overlapping_iter(text) {
            for phrase in &self.begins[found.pattern().as_usize()] {
                if self.phrases[*phrase as usize].ends(text, found.start()).is_some() {
                    there.push(*phrase);
                }
            }
        }
        there.sort_unstable();
        there.dedup();
        let mut terms: Vec<u32> = there.iter().flat_map(|phrase| &self.used_in[*phrase as usize]).copied().collect();
        terms.sort_unstable();
        terms.dedup();
        let complete = |term: &&Entry| term.needs.iter().all(|phrase| there.binary_search(phrase).is_ok());
        terms
            .iter()
            .map(|term| &self.terms[*term as usize])
            .filter(complete)
            .map(|term| TermMatch { concern: term.concern as usize, weight: term.weight, term: &term.text })
            .collect()
    }
}

fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_for_and_against() {
        let terms = |texts: &[&str]| texts.iter().map(|t| Term::parse(t).unwrap()).collect::<Vec<_>>();
        let (a, b) =
            ((terms(&["n+1^3", "query & loop^2"]), terms(&["index*"])), (terms(&["index*^2", "slow^0.4"]), terms(&[])));
        let automaton = Automaton::new([(&a.0[..], &a.1[..]), (&b.0[..], &b.1[..])].into_iter());
        let found = |text| automaton.find(text).into_iter().map(|f| (f.concern, f.term, f.weight)).collect::<Vec<_>>();
        assert_eq!(found("a query in this loop"), [(0, "query & loop", 2.0)]);
        assert_eq!(found("slow, indexes missing"), [(0, "index*", -1.0), (1, "index*", 2.0), (1, "slow", 0.4)]);
        assert_eq!(found("nothing"), []);
    }
}
