//! The compiled catalogue: maps a comment's text and vector to its demand.
//!
//! A comment is read in three ways that share one probability of 1 (`weighing`): by the trained reader, by nearness to
//! the phrasings of concerns unknown to it, and by nearness to a store's own concerns. The comparison vector follows
//! from that (`vectors`); `parts` explains the result.

mod parts;
mod products;
mod vectors;
mod weights;

pub use parts::{NearPhrasing, Parts, ReadBy, Spoken, WhatIf};

use super::automaton::{Automaton, TermMatch};
use super::concern::{Catalogue, Concern, Work};
use super::letters::Letters;
use super::lexicon::Lexicon;
use super::prepared::{Embed, Matrix, PreparedCatalogue, Vocabulary};
use super::recognition::{ConcernReading, Match, ScoredConcern, WordsTell};
use super::shipped::shipped_ids;
use super::trained::{TrainedReader, places};
use crate::language::cues::{BACK_REFERENCE, Code, Cues, NONE};
use crate::language::direction::Direction;
use crate::language::similarity::Embedding;
use crate::prose::round;
use std::collections::HashSet;

/// Share of the best concern's probability from which its opposite is likely as well.
const IN_DOUBT: f32 = 0.2;
/// Weight of a gate for a concern that applies to several kinds of work but belongs mainly elsewhere.
const NOT_AT_HOME: f32 = 0.85;
/// Probability from which a comment counts as recognised.
const RECOGNISED: f32 = 0.25;
/// Number of phrasings kept for display for each concern that the reader was trained on.
const SHOWN: usize = 12;
/// Maximum number of terms named in a record.
const NAMED_TERMS: usize = 5;

/// Input to the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CommentInput<'a> {
    /// The unwrapped comment.
    pub text: &'a str,
    /// The vector of its words.
    pub words: &'a Embedding,
    /// The work it is about, if known.
    pub work: Option<Work>,
    /// Whether it waives what is usually asked for.
    pub waives: bool,
}

/// A compiled catalogue.
#[derive(Debug)]
pub struct CompiledCatalogue {
    concerns: Vec<Concern>,
    axes: Vec<u16>,
    /// Weight of each kind of work for each concern, 0 to 1.
    at_home: Vec<[f32; 6]>,
    automaton: Automaton,
    /// The reader, and for each concern the index of its label if the reader was trained on it.
    trained: Option<&'static TrainedReader>,
    labels: Vec<Option<usize>>,
    /// For each label its concern, if any.
    of_label: Vec<Option<usize>>,
    /// The concerns that are not shipped, if there is a reader trained on the shipped ones.
    own: Vec<usize>,
    /// Number of phrasings of each concern that are compared with comments: all, or those unknown to the reader.
    compared: Vec<usize>,
    lexicon: Lexicon,
    letters: Letters,
    /// The vectors of all phrasings, contiguous, scaled so that 127 is 1.
    matrix: Vec<i8>,
    width: usize,
    /// The concerns read by nearness to their phrasings, and the centres of these, in the form of the matrix.
    near: Vec<usize>,
    centres: Vec<i8>,
    /// The phrasings in the matrix: those compared, then those only shown.
    shown: Vec<Vec<String>>,
    /// The offsets of each concern's phrasings in the matrix, and the final end.
    begins: Vec<usize>,
    cues: Cues,
    fingerprint: String,
}

/// Confidence in a concern with a matching cue, 0 to 1.
const BEYOND_DOUBT: f32 = 0.95;

/// What cues show about a comment.
#[derive(Clone, Debug)]
pub enum CueResult {
    /// It demands nothing.
    Nothing,
    /// It asks for the same as another one.
    BackReference,
    /// It makes a demand.
    Demand {
        /// The form used for comparison.
        reading: ConcernReading,
        /// The form stored in records.
        found: Match,
    },
}

impl CompiledCatalogue {
    /// Compiles a catalogue for an embedder, given by its id; `embed` returns the vectors of texts missing from
    /// `prepared`. Concerns known to `trained` are read by it, all others by their nearness to their phrasings.
    ///
    /// # Errors
    /// Errors from `embed`.
    pub fn new<E>(
        catalogue: Catalogue,
        prepared: Option<PreparedCatalogue>,
        trained: Option<&'static TrainedReader>,
        embedder: &str,
        embed: &Embed<'_, E>,
    ) -> Result<CompiledCatalogue, E> {
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
        let cues = Cues::new(catalogue.cues());
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
        let near: Vec<usize> = (0..concerns.len()).filter(|concern| compared[*concern] > 0).collect();
        let centres = near.iter().map(|concern| centre(rows(*concern, compared[*concern]), width));
        let centres = centres.flatten().map(|v| (v * 127.0).round() as i8).collect();
        Ok(CompiledCatalogue {
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
            near,
            centres,
            begins,
            cues,
            fingerprint,
        })
    }

    /// Returns what can be kept for the next start.
    pub fn prepared(self, embedder: &str) -> PreparedCatalogue {
        let texts: Vec<String> = self.shown.concat();
        let matrix = Matrix { width: self.width, values: self.matrix };
        let vocabulary = Vocabulary { lexicon: self.lexicon, letters: self.letters };
        PreparedCatalogue::new(embedder, &self.fingerprint, vocabulary, &texts, matrix)
    }

    /// Returns the concerns, by index.
    pub fn concerns(&self) -> &[Concern] {
        &self.concerns
    }

    /// Returns a concern's index.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.concerns.binary_search_by(|c| c.id.as_str().cmp(id)).ok()
    }

    /// Returns the index of a concern's opposite, if it has one.
    pub fn opposite(&self, concern: usize) -> Option<usize> {
        self.place(self.concerns[concern].opposite.as_deref()?)
    }

    /// Returns a concern by its id.
    pub fn find(&self, id: &str) -> Option<&Concern> {
        self.place(id).map(|place| &self.concerns[place])
    }

    /// Returns how many concerns have a word in their phrasings: a word of many says little about a particular one.
    pub fn spread(&self, word: &str) -> usize {
        self.lexicon.spread(word) + self.trained.map_or(0, |trained| trained.spread(word))
    }

    /// Returns the axis of a concern in profiles: its own index, or that of its opposite if that is lower. Opposites
    /// are about the same thing.
    pub fn axis(&self, concern: usize) -> u16 {
        self.axes[concern]
    }

    /// Returns a fingerprint of the catalogue and its use.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// What cues show of a comment and its code; `None` if none is found. If the comment waives what is usually asked for, a cue
    /// that asks for more shows the opposite: “no error handling needed”. On code it shows nothing, because a line may waive one
    /// thing and ask for another.
    pub fn shown(&self, comment: &str, code: Option<&Code>, waives: bool) -> Option<CueResult> {
        let recognised = self.cues.recognise(comment, code);
        let meant = |concern: usize| match waives && self.towards(concern) == Direction::More {
            true => self.opposite(concern).filter(|_| code.is_none()),
            false => Some(concern),
        };
        let mut known = recognised.iter().filter_map(|one| Some((one, meant(self.place(&one.concern)?)?)));
        let Some((first, concern)) = known.next() else {
            return match recognised.first()?.concern.as_str() {
                NONE => Some(CueResult::Nothing),
                BACK_REFERENCE => Some(CueResult::BackReference),
                _ => None,
            };
        };
        let reading = ConcernReading {
            weighed: vec![ScoredConcern { concern, probability: BEYOND_DOUBT }],
            direction: Some(self.towards(concern)),
            ..ConcernReading::default().about(self.axes[concern], BEYOND_DOUBT)
        };
        let found = Match {
            concern: self.concerns[concern].id.clone(),
            probability: round(f64::from(BEYOND_DOUBT)),
            terms: Vec::new(),
            nearest_phrasing: String::new(),
            similarity: 0.0,
            otherwise: known.next().map(|(_, other)| self.concerns[other].id.clone()),
            shown_by: Some(first.shown_by.clone()),
        };
        Some(CueResult::Demand { reading, found })
    }

    /// Reads a comment.
    pub fn read(&self, asked: &CommentInput<'_>) -> ConcernReading {
        self.read_with(asked, &self.automaton.find(&asked.text.to_lowercase()))
    }

    /// Reads a comment and explains the reading; without an explanation if no concern was recognised.
    pub fn explained(&self, asked: &CommentInput<'_>) -> (ConcernReading, Option<Match>) {
        let found = self.automaton.find(&asked.text.to_lowercase());
        let reading = self.read_with(asked, &found);
        let why = self.explain(asked, &reading, found);
        (reading, why)
    }

    fn read_with(&self, asked: &CommentInput<'_>, found: &[TermMatch<'_>]) -> ConcernReading {
        let (weighed, nothing, particular) = self.weigh(asked, found);
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
        ConcernReading { profile, weighed, direction, nothing, particular, on_code: false, waived: asked.waives }
    }

    fn explain(
        &self,
        asked: &CommentInput<'_>,
        reading: &ConcernReading,
        mut terms: Vec<TermMatch<'_>>,
    ) -> Option<Match> {
        let best = reading.weighed.first().filter(|_| reading.direction.is_some())?;
        let concern = &self.concerns[best.concern];
        terms.retain(|t| t.concern == best.concern && t.weight > 0.0);
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.term.cmp(b.term)));
        // The same term may occur in several languages, or be found twice.
        terms.dedup_by(|a, b| a.term == b.term);
        let (nearest, cosine) = self.nearest(best.concern, asked.words);
        Some(Match {
            concern: concern.id.clone(),
            probability: round(f64::from(best.probability)),
            terms: terms.iter().take(NAMED_TERMS).map(|t| t.term.to_owned()).collect(),
            nearest_phrasing: self.shown[best.concern].get(nearest).cloned().unwrap_or_default(),
            similarity: round(f64::from(cosine)),
            otherwise: reading.weighed.get(1).map(|w| self.concerns[w.concern].id.clone()),
            shown_by: None,
        })
    }

    /// Returns the centre of a concern's phrasings: the mean of their vectors, normalised.
    pub fn centre(&self, concern: usize) -> Vec<f32> {
        centre(self.phrasings(concern), self.width)
    }

    fn rows(&self, concern: usize) -> impl Iterator<Item = &[i8]> {
        self.phrasings(concern).chunks_exact(self.width.max(1))
    }

    /// Returns the vectors of a concern's phrasings, contiguous.
    fn phrasings(&self, concern: usize) -> &[i8] {
        &self.matrix[self.begins[concern] * self.width..self.begins[concern + 1] * self.width]
    }

    /// Reports where a comment's own words best show its direction.
    pub fn words_tell(&self, reading: &ConcernReading) -> WordsTell {
        let [best, others @ ..] = reading.weighed.as_slice() else { return WordsTell::Nothing };
        let concern = &self.concerns[best.concern];
        let opposite = self.opposite(best.concern);
        let contrary = |o: &usize| concern.direction.direction().opposes(self.concerns[*o].direction.direction());
        let Some(opposite) = opposite.filter(contrary) else { return WordsTell::Nothing };
        let likely = |w: &ScoredConcern| w.concern == opposite && w.probability >= IN_DOUBT * best.probability;
        if others.iter().any(likely) { WordsTell::Everything } else { WordsTell::Requests }
    }

    /// Returns the direction of a concern. Two opposites always have different directions, even if both ask for less of
    /// something: "less mocking" and "less real network".
    pub fn towards(&self, concern: usize) -> Direction {
        let axis = usize::from(self.axes[concern]);
        let first = self.concerns[axis].direction.direction();
        if self.concerns[concern].opposite.is_none() {
            return first;
        }
        let first = if first == Direction::Unclear { Direction::More } else { first };
        if axis == concern { first } else { first.contrary() }
    }

    /// Returns the direction of a recognised comment. A waiver reverses it.
    fn direction(&self, weighed: &[ScoredConcern], waives: bool) -> Direction {
        let towards = self.towards(weighed[0].concern);
        if waives { towards.contrary() } else { towards }
    }
}

/// Returns the mean of contiguous vectors, normalised.
fn centre(vectors: &[i8], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; width];
    for row in vectors.chunks_exact(width.max(1)) {
        sum.iter_mut().zip(row).for_each(|(sum, v)| *sum += f32::from(*v));
    }
    let length = sum.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-9);
    sum.iter_mut().for_each(|v| *v /= length);
    sum
}
