//! Feedback: the record made from one decision, and what the evaluator said of it.

use super::comment::Comment;
use super::event::HitlDecision;
use super::place::{RemarkedPlace, code_of, code_of_comment};
use super::submission::Marked;
use super::words::{compared_words, words};
use crate::text::language::catalogue::Match;
use crate::text::language::cues::Code;
use crate::text::language::direction::{Direction, Stance};
use crate::text::language::model_reading::Reading;
use crate::text::language::stance::is_request;
use crate::text::verdict::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was learned from one decision: the event, redacted, with its correction, its agent and its reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// The feedback's id: the safe form of its decision's id, so that one name finds both.
    pub id: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// The event, its texts redacted.
    pub decision: HitlDecision,
    /// What was changed, in words: the reviewer's, or derived from the diff.
    pub summary: Option<Summary>,
    /// The correction, where one came and could be read.
    pub correction: Option<Correction>,
    /// Why an announced correction is not here, where that is so.
    pub correction_note: Option<String>,
    /// The places that it is about, as far as the publisher says them.
    pub places: Vec<RemarkedPlace>,
    /// The comment that it is about; `None` for what was said of the whole.
    pub comment: Option<CommentSaid>,
    /// How many comments and demands of comments the decision came with beside it; 0 for those.
    pub comments: usize,
    /// What the remark demands, and which way it points.
    pub stance: Stance,
    /// The concern of the catalogue that it voices, where one was recognised.
    pub concern: Option<Match>,
    /// How it was read by somebody who understands it, where that is so.
    pub reading: Option<Reading>,
    /// What people say that it is, because they said so of one that says almost the same.
    pub marked: Option<Marked>,
    /// Which kinds of secrets were removed, and which characters that nobody sees, as `U+202E`; each once.
    pub redacted: Vec<String>,
}

impl Feedback {
    /// Whether this is a correction: a rejection, an approval with changes, or an approval that makes a demand
    /// (specification, "Classification").
    pub fn is_correction(&self) -> bool {
        self.stance.demand || (self.comment.is_none() && self.decision.verdict != Verdict::Approved)
    }

    /// The code that it is about, as far as it is known.
    pub fn code(&self) -> Option<Code> {
        match &self.comment {
            Some(said) => code_of_comment(&said.comment),
            None => code_of(self.decision.reviewer_comment.as_deref(), &self.decision.extra),
        }
    }

    /// Whether it says outright which way it points.
    pub fn is_outright(&self) -> bool {
        is_outright(&self.stance, self.concern.as_ref())
    }

    /// The task that it was said of, where that is one piece of work under review: of a comment, and of a forge's review. A
    /// gate's own task may be as wide as a project.
    pub fn pull_request(&self) -> Option<&str> {
        let is_review = self.comment.is_some() || self.decision.extra.contains_key("forge");
        self.decision.task_id.as_deref().filter(|_| is_review)
    }

    /// Whether it stands for an approval, unless it asks for something outright. A comment is no approval.
    pub fn approves(&self) -> bool {
        self.comment.is_none() && self.decision.verdict == Verdict::Approved
    }

    /// The id of the feedback of the decision that it is part of: its own for what was said of the whole.
    pub fn whole_id(&self) -> &str {
        whole_id(&self.id)
    }

    /// What was said in words, see [`words`].
    pub fn text(&self) -> Option<String> {
        let summary = self.summary.as_ref().map(|s| (s.text.as_str(), s.derived));
        words(summary, self.decision.reviewer_comment.as_deref())
    }

    /// The text that is compared with other feedback: that of a correction which says what it wants, unwrapped.
    pub fn compared_text(&self) -> Option<String> {
        let summary = self.summary.as_ref().map(|s| (s.text.as_str(), s.derived));
        if self.stance.demand { compared_words(summary, self.decision.reviewer_comment.as_deref()) } else { None }
    }
}

/// Stands between the id of a decision's feedback and what names a comment of it.
pub const BETWEEN: char = '#';

/// The id of the feedback of the decision that a feedback is part of.
pub fn whole_id(feedback_id: &str) -> &str {
    feedback_id.split_once(BETWEEN).map_or(feedback_id, |(whole, _)| whole)
}

/// Whether a feedback is a comment of a decision.
pub fn is_comment(feedback_id: &str) -> bool {
    feedback_id.contains(BETWEEN)
}

/// A demand of a comment.
#[derive(Clone, Debug, PartialEq)]
pub struct CommentSaid {
    /// What names it within the decision: the comment's id, and `.2`, `.3` behind it for further demands.
    pub name: String,
    /// Its place among the comments and demands of the decision, from 0.
    pub at: usize,
    /// Which of the comment's demands it is, from 1.
    pub part: usize,
    /// The comment, redacted.
    pub comment: Comment,
    /// What of the body it is, where the comment makes several demands.
    pub demand: Option<String>,
}

impl CommentSaid {
    /// Its words.
    pub fn text(&self) -> &str {
        self.demand.as_deref().unwrap_or(&self.comment.body)
    }
}

/// From which probability of its concern on a remark says clearly what it is about.
const CLEAR: f64 = 0.8;

/// Whether a remark says outright which way it points: it asks in so many words, or waives what is usually asked for, or its
/// concern is clear.
pub fn is_outright(stance: &Stance, concern: Option<&Match>) -> bool {
    let requests = stance.waives || stance.cue.as_deref().is_some_and(is_request);
    stance.direction != Direction::Unclear && (requests || concern.is_some_and(|found| found.probability >= CLEAR))
}

/// A correction in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// One or two sentences.
    pub text: String,
    /// Whether the words were derived from the diff rather than given by a person.
    pub derived: bool,
}

/// A correction: the diff a reviewer made, redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The diff as it is stored.
    pub diff: String,
    /// The files it touches, in their order.
    pub files: Vec<String>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Whether it was made of the suggestion blocks of the remarks.
    pub suggested: bool,
}
