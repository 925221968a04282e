//! The roster in force, its predecessors, and the pending change.

use crate::domain::rules::lifecycle::approvals::Voice;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::domain::rules::lifecycle::succession::RosterBasis;
use crate::rules::approval_history::{ApprovalRequirements, Past};
use crate::text::ids::CommitId;
use schemars::JsonSchema;
use serde::Serialize;

/// The rosters of a store (`roster show`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rosters {
    /// Who may decide now.
    pub in_force: Roster,
    /// Every roster that was in force, oldest first, with its basis; empty if changes need no approvals yet.
    pub chain: Vec<RosterLink>,
    /// The change that is pending approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<RosterWaits>,
    /// Why the file is invalid, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// A roster that is or was in force.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RosterLink {
    /// Its hash.
    pub hash: String,
    /// The commit that brought it into force.
    pub commit: CommitId,
    /// The ids of its approvers.
    pub approvers: Vec<String>,
    /// What it rests on.
    pub basis: RosterBasis,
    /// The approvals it rests on.
    pub approvals: Vec<Voice>,
}

/// A pending change of the roster.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RosterWaits {
    /// Its hash, which approvals must name.
    pub hash: String,
    /// The commit that brought it.
    pub commit: CommitId,
    /// What changes, in words.
    pub changes: Vec<String>,
    /// How many approvals it needs.
    pub needed: usize,
    /// Approvals received.
    pub approvals: Vec<Voice>,
    /// What is missing, in words.
    pub missing: String,
}

/// Returns every roster that was in force.
pub(crate) fn chain(past: &Past) -> Vec<RosterLink> {
    let links = past.succession.iter().flat_map(|succession| succession.links());
    let told = links.map(|link| RosterLink {
        hash: link.hash.clone(),
        commit: link.since.clone(),
        approvers: link.roster.reviewers.iter().filter(|p| p.is_approver()).map(|p| p.id.clone()).collect(),
        basis: link.basis,
        approvals: link.approvals.clone(),
    });
    told.collect()
}

/// Returns the pending change, with its approvals and what is missing.
pub(crate) fn waits(past: &Past, asked: &ApprovalRequirements) -> Option<RosterWaits> {
    let succession = past.succession.as_ref()?;
    let waiting = succession.waiting.as_ref()?;
    let count = succession.count(waiting, &[], &past.demands(asked));
    Some(RosterWaits {
        hash: waiting.hash.clone(),
        commit: waiting.commit.clone(),
        changes: waiting.changes.clone(),
        needed: waiting.needed,
        approvals: count.voices,
        missing: count.missing,
    })
}
