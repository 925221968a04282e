//! The catalogue, ready for use: a remark's text and vector in, what it demands out.
//!
//! Five things are compared: the vectors (with the middle of a concern's phrasings, and with the nearest one), the words,
//! the letters, the terms, and the kind of work. Their weighed sum is a concern's score; the scores of all concerns make
//! probabilities. Nearness alone finds a demand in a third of the remarks, all together in more than half.

mod parts;
mod products;

pub use parts::{Near, Parts, Spoken, WhatIf};

use super::automaton::{Automaton, Found};
use super::concern::{Catalogue, Concern, Work};
use super::features::word_features;
use super::letters::Letters;
use super::lexicon::Lexicon;
use super::prepared::{Embed, Matrix, Prepared, Vocabulary};
use super::reading::{ConcernReading, Match, Weighed, WordsTell};
use super::shipped::shipped_ids;
use super::trained::{Heard, NONE, OTHER, PARTICULAR, Trained, places};
use crate::domain::language::direction::Direction;
use crate::domain::language::similarity::{DemandVector, Embedding};
use crate::domain::prose::round;
use products::product;
use std::collections::{BTreeMap, HashSet};

/// How much each thing counts, and how sharp the probabilities are. Fitted on phrasings of one hand by those of the others;
/// what terms count was chosen on labelled streams, where people name things more plainly than phrasings do.
const NEAREST: f32 = 6.5;
const CENTRE: f32 = 11.0;
const TERMS: f32 = 4.0;
const WORDS: f32 = 20.0;
const LETTERS: f32 = 70.0;
const WORK: f32 = 12.0;
const TEMPERATURE: f32 = 1.15;
/// How many words a text has at least of which the same again ask for the same.
const TELLING_WORDS: usize = 4;
/// The concerns whose single phrasings are looked at: the likeliest by everything else.
const LOOKED_AT: usize = 32;
/// From which share of the best concern's probability on its opposite is likely as well.
const IN_DOUBT: f32 = 0.2;
/// What a gate counts for a concern that is asked of several kinds of work, but is more at home elsewhere.
const NOT_AT_HOME: f32 = 0.85;
/// The concerns that share the probability.
const CANDIDATES: usize = 16;
/// From which probability on a remark counts as recognised.
const RECOGNISED: f32 = 0.25;
/// From which probability on a concern alone tells what a remark demands, and its words nothing.
const CLEAR: f32 = 0.45;
/// From which probability on a concern is one of those that a remark is compared by.
const LIKELY: f32 = 0.1;
/// The same of a sentence that says what a remark demands.
const LIKELY_IN_SENTENCE: f32 = 0.2;
/// From which probability on people may be asked about a concern, and about how many beside those that are likely.
const POSSIBLE: f32 = 0.03;
const ALSO: usize = 8;
/// What concerns and words each count in a sentence that says what a remark demands.
const OF_SENTENCE: f32 = 0.54;
/// How much longer the words' part is where they alone tell what is demanded: of two remarks of which no concern is known and
/// whose words have a cosine of 0.6 four of five ask for the same, which is less than the concerns' part needs.
const WORDS_ALONE: f32 = 1.15;
/// The words that a remark is compared by at most: those that say most.
const COMPARED_WORDS: usize = 24;
/// How much terms count for a concern that the reader was trained on, where a text is in a language that it was not
/// trained in: terms are there in more.
const TERMS_ABROAD: f32 = 4.0;
/// How many phrasings of a concern that the reader was trained on are kept to be shown.
const SHOWN: usize = 12;
/// By how much the score of *something else* is higher than in training, where few texts stand for it: chosen on real
/// projects and an invented stream, such that plain statements of concerns that nobody was heard to ask for are read.
const SOMETHING_ELSE: f32 = 3.0;
/// At which cosine with its nearest phrasing a concern of a store is as likely as all others together, how quickly that
/// changes, and what its terms add. People put it there because it is asked for here.
const OWN_AT: f32 = 0.75;
const OWN_SLOPE: f32 = 20.0;
const OWN_TERMS: f32 = 3.0;
/// The probability of *something else* below which nobody looks what else it may be.
const HARDLY: f32 = 0.02;
/// The terms that a record names.
const NAMED_TERMS: usize = 5;

/// What is asked of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct RemarkToRead<'a> {
    /// The remark without its wrapping.
    pub text: &'a str,
    /// The vector of its words.
    pub words: &'a Embedding,
    /// The work it is about, where that is known.
    pub work: Option<Work>,
    /// Whether it waives what is usually asked for.
    pub waives: bool,
}

/// A compiled catalogue.
#[derive(Debug)]
pub struct Compiled {
    concerns: Vec<Concern>,
    axes: Vec<u16>,
    /// How much each kind of work counts for each concern, 0 to 1.
    at_home: Vec<[f32; 6]>,
    automaton: Automaton,
    /// The reader, and for each concern its label's place where the reader was trained on it.
    trained: Option<&'static Trained>,
    labels: Vec<Option<usize>>,
    /// For each label its concern, where there is one.
    of_label: Vec<Option<usize>>,
    /// The concerns that are no shipped ones, beside a reader that was trained on those.
    own: Vec<usize>,
    /// How many phrasings of each concern are compared with remarks: all, or those that the reader does not know.
    compared: Vec<usize>,
    lexicon: Lexicon,
    letters: Letters,
    /// The vectors of all phrasings, one after the other, 127 for 1.
    matrix: Vec<i8>,
    width: usize,
    /// The middle of each concern's phrasings, as the matrix.
    centres: Vec<i8>,
    /// The phrasings in the matrix: those that are compared, then those that are only shown.
    shown: Vec<Vec<String>>,
    /// Where each concern's phrasings begin in the matrix, and where the last one's end.
    begins: Vec<usize>,
    fingerprint: String,
}

impl Compiled {
    /// Compiles a catalogue for an embedder, by its id; `embed` gives the vectors of texts that are not in `prepared`.
    /// Concerns that `trained` knows are read by it, all others by their nearness to their phrasings.
    ///
    /// # Errors
    /// Those of `embed`.
    pub fn new<E>(
        catalogue: Catalogue,
        prepared: Option<Prepared>,
        trained: Option<&'static Trained>,
        embedder: &str,
        embed: &Embed<'_, E>,
    ) -> Result<Compiled, E> {
        let fingerprint = catalogue.fingerprint();
        let (vectors, vocabulary) = prepared.map(|p| p.take(embedder, &fingerprint)).unwrap_or_default();
        let concerns: Vec<Concern> = catalogue.concerns().cloned().collect();
        let place = |id: &str| concerns.binary_search_by(|c| c.id.as_str().cmp(id)).ok();
        let axes = concerns.iter().enumerate().map(|(own, concern)| {
            let opposite = concern.opposite.as_deref().and_then(place);
            u16::try_from(opposite.map_or(own, |opposite| own.min(opposite))).unwrap_or(u16::MAX)
        });
        let axes = axes.collect();
        let at_home = concerns.iter().map(|concern| {
            let mut counts = [0.0; 6];
            for (rank, work) in concern.gates.iter().enumerate() {
                counts[*work as usize] = if rank == 0 { 1.0 } else { NOT_AT_HOME };
            }
            counts
        });
        let at_home = at_home.collect();
        let terms: Vec<_> = concerns.iter().map(|c| c.parsed_terms().unwrap_or_default()).collect();
        let automaton = Automaton::new(terms.iter().map(|(a, b)| (a.as_slice(), b.as_slice())));
        let parted = concerns.iter().map(|concern| match trained.and_then(|trained| trained.knows(concern)) {
            None => (concern.phrasings.clone(), Vec::new()),
            Some(known) => {
                let others = concern.phrasings[..known.start].iter().chain(&concern.phrasings[known.end..]);
                (others.cloned().collect(), concern.phrasings[known].iter().take(SHOWN).cloned().collect())
            }
        });
        let (mut shown, merely): (Vec<Vec<String>>, Vec<Vec<String>>) = parted.unzip();
        let phrasings = || shown.iter().map(Vec::as_slice);
        let Vocabulary { lexicon, letters } = vocabulary.unwrap_or_else(|| Vocabulary::new(phrasings));
        let compared: Vec<usize> = shown.iter().map(Vec::len).collect();
        shown.iter_mut().zip(merely).for_each(|(shown, merely)| shown.extend(merely));
        let Matrix { width, values: matrix } = Matrix::of(&shown.concat(), &vectors, embed)?;
        let mut begins = vec![0];
        for shown in &shown {
            begins.push(begins.last().copied().unwrap_or(0) + shown.len());
        }
        let known = if trained.is_some() { shipped_ids() } else { HashSet::new() };
        let own =
            (0..concerns.len()).filter(|at| trained.is_some() && !known.contains(concerns[*at].id.as_str())).collect();
        let labels = trained.map_or_else(|| vec![None; concerns.len()], |trained| places(trained, &concerns));
        let mut of_label = vec![None; trained.map_or(0, |trained| trained.labels.len())];
        labels.iter().enumerate().for_each(|(concern, label)| {
            if let Some(label) = label {
                of_label[*label] = Some(concern);
            }
        });
        let rows = |concern: usize, count: usize| &matrix[begins[concern] * width..(begins[concern] + count) * width];
        let centres = (0..concerns.len()).map(|concern| {
            let shown = begins[concern + 1] - begins[concern];
            centre(rows(concern, if compared[concern] > 0 { compared[concern] } else { shown }), width)
        });
        let centres = centres.flatten().map(|v| (v * 127.0).round() as i8).collect();
        Ok(Compiled {
            concerns,
            axes,
            at_home,
            automaton,
            trained,
            labels,
            of_label,
            own,
            compared,
            shown,
            lexicon,
            letters,
            matrix,
            width,
            centres,
            begins,
            fingerprint,
        })
    }

    /// What can be kept for the next start.
    pub fn prepared(self, embedder: &str) -> Prepared {
        let texts: Vec<String> = self.shown.concat();
        let matrix = Matrix { width: self.width, values: self.matrix };
        let vocabulary = Vocabulary { lexicon: self.lexicon, letters: self.letters };
        Prepared::new(embedder, &self.fingerprint, vocabulary, &texts, matrix)
    }

    /// The concerns, by their places.
    pub fn concerns(&self) -> &[Concern] {
        &self.concerns
    }

    /// A concern's place.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.concerns.binary_search_by(|c| c.id.as_str().cmp(id)).ok()
    }

    /// The place of a concern's opposite, where it has one.
    pub fn opposite(&self, concern: usize) -> Option<usize> {
        self.place(self.concerns[concern].opposite.as_deref()?)
    }

    /// A concern by its id.
    pub fn find(&self, id: &str) -> Option<&Concern> {
        self.place(id).map(|place| &self.concerns[place])
    }

    /// How many concerns have a word in their phrasings: a word of many says little about the work at hand.
    pub fn spread(&self, word: &str) -> usize {
        self.lexicon.spread(word) + self.trained.map_or(0, |trained| trained.spread(word))
    }

    /// The axis of a concern in profiles: its own place, or that of its opposite where that comes first. What asks for
    /// the contrary is about the same thing.
    pub fn axis(&self, concern: usize) -> u16 {
        self.axes[concern]
    }

    /// A fingerprint of the catalogue and of how it is used.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Reads a remark.
    pub fn read(&self, asked: &RemarkToRead<'_>) -> ConcernReading {
        self.read_with(asked, &self.automaton.find(&asked.text.to_lowercase()))
    }

    /// Reads a remark, and says why it is read so; nothing where no concern was recognised.
    pub fn explained(&self, asked: &RemarkToRead<'_>) -> (ConcernReading, Option<Match>) {
        let found = self.automaton.find(&asked.text.to_lowercase());
        let reading = self.read_with(asked, &found);
        let why = self.explain(asked, &reading, found);
        (reading, why)
    }

    fn read_with(&self, asked: &RemarkToRead<'_>, found: &[Found<'_>]) -> ConcernReading {
        let heard = self.heard(asked, found);
        let trained = heard.concerns.iter().filter_map(|(label, probability)| {
            let concern = self.of_label[*label]?;
            Some(Weighed { concern, probability: *probability, score: probability.max(1e-9).ln() })
        });
        let mut weighed: Vec<Weighed> = trained.collect();
        if heard.other >= HARDLY {
            for mut also in self.weigh_others(asked, found) {
                also.probability *= heard.other;
                match weighed.iter_mut().find(|known| known.concern == also.concern) {
                    Some(known) => known.probability += also.probability,
                    None => weighed.push(also),
                }
            }
        }
        let rest = self.weigh_own(asked, found, &mut weighed);
        weighed.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.concern.cmp(&b.concern)));
        weighed.truncate(CANDIDATES);
        let mut profile: Vec<(u16, f32)> = Vec::with_capacity(weighed.len());
        for w in &weighed {
            let axis = self.axes[w.concern];
            match profile.iter_mut().find(|(other, _)| *other == axis) {
                Some((_, p)) => *p += w.probability,
                None => profile.push((axis, w.probability)),
            }
        }
        profile.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let recognised = profile.first().is_some_and(|(_, p)| *p >= RECOGNISED);
        let direction = recognised.then(|| self.direction(&weighed, asked.waives));
        ConcernReading {
            profile,
            weighed,
            direction,
            nothing: heard.none * rest,
            particular: heard.particular * rest,
            waived: asked.waives,
        }
    }

    /// What the trained reader says; that it is something else where there is none.
    fn heard(&self, asked: &RemarkToRead<'_>, found: &[Found<'_>]) -> Heard {
        match self.trained {
            Some(trained) => {
                let mut scores = self.trained_scores(trained, asked, found);
                if let Some(something_else) = trained.place(OTHER) {
                    scores[something_else] += SOMETHING_ELSE;
                }
                trained.hear(&scores)
            }
            None => Heard { other: 1.0, ..Heard::default() },
        }
    }

    /// The scores of the reader's labels; without end where a concern is not asked of the work.
    fn trained_scores(&self, trained: &Trained, asked: &RemarkToRead<'_>, found: &[Found<'_>]) -> Vec<f32> {
        let mut scores = trained.scores(asked.text, asked.words.components(), asked.work);
        for (label, concern) in self.of_label.iter().enumerate() {
            let is_concern = ![NONE, PARTICULAR, OTHER].contains(&trained.labels[label].as_str());
            if is_concern && concern.is_none_or(|concern| self.of_work(concern, asked.work) == 0.0) {
                scores[label] = f32::NEG_INFINITY;
            }
        }
        if trained.is_familiar(asked.text) {
            return scores;
        }
        let mut terms: BTreeMap<usize, f32> = BTreeMap::new();
        for found in found {
            if let Some(label) = self.labels[found.concern] {
                *terms.entry(label).or_default() += found.weight;
            }
        }
        terms.into_iter().for_each(|(label, weight)| scores[label] += TERMS_ABROAD * of_terms(weight));
        scores
    }

    /// The concerns that the reader does not know, by their nearness: probabilities that sum to 1.
    fn weigh_others(&self, asked: &RemarkToRead<'_>, found: &[Found<'_>]) -> Vec<Weighed> {
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
        both.map(|((concern, score), weight)| Weighed { concern, probability: weight / sum, score }).collect()
    }

    /// Adds what speaks for the concerns of a store, at the cost of all others; what is left of these.
    fn weigh_own(&self, asked: &RemarkToRead<'_>, found: &[Found<'_>], weighed: &mut Vec<Weighed>) -> f32 {
        let own = self.own.iter().filter(|concern| self.of_work(**concern, asked.work) > 0.0).map(|concern| {
            let terms = found.iter().filter(|found| found.concern == *concern).map(|found| found.weight).sum();
            let near = OWN_SLOPE * (self.nearest_cosine(*concern, asked.words) - OWN_AT);
            (*concern, (near + OWN_TERMS * of_terms(terms)).exp())
        });
        let own: Vec<(usize, f32)> = own.collect();
        let rest = 1.0 / (1.0 + own.iter().map(|(_, odds)| odds).sum::<f32>());
        weighed.iter_mut().for_each(|known| known.probability *= rest);
        for (concern, odds) in own {
            let probability = odds * rest;
            match weighed.iter_mut().find(|known| known.concern == concern) {
                Some(known) => known.probability += probability,
                None => weighed.push(Weighed { concern, probability, score: probability.max(1e-9).ln() }),
            }
        }
        rest
    }

    /// What a text demands, as it is compared with others: by the concerns that are likely, and by its words where none is
    /// likely enough, or where it waives something. Two that are likely to be about the same concern are near however they
    /// word it; where no concern is known, only the same rare words tell.
    pub fn vector(&self, text: &str, reading: &ConcernReading) -> DemandVector {
        let mut axes = likely(reading, LIKELY);
        let unknown = (1.0 - axes.iter().map(|(_, weight)| weight * weight).sum::<f32>()).max(0.0).sqrt();
        let best = reading.profile.first().map_or(0.0, |(_, p)| *p);
        if reading.waived || best < RECOGNISED {
            axes.extend(self.word_axes(text, unknown * WORDS_ALONE));
        } else if best < CLEAR {
            axes.extend(self.word_axes(text, unknown));
        } else {
            axes.extend(whole(text).map(|axis| (axis, unknown * 0.9995)));
        }
        let vector = DemandVector::new(&axes);
        vector.with_faint(&possible(reading))
    }

    /// The same of a sentence in which somebody who understood a remark says what it demands: both its concerns and its
    /// words tell.
    pub fn vector_of_sentence(&self, sentence: &str, reading: &ConcernReading) -> DemandVector {
        let share = OF_SENTENCE.sqrt();
        let concerns = likely(reading, LIKELY_IN_SENTENCE).into_iter().map(|(axis, weight)| (axis, weight * share));
        DemandVector::new(&concerns.chain(self.word_axes(sentence, share)).collect::<Vec<_>>())
    }

    /// The axes of the words that say most, together of this length.
    fn word_axes(&self, text: &str, length: f32) -> Vec<(u16, f32)> {
        let mut words = match self.trained {
            Some(trained) => trained.telling_words(text),
            None => word_features(text),
        };
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        words.truncate(COMPARED_WORDS);
        let norm = words.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt().max(1e-9);
        // A little less, for components are rounded.
        words.into_iter().map(|(hash, weight)| (axis_of(hash), weight / norm * length * 0.9995)).collect()
    }

    fn explain(&self, asked: &RemarkToRead<'_>, reading: &ConcernReading, mut terms: Vec<Found<'_>>) -> Option<Match> {
        let best = reading.weighed.first().filter(|_| reading.direction.is_some())?;
        let concern = &self.concerns[best.concern];
        terms.retain(|t| t.concern == best.concern && t.weight > 0.0);
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.term.cmp(b.term)));
        // The same term may stand in several languages, or be found twice.
        terms.dedup_by(|a, b| a.term == b.term);
        let (nearest, cosine) = self.nearest(best.concern, asked.words);
        Some(Match {
            concern: concern.id.clone(),
            probability: round(f64::from(best.probability)),
            terms: terms.iter().take(NAMED_TERMS).map(|t| t.term.to_owned()).collect(),
            nearest_phrasing: self.shown[best.concern].get(nearest).cloned().unwrap_or_default(),
            similarity: round(f64::from(cosine)),
            otherwise: reading.weighed.get(1).map(|w| self.concerns[w.concern].id.clone()),
        })
    }

    /// The concerns of the work, with their scores without their nearest phrasings.
    fn score(&self, found: &[Found<'_>], asked: &RemarkToRead<'_>) -> Vec<(usize, f32)> {
        let count = self.concerns.len();
        let mut terms = vec![0.0_f32; count];
        found.iter().for_each(|found| terms[found.concern] += found.weight);
        let (words, letters) = (self.words(asked.text), self.letters(asked.text));
        let centres = products::all(&self.centres, self.dense(asked.words));
        let candidates = (0..count).filter_map(|concern| {
            let work = self.of_work(concern, asked.work);
            (work > 0.0 && self.compared[concern] > 0).then_some((concern, work))
        });
        candidates
            .map(|(concern, work)| {
                let centre = centres.get(concern).map_or(0.0, |product| products::cosine(*product));
                let score = CENTRE * centre
                    + TERMS * of_terms(terms[concern])
                    + WORDS * words[concern]
                    + LETTERS * letters[concern]
                    + WORK * work;
                (concern, score)
            })
            .collect()
    }

    /// What the words of a text say for each concern.
    fn words(&self, text: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.concerns.len()];
        self.lexicon.score(text, &mut scores);
        scores
    }

    /// What the letters of a text say for each concern.
    fn letters(&self, text: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.concerns.len()];
        self.letters.score(text, &mut scores);
        scores
    }

    /// How much the work counts for a concern, 0 to 1.
    fn of_work(&self, concern: usize, work: Option<Work>) -> f32 {
        work.map_or(0.5, |work| self.at_home[concern][work as usize])
    }

    /// The components that are compared with the matrix; none of a vector of another embedder.
    fn dense<'e>(&self, words: &'e Embedding) -> &'e [i16] {
        if words.components().len() == self.width { words.components() } else { &[] }
    }

    /// The middle of a concern's phrasings: the mean of their vectors, of unit length.
    pub fn centre(&self, concern: usize) -> Vec<f32> {
        centre(self.phrasings(concern), self.width)
    }

    /// The cosine of the middle of a concern's phrasings.
    fn centre_cosine(&self, concern: usize, words: &Embedding) -> f32 {
        self.centres.chunks_exact(self.width.max(1)).nth(concern).map_or(0.0, |row| product(row, words.components()))
    }

    /// The cosine of the nearest phrasing.
    fn nearest_cosine(&self, concern: usize, words: &Embedding) -> f32 {
        let compared = &self.phrasings(concern)[..self.compared[concern] * self.width];
        products::all(compared, self.dense(words)).into_iter().max().map_or(0.0, products::cosine)
    }

    fn nearest(&self, concern: usize, words: &Embedding) -> (usize, f32) {
        let cosines = self.rows(concern).map(|row| product(row, words.components())).enumerate();
        cosines.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).unwrap_or((0, 0.0))
    }

    fn rows(&self, concern: usize) -> impl Iterator<Item = &[i8]> {
        self.phrasings(concern).chunks_exact(self.width.max(1))
    }

    /// The vectors of a concern's phrasings, one after the other.
    fn phrasings(&self, concern: usize) -> &[i8] {
        &self.matrix[self.begins[concern] * self.width..self.begins[concern + 1] * self.width]
    }

    /// Where a remark's own words tell best which way it points.
    pub fn words_tell(&self, reading: &ConcernReading) -> WordsTell {
        let [best, others @ ..] = reading.weighed.as_slice() else { return WordsTell::Nothing };
        let concern = &self.concerns[best.concern];
        let opposite = self.opposite(best.concern);
        let contrary = |o: &usize| concern.direction.direction().opposes(self.concerns[*o].direction.direction());
        let Some(opposite) = opposite.filter(contrary) else { return WordsTell::Nothing };
        let likely = |w: &Weighed| w.concern == opposite && w.probability >= IN_DOUBT * best.probability;
        if others.iter().any(likely) { WordsTell::Everything } else { WordsTell::Requests }
    }

    /// Which way a concern points. Of two opposites one always points the other way than its contrary, also where both
    /// ask for less of something: "less mocking" and "less real network".
    pub fn towards(&self, concern: usize) -> Direction {
        let axis = usize::from(self.axes[concern]);
        let first = self.concerns[axis].direction.direction();
        if self.concerns[concern].opposite.is_none() {
            return first;
        }
        let first = if first == Direction::Unclear { Direction::More } else { first };
        if axis == concern { first } else { first.contrary() }
    }

    /// Which way a recognised remark points. What is waived points the other way.
    fn direction(&self, weighed: &[Weighed], waives: bool) -> Direction {
        let towards = self.towards(weighed[0].concern);
        if waives { towards.contrary() } else { towards }
    }
}

/// The axis of a whole text, which only texts of the same words share; none where it has too few to tell.
fn whole(text: &str) -> Option<u16> {
    let words = word_features(text);
    let hash = words.iter().fold(17_u32, |hash, (word, _)| hash.wrapping_mul(31).wrapping_add(*word));
    (words.len() >= TELLING_WORDS).then(|| axis_of(hash))
}

/// The axis of a word, or of a text.
fn axis_of(hash: u32) -> u16 {
    DemandVector::WORDS + (hash % u32::from(u16::MAX - DemandVector::WORDS)) as u16
}

/// The mean of vectors that lie one after the other, of unit length.
fn centre(vectors: &[i8], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; width];
    for row in vectors.chunks_exact(width.max(1)) {
        sum.iter_mut().zip(row).for_each(|(sum, v)| *sum += f32::from(*v));
    }
    let length = sum.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-9);
    sum.iter_mut().for_each(|v| *v /= length);
    sum
}

/// What the summed weights of terms come to, at most 1.
fn of_terms(weight: f32) -> f32 {
    if weight > 0.0 { 1.0 - (-weight / 2.0).exp() } else { weight.max(-2.0) * 0.3 }
}

/// The axes of the concerns that a remark is compared by, so weighed that the product of two is how likely both are to voice
/// the same.
fn likely(reading: &ConcernReading, from: f32) -> Vec<(u16, f32)> {
    let likely = reading.profile.iter().filter(|(_, p)| *p >= from);
    likely.map(|(axis, p)| (*axis, p.min(0.999).sqrt())).collect()
}

/// The axes of the concerns that are possible, yet not likely, with their probabilities.
fn possible(reading: &ConcernReading) -> Vec<(u16, f32)> {
    reading.profile.iter().copied().filter(|(_, p)| (POSSIBLE..LIKELY).contains(p)).take(ALSO).collect()
}
