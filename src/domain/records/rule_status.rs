//! A rule's status, and the corresponding directory.
//!
//! The rules' life cycle decides which step may follow which, not this module.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every rule file, whatever its state.
pub const RULES: &str = "feedback/rules/";

/// Status of a proposal or rule (`RuleProposal.status`; specification, "Learning: Evaluation"; what follows an approval
/// is ours).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProposalStatus {
    /// Awaits its reviewers.
    Pending,
    /// Approved, pending room for it in its agent's prompt.
    Approved,
    /// In force.
    Active,
    /// In force, and under review because it does not help.
    Flagged,
    /// Rejected.
    Rejected,
    /// Undecided for too long.
    Expired,
    /// No longer in force: people retired it, or another rule took its place.
    Retired,
    /// No longer in force: its approval was withdrawn, or its evidence was.
    RolledBack,
}

impl ProposalStatus {
    /// All statuses, in order of a life.
    pub const ALL: [ProposalStatus; 8] = [
        ProposalStatus::Pending,
        ProposalStatus::Approved,
        ProposalStatus::Active,
        ProposalStatus::Flagged,
        ProposalStatus::Rejected,
        ProposalStatus::Expired,
        ProposalStatus::Retired,
        ProposalStatus::RolledBack,
    ];

    /// Returns the spelling used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            ProposalStatus::Pending => "PENDING",
            ProposalStatus::Approved => "APPROVED",
            ProposalStatus::Active => "ACTIVE",
            ProposalStatus::Flagged => "FLAGGED",
            ProposalStatus::Rejected => "REJECTED",
            ProposalStatus::Expired => "EXPIRED",
            ProposalStatus::Retired => "RETIRED",
            ProposalStatus::RolledBack => "ROLLED_BACK",
        }
    }

    /// Returns the name for people: a status awaiting reviewers reads as proposed, like its directory and the list
    /// option.
    pub fn told(self) -> &'static str {
        match self {
            ProposalStatus::Pending => "proposed",
            ProposalStatus::Approved => "approved",
            ProposalStatus::Active => "active",
            ProposalStatus::Flagged => "flagged",
            ProposalStatus::Rejected => "rejected",
            ProposalStatus::Expired => "expired",
            ProposalStatus::Retired => "retired",
            ProposalStatus::RolledBack => "rolled back",
        }
    }

    /// Returns the directory for this status.
    pub fn state(self) -> RuleState {
        match self {
            ProposalStatus::Pending | ProposalStatus::Approved => RuleState::Proposed,
            ProposalStatus::Active | ProposalStatus::Flagged => RuleState::Active,
            ProposalStatus::Rejected | ProposalStatus::Expired => RuleState::Rejected,
            ProposalStatus::Retired | ProposalStatus::RolledBack => RuleState::Retired,
        }
    }

    /// Reports whether agents follow it.
    pub fn in_force(self) -> bool {
        matches!(self, ProposalStatus::Active | ProposalStatus::Flagged)
    }

    /// Reports whether it may still come into force.
    pub fn is_open(self) -> bool {
        matches!(self, ProposalStatus::Pending | ProposalStatus::Approved)
    }
}

/// A rule's state, given by its file's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleState {
    /// Awaits its reviewers.
    Proposed,
    /// In force.
    Active,
    /// Rejected.
    Rejected,
    /// No longer in force.
    Retired,
}

impl RuleState {
    /// Returns the state for a path; `None` for files that are not rules.
    pub fn of(path: &str) -> Option<RuleState> {
        let (directory, name) = path.strip_prefix(RULES)?.split_once('/')?;
        if name.contains('/') || !name.ends_with(".yaml") {
            return None;
        }
        Some(match directory {
            "proposed" => RuleState::Proposed,
            "active" => RuleState::Active,
            "rejected" => RuleState::Rejected,
            "retired" => RuleState::Retired,
            _ => return None,
        })
    }

    /// Returns the directory's name.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleState::Proposed => "proposed",
            RuleState::Active => "active",
            RuleState::Rejected => "rejected",
            RuleState::Retired => "retired",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_stands_where_its_file_lies() {
        assert_eq!(RuleState::of("feedback/rules/proposed/RULE-2026-0001.yaml"), Some(RuleState::Proposed));
        assert_eq!(RuleState::of("feedback/rules/retired/RULE-2026-0001.yaml"), Some(RuleState::Retired));
        assert_eq!(RuleState::of("feedback/rules/lost/RULE-2026-0001.yaml"), None);
        for status in ProposalStatus::ALL {
            let path = format!("{RULES}{}/RULE-2026-0001.yaml", status.state().as_str());
            assert_eq!(RuleState::of(&path), Some(status.state()));
        }
    }
}
