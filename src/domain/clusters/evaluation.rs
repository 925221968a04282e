//! What the evaluator decides about one feedback: its class, why, and what follows from it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

/// The evaluator's classes (`FeedbackClassification`; specification, "Learning: Evaluation"; decided as specification,
/// "Classification" says).
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
        self.into()
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

impl Evaluation {
    /// Of a remark that has its place, while its class is not decided.
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
