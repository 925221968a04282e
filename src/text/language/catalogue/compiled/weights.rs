//! The probability that a comment voices each concern. The trained reader gives the probability of each known concern,
//! of nothing, of something too specific, and of something else; the last is shared by near concerns. A store's own
//! concerns take precedence over all.

use super::{CommentInput, CompiledCatalogue, products, products::product};
use crate::language::catalogue::automaton::TermMatch;
use crate::language::catalogue::concern::Work;
use crate::language::catalogue::recognition::ScoredConcern;
use crate::language::catalogue::trained::{LabelProbabilities, OTHER, TrainedReader};
use crate::language::similarity::Embedding;
use std::collections::BTreeSet;

/// Number of concerns that share the probability.
const CANDIDATES: usize = 16;
/// Weights of the features, and the sharpness of the probabilities. Fitted on the phrasings of one author by those of
/// the others; the weight of terms was chosen on labelled streams, where people name things more plainly than phrasings
/// do.
pub(super) const NEAREST: f32 = 6.5;
pub(super) const CENTRE: f32 = 11.0;
pub(super) const TERMS: f32 = 4.0;
pub(super) const WORDS: f32 = 20.0;
pub(super) const LETTERS: f32 = 70.0;
pub(super) const WORK: f32 = 12.0;
const TEMPERATURE: f32 = 1.15;
/// Number of concerns whose single phrasings are compared: the likeliest by everything else.
const LOOKED_AT: usize = 32;
/// Weight of terms for a concern that the reader was trained on, if a text is in a language it was not trained in:
/// terms cover more languages.
pub(super) const TERMS_ABROAD: f32 = 4.0;
/// Offset of the score of *something else* over training, where few texts represent it: chosen on real projects and an
/// invented stream, such that plain statements of concerns never seen in training are recognised.
const SOMETHING_ELSE: f32 = 3.0;
/// Cosine with its nearest phrasing at which a store's concern is as likely as all others together, how quickly that
/// changes, and what its terms add. People added it because it is asked for here.
pub(super) const OWN_AT: f32 = 0.75;
pub(super) const OWN_SLOPE: f32 = 20.0;
pub(super) const OWN_TERMS: f32 = 3.0;
/// The probability of *something else* below which it is not examined.
const HARDLY: f32 = 0.02;

impl CompiledCatalogue {
    /// Returns the concerns that a comment may voice, likeliest first, with the probabilities of asking for nothing and
    /// for something too specific for a rule.
    pub(super) fn weigh(&self, asked: &CommentInput<'_>, found: &[TermMatch<'_>]) -> (Vec<ScoredConcern>, f32, f32) {
        let heard = self.heard(asked, found);
        let known = heard.concerns.iter().filter_map(|(label, probability)| {
            Some(ScoredConcern { concern: self.of_label[*label]?, probability: *probability })
        });
        let mut weighed: Vec<ScoredConcern> = known.collect();
        if heard.other >= HARDLY {
            for near in self.weigh_others(asked, found) {
                add(&mut weighed, ScoredConcern { probability: near.probability * heard.other, ..near });
            }
        }
        let rest = self.weigh_own(asked, found, &mut weighed);
        weighed.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.concern.cmp(&b.concern)));
        weighed.truncate(CANDIDATES);
        (weighed, heard.none * rest, heard.particular * rest)
    }

    /// Returns the trained reader's result; something else if there is no reader.
    fn heard(&self, asked: &CommentInput<'_>, found: &[TermMatch<'_>]) -> LabelProbabilities {
        match self.trained {
            Some(trained) => {
                let mut scores = self.trained_scores(trained, asked, found);
                if let Some(something_else) = trained.place(OTHER) {
                    scores[something_else] += SOMETHING_ELSE;
                }
                trained.hear(&scores)
            }
            None => LabelProbabilities { other: 1.0, ..LabelProbabilities::default() },
        }
    }

    /// Returns the scores of the reader's labels; negative infinity if a concern does not apply to the work.
    fn trained_scores(&self, trained: &TrainedReader, asked: &CommentInput<'_>, found: &[TermMatch<'_>]) -> Vec<f32> {
        let mut scores = trained.scores(asked.text, asked.words.components(), asked.work);
        for ((label, concern), score) in self.of_label.iter().enumerate().zip(&mut scores) {
            let is_out = match concern {
                Some(concern) => self.of_work(*concern, asked.work) == 0.0,
                None => trained.is_concern(label),
            };
            if is_out {
                *score = f32::NEG_INFINITY;
            }
        }
        let known: BTreeSet<usize> = found.iter().map(|f| f.concern).filter(|c| self.labels[*c].is_some()).collect();
        if known.is_empty() || trained.is_familiar(asked.text) {
            return scores;
        }
        for concern in known {
            if let Some(label) = self.labels[concern] {
                scores[label] += TERMS_ABROAD * of_terms(weight_of(found, concern));
            }
        }
        scores
    }

    /// Returns the concerns unknown to the reader, by nearness: probabilities that sum to 1.
    fn weigh_others(&self, asked: &CommentInput<'_>, found: &[TermMatch<'_>]) -> Vec<ScoredConcern> {
        let mut scores = self.score(found, asked);
        let best_first = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if scores.len() > LOOKED_AT {
            scores.select_nth_unstable_by(LOOKED_AT - 1, best_first);
            scores.truncate(LOOKED_AT);
        }
        scores.iter_mut().for_each(|(concern, score)| *score += NEAREST * self.nearest_cosine(*concern, asked.words));
        scores.sort_unstable_by(best_first);
        scores.truncate(CANDIDATES);
        let Some(best) = scores.first().map(|(_, score)| *score) else { return Vec::new() };
        let weights: Vec<f32> = scores.iter().map(|(_, score)| ((score - best) / TEMPERATURE).exp()).collect();
        let sum: f32 = weights.iter().sum();
        let both = scores.into_iter().zip(weights);
        both.map(|((concern, _), weight)| ScoredConcern { concern, probability: weight / sum }).collect()
    }

    /// Adds the evidence for a store's concerns, at the cost of all others; returns what is left of these.
    fn weigh_own(&self, asked: &CommentInput<'_>, found: &[TermMatch<'_>], weighed: &mut Vec<ScoredConcern>) -> f32 {
        let own = self.own.iter().filter(|concern| self.of_work(**concern, asked.work) > 0.0).map(|concern| {
            let near = OWN_SLOPE * (self.nearest_cosine(*concern, asked.words) - OWN_AT);
            (*concern, (near + OWN_TERMS * of_terms(weight_of(found, *concern))).exp())
        });
        let own: Vec<(usize, f32)> = own.collect();
        let rest = 1.0 / (1.0 + own.iter().map(|(_, odds)| odds).sum::<f32>());
        weighed.iter_mut().for_each(|known| known.probability *= rest);
        for (concern, odds) in own {
            let probability = odds * rest;
            add(weighed, ScoredConcern { concern, probability });
        }
        rest
    }

    /// Returns the concerns of the work, with their scores without their nearest phrasings.
    fn score(&self, found: &[TermMatch<'_>], asked: &CommentInput<'_>) -> Vec<(usize, f32)> {
        let mut terms = vec![0.0_f32; self.concerns.len()];
        found.iter().for_each(|found| terms[found.concern] += found.weight);
        let (words, letters) = (self.words(asked.text), self.letters(asked.text));
        let centres = products::all(&self.centres, self.dense(asked.words));
        let candidates =
            self.near.iter().enumerate().map(|(at, concern)| (at, *concern, self.of_work(*concern, asked.work)));
        candidates
            .filter(|(_, _, work)| *work > 0.0)
            .map(|(at, concern, work)| {
                let centre = centres.get(at).map_or(0.0, |product| products::cosine(*product));
                let score = CENTRE * centre
                    + TERMS * of_terms(terms[concern])
                    + WORDS * words[concern]
                    + LETTERS * letters[concern]
                    + WORK * work;
                (concern, score)
            })
            .collect()
    }

    /// Returns the contribution of a text's words to each concern.
    pub(super) fn words(&self, text: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.concerns.len()];
        self.lexicon.score(text, &mut scores);
        scores
    }

    /// Returns the contribution of a text's letters to each concern.
    pub(super) fn letters(&self, text: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.concerns.len()];
        self.letters.score(text, &mut scores);
        scores
    }

    /// Returns the weight of the work for a concern, 0 to 1.
    pub(super) fn of_work(&self, concern: usize, work: Option<Work>) -> f32 {
        work.map_or(0.5, |work| self.at_home[concern][work as usize])
    }

    /// Returns the components compared with the matrix; empty for another embedder's vector.
    fn dense<'e>(&self, words: &'e Embedding) -> &'e [i16] {
        if words.components().len() == self.width { words.components() } else { &[] }
    }

    /// Returns the cosine with the centre of a concern's phrasings.
    pub(super) fn centre_cosine(&self, concern: usize, words: &Embedding) -> f32 {
        let Ok(at) = self.near.binary_search(&concern) else { return 0.0 };
        self.centres.chunks_exact(self.width.max(1)).nth(at).map_or(0.0, |row| product(row, words.components()))
    }

    /// Returns the cosine with the nearest phrasing.
    pub(super) fn nearest_cosine(&self, concern: usize, words: &Embedding) -> f32 {
        let compared = &self.phrasings(concern)[..self.compared[concern] * self.width];
        products::all(compared, self.dense(words)).into_iter().max().map_or(0.0, products::cosine)
    }

    pub(super) fn nearest(&self, concern: usize, words: &Embedding) -> (usize, f32) {
        let cosines = self.rows(concern).map(|row| product(row, words.components())).enumerate();
        cosines.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).unwrap_or((0, 0.0))
    }
}

/// Returns the contribution of the summed term weights, at most 1.
pub(super) fn of_terms(weight: f32) -> f32 {
    if weight > 0.0 { 1.0 - (-weight / 2.0).exp() } else { weight.max(-2.0) * 0.3 }
}

/// Returns the summed weight of the terms of a concern.
pub(super) fn weight_of(found: &[TermMatch<'_>], concern: usize) -> f32 {
    found.iter().filter(|found| found.concern == concern).map(|found| found.weight).sum()
}

/// Adds a concern, or increases its probability if present.
fn add(weighed: &mut Vec<ScoredConcern>, one: ScoredConcern) {
    match weighed.iter_mut().find(|known| known.concern == one.concern) {
        Some(known) => known.probability += one.probability,
        None => weighed.push(one),
    }
}
