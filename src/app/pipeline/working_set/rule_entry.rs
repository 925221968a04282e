//! A proposal or rule in the working set, and an import.

use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ProposalStatus};
use crate::domain::rules::draft::proposal::{KnownRule, has_present_hash, hash_holds};

/// A proposal or rule, in any state.
#[derive(Clone, Debug)]
pub struct RuleEntry {
    /// Its path.
    pub path: String,
    /// Its content.
    pub record: ProposalRecord,
    /// Its text, for comparison.
    pub known: KnownRule,
}

impl RuleEntry {
    /// Reports whether agents follow it, by both its directory and its status. A file that was merely moved is not in
    /// force.
    pub fn in_force(&self) -> bool {
        self.path.starts_with(layout::ACTIVE) && self.record.status.in_force()
    }

    /// Reports whether it is awaiting review.
    pub fn is_pending(&self) -> bool {
        self.path.starts_with(layout::PROPOSED) && self.record.status == ProposalStatus::Pending
    }

    /// Reports whether it is, or may still come, into force.
    pub fn is_living(&self) -> bool {
        self.in_force() || (self.path.starts_with(layout::PROPOSED) && self.record.status.is_open())
    }

    /// Reports whether it is for this tenant and agent.
    pub fn concerns(&self, tenant: &str, agent: &str) -> bool {
        self.record.tenant_id.as_deref().unwrap_or_default() == tenant
            && self.record.affected_agents.iter().any(|a| a == agent)
    }

    /// Reports whether it was edited in Git since the daemon last wrote it: its content no longer matches its hash.
    pub fn was_edited(&self) -> bool {
        !hash_holds(&self.record)
    }

    /// Reports whether it is awaiting review with a hash of the first form, which covered only its text.
    pub fn has_early_hash(&self) -> bool {
        self.record.status.is_open() && !has_present_hash(&self.record)
    }
}

/// The rules imported from one file: they are in force elsewhere.
#[derive(Debug)]
pub(super) struct ImportEntry {
    pub name: String,
    /// The agents they are for; empty for all.
    pub agents: Vec<String>,
    pub rules: Vec<KnownRule>,
}
