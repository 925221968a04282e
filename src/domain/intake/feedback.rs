//! Feedback: the record made from one decision, and what the evaluator said of it.

use crate::domain::intake::event::{HitlDecision, Verdict};
use crate::domain::language::catalogue::Match;
use crate::domain::language::remark;
use jiff::Timestamp;
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
    /// What the remark demands, and which way it points.
    pub stance: Stance,
    /// The concern of the catalogue that it voices, where one was recognised.
    pub concern: Option<Match>,
    /// Which kinds of secrets were removed, sorted, each once.
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
/// remarks about the same file look alike. `None` where there are no words at all.
pub fn words(summary: Option<(&str, bool)>, comment: Option<&str>) -> Option<String> {
    match (summary, comment) {
        (Some((summary, false)), Some(comment)) => Some(format!("{summary}. {comment}")),
        (_, Some(comment)) => Some(comment.to_owned()),
        (Some((summary, _)), None) => Some(summary.to_owned()),
        (None, None) => None,
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
}

/// What a remark wants of the thing it speaks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// More of it: add, keep, require.
    More,
    /// Less of it: remove, avoid, not needed.
    Less,
    /// The remark does not show which.
    #[default]
    Unclear,
}

impl Direction {
    /// Whether one asks for the opposite of the other.
    pub fn opposes(self, other: Direction) -> bool {
        matches!((self, other), (Direction::More, Direction::Less) | (Direction::Less, Direction::More))
    }

    /// The other way; what points nowhere has none.
    pub fn contrary(self) -> Direction {
        match self {
            Direction::More => Direction::Less,
            Direction::Less => Direction::More,
            Direction::Unclear => Direction::Unclear,
        }
    }

    /// Whether both can be the same demand: they do not oppose each other.
    pub fn agrees(self, other: Direction) -> bool {
        !self.opposes(other)
    }
}

/// How a remark is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stance {
    /// Whether it asks for something, or takes a side on something that can be asked for.
    pub demand: bool,
    /// Which way it points.
    pub direction: Direction,
    /// The words that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// Whether the demand is a waiver: what is usually asked for is not needed, or fine as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waives: bool,
}

/// The evaluator's classes (`FeedbackClassification`; specification, "Learning: Evaluation"; decided as specification,
/// "Classification" says).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Classification {
    /// Two or more reviewers ask for the same.
    GeneralizableHigh,
    /// Asked for repeatedly, by one reviewer.
    GeneralizableLow,
    /// Seen once.
    EdgeCase,
    /// It contradicts what was said before.
    Ambiguous,
    /// Approved, and nothing is asked for.
    Positive,
}

impl Classification {
    /// All classes, in the order in which they are reported.
    pub const ALL: [Classification; 5] = [
        Classification::GeneralizableHigh,
        Classification::GeneralizableLow,
        Classification::EdgeCase,
        Classification::Ambiguous,
        Classification::Positive,
    ];

    /// The specification's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Classification::GeneralizableHigh => "GENERALIZABLE_HIGH",
            Classification::GeneralizableLow => "GENERALIZABLE_LOW",
            Classification::EdgeCase => "EDGE_CASE",
            Classification::Ambiguous => "AMBIGUOUS",
            Classification::Positive => "POSITIVE",
        }
    }
}

/// What the evaluator decided about one feedback (`EvaluatorDecision`; specification, "Learning: Evaluation").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// Why, in words: which earlier feedback, how similar, which reviewers.
    pub rationale: String,
    /// The most similar earlier feedback pointing the same way, best first; at most [`MAX_SIMILAR`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SimilarFeedback>,
    /// Earlier feedback that says the opposite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<SimilarFeedback>,
    /// The cluster, once there are two members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What should follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_action: Option<ProposedAction>,
    /// 1 for the first evaluation, one more each time it is rewritten.
    pub revision: u32,
    /// When it was evaluated.
    pub evaluated_at: Timestamp,
}

/// How many similar feedback ids an evaluation cites.
pub const MAX_SIMILAR: usize = 10;

/// A reference to other feedback with its calibrated similarity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarFeedback {
    /// Its id.
    pub feedback_id: String,
    /// Calibrated similarity, 0 to 1; 0.8 means that about four of five such pairs mean the same.
    pub similarity: f64,
}

/// What an evaluation leads to (`ProposedAction`; specification, "Learning: Evaluation").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedAction {
    /// The kind of change.
    pub action_type: ActionType,
    /// The agent it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_agent: Option<String>,
    /// The proposal.
    pub proposal_id: String,
}

/// The kinds of change that can be proposed (`ProposedAction.action_type`; specification, "Learning: Evaluation"; the
/// last two follow from measuring).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActionType {
    /// A new rule in the agent's prompt.
    CreateRule,
    /// Another wording of the prompt itself.
    RefinePrompt,
    /// A change of a skill.
    UpdateSkill,
    /// A note, no change of behaviour.
    DocumentOnly,
    /// A check by a tool instead of words: a rule is delivered and still broken.
    AddCheck,
    /// A rule leaves force.
    RetireRule,
}

impl ActionType {
    /// Whether it becomes words in a prompt when it is approved.
    pub fn enters_prompt(self) -> bool {
        self == ActionType::CreateRule
    }

    /// As it stands in files.
    pub fn as_str(self) -> &'static str {
        match self {
            ActionType::CreateRule => "CREATE_RULE",
            ActionType::RefinePrompt => "REFINE_PROMPT",
            ActionType::UpdateSkill => "UPDATE_SKILL",
            ActionType::DocumentOnly => "DOCUMENT_ONLY",
            ActionType::AddCheck => "ADD_CHECK",
            ActionType::RetireRule => "RETIRE_RULE",
        }
    }
}
