//! Who may decide: the roster in force, those before it, and the change that waits.

use crate::domain::rules::lifecycle::approvals::Voice;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::domain::rules::lifecycle::succession::RosterBasis;
use crate::rules::approval_history::{Asked, Past};
use crate::text::ids::CommitId;
use schemars::JsonSchema;
use serde::Serialize;

/// The rosters of a store (`roster show`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rosters {
    /// Who may decide now.
    pub in_force: Roster,
    /// Every roster that was in force, the first one first, and what it rests on; none where changes need no approvals yet.
    pub chain: Vec<RosterLink>,
    /// The change that waits for approvals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<RosterWaits>,
    /// Why the file makes no sense, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// A roster that is or was in force.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RosterLink {
    /// Its hash.
    pub hash: String,
    /// The commit with which it came into force.
    pub commit: CommitId,
    /// The ids of its approvers.
    pub approvers: Vec<String>,
    /// What it rests on.
    pub basis: RosterBasis,
    /// The approvals it rests on.
    pub approvals: Vec<Voice>,
}

/// A change of the roster that waits.
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
    /// The approvals it has.
    pub approvals: Vec<Voice>,
    /// What is missing, in words.
    pub missing: String,
}

/// Every roster that was in force.
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

/// The change that waits, with what it has and lacks.
pub(crate) fn waits(past: &Past, asked: &Asked) -> Option<RosterWaits> {
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
