//! What goes out on the streams (contracts, 3), as a function of what was recorded.
//!
//! Every message has a schema, an idempotency key that is a function of its content's identity, the tenant, a
//! timestamp and JSON data. The same records always give the same messages, so that publishing can resume from Git.

use crate::domain::event::{RejectCode, Verdict};
use crate::domain::feedback::{ActionType, Classification, ProposedAction};
use crate::domain::ids::Gate;
use crate::domain::layout;
use crate::domain::record::{
    AlertRecord, AmbiguousRecord, AmbiguousStatus, DeadLetterRecord, DecisionRecord, GapFigures, ProposalRecord,
    ProposalStatus, Side,
};
use crate::domain::takeup::RuleState;
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
}

impl Topic {
    /// The key without a tenant prefix.
    pub fn key(self) -> &'static str {
        match self {
            Topic::FeedbackEvaluated => "asdlc:events:feedback_evaluated",
            Topic::RuleProposals => "asdlc:events:rule_proposals",
            Topic::Rules => "asdlc:events:rules",
            Topic::Alerts => "asdlc:events:alerts",
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

/// An evaluation as it is published (002, `EvaluatorDecision`).
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

/// What happened to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEventKind {
    /// It is in force, or in force with another text.
    RuleActivated,
    /// It was turned down, or nobody decided in time.
    RuleRejected,
    /// It left force.
    RuleRetired,
    /// It is in force and does not help.
    RuleFlagged,
}

impl RuleEventKind {
    /// The contracts' spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleEventKind::RuleActivated => "rule_activated",
            RuleEventKind::RuleRejected => "rule_rejected",
            RuleEventKind::RuleRetired => "rule_retired",
            RuleEventKind::RuleFlagged => "rule_flagged",
        }
    }
}

/// A change in a rule's life as it is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleEvent {
    /// What happened.
    pub event: RuleEventKind,
    /// The rule.
    pub rule_id: String,
    /// The version.
    pub version: u32,
    /// Where it stands now.
    pub status: ProposalStatus,
    /// What kind of change it is.
    pub action_type: ActionType,
    /// Its agents.
    pub affected_agents: Vec<String>,
    /// One line.
    pub title: String,
    /// Its text.
    pub rule_content: String,
    /// The text's hash.
    pub content_hash: String,
    /// Who approved it.
    pub approved_by: Vec<String>,
    /// Why it was turned down, left force, or is flagged.
    pub reason: Option<String>,
    /// The record in the store.
    pub record: String,
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

/// The message for a proposal that was written, where this version is new and awaits review: `previous` is the version
/// that stood there before.
pub fn proposed(path: &str, record: &ProposalRecord, previous: Option<u32>) -> Option<Outgoing> {
    let offered = path.starts_with(layout::PROPOSED) && record.status == ProposalStatus::Pending;
    if !offered || previous == Some(record.version) {
        return None;
    }
    Some(Outgoing {
        topic: Topic::RuleProposals,
        schema: "feedbackd.rule_proposal/1",
        idempotency_key: format!("rule_proposal:{}:{}", record.proposal_id, record.version),
        tenant_id: record.tenant_id.clone().unwrap_or_default(),
        timestamp: record.created_at,
        data: json(record),
    })
}

/// All messages for a rule's file that was written: `before` is what stood at the same path. A file that came from
/// another directory has none.
pub fn rule_messages(path: &str, record: &ProposalRecord, before: Option<&ProposalRecord>) -> Vec<Outgoing> {
    let mut messages: Vec<Outgoing> = Vec::new();
    messages.extend(proposed(path, record, before.map(|b| b.version)));
    if record.reminded_at.is_some()
        && before.is_none_or(|b| b.reminded_at.is_none())
        && path.starts_with(layout::PROPOSED)
    {
        messages.extend(waits(path, record));
    }
    let same_version = before.is_some_and(|b| b.version == record.version && b.status.in_force());
    match RuleState::of(path) {
        Some(RuleState::Active) if record.status.in_force() => {
            if !same_version {
                messages.push(rule_event(RuleEventKind::RuleActivated, path, record));
            }
            let flagged = |r: &ProposalRecord| r.status == ProposalStatus::Flagged;
            if flagged(record) && !before.is_some_and(flagged) {
                messages.push(rule_event(RuleEventKind::RuleFlagged, path, record));
                messages.push(ineffective(path, record));
            }
        }
        // Not the proposal that retired another rule: that one has an event of its own.
        Some(RuleState::Retired) if before.is_none() && record.action_type != ActionType::RetireRule => {
            messages.push(rule_event(RuleEventKind::RuleRetired, path, record));
        }
        Some(RuleState::Rejected) if before.is_none() => {
            messages.push(rule_event(RuleEventKind::RuleRejected, path, record));
        }
        _ => {}
    }
    messages
}

fn rule_event(event: RuleEventKind, path: &str, record: &ProposalRecord) -> Outgoing {
    let flag = record.flag.as_ref();
    let (identity, timestamp) = match event {
        RuleEventKind::RuleActivated => {
            (record.version.to_string(), record.version_at.max(record.activated_at).unwrap_or(record.created_at))
        }
        RuleEventKind::RuleFlagged => {
            let at = flag.map_or(record.created_at, |flag| flag.at);
            (at.to_string(), at)
        }
        RuleEventKind::RuleRejected | RuleEventKind::RuleRetired => {
            (record.version.to_string(), record.ended_at.unwrap_or(record.created_at))
        }
    };
    let data = RuleEvent {
        event,
        rule_id: record.proposal_id.clone(),
        version: record.version,
        status: record.status,
        action_type: record.action_type,
        affected_agents: record.affected_agents.clone(),
        title: record.title.clone(),
        rule_content: record.rule_content.clone(),
        content_hash: record.content_hash.clone(),
        approved_by: record.approvals.iter().map(|a| a.reviewer_id.clone()).collect(),
        reason: flag.map(|flag| flag.reason.clone()).or_else(|| record.reason.clone()),
        record: path.to_owned(),
    };
    Outgoing {
        topic: Topic::Rules,
        schema: "feedbackd.rule_event/1",
        idempotency_key: format!("{}:{}:{identity}", event.as_str(), record.proposal_id),
        tenant_id: record.tenant_id.clone().unwrap_or_default(),
        timestamp,
        data: json(&data),
    }
}

fn alert(key: String, tenant: Option<&String>, timestamp: Timestamp, data: &Alert) -> Outgoing {
    Outgoing {
        topic: Topic::Alerts,
        schema: "feedbackd.alert/1",
        idempotency_key: format!("alert:{key}"),
        tenant_id: tenant.cloned().unwrap_or_default(),
        timestamp,
        data: json(data),
    }
}

fn ineffective(path: &str, record: &ProposalRecord) -> Outgoing {
    let flag = record.flag.as_ref();
    let at = flag.map_or(record.created_at, |flag| flag.at);
    let data = Alert::IneffectiveRule {
        rule_id: record.proposal_id.clone(),
        agents: record.affected_agents.clone(),
        message: flag.map(|flag| flag.reason.clone()).unwrap_or_default(),
        proposal_id: flag.and_then(|flag| flag.proposal.clone()),
        record: path.to_owned(),
    };
    alert(format!("ineffective:{}:{at}", record.proposal_id), record.tenant_id.as_ref(), at, &data)
}

fn waits(path: &str, record: &ProposalRecord) -> Option<Outgoing> {
    let at = record.reminded_at?;
    let data = Alert::ProposalWaits {
        proposal_id: record.proposal_id.clone(),
        agents: record.affected_agents.clone(),
        rule_content: record.rule_content.clone(),
        since: record.version_at.unwrap_or(record.created_at),
        record: path.to_owned(),
    };
    let key = format!("waits:{}:{}", record.proposal_id, record.version);
    Some(alert(key, record.tenant_id.as_ref(), at, &data))
}

/// The alert for a record of one that was raised; `known` where the file stood there before.
pub fn raised(path: &str, record: &AlertRecord, known: bool) -> Option<Outgoing> {
    if known || record.kind != "capability_gap" {
        return None;
    }
    let data = Alert::CapabilityGap {
        agent: record.agent.clone(),
        message: record.message.clone(),
        figures: record.figures.clone(),
        record: path.to_owned(),
    };
    Some(alert(record.alert_id.clone(), record.tenant_id.as_ref(), record.raised_at, &data))
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
        timestamp: layout::entry_time(&source.entry_id),
        data: json(&data),
    })
}

fn json<T: Serialize>(data: &T) -> String {
    serde_json::to_string(data).expect("these types have string keys only, so they always serialise")
}
