//! Explains a comment's score for a concern, and what would have changed the result.
//!
//! For information only; it decides nothing. The parts of a score add up to it, as verified by a test.

use super::weights::{
    CENTRE, LETTERS, NEAREST, OWN_AT, OWN_SLOPE, OWN_TERMS, TERMS, TERMS_ABROAD, WORDS, WORK, of_terms, weight_of,
};
use super::{CommentInput, CompiledCatalogue, products::product};
use crate::language::catalogue::automaton::TermMatch;
use crate::language::catalogue::concern::Work;
use crate::language::catalogue::term::Term;
use crate::language::catalogue::trained::TrainedReader;
use crate::language::similarity::Embedding;
use crate::prose::round;
use serde::Serialize;

/// Maximum number of phrasings and words of a kind that are named.
const NAMED: usize = 3;
/// Maximum number of named terms that would have changed the reading.
const NAMED_TERMS: usize = 5;

/// How a concern is read. Scores of different methods cannot be compared; their probabilities can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBy {
    /// The reader trained on what reviewers ask for.
    Reader,
    /// Nearness to its phrasings: it is too rarely asked for to train on it.
    Nearness,
    /// Nearness to its phrasings, as a concern of the store itself.
    Store,
}

/// A possible concern of a comment, with all its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parts {
    /// The concern's id.
    pub concern: String,
    pub title: String,
    /// The probability, 0 to 1, that the comment voices it.
    pub probability: f64,
    /// How it is read.
    pub read_by: ReadBy,
    /// The score: the sum of the contributions of vectors, terms, words, letters and the gate.
    pub score: f64,
    /// The contribution of the words' vector: as learned by the reader, or from the nearest phrasing and the centre of
    /// all.
    pub by_vector: f64,
    /// The contribution of the terms; below 0 if they count against it.
    pub by_terms: f64,
    /// The contribution of shared words.
    pub by_words: f64,
    /// The contribution of shared letter sequences.
    pub by_letters: f64,
    /// The contribution of the work at the gate; for the reader, how often it is asked for there.
    pub by_gate: f64,
    /// The nearest phrasings.
    pub phrasings: Vec<NearPhrasing>,
    /// The terms in the comment, heaviest first.
    pub terms: Vec<Spoken>,
    /// The comment's most informative words, each with its contribution to the score.
    pub words: Vec<Spoken>,
}

/// A near phrasing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearPhrasing {
    /// The phrasing.
    pub text: String,
    /// Its cosine with the comment.
    pub cosine: f64,
}

/// A term or a word, and its weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spoken {
    pub text: String,
    /// For a term its weight, below 0 if it counts against the concern; for a word its contribution to the score.
    pub weight: f64,
}

/// What would have assigned a comment to another concern, all else being equal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhatIf {
    /// The concern that came second.
    pub runner_up: String,
    /// How much lower its probability is.
    pub gap: f64,
    /// Terms of the runner-up, any one of which would have sufficed.
    pub with_any_of: Vec<String>,
    /// Terms of the best, any one of whose absence would have made the runner-up win.
    pub without_any_of: Vec<String>,
    /// Kinds of work at which the comment would have been read differently, each with the concern.
    pub at_other_work: Vec<(Work, String)>,
}

impl CompiledCatalogue {
    /// Returns the likeliest concerns of a comment with the parts of their scores, best first; at most `count`.
    pub fn parts(&self, asked: &CommentInput<'_>, count: usize) -> Vec<Parts> {
        let text = asked.text.to_lowercase();
        let found = self.automaton.find(&text);
        let likeliest = self.read_with(asked, &found).weighed.into_iter().take(count);
        likeliest
            .map(|weighed| {
                let (concern, known) = (weighed.concern, &self.concerns[weighed.concern]);
                let mut terms: Vec<_> = found.iter().filter(|f| f.concern == concern).collect();
                terms.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.term.cmp(b.term)));
                let spoken = |text: &str, weight: f32| Spoken { text: text.to_owned(), weight: rounded(weight) };
                let (read_by, [by_vector, by_terms, by_words, by_letters, by_gate]) =
                    self.score_of(asked, concern, weight_of(&found, concern));
                Parts {
                    concern: known.id.clone(),
                    title: known.title.clone(),
                    probability: rounded(weighed.probability),
                    read_by,
                    score: rounded(by_vector + by_terms + by_words + by_letters + by_gate),
                    by_vector: rounded(by_vector),
                    by_terms: rounded(by_terms),
                    by_words: rounded(by_words),
                    by_letters: rounded(by_letters),
                    by_gate: rounded(by_gate),
                    phrasings: self.near(concern, asked.words),
                    terms: terms.into_iter().map(|t| spoken(t.term, t.weight)).collect(),
                    words: self.telling_words(asked, concern),
                }
            })
            .collect()
    }

    /// Returns how a concern is read, and what vector, terms, words, letters and gate add to its score.
    fn score_of(&self, asked: &CommentInput<'_>, concern: usize, weight: f32) -> (ReadBy, [f32; 5]) {
        let (nearest, terms) = (self.nearest_cosine(concern, asked.words), of_terms(weight));
        if let Some((trained, label)) = self.label(concern) {
            let parts = trained.parts(label, asked.text, asked.words.components(), asked.work);
            let terms = if trained.is_familiar(asked.text) { 0.0 } else { TERMS_ABROAD * terms };
            return (ReadBy::Reader, [parts.vector, terms, parts.words, parts.letters, parts.frequency]);
        }
        if self.own.contains(&concern) {
            return (ReadBy::Store, [OWN_SLOPE * (nearest - OWN_AT), OWN_TERMS * terms, 0.0, 0.0, 0.0]);
        }
        let vector = NEAREST * nearest + CENTRE * self.centre_cosine(concern, asked.words);
        let (words, letters) = (self.words(asked.text)[concern], self.letters(asked.text)[concern]);
        let gate = WORK * self.of_work(concern, asked.work);
        (ReadBy::Nearness, [vector, TERMS * terms, WORDS * words, LETTERS * letters, gate])
    }

    /// Returns the reader, and a concern's label in it, if it was trained on it.
    fn label(&self, concern: usize) -> Option<(&'static TrainedReader, usize)> {
        Some((self.trained?, self.labels[concern]?))
    }

    /// Returns what would have changed the reading of a comment; `None` if fewer than two concerns are possible.
    pub fn what_if(&self, asked: &CommentInput<'_>) -> Option<WhatIf> {
        let text = asked.text.to_lowercase();
        let found = self.automaton.find(&text);
        let reading = self.read_with(asked, &found);
        let [best, second, ..] = reading.weighed.as_slice() else { return None };
        let best_of = |found: &[TermMatch<'_>]| self.read_with(asked, found).weighed.first().map(|w| w.concern);
        // English first: most people read it.
        let by_language = &self.concerns[second.concern].terms;
        let others = by_language.iter().filter(|(language, _)| *language != "en").flat_map(|(_, terms)| terms);
        let texts = by_language.get("en").into_iter().flatten().chain(others);
        let mut with_any_of: Vec<String> = Vec::new();
        for term in texts.filter_map(|text| Term::parse(text).ok()) {
            let stands_in_it = found.iter().any(|f| f.concern == second.concern && f.term == term.text);
            if stands_in_it || with_any_of.len() >= NAMED_TERMS || with_any_of.contains(&term.text) {
                continue;
            }
            let one = TermMatch { concern: second.concern, weight: term.weight, term: &term.text };
            let with: Vec<TermMatch<'_>> = found.iter().cloned().chain([one]).collect();
            if best_of(&with) == Some(second.concern) {
                with_any_of.push(term.text);
            }
        }
        let speaks = found.iter().enumerate().filter(|(_, f)| f.concern == best.concern && f.weight > 0.0);
        let against = speaks.filter(|(at, _)| {
            let without: Vec<TermMatch<'_>> = found[..*at].iter().chain(&found[at + 1..]).cloned().collect();
            best_of(&without) == Some(second.concern)
        });
        let mut without_any_of: Vec<String> = against.map(|(_, f)| f.term.to_owned()).collect();
        without_any_of.dedup();
        let elsewhere = Work::ALL.into_iter().filter(|work| Some(*work) != asked.work).filter_map(|work| {
            let there = self.read(&CommentInput { work: Some(work), ..*asked }).weighed.first()?.concern;
            (there != best.concern).then(|| (work, self.concerns[there].id.clone()))
        });
        Some(WhatIf {
            runner_up: self.concerns[second.concern].id.clone(),
            gap: rounded(best.probability - second.probability),
            with_any_of,
            without_any_of,
            at_other_work: elsewhere.collect(),
        })
    }

    fn near(&self, concern: usize, words: &Embedding) -> Vec<NearPhrasing> {
        let cosines = self.rows(concern).map(|row| product(row, words.components()));
        let mut near: Vec<(f32, &String)> = cosines.zip(&self.shown[concern]).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.into_iter()
            .take(NAMED)
            .map(|(cosine, text)| NearPhrasing { text: text.clone(), cosine: rounded(cosine) })
            .collect()
    }

    /// Returns words without which the score would be lower: each is left out once.
    fn telling_words(&self, asked: &CommentInput<'_>, concern: usize) -> Vec<Spoken> {
        let said = |text: &str| {
            let (_, [_, _, words, letters, _]) = self.score_of(&CommentInput { text, ..*asked }, concern, 0.0);
            words + letters
        };
        let all = said(asked.text);
        let words: Vec<&str> = asked.text.split_whitespace().take(64).collect();
        let mut told: Vec<(f32, &str)> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let rest: Vec<&str> = words[..at].iter().chain(&words[at + 1..]).copied().collect();
            let lost = all - said(&rest.join(" "));
            if lost > 0.005 && !told.iter().any(|(_, known)| known == word) {
                told.push((lost, word));
            }
        }
        told.sort_by(|a, b| b.0.total_cmp(&a.0));
        let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        told.into_iter().take(NAMED).map(|(lost, word)| Spoken { text: plain(word), weight: rounded(lost) }).collect()
    }
}

fn rounded(value: f32) -> f64 {
    // Avoids a negative zero.
    round(f64::from(value)) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::catalogue::concern::Catalogue;
    use crate::language::catalogue::fixture::{compiled, embed};

    const TWO: &str = r#"
concerns:
  - {id: a.index, title: Index, description: D, gates: [code, design], direction: more, rule: Add it., why: W,
     terms: {en: ["index*^2"]}, not: ["drop*"], phrasings: [the query needs an index, scans the whole table]}
  - {id: b.docs, title: Docs, description: D, gates: [design], direction: more, rule: Write it., why: W,
     terms: {en: ["document*^4", "readme^0.2"]}, phrasings: [write it down in the readme, nobody documented the table]}
"#;

    fn asked_of(text: &str, work: Option<Work>, look: impl FnOnce(&CompiledCatalogue, &CommentInput<'_>)) {
        let compiled = compiled(Catalogue::read([("two.yaml", TWO)]).unwrap());
        let words = embed(&[text.to_owned()]).unwrap().remove(0).unwrap();
        look(&compiled, &CommentInput { text, words: &words, work, waives: false });
    }

    #[test]
    fn the_parts_of_a_score_add_up_to_it() {
        for work in [None, Some(Work::Code), Some(Work::Design)] {
            for text in ["the table needs an index", "drop the index", "document the table", "something else"] {
                asked_of(text, work, |compiled, asked| {
                    let parts = compiled.parts(asked, 9);
                    assert!(!parts.is_empty());
                    for p in parts {
                        let sum = p.by_vector + p.by_terms + p.by_words + p.by_letters + p.by_gate;
                        assert!((sum - p.score).abs() < 0.001, "{text}: {p:?}");
                    }
                });
            }
        }
    }

    #[test]
    fn what_speaks_for_a_concern_is_named() {
        asked_of("Drop the index on the whole table", Some(Work::Design), |compiled, asked| {
            let best = compiled.parts(asked, 1).remove(0);
            assert_eq!(best.concern, "a.index");
            assert_eq!(best.phrasings[0].text, "scans the whole table");
            let terms: Vec<_> = best.terms.iter().map(|t| (t.text.as_str(), t.weight)).collect();
            assert_eq!(terms, [("index*", 2.0), ("drop*", -1.0)]);
            assert!(best.words.iter().any(|w| w.text == "whole" && w.weight > 0.0), "{best:?}");
        });
    }

    #[test]
    fn what_would_have_changed_it_changes_it() {
        asked_of("nobody documented the table, scans it whole", Some(Work::Code), |compiled, asked| {
            // Only one of the two applies to code.
            assert_eq!(compiled.what_if(asked), None);
            let there = CommentInput { work: Some(Work::Design), ..*asked };
            let what_if = compiled.what_if(&there).unwrap();
            assert_eq!(what_if.runner_up, "a.index");
            assert_eq!(what_if.at_other_work, [(Work::Code, "a.index".to_owned())]);
            for term in &what_if.with_any_of {
                let text = format!("{} {}", there.text, term.replace('*', ""));
                let more = CommentInput { text: &text, ..there };
                assert_eq!(compiled.parts(&more, 1)[0].concern, "a.index", "{term}");
            }
        });
    }
}
