//! What the evaluator decides about one feedback: its class, the reason, and the consequence.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

/// The evaluator's classes (`FeedbackClassification`; specification, "Learning: Evaluation"; decided according to
/// specification, "Classification").
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Classification {
    /// Two or more reviewers ask for the same.
    GeneralizableHigh,
    /// Asked for repeatedly, by one reviewer.
    GeneralizableLow,
    /// Seen once.
    EdgeCase,
    /// It contradicts earlier feedback.
    Ambiguous,
    /// Approved, and nothing is asked for.
    Positive,
}

impl Classification {
    /// All classes, in reporting order.
    pub const ALL: [Classification; 5] = [
        Classification::GeneralizableHigh,
        Classification::GeneralizableLow,
        Classification::EdgeCase,
        Classification::Ambiguous,
        Classification::Positive,
    ];

    /// Returns the specification's spelling.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What the evaluator decided about one feedback (`EvaluatorDecision`; specification, "Learning: Evaluation").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// The class.
    pub classification: Classification,
    /// The probability that the class is right, 0 to 1.
    pub confidence: f64,
    /// The reason, in words: which earlier feedback, how similar, which reviewers.
    pub rationale: String,
    /// The most similar earlier feedback with the same direction, best first; at most [`MAX_SIMILAR`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SimilarFeedback>,
    /// Earlier feedback that says the opposite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<SimilarFeedback>,
    /// The cluster, once there are two members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The resulting action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_action: Option<ProposedAction>,
    /// 1 for the first evaluation, incremented on each rewrite.
    pub revision: u32,
    /// When it was evaluated.
    pub evaluated_at: Timestamp,
}

impl Evaluation {
    /// Returns the evaluation of a comment that has been placed but not classified.
    pub fn undecided(revision: u32, now: Timestamp) -> Evaluation {
        Evaluation {
            classification: Classification::EdgeCase,
            confidence: 0.5,
            rationale: String::new(),
            similar: Vec::new(),
            contradicts: Vec::new(),
            cluster: None,
            proposed_action: None,
            revision,
            evaluated_at: now,
        }
    }
}

/// Maximum number of similar feedback ids cited in an evaluation.
pub const MAX_SIMILAR: usize = 10;

/// A reference to other feedback with its calibrated similarity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarFeedback {
    /// The line's id.
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
    /// A different wording of the prompt itself.
    RefinePrompt,
    /// A change of a skill.
    UpdateSkill,
    /// A note, no change of behaviour.
    DocumentOnly,
    /// A tool check instead of words, for a rule that is delivered but still broken.
    AddCheck,
    /// The retirement of a rule.
    RetireRule,
}

impl ActionType {
    /// Reports whether it becomes prompt text once approved.
    pub fn enters_prompt(self) -> bool {
        self == ActionType::CreateRule
    }

    /// Returns the spelling used in files.
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
