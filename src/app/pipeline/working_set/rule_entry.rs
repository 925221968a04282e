//! A proposal or rule as it is remembered, and an import.

use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ProposalStatus};
use crate::domain::rules::draft::proposal::{KnownRule, has_present_hash, hash_holds};

/// A proposal or rule, whatever became of it.
#[derive(Clone, Debug)]
pub struct RuleEntry {
    /// Its file.
    pub path: String,
    /// What stands in it.
    pub record: ProposalRecord,
    /// Its text, for comparison.
    pub known: KnownRule,
}

impl RuleEntry {
    /// Whether agents obey it: its directory and its status say so. A file that somebody only moved is not in force.
    pub fn in_force(&self) -> bool {
        self.path.starts_with(layout::ACTIVE) && self.record.status.in_force()
    }

    /// Whether it awaits its reviewers.
    pub fn is_pending(&self) -> bool {
        self.path.starts_with(layout::PROPOSED) && self.record.status == ProposalStatus::Pending
    }

    /// Whether it is, or may still come, into force.
    pub fn is_living(&self) -> bool {
        self.in_force() || (self.path.starts_with(layout::PROPOSED) && self.record.status.is_open())
    }

    /// Whether it is for this tenant and agent.
    pub fn concerns(&self, tenant: &str, agent: &str) -> bool {
        self.record.tenant_id.as_deref().unwrap_or_default() == tenant
            && self.record.affected_agents.iter().any(|a| a == agent)
    }

    /// Whether it was edited in Git since the daemon last wrote it: it is another one than its hash says.
    pub fn was_edited(&self) -> bool {
        !hash_holds(&self.record)
    }

    /// Whether it awaits people with a hash of the first form, which was of its text alone.
    pub fn has_early_hash(&self) -> bool {
        self.record.status.is_open() && !has_present_hash(&self.record)
    }
}

/// What was imported from one file: rules that are in force elsewhere.
#[derive(Debug)]
pub(super) struct Imported {
    pub name: String,
    /// The agents they are for; all where none is named.
    pub agents: Vec<String>,
    pub rules: Vec<KnownRule>,
}
