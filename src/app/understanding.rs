//! What texts demand: the embedder and the catalogue of concerns behind one seam.
//!
//! Everything that is compared with what reviewers said goes through here, so that all vectors lie in one space and one
//! calibration holds for them.

use crate::domain::ids::Gate;
use crate::domain::intake::feedback::Feedback;
use crate::domain::language::catalogue::{self, Asked, Catalogue, Compiled, Match, WordsTell, Work};
use crate::domain::language::direction::{Direction, Stance};
use crate::domain::language::similarity::{Calibration, Embedding};
use crate::domain::language::stance::is_request;
use crate::domain::records::record::{DecisionRecord, ProposalRecord};
use crate::domain::rules::drafting::proposal::{KnownRule, direction_of};
pub use crate::ports::EmbedError;
use crate::ports::Embedder;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How remarks are read: a change of it makes vectors that were derived before useless.
const VERSION: u32 = 4;

/// The calibration of what comes out of here: the cosine at which about four of five pairs ask for the same, and the
/// average link at which a remark joins a group. Measured on labelled remarks.
const T80: f64 = 0.67;
const GROUP_THRESHOLD: f64 = 0.515;

/// The cosine of the words alone at which about four of five pairs of short texts mean the same.
const WORDS_T80: f64 = 0.66;

/// The probability of its concern in a rule's text that was made from it: as in a remark that says it clearly.
const CLEARLY: f32 = 0.9;

/// From which probability on a text that people changed is still about the concern it was made from.
const STILL_READS: f32 = 0.1;

/// A remark as it was understood.
#[derive(Clone, Debug)]
pub struct Understood {
    /// What it is compared by.
    pub vector: Embedding,
    /// The concern it voices, where one was recognised.
    pub concern: Option<Match>,
    /// Which way it points, where a concern shows it.
    pub direction: Option<Direction>,
    /// Where its own words tell better which way it points.
    pub words_tell: WordsTell,
}

impl Understood {
    /// Writes into feedback what it demands, and returns its vector.
    pub fn told(self, feedback: &mut Feedback) -> Embedding {
        if let Some(direction) = self.direction.filter(|_| !self.told_by_words(&feedback.stance)) {
            feedback.stance.direction = direction;
        }
        feedback.concern = self.concern;
        self.vector
    }

    /// Whether the words of a remark, rather than its concern, tell which way it points. What is waived is named: "error
    /// handling is not needed" may be read as the concern that asks for it or as the one that asks for less.
    pub fn told_by_words(&self, stance: &Stance) -> bool {
        let tells = match self.words_tell {
            WordsTell::Nothing => stance.waives,
            WordsTell::Requests => stance.waives || stance.cue.as_deref().is_some_and(is_request),
            WordsTell::Everything => true,
        };
        tells && stance.direction != Direction::Unclear
    }
}

/// The embedder and the catalogue.
pub struct Understanding {
    embedder: Arc<dyn Embedder>,
    catalogue: Compiled,
    id: String,
    failures: Mutex<Failures>,
}

/// How often the embedder failed, and why the last time.
#[derive(Default)]
struct Failures {
    count: u64,
    last: Option<EmbedError>,
}

/// A moment in the life of an understanding, see [`Understanding::sound_since`].
#[derive(Clone, Copy, Debug)]
pub struct Moment(u64);

impl Understanding {
    /// Compiles a catalogue for an embedder.
    ///
    /// # Errors
    /// When the embedder fails.
    pub fn new(embedder: Arc<dyn Embedder>, catalogue: Catalogue) -> Result<Understanding, EmbedError> {
        let catalogue =
            Compiled::new(catalogue, catalogue::prepared(), embedder.id(), &|texts| embedder.embed_lasting(texts))?;
        let id = format!("{} catalogue {} reading {VERSION}", embedder.id(), catalogue.fingerprint());
        Ok(Understanding { embedder, catalogue, id, failures: Mutex::default() })
    }

    /// The same embedder with another catalogue.
    ///
    /// # Errors
    /// When the embedder fails.
    pub fn with(&self, catalogue: Catalogue) -> Result<Understanding, EmbedError> {
        Understanding::new(Arc::clone(&self.embedder), catalogue)
    }

    /// Now, to be held against later.
    pub fn moment(&self) -> Moment {
        Moment(self.failures.lock().unwrap_or_else(PoisonError::into_inner).count)
    }

    /// Whether the embedder worked since a moment. Where it did not, something was taken for a remark without words:
    /// nothing that was read since may become durable.
    ///
    /// # Errors
    /// The last failure.
    pub fn sound_since(&self, moment: Moment) -> Result<(), EmbedError> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        match &failures.last {
            Some(error) if failures.count > moment.0 => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Texts that are read soon, all at once where that is cheaper.
    ///
    /// # Errors
    /// When the embedder fails.
    pub fn prepare(&self, texts: &mut dyn Iterator<Item = String>) -> Result<(), EmbedError> {
        self.embedder.prepare(texts)
    }

    /// Name and version of everything that decides about vectors.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The embedder.
    pub fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &Compiled {
        &self.catalogue
    }

    /// The raw cosine that means a calibrated similarity of 0.8.
    pub fn t80(&self) -> f64 {
        T80
    }

    /// The average link at which a remark joins a group.
    pub fn group_threshold(&self) -> f64 {
        GROUP_THRESHOLD
    }

    /// Understands feedback; `None` where it says nothing that can be compared.
    pub fn feedback(&self, feedback: &Feedback) -> Option<Understood> {
        self.read(&feedback.compared_text()?, Some(feedback.decision.gate), feedback.stance.waives)
    }

    /// The vector of a record's remark, where it has one: the same as when it was understood.
    pub fn record(&self, record: &DecisionRecord) -> Option<Embedding> {
        let text = record.compared_text()?;
        let words = self.words(&text)?;
        let asked = asked(&text, &words, Some(record.gate), record.feedback.stance.waives);
        Some(self.catalogue.vector(&words, &self.catalogue.read(&asked)))
    }

    /// Understands a remark made at a gate.
    pub fn read(&self, text: &str, gate: Option<Gate>, waives: bool) -> Option<Understood> {
        let words = self.words(text)?;
        let asked = asked(text, &words, gate, waives);
        let (reading, concern) = self.catalogue.explained(&asked);
        Some(Understood {
            vector: self.catalogue.vector(&words, &reading),
            concern,
            direction: reading.direction,
            words_tell: self.catalogue.words_tell(&reading),
        })
    }

    /// A rule as others are compared with it. One that was made from a concern points where that points.
    pub fn known_rule(&self, rule: &ProposalRecord) -> KnownRule {
        KnownRule {
            id: rule.proposal_id.clone(),
            evidence: rule.created_from_feedback_ids.first().cloned(),
            ..self.known_text(&rule.rule_content, self.concern_of(rule))
        }
    }

    /// The concern that a rule was made from. A text that people changed has it only as long as it still reads like it.
    fn concern_of<'r>(&self, rule: &'r ProposalRecord) -> Option<&'r str> {
        let concern = rule.concern.as_deref()?;
        if rule.version > 1 {
            let axis = self.catalogue.axis(self.catalogue.place(concern)?);
            let words = self.words(&rule.rule_content)?;
            let reading = self.catalogue.read(&asked(&rule.rule_content, &words, None, false));
            reading.profile.iter().find(|(other, p)| *other == axis && *p >= STILL_READS)?;
        }
        Some(concern)
    }

    /// A rule's text as others are compared with it.
    pub fn known_text(&self, text: &str, concern: Option<&str>) -> KnownRule {
        let found = concern.and_then(|id| self.catalogue.find(id));
        KnownRule {
            id: String::new(),
            content: text.to_owned(),
            vector: self.rule_text(text, concern),
            evidence: None,
            concern: concern.map(str::to_owned),
            opposite: found.and_then(|c| c.opposite.clone()),
            direction: found.map_or_else(|| direction_of(text), |c| c.direction.direction()),
        }
    }

    /// The vector of a rule's text.
    pub fn rule_text(&self, text: &str, concern: Option<&str>) -> Option<Embedding> {
        let words = self.words(text)?;
        let mut reading = self.catalogue.read(&asked(text, &words, None, false));
        if let Some(axis) = concern.and_then(|id| self.catalogue.place(id)).map(|place| self.catalogue.axis(place)) {
            reading = reading.about(axis, CLEARLY);
        }
        Some(self.catalogue.plain_vector(&words, &reading))
    }

    /// How likely a text is to mean the same as others by their words alone, 0 to 1, calibrated; `None` where one has no
    /// word that is known.
    pub fn compared_with(&self, text: &str) -> impl Fn(&str) -> Option<f64> {
        let own = self.words(text);
        let calibration = Calibration::new(WORDS_T80);
        move |other| Some(calibration.similarity(own.as_ref()?.cosine(&self.words(other)?)))
    }

    fn words(&self, text: &str) -> Option<Embedding> {
        match self.embedder.embed(std::slice::from_ref(&text.to_owned())) {
            Ok(mut vectors) => vectors.pop().flatten(),
            Err(error) => {
                let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                failures.count += 1;
                failures.last = Some(error);
                None
            }
        }
    }
}

/// The understanding that is in use, for those who answer beside the pipeline: the pipeline changes it when the store's
/// catalogue changes. Whoever answers takes it once, and answers with that.
pub struct InUse(RwLock<Arc<Understanding>>);

impl InUse {
    /// This one, until there is another.
    pub fn new(understanding: Arc<Understanding>) -> InUse {
        InUse(RwLock::new(understanding))
    }

    /// The one that is in use now.
    pub fn get(&self) -> Arc<Understanding> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, understanding: Arc<Understanding>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = understanding;
    }
}

fn asked<'a>(text: &'a str, words: &'a Embedding, gate: Option<Gate>, waives: bool) -> Asked<'a> {
    Asked { text, words, work: gate.and_then(Work::at), waives }
}
