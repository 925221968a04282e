//! Feedback: the record made from one decision, and its evaluation.

use super::comment::Comment;
use super::event::HitlDecision;
use super::place::{RemarkedPlace, code_of, code_of_comment};
use super::submission::Marked;
use super::words::{compared_words, words};
use crate::text::language::catalogue::Match;
use crate::text::language::cues::Code;
use crate::text::language::direction::{Direction, Stance};
use crate::text::language::model_reading::ModelReading;
use crate::text::language::stance::is_request;
use crate::text::verdict::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was learned from one decision: the redacted event with its correction, agent and reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// The feedback's id: the safe form of its decision's id, so that one name identifies both.
    pub id: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// The event, redacted.
    pub decision: HitlDecision,
    /// What was changed, in words: from the reviewer, or derived from the diff.
    pub summary: Option<Summary>,
    /// The correction, if there was a readable one.
    pub correction: Option<Correction>,
    /// Why an announced correction is missing, if it is.
    pub correction_note: Option<String>,
    /// The places it is about, as far as the publisher states them.
    pub places: Vec<RemarkedPlace>,
    /// The comment it is about; `None` for feedback on the whole.
    pub comment: Option<CommentSaid>,
    /// Number of comments and demands of comments that came with the decision; 0 for those themselves.
    pub comments: usize,
    /// What the comment demands, and its direction.
    pub stance: Stance,
    /// The concern of the catalogue that it voices, if one was recognised.
    pub concern: Option<Match>,
    /// How it was read by a person or model, if it was.
    pub reading: Option<ModelReading>,
    /// People's mark on it, or on one that says almost the same.
    pub marked: Option<Marked>,
    /// Kinds of secrets removed, and invisible characters, as `U+202E`; each once.
    pub redacted: Vec<String>,
}

impl Feedback {
    /// Reports whether this is a correction: a rejection, an approval with changes, or an approval that makes a demand
    /// (specification, "Classification").
    pub fn is_correction(&self) -> bool {
        self.stance.demand || (self.comment.is_none() && self.decision.verdict != Verdict::Approved)
    }

    /// Returns the code it is about, as far as known.
    pub fn code(&self) -> Option<Code> {
        match &self.comment {
            Some(said) => code_of_comment(&said.comment),
            None => code_of(self.decision.reviewer_comment.as_deref(), &self.decision.extra),
        }
    }

    /// Reports whether it states its direction outright.
    pub fn is_outright(&self) -> bool {
        is_outright(&self.stance, self.concern.as_ref())
    }

    /// Returns its task if that is one piece of work under review: for a comment, and for a forge's review. A gate's
    /// own task may be as wide as a project.
    pub fn pull_request(&self) -> Option<&str> {
        let is_review = self.comment.is_some() || self.decision.extra.contains_key("forge");
        self.decision.task_id.as_deref().filter(|_| is_review)
    }

    /// Reports whether it counts as an approval, unless it asks for something outright. A comment does not.
    pub fn approves(&self) -> bool {
        self.comment.is_none() && self.decision.verdict == Verdict::Approved
    }

    /// Returns the feedback id of the decision it is part of: its own for feedback on the whole.
    pub fn whole_id(&self) -> &str {
        whole_id(&self.id)
    }

    /// Returns its text, see [`words`].
    pub fn text(&self) -> Option<String> {
        let summary = self.summary.as_ref().map(|s| (s.text.as_str(), s.derived));
        words(summary, self.decision.reviewer_comment.as_deref())
    }

    /// Returns the text compared with other feedback: that of a correction which states a demand, unwrapped.
    pub fn compared_text(&self) -> Option<String> {
        let summary = self.summary.as_ref().map(|s| (s.text.as_str(), s.derived));
        if self.stance.demand { compared_words(summary, self.decision.reviewer_comment.as_deref()) } else { None }
    }
}

/// Separates the id of a decision's feedback from the name of one of its comments.
pub const BETWEEN: char = '#';

/// Returns the feedback id of the decision that a feedback is part of.
pub fn whole_id(feedback_id: &str) -> &str {
    feedback_id.split_once(BETWEEN).map_or(feedback_id, |(whole, _)| whole)
}

/// Reports whether a feedback is a comment of a decision.
pub fn is_comment(feedback_id: &str) -> bool {
    feedback_id.contains(BETWEEN)
}

/// A demand of a comment.
#[derive(Clone, Debug, PartialEq)]
pub struct CommentSaid {
    /// Its name within the decision: the comment's id, followed by `.2`, `.3` for further demands.
    pub name: String,
    /// Its index among the comments and demands of the decision, from 0.
    pub at: usize,
    /// The number of the demand within the comment, from 1.
    pub part: usize,
    /// The comment, redacted.
    pub comment: Comment,
    /// Its part of the body, if the comment makes several demands.
    pub demand: Option<String>,
}

impl CommentSaid {
    /// Returns its text.
    pub fn text(&self) -> &str {
        self.demand.as_deref().unwrap_or(&self.comment.body)
    }
}

/// Concern probability from which a comment's subject is clear.
const CLEAR: f64 = 0.8;

/// Reports whether a comment states its direction outright: it asks explicitly, waives what is usually asked for, or
/// has a clear concern.
pub fn is_outright(stance: &Stance, concern: Option<&Match>) -> bool {
    let requests = stance.waives || stance.cue.as_deref().is_some_and(is_request);
    stance.direction != Direction::Unclear && (requests || concern.is_some_and(|found| found.probability >= CLEAR))
}

/// A correction in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// One or two sentences.
    pub text: String,
    /// Whether the words were derived from the diff rather than written by a person.
    pub derived: bool,
}

/// A correction: the reviewer's diff, redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The stored diff.
    pub diff: String,
    /// The files it touches, in order.
    pub files: Vec<String>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Whether it was built from the suggestion blocks of the comments.
    pub suggested: bool,
}
