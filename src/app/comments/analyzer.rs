//! What texts demand: the embedder and the catalogue of concerns behind one interface.
//!
//! Everything compared with reviewers' comments goes through here, so all vectors share one space and one calibration.

use crate::domain::intake::feedback::Feedback;
use crate::domain::records::record::{DecisionRecord, ProposalRecord};
use crate::domain::rules::draft::proposal::{KnownRule, direction_of};
pub use crate::ports::EmbedError;
use crate::ports::Embedder;
use crate::text::ids::Gate;
use crate::text::language::catalogue;
use crate::text::language::catalogue::{
    Catalogue, CommentInput, CompiledCatalogue, ConcernReading, CueResult, Match, WordsTell, Work,
};
use crate::text::language::cues::Code;
use crate::text::language::direction::{Direction, Stance};
use crate::text::language::model_reading::ModelReading;
use crate::text::language::similarity::{Calibration, DemandVector, Embedding};
use crate::text::language::stance::is_request;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Version of the reading logic; changing it invalidates existing vectors.
const VERSION: u32 = 11;

/// Output calibration: the cosine at which about four of five pairs ask for the same, and the average link at which a
/// comment joins a cluster. Measured on labelled comments of real reviews.
const T80: f64 = 0.75;
const GROUP_THRESHOLD: f64 = 0.30;

/// The cosines for a core of three or more: with each member, and on average with all members.
const CORE_PAIR: f64 = 0.20;
const CORE_MEAN: f64 = 0.60;

/// Minimum no-demand probability at which a comment on an approval counts as praise.
const CONTENT: f64 = 0.2;

/// The words-only cosine at which about four of five pairs of short texts mean the same.
const WORDS_T80: f64 = 0.66;

/// The concern's probability in the text of a rule built from it, as in a comment that states it clearly.
const CLEARLY: f32 = 0.9;

/// Minimum probability for a text edited by people to still be about its original concern.
const STILL_READS: f32 = 0.1;

/// A comment as understood.
#[derive(Clone, Debug)]
pub struct Understood {
    /// The vector for comparisons.
    pub vector: DemandVector,
    /// The concern it voices, if one was recognised.
    pub concern: Option<Match>,
    /// Its direction, if a concern shows it.
    pub direction: Option<Direction>,
    /// Cases in which its own words are a better guide to direction.
    pub words_tell: WordsTell,
    /// The probability that it asks for nothing, 0 to 1.
    pub nothing: f32,
    /// Whether a cue shows its demand beyond doubt.
    pub shown: bool,
}

impl Understood {
    /// Writes the demand into feedback and returns its vector.
    pub fn told(self, feedback: &mut Feedback) -> DemandVector {
        if self.shown {
            feedback.stance.demand = true;
            feedback.stance.waives = false;
        }
        if let Some(direction) = self.direction.filter(|_| !self.told_by_words(&feedback.stance)) {
            feedback.stance.direction = direction;
        }
        feedback.concern = self.concern;
        self.vector
    }

    /// Reports whether the comment explicitly asks for a change: it contains a request and does not read like praise, a
    /// report or a question.
    pub fn asks_outright(&self, stance: &Stance) -> bool {
        if self.shown {
            return true;
        }
        let requests = stance.cue.as_deref().is_some_and(is_request);
        stance.demand && requests && f64::from(self.nothing) < CONTENT
    }

    /// Reports whether a comment's words, rather than its concern, give its direction. A waiver names its subject:
    /// "error handling is not needed" may match the concern that asks for it or the one that asks for less.
    pub fn told_by_words(&self, stance: &Stance) -> bool {
        if self.shown {
            return false;
        }
        let tells = match self.words_tell {
            WordsTell::Nothing => stance.waives,
            WordsTell::Requests => stance.waives || stance.cue.as_deref().is_some_and(is_request),
            WordsTell::Everything => true,
        };
        tells && stance.direction != Direction::Unclear
    }
}

/// Maximum number of comments read ahead and kept. Unused ones are dropped with all others.
const AHEAD: usize = 4096;

/// The embedder and the catalogue.
pub struct Analyzer {
    embedder: Arc<dyn Embedder>,
    catalogue: CompiledCatalogue,
    id: String,
    ahead: Mutex<HashMap<ToRead, Told>>,
}

/// What was understood of a comment.
#[derive(Clone, Debug)]
pub enum Told {
    /// Nothing comparable.
    Nothing,
    /// A cue shows that it asks for nothing.
    AsksForNothing,
    /// Its demand.
    Demand(Box<Understood>),
}

/// The inputs of a reading.
#[derive(PartialEq, Eq, Hash)]
struct ToRead {
    /// The original text with its context.
    said: Option<String>,
    /// The code it is about.
    code: Option<Code>,
    /// The comparable part of the text.
    text: Option<String>,
    gate: Gate,
    waives: bool,
}

impl ToRead {
    fn of(feedback: &Feedback) -> ToRead {
        ToRead {
            said: feedback.decision.reviewer_comment.clone(),
            code: feedback.code(),
            text: feedback.compared_text(),
            gate: feedback.decision.gate,
            waives: feedback.stance.waives,
        }
    }
}

impl Analyzer {
    /// Compiles a catalogue for an embedder.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn new(embedder: Arc<dyn Embedder>, catalogue: Catalogue) -> Result<Analyzer, EmbedError> {
        let catalogue = CompiledCatalogue::new(
            catalogue,
            catalogue::prepared(),
            Some(catalogue::shipped_reader()),
            embedder.id(),
            &|texts| embedder.embed_lasting(texts),
        )?;
        let id = format!("{} catalogue {} reading {VERSION}", embedder.id(), catalogue.fingerprint());
        Ok(Analyzer { embedder, catalogue, id, ahead: Mutex::default() })
    }

    /// Returns the same embedder with another catalogue.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn with(&self, catalogue: Catalogue) -> Result<Analyzer, EmbedError> {
        Analyzer::new(Arc::clone(&self.embedder), catalogue)
    }

    /// Prepares texts to be read soon, in one batch if that is cheaper.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn prepare(&self, texts: &mut dyn Iterator<Item = String>) -> Result<(), EmbedError> {
        self.embedder.prepare(texts)
    }

    /// Returns the name and version of everything that determines vectors.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the embedder.
    pub fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// Returns the catalogue.
    pub fn catalogue(&self) -> &CompiledCatalogue {
        &self.catalogue
    }

    /// Returns the raw cosine equal to a calibrated similarity of 0.8.
    pub fn t80(&self) -> f64 {
        T80
    }

    /// Returns the average link at which a comment joins a cluster.
    pub fn group_threshold(&self) -> f64 {
        GROUP_THRESHOLD
    }

    /// Returns the minimum cosine of each pair in a core.
    pub fn core_pair(&self) -> f64 {
        CORE_PAIR
    }

    /// Returns the minimum average cosine of the pairs in a core.
    pub fn core_mean(&self) -> f64 {
        CORE_MEAN
    }

    /// Understands feedback.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn feedback(&self, feedback: &Feedback) -> Result<Told, EmbedError> {
        let wanted = ToRead::of(feedback);
        match self.ahead().remove(&wanted) {
            Some(told) => Ok(told),
            None => self.told(&wanted),
        }
    }

    /// Reads feedback ahead of use. An embedder failure is reported when it is requested.
    pub fn read_ahead(&self, feedback: &Feedback) {
        let wanted = ToRead::of(feedback);
        let Ok(told) = self.told(&wanted) else { return };
        let mut ahead = self.ahead();
        if ahead.len() >= AHEAD {
            ahead.clear();
        }
        ahead.insert(wanted, told);
    }

    /// Applies cues first; everything else is read by its words.
    fn told(&self, wanted: &ToRead) -> Result<Told, EmbedError> {
        match wanted.said.as_deref().and_then(|said| self.catalogue.shown(said, wanted.code.as_ref(), wanted.waives)) {
            Some(CueResult::Demand { reading, found }) => {
                let text = wanted.text.as_deref().or(wanted.said.as_deref()).unwrap_or_default();
                Ok(Told::Demand(Box::new(self.shown(text, &reading, found))))
            }
            Some(CueResult::Nothing) => Ok(Told::AsksForNothing),
            Some(CueResult::BackReference) => Ok(Told::Nothing),
            None => {
                let Some(text) = &wanted.text else { return Ok(Told::Nothing) };
                let read = self.read_on(text, Some(wanted.gate), wanted.waives, wanted.code.is_some())?;
                Ok(read.map_or(Told::Nothing, |understood| Told::Demand(Box::new(understood))))
            }
        }
    }

    /// Returns what a cue shows.
    fn shown(&self, text: &str, reading: &ConcernReading, found: Match) -> Understood {
        Understood {
            vector: self.catalogue.vector(text, reading),
            concern: Some(found),
            direction: reading.direction,
            words_tell: WordsTell::Nothing,
            nothing: 0.0,
            shown: true,
        }
    }

    fn ahead(&self) -> MutexGuard<'_, HashMap<ToRead, Told>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the vector of a record's comment, if it has one: the same as when it was understood.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn record(&self, record: &DecisionRecord) -> Result<Option<DemandVector>, EmbedError> {
        if !record.is_compared() {
            return Ok(None);
        }
        let text = record.compared_text();
        if let Some(reading) = &record.feedback.reading {
            return Ok(self.sentence(reading, Some(record.gate))?.map(|understood| understood.vector));
        }
        let said = record.reviewer_comment.as_deref();
        let code = record.code();
        match said.and_then(|said| self.catalogue.shown(said, code.as_ref(), record.feedback.stance.waives)) {
            Some(CueResult::Demand { reading, .. }) => {
                let text = text.as_deref().or(said).unwrap_or_default();
                return Ok(Some(self.catalogue.vector(text, &reading)));
            }
            Some(CueResult::Nothing | CueResult::BackReference) => return Ok(None),
            None => {}
        }
        let Some(text) = text else { return Ok(None) };
        let Some(words) = self.words(&text)? else { return Ok(None) };
        let asked = asked(&text, &words, Some(record.gate), record.feedback.stance.waives);
        let reading = self.catalogue.read(&asked);
        let reading = if code.is_some() { reading.on_code() } else { reading };
        let said = record.feedback.marked.as_ref().and_then(|marked| marked.demand.as_deref());
        let reading = match said.and_then(|concern| self.catalogue.place(concern)) {
            Some(concern) => reading.about(self.catalogue.axis(concern), CLEARLY),
            None => reading,
        };
        Ok(Some(self.catalogue.vector(&text, &reading)))
    }

    /// Interprets a comment from the sentence that states its demand; `None` if there is no demand to compare.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn sentence(&self, reading: &ModelReading, gate: Option<Gate>) -> Result<Option<Understood>, EmbedError> {
        let Some(text) = reading.sentence() else { return Ok(None) };
        let Some(words) = self.words(text)? else { return Ok(None) };
        let (read, concern) = self.catalogue.explained(&asked(text, &words, gate, false));
        Ok(Some(Understood {
            vector: self.catalogue.vector_of_sentence(text, &read),
            concern,
            direction: Some(read.direction.unwrap_or_else(|| reading.direction())),
            words_tell: WordsTell::Nothing,
            nothing: 0.0,
            shown: false,
        }))
    }

    /// Returns the vector of a one-sentence demand as written by a reader; `None` if it has no known word.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn demand(&self, sentence: &str) -> Result<Option<DemandVector>, EmbedError> {
        let Some(words) = self.words(sentence)? else { return Ok(None) };
        let (read, _) = self.catalogue.explained(&asked(sentence, &words, None, false));
        Ok(Some(self.catalogue.vector_of_sentence(sentence, &read)))
    }

    /// Understands a comment made at a gate, by a cue or else by its words; `None` if it has no known word.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn read(&self, text: &str, gate: Option<Gate>, waives: bool) -> Result<Option<Understood>, EmbedError> {
        if let Some(CueResult::Demand { reading, found }) = self.catalogue.shown(text, None, waives) {
            return Ok(Some(self.shown(text, &reading, found)));
        }
        self.read_on(text, gate, waives, false)
    }

    fn read_on(
        &self,
        text: &str,
        gate: Option<Gate>,
        waives: bool,
        on_code: bool,
    ) -> Result<Option<Understood>, EmbedError> {
        let Some(words) = self.words(text)? else { return Ok(None) };
        let asked = asked(text, &words, gate, waives);
        let (reading, concern) = self.catalogue.explained(&asked);
        let reading = if on_code { reading.on_code() } else { reading };
        Ok(Some(Understood {
            vector: self.catalogue.vector(text, &reading),
            concern,
            direction: reading.direction,
            words_tell: self.catalogue.words_tell(&reading),
            nothing: reading.nothing,
            shown: false,
        }))
    }

    /// Returns a rule in comparable form. A rule built from a concern has the concern's direction.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn known_rule(&self, rule: &ProposalRecord) -> Result<KnownRule, EmbedError> {
        Ok(KnownRule {
            id: rule.proposal_id.clone(),
            evidence: rule.created_from_feedback_ids.first().cloned(),
            ..self.known_text(&rule.rule_content, self.concern_of(rule)?)?
        })
    }

    /// Returns the concern a rule was built from. An edited text keeps it only while it still reads like it.
    fn concern_of<'r>(&self, rule: &'r ProposalRecord) -> Result<Option<&'r str>, EmbedError> {
        let Some(concern) = rule.concern.as_deref() else { return Ok(None) };
        if rule.version > 1 && !self.still_reads(&rule.rule_content, concern)? {
            return Ok(None);
        }
        Ok(Some(concern))
    }

    /// Reports whether a text still reads as a concern.
    fn still_reads(&self, text: &str, concern: &str) -> Result<bool, EmbedError> {
        let Some(axis) = self.catalogue.place(concern).map(|place| self.catalogue.axis(place)) else {
            return Ok(false);
        };
        let Some(words) = self.words(text)? else { return Ok(false) };
        let reading = self.catalogue.read(&asked(text, &words, None, false));
        Ok(reading.profile.iter().any(|(other, p)| *other == axis && *p >= STILL_READS))
    }

    /// Returns a rule's text in comparable form.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn known_text(&self, text: &str, concern: Option<&str>) -> Result<KnownRule, EmbedError> {
        let found = concern.and_then(|id| self.catalogue.find(id));
        Ok(KnownRule {
            id: String::new(),
            content: text.to_owned(),
            vector: self.rule_text(text, concern)?,
            evidence: None,
            concern: concern.map(str::to_owned),
            opposite: found.and_then(|c| c.opposite.clone()),
            direction: found.map_or_else(|| direction_of(text), |c| c.direction.direction()),
        })
    }

    /// Returns the vector of a rule's text; `None` if it has no known word.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn rule_text(&self, text: &str, concern: Option<&str>) -> Result<Option<DemandVector>, EmbedError> {
        let Some(words) = self.words(text)? else { return Ok(None) };
        let mut reading = self.catalogue.read(&asked(text, &words, None, false));
        if let Some(axis) = concern.and_then(|id| self.catalogue.place(id)).map(|place| self.catalogue.axis(place)) {
            reading = reading.about(axis, CLEARLY);
        }
        Ok(Some(self.catalogue.vector(text, &reading)))
    }

    /// Returns a text prepared for comparison by words.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn compared_with(&self, text: &str) -> Result<ComparedWith<'_>, EmbedError> {
        Ok(ComparedWith { understanding: self, words: self.words(text)? })
    }

    /// Returns the vector of a text's words; `None` if none of them is known.
    fn words(&self, text: &str) -> Result<Option<Embedding>, EmbedError> {
        Ok(self.embedder.embed(std::slice::from_ref(&text.to_owned()))?.pop().flatten())
    }
}

/// A text prepared for comparison by words.
pub struct ComparedWith<'u> {
    understanding: &'u Analyzer,
    words: Option<Embedding>,
}

impl ComparedWith<'_> {
    /// Returns the calibrated probability that another text means the same by its words alone, 0 to 1; `None` if either
    /// text has no known word.
    ///
    /// # Errors
    /// If the embedder fails.
    pub fn similarity(&self, other: &str) -> Result<Option<f64>, EmbedError> {
        let Some(own) = &self.words else { return Ok(None) };
        let other = self.understanding.words(other)?;
        Ok(other.map(|other| Calibration::new(WORDS_T80).similarity(own.cosine(&other))))
    }
}

/// The understanding in use, for callers outside the pipeline: the pipeline replaces it when the store's catalogue
/// changes. A caller takes it once and answers with that.
pub struct InUse(RwLock<Arc<Analyzer>>);

impl InUse {
    /// Starts with this understanding.
    pub fn new(understanding: Arc<Analyzer>) -> InUse {
        InUse(RwLock::new(understanding))
    }

    /// Returns the current understanding.
    pub fn get(&self) -> Arc<Analyzer> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, understanding: Arc<Analyzer>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = understanding;
    }
}

fn asked<'a>(text: &'a str, words: &'a Embedding, gate: Option<Gate>, waives: bool) -> CommentInput<'a> {
    CommentInput { text, words, work: gate.and_then(Work::at), waives }
}
