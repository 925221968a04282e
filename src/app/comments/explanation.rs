//! Explains how a comment is read: its demand, the candidate concerns with what supports each, what would have changed
//! the result, and similar earlier comments.
//!
//! Nothing is decided or written here, and explaining a text does not need the store.

use super::analyzer::Analyzer;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::records::record::DecisionRecord;
use crate::queries::{Comparisons, FeedbackFilter, QueryError, SimilarLine};
use crate::text::ids::Gate;
use crate::text::language::catalogue::{CommentInput, CueResult, Match, Parts, WhatIf, Work};
use crate::text::language::comment;
use crate::text::language::direction::{Direction, Stance};
use crate::text::language::model_reading::ModelReading;
use crate::text::language::similarity::{Calibration, DemandVector};
use crate::text::language::stance::read_stance;
use crate::text::verdict::Verdict;
use serde::Serialize;

/// How many candidate concerns are shown.
pub const SHOWN: usize = 3;
/// How many earlier comments are named.
const EARLIER: usize = 5;
/// Calibrated similarity from which an earlier comment is named.
const WORTH_NAMING: f64 = 0.3;

/// How a text is read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The compared text: the demand without its surroundings.
    pub demand: String,
    /// The separate demands, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub demands: Vec<String>,
    /// The two-letter code of its language.
    pub language: &'static str,
    /// What was set aside: quotes, code, locations, thanks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<String>,
    /// The gate, if known.
    pub gate: Option<String>,
    /// The work that passes it.
    pub work: Option<Work>,
    /// The recognised concern; none if no concern is likely enough and words alone decide.
    pub concern: Option<Match>,
    /// Its direction.
    pub direction: Direction,
    /// Whether the concern shows it, rather than the comment's words.
    pub direction_by_concern: bool,
    /// The words that show the direction, if words do.
    pub cue: Option<String>,
    /// The likeliest concerns, each with what supports it.
    pub likeliest: Vec<Parts>,
    /// What would have changed it.
    pub what_if: Option<WhatIf>,
    /// The nearest earlier comments; none if there is no store.
    pub nearest: Vec<SimilarLine>,
}

/// How a feedback was read when it came, and how it would be read now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeedbackExplanation {
    /// The feedback's id.
    pub feedback_id: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// The reviewer.
    pub reviewer_id: String,
    /// The feedback's text.
    pub said: String,
    /// Its class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// The reason, in words.
    pub rationale: String,
    /// Its cluster.
    pub cluster: Option<String>,
    /// Why it is not compared, if it is not.
    pub not_compared: Option<&'static str>,
    /// The concern as recorded.
    pub recorded: Option<Match>,
    /// Whether the current catalogue reads it as another concern, or as none.
    pub changed: bool,
    /// The current reading.
    pub reading: Option<Explanation>,
    /// Its file in the store.
    pub path: String,
}

/// What a text is compared with.
#[derive(Clone, Copy)]
pub struct Among<'a> {
    /// The store and its index.
    pub comparisons: Comparisons<'a>,
    /// Limits the comparison to feedback about this agent's work, if given.
    pub agent: Option<&'a str>,
}

/// Explains how a text would be read as a comment on rejected work. `None` if it has no known word.
///
/// # Errors
/// If the index cannot be read.
pub fn text(
    understanding: &Analyzer,
    text: &str,
    gate: Option<Gate>,
    among: Option<Among<'_>>,
) -> Result<Option<Explanation>, QueryError> {
    let stance = read_stance(Verdict::Rejected, Some(text), None);
    explain(understanding, text, None, gate, &stance, among, None)
}

/// Explains a feedback in the store.
///
/// # Errors
/// If there is no such feedback, or its record or the index cannot be read.
pub fn feedback(comparisons: &Comparisons<'_>, id: &str) -> Result<FeedbackExplanation, QueryError> {
    let page = comparisons.queries.feedback_show(id)?;
    let record = page.record;
    let said = record.text();
    let (section, evaluation) = (&record.feedback, &record.evaluation);
    let among = Among { comparisons: *comparisons, agent: Some(&section.agent) };
    let reading = match &said {
        Some(text) => {
            let (stance, own) = (&section.stance, Some(section.feedback_id.as_str()));
            let read = section.reading.as_ref().filter(|read| read.sentence().is_some());
            let text = read.and_then(ModelReading::sentence).unwrap_or(text);
            explain(comparisons.understanding, text, read, Some(record.gate), stance, Some(among), own)?
        }
        None => None,
    };
    let not_compared = not_compared(&record, reading.is_some());
    let now = reading.as_ref().and_then(|r| r.concern.as_ref()).map(|m| m.concern.as_str());
    let changed = not_compared.is_none() && now != section.concern.as_ref().map(|m| m.concern.as_str());
    Ok(FeedbackExplanation {
        feedback_id: section.feedback_id.clone(),
        agent: section.agent.clone(),
        reviewer_id: record.reviewer_id.clone(),
        said: said.unwrap_or_default(),
        classification: evaluation.classification,
        confidence: evaluation.confidence,
        rationale: evaluation.rationale.clone(),
        cluster: evaluation.cluster.clone(),
        not_compared,
        recorded: section.concern.clone(),
        changed,
        reading,
        path: page.path,
    })
}

fn not_compared(record: &DecisionRecord, has_words: bool) -> Option<&'static str> {
    if record.feedback.retracted_by.is_some() {
        Some("it was withdrawn")
    } else if record.text().is_none() {
        Some("nothing was said")
    } else if !record.feedback.stance.demand {
        Some("it asks for nothing")
    } else if record.feedback.reading.as_ref().is_some_and(|reading| reading.sentence().is_none()) {
        Some("a language model found nothing in it that applies to later work")
    } else if !has_words {
        Some("it has no known word")
    } else {
        None
    }
}

fn explain(
    understanding: &Analyzer,
    said: &str,
    reading: Option<&ModelReading>,
    gate: Option<Gate>,
    stance: &Stance,
    among: Option<Among<'_>>,
    own: Option<&str>,
) -> Result<Option<Explanation>, QueryError> {
    let read = comment::read(said);
    let embedder = understanding.embedder();
    let words = embedder.embed(std::slice::from_ref(&read.demand))?.pop().flatten();
    let understood = match reading {
        Some(reading) => understanding.sentence(reading, gate)?,
        None => understanding.read(&read.demand, gate, stance.waives)?,
    };
    let (Some(words), Some(understood)) = (words, understood) else {
        return Ok(None);
    };
    let work = gate.and_then(Work::at);
    let asked = CommentInput { text: &read.demand, words: &words, work, waives: stance.waives };
    let catalogue = understanding.catalogue();
    let shown = match catalogue.shown(said, None, stance.waives) {
        Some(CueResult::Demand { found, .. }) => Some(found),
        _ => None,
    };
    let by_concern = understood.direction.filter(|_| !understood.told_by_words(stance));
    Ok(Some(Explanation {
        language: read.language.code,
        set_aside: read.set_aside.iter().map(|piece| piece.text.clone()).collect(),
        gate: gate.map(|gate| gate.to_string()),
        work,
        direction: by_concern.unwrap_or(stance.direction),
        direction_by_concern: by_concern.is_some(),
        cue: stance.cue.clone(),
        likeliest: catalogue.parts(&asked, SHOWN),
        what_if: catalogue.what_if(&asked),
        nearest: match among {
            Some(among) => among.nearest(&understood.vector, understanding.t80(), own)?,
            None => Vec::new(),
        },
        concern: shown.or(understood.concern),
        demands: if read.demands.len() > 1 { read.demands } else { Vec::new() },
        demand: read.demand,
    }))
}

impl Among<'_> {
    fn nearest(&self, vector: &DemandVector, t80: f64, own: Option<&str>) -> Result<Vec<SimilarLine>, QueryError> {
        let filter = FeedbackFilter { agent: self.agent.map(str::to_owned), ..FeedbackFilter::default() };
        self.comparisons.near(vector, &Calibration::new(t80), own, WORTH_NAMING, EARLIER, &filter)
    }
}
