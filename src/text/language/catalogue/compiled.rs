//! The catalogue, ready for use: a remark's text and vector in, what it demands out.
//!
//! A remark is read in three ways that share one probability of 1 (`weighing`): by the trained reader, by nearness to the
//! phrasings of what that does not know, and by nearness to a store's own concerns. What it is compared by follows from
//! that (`vectors`), and `parts` says why.

mod parts;
mod products;
mod vectors;
mod weights;

pub use parts::{Near, Parts, ReadBy, Spoken, WhatIf};

use super::automaton::{Automaton, Found};
use super::concern::{Catalogue, Concern, Work};
use super::letters::Letters;
use super::lexicon::Lexicon;
use super::prepared::{Embed, Matrix, Prepared, Vocabulary};
use super::recognition::{ConcernReading, Match, Weighed, WordsTell};
use super::shipped::shipped_ids;
use super::trained::{Trained, places};
use crate::language::cues::{BACK_REFERENCE, Code, Cues, NONE};
use crate::language::direction::Direction;
use crate::language::similarity::Embedding;
use crate::prose::round;
use std::collections::HashSet;

/// From which share of the best concern's probability on its opposite is likely as well.
const IN_DOUBT: f32 = 0.2;
/// What a gate counts for a concern that is asked of several kinds of work, but is more at home elsewhere.
const NOT_AT_HOME: f32 = 0.85;
/// From which probability on a remark counts as recognised.
const RECOGNISED: f32 = 0.25;
/// How many phrasings of a concern that the reader was trained on are kept to be shown.
const SHOWN: usize = 12;
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
    /// The concerns that are read by nearness to their phrasings, and the middles of these, as the matrix.
    near: Vec<usize>,
    centres: Vec<i8>,
    /// The phrasings in the matrix: those that are compared, then those that are only shown.
    shown: Vec<Vec<String>>,
    /// Where each concern's phrasings begin in the matrix, and where the last one's end.
    begins: Vec<usize>,
    cues: Cues,
    fingerprint: String,
}

/// How sure a concern is of which a cue was found, 0 to 1.
const BEYOND_DOUBT: f32 = 0.95;

/// What cues show of a comment.
#[derive(Clone, Debug)]
pub enum Shown {
    /// It asks for nothing.
    Nothing,
    /// It asks for what another one asks for.
    BackReference,
    /// What it asks for.
    Demand {
        /// As it is compared.
        reading: ConcernReading,
        /// As records keep it.
        found: Match,
    },
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
            near,
            centres,
            begins,
            cues,
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

    /// What cues show of a comment and its code; `None` if none is found. If the comment waives what is usually asked for, a cue
    /// that asks for more shows the opposite: “no error handling needed”. On code it shows nothing, because a line may waive one
    /// thing and ask for another.
    pub fn shown(&self, comment: &str, code: Option<&Code>, waives: bool) -> Option<Shown> {
        let recognised = self.cues.recognise(comment, code);
        let meant = |concern: usize| match waives && self.towards(concern) == Direction::More {
            true => self.opposite(concern).filter(|_| code.is_none()),
            false => Some(concern),
        };
        let mut known = recognised.iter().filter_map(|one| Some((one, meant(self.place(&one.concern)?)?)));
        let Some((first, concern)) = known.next() else {
            return match recognised.first()?.concern.as_str() {
                NONE => Some(Shown::Nothing),
                BACK_REFERENCE => Some(Shown::BackReference),
                _ => None,
            };
        };
        let reading = ConcernReading {
            weighed: vec![Weighed { concern, probability: BEYOND_DOUBT }],
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
        Some(Shown::Demand { reading, found })
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
            shown_by: None,
        })
    }

    /// The middle of a concern's phrasings: the mean of their vectors, of unit length.
    pub fn centre(&self, concern: usize) -> Vec<f32> {
        centre(self.phrasings(concern), self.width)
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
