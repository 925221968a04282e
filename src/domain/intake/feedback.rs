//! Feedback: the record made from one decision, and what the evaluator said of it.

use crate::domain::intake::event::HitlDecision;
use crate::domain::intake::place::RemarkedPlace;
use crate::domain::intake::submission::Marked;
use crate::domain::language::catalogue::Match;
use crate::domain::language::direction::Stance;
use crate::domain::language::reading::Reading;
use crate::domain::language::remark;
use crate::domain::verdict::Verdict;
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
        self.decision.verdict != Verdict::Approved || self.stance.demand
    }

    /// What was said in words, see [`words`].
    pub fn text(&self) -> Option<String> {
        let summary = self.summary.as_ref().map(|s| (s.text.as_str(), s.derived));
        words(summary, self.decision.reviewer_comment.as_deref())
    }

    /// The text that is compared with other feedback: that of a correction which says what it wants, unwrapped.
    pub fn compared_text(&self) -> Option<String> {
        if self.stance.demand { self.text().map(|text| remark::compared(&text)) } else { None }
    }
}

/// What was said in words: the reviewer's summary and comment (specification, "Learning: Similarity").
///
/// A summary that was derived from a diff speaks only where the reviewer said nothing: it names files, and would make
/// remarks about the same file look alike. A suggestion block is the correction and speaks only where nothing else does.
/// `None` where there are no words at all.
pub fn words(summary: Option<(&str, bool)>, comment: Option<&str>) -> Option<String> {
    let said = comment.and_then(remark::beside_suggestions);
    match (summary, said) {
        (Some((summary, false)), Some(said)) => Some(format!("{summary}. {said}")),
        (_, Some(said)) => Some(said.into_owned()),
        (Some((summary, _)), None) => Some(summary.to_owned()),
        (None, None) => comment.map(str::to_owned),
    }
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
