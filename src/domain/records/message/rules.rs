//! What goes out about rules: proposals that await review, the turns of a rule's life, and what people should look at.

use super::{Alert, Outgoing, Topic, json};
use crate::domain::grouping::evaluation::ActionType;
use crate::domain::records::index_update::RuleState;
use crate::domain::records::layout;
use crate::domain::records::record::{AlertRecord, ProposalRecord, ProposalStatus};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// As it is written in messages.
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
    if known {
        return None;
    }
    let (agent, message) = (record.agent.clone(), record.message.clone());
    let (details, record_path) = (record.details.clone(), path.to_owned());
    let about = || record.about.clone().unwrap_or_default();
    let data = match (record.kind.as_str(), &record.figures) {
        ("capability_gap", Some(figures)) => {
            Alert::CapabilityGap { agent, message, figures: figures.clone(), record: record_path }
        }
        ("action_escalated", _) => {
            Alert::ActionEscalated { action_id: about(), agent, message, details, record: record_path }
        }
        ("repeated_issue", _) => Alert::RepeatedIssue { target: about(), message, record: record_path },
        _ => return None,
    };
    Some(alert(record.alert_id.clone(), record.tenant_id.as_ref(), record.raised_at, &data))
}
