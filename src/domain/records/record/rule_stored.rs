//! Where a proposal or rule is stored, and what is published at each step of its life.

use super::rule::ProposalRecord;
use super::stored_record::{Before, IndexRow, StoredRecord, name, probability};
use crate::clusters::evaluation::ActionType;
use crate::records::layout;
use crate::records::message::{Alert, Outgoing, RuleEvent, RuleEventKind, Topic, alert, json};
use crate::records::rule_status::{ProposalStatus, RuleState};
use crate::text::ids::parse_numbered;

impl StoredRecord for ProposalRecord {
    const SCHEMA: &'static str = "feedbackd.proposal/1";

    fn is_place(path: &str) -> bool {
        RuleState::of(path).is_some()
    }

    fn path(&self) -> String {
        layout::rule(&self.proposal_id, self.status)
    }

    /// Open means awaiting its reviewers: by status and by location.
    fn row(&self, path: &str) -> IndexRow<'_> {
        let open = RuleState::of(path) == Some(RuleState::Proposed) && self.status == ProposalStatus::Pending;
        IndexRow::at(&self.proposal_id, self.created_at).open(open)
    }

    /// Its file is named after its id. A number that leaves no room for others would end the series.
    fn check(&self, path: &str) -> Result<(), String> {
        let id = &self.proposal_id;
        name("proposal_id", [id])?;
        if path.rsplit('/').next().and_then(|file| file.strip_suffix(".yaml")) != Some(id) {
            return Err(format!("it describes {id}, which belongs in {}", self.path()));
        }
        if id.starts_with("RULE-") && parse_numbered("RULE", id).is_none() {
            return Err(format!("`proposal_id` is {id}, which is not a rule number: RULE-<year>-<up to 8 digits>"));
        }
        // A rule written by people has no cluster.
        name("cluster_id", Some(&self.cluster_id).filter(|id| !id.is_empty()))?;
        name("merged_clusters", &self.merged_clusters)?;
        name("target_rule", &self.target_rule)?;
        name("consolidates", &self.consolidates)?;
        probability("classification_confidence", self.classification_confidence)?;
        self.raw_confidence.map_or(Ok(()), |raw| probability("raw_confidence", raw))?;
        self.conflicts.iter().try_for_each(|c| probability("similarity", c.similarity))
    }

    /// A file moved from another directory has no previous content.
    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        let before = before.record();
        let mut messages: Vec<Outgoing> = Vec::new();
        messages.extend(proposed(path, self, before.map(|b| b.version)));
        if self.reminded_at.is_some()
            && before.is_none_or(|b| b.reminded_at.is_none())
            && path.starts_with(layout::PROPOSED)
        {
            messages.extend(waits(path, self));
        }
        let same_version = before.is_some_and(|b| b.version == self.version && b.status.in_force());
        messages.extend(set_aside(path, self, before));
        match RuleState::of(path) {
            Some(RuleState::Active) if self.status.in_force() => {
                if !same_version {
                    messages.push(rule_event(RuleEventKind::RuleActivated, path, self));
                }
                let flagged = |r: &ProposalRecord| r.status == ProposalStatus::Flagged;
                if flagged(self) && !before.is_some_and(flagged) {
                    messages.push(rule_event(RuleEventKind::RuleFlagged, path, self));
                    messages.push(ineffective(path, self));
                }
            }
            // Not a proposal that retired another rule: that one has its own event.
            Some(RuleState::Retired) if before.is_none() && self.action_type != ActionType::RetireRule => {
                messages.push(rule_event(RuleEventKind::RuleRetired, path, self));
            }
            Some(RuleState::Rejected) if before.is_none() => {
                messages.push(rule_event(RuleEventKind::RuleRejected, path, self));
            }
            _ => {}
        }
        messages
    }
}

/// Returns the message for a written proposal if this version is new and awaits review; `previous` is the version it
/// replaced.
fn proposed(path: &str, record: &ProposalRecord, previous: Option<u32>) -> Option<Outgoing> {
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
        trace: None,
        data: json(record),
    })
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
        trace: None,
        data: json(&data),
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
    let key = format!("ineffective:{}:{at}", record.proposal_id);
    alert(&key, record.tenant_id.as_deref(), at, &data)
}

/// Returns the alert for a rule that was newly set aside.
fn set_aside(path: &str, record: &ProposalRecord, before: Option<&ProposalRecord>) -> Option<Outgoing> {
    let event = record.history.last().filter(|event| event.event == "set aside")?;
    if !path.starts_with(layout::PROPOSED) || before.is_some_and(|b| b.history.len() >= record.history.len()) {
        return None;
    }
    let data = Alert::RuleSetAside {
        rule_id: record.proposal_id.clone(),
        agents: record.affected_agents.clone(),
        message: event.note.clone().unwrap_or_default(),
        record: path.to_owned(),
    };
    let key = format!("set_aside:{}:{}:{}", record.proposal_id, record.version, event.at);
    Some(alert(&key, record.tenant_id.as_deref(), event.at, &data))
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
    Some(alert(&key, record.tenant_id.as_deref(), at, &data))
}
