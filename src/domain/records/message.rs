//! What goes out on the streams (specification, "Streams and keys out"), as a function of what was recorded.
//!
//! Every message has a schema, an idempotency key that is a function of its content's identity, the tenant, a
//! timestamp and JSON data. The same records always give the same messages, so that publishing can resume from Git.

mod rules;

pub use rules::{RuleEvent, RuleEventKind, proposed, raised, rule_messages};

use crate::domain::grouping::evaluation::{Classification, ProposedAction};
use crate::domain::ids::Gate;
use crate::domain::intake::event::RejectCode;
use crate::domain::records::record::{
    AmbiguousRecord, AmbiguousStatus, DeadLetterRecord, DecisionRecord, GapFigures, Side,
};
use crate::domain::source::entry_time;
use crate::domain::verdict::Verdict;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stream to publish on; the key gets the tenant's prefix from whoever publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// `asdlc:events:feedback_evaluated`
    FeedbackEvaluated,
    /// `asdlc:events:rule_proposals`
    RuleProposals,
    /// `asdlc:events:rules`
    Rules,
    /// `asdlc:events:alerts`
    Alerts,
    /// `asdlc:events:turn_feedback`
    TurnFeedback,
    /// `asdlc:events:action_feedback`
    ActionFeedback,
    /// `asdlc:events:refined_prompts`
    RefinedPrompts,
}

impl Topic {
    /// The key without a tenant prefix.
    pub fn key(self) -> &'static str {
        match self {
            Topic::FeedbackEvaluated => "asdlc:events:feedback_evaluated",
            Topic::RuleProposals => "asdlc:events:rule_proposals",
            Topic::Rules => "asdlc:events:rules",
            Topic::Alerts => "asdlc:events:alerts",
            Topic::TurnFeedback => "asdlc:events:turn_feedback",
            Topic::ActionFeedback => "asdlc:events:action_feedback",
            Topic::RefinedPrompts => "asdlc:events:refined_prompts",
        }
    }
}

/// One message to publish.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// Where to.
    pub topic: Topic,
    /// Name and version of the data's schema, e.g. `feedbackd.feedback_evaluated/1`.
    pub schema: &'static str,
    /// The same for every repetition of the same message.
    pub idempotency_key: String,
    /// The tenant; empty for the default tenant.
    pub tenant_id: String,
    /// When what it reports happened.
    pub timestamp: Timestamp,
    /// The data, as JSON text.
    pub data: String,
}

/// An evaluation as it is published (`EvaluatorDecision`; specification, "Learning: Evaluation").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackEvaluated {
    /// The feedback.
    pub feedback_id: String,
    /// Its decision.
    pub decision_id: String,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// The verdict.
    pub decision: Verdict,
    /// Who decided.
    pub reviewer_id: String,
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// Why, in words.
    pub rationale: String,
    /// The most similar earlier feedback.
    pub similar_feedback_ids: Vec<String>,
    /// The cluster.
    pub cluster_id: Option<String>,
    /// What should follow.
    pub proposed_action: Option<ProposedAction>,
    /// 1 for the first evaluation of this feedback, one more each time it changes.
    pub revision: u32,
    /// The record in the store.
    pub record: String,
}

/// Something people should look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Alert {
    /// Feedback that contradicts earlier feedback waits for a tiebreak.
    AmbiguousFeedback {
        /// The feedback.
        feedback_id: String,
        /// The agent.
        agent: String,
        /// The question to decide, in words.
        question: String,
        /// What this feedback says.
        this_side: Side,
        /// What was said before.
        other_side: Vec<Side>,
        /// The record in the store.
        record: String,
    },
    /// A rule in force does not help.
    IneffectiveRule {
        /// The rule.
        rule_id: String,
        /// Its agents.
        agents: Vec<String>,
        /// Why, in words and figures.
        message: String,
        /// The proposal to retire it, where there is one.
        proposal_id: Option<String>,
        /// The record in the store.
        record: String,
    },
    /// A proposal waits for its reviewers for long, and will expire.
    ProposalWaits {
        /// The proposal.
        proposal_id: String,
        /// Its agents.
        agents: Vec<String>,
        /// What it says.
        rule_content: String,
        /// Since when.
        since: Timestamp,
        /// The record in the store.
        record: String,
    },
    /// An agent's corrections ask for so many different things that rules will not mend it.
    CapabilityGap {
        /// The agent.
        agent: String,
        /// What is to be looked at, in words and figures.
        message: String,
        /// The figures behind it.
        figures: GapFigures,
        /// The record in the store.
        record: String,
    },
    /// An action failed so often that people must say how to go on (specification, "Actions").
    ActionEscalated {
        /// The action that failed last.
        action_id: String,
        /// The agent.
        agent: String,
        /// What is to be decided.
        message: String,
        /// What was tried, and what was not, a line each.
        details: Vec<String>,
        /// The record in the store.
        record: String,
    },
    /// Reviews name the same issue again and again (specification, "Review documents").
    RepeatedIssue {
        /// What was reviewed.
        target: String,
        /// Which issue, and how often it was named.
        message: String,
        /// The record in the store.
        record: String,
    },
    /// An entry was trimmed from its stream before it was processed: its content is lost.
    EntryLost {
        /// The stream's key.
        stream: String,
        /// The entry's id.
        entry_id: String,
        /// What happened, and how to prevent it.
        message: String,
        /// The record in the store.
        record: String,
    },
}

/// A dead letter as it is published. The original fields stand beside the data, byte for byte, as `original:<name>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetterMessage {
    /// The stream's key.
    pub stream: String,
    /// The entry's id.
    pub entry_id: String,
    /// The kind of error.
    pub code: RejectCode,
    /// The field that is wrong, where one is.
    pub field: Option<String>,
    /// Which field is wrong, what was found, what was expected.
    pub message: String,
    /// How often the entry was delivered.
    pub delivery_count: u64,
    /// The original fields as text, shortened.
    pub fields: std::collections::BTreeMap<String, String>,
}

/// The message for a decision record that was written, where its evaluation is new: `previous` is the revision that
/// stood there before.
pub fn evaluated(path: &str, record: &DecisionRecord, previous: Option<u32>) -> Option<Outgoing> {
    let evaluation = &record.evaluation;
    if previous == Some(evaluation.revision) {
        return None;
    }
    let data = FeedbackEvaluated {
        feedback_id: record.feedback.feedback_id.clone(),
        decision_id: record.decision_id.clone(),
        agent: record.feedback.agent.clone(),
        gate: record.gate,
        decision: record.decision,
        reviewer_id: record.reviewer_id.clone(),
        classification: evaluation.classification,
        confidence: evaluation.confidence,
        rationale: evaluation.rationale.clone(),
        similar_feedback_ids: evaluation.similar.iter().map(|s| s.feedback_id.clone()).collect(),
        cluster_id: evaluation.cluster.clone(),
        proposed_action: evaluation.proposed_action.clone(),
        revision: evaluation.revision,
        record: path.to_owned(),
    };
    Some(Outgoing {
        topic: Topic::FeedbackEvaluated,
        schema: "feedbackd.feedback_evaluated/1",
        idempotency_key: format!("feedback_evaluated:{}:{}", record.feedback.feedback_id, evaluation.revision),
        tenant_id: record.tenant_id.clone().unwrap_or_default(),
        timestamp: evaluation.evaluated_at,
        data: json(&data),
    })
}

/// The alert for a tiebreak that was opened; `known` where the file stood there before.
pub fn tiebreak(path: &str, record: &AmbiguousRecord, known: bool) -> Option<Outgoing> {
    if known || record.status != AmbiguousStatus::Open {
        return None;
    }
    let data = Alert::AmbiguousFeedback {
        feedback_id: record.feedback_id.clone(),
        agent: record.agent.clone(),
        question: record.question.clone(),
        this_side: record.this_side.clone(),
        other_side: record.other_side.clone(),
        record: path.to_owned(),
    };
    Some(Outgoing {
        topic: Topic::Alerts,
        schema: "feedbackd.alert/1",
        idempotency_key: format!("alert:ambiguous:{}", record.feedback_id),
        tenant_id: record.tenant_id.clone().unwrap_or_default(),
        timestamp: record.opened_at,
        data: json(&data),
    })
}

/// The alert for an entry that is lost; `known` where the record stood there before.
pub fn lost(path: &str, record: &DeadLetterRecord, known: bool) -> Option<Outgoing> {
    if known || record.code != RejectCode::EntryTrimmed {
        return None;
    }
    let source = &record.source;
    let data = Alert::EntryLost {
        stream: source.stream.clone(),
        entry_id: source.entry_id.clone(),
        message: record.message.clone(),
        record: path.to_owned(),
    };
    Some(Outgoing {
        topic: Topic::Alerts,
        schema: "feedbackd.alert/1",
        idempotency_key: format!("alert:entry_lost:{}:{}", source.stream, source.entry_id),
        tenant_id: String::new(),
        timestamp: entry_time(&source.entry_id),
        data: json(&data),
    })
}

/// Data as it is published.
pub(crate) fn json<T: Serialize>(data: &T) -> String {
    serde_json::to_string(data).expect("these types have string keys only, so they always serialise")
}
