//! Who may decide, and when enough people have (specification, "Rules"; specification, "Learning: Risks": two or more
//! must agree).

use super::roster::Roster;
use crate::identity;
use crate::records::record::ProposalRecord;
use std::collections::BTreeSet;

/// How an open proposal stands with its approvers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalTally {
    /// Approvers of the present text who are on the roster.
    pub approvers: BTreeSet<String>,
    /// Those of them who wrote none of the evidence.
    pub independent: usize,
    /// How many are needed.
    pub needed: usize,
    /// Whether somebody who wrote evidence may decide alone: there is nobody else.
    pub alone: bool,
}

impl ApprovalTally {
    /// Whether enough people agreed: as many as needed, and one among them who wrote none of the evidence.
    pub fn is_met(&self) -> bool {
        self.approvers.len() >= self.needed && (self.independent > 0 || self.alone)
    }

    /// What is still missing, in words; empty where nothing is.
    pub fn missing(&self) -> String {
        let more = self.needed.saturating_sub(self.approvers.len());
        match (more, self.independent > 0 || self.alone) {
            (0, true) => String::new(),
            (0, false) => "one approver who wrote none of the evidence is missing".to_owned(),
            (1, _) => "one more approver is missing".to_owned(),
            (more, _) => format!("{more} more approvers are missing"),
        }
    }
}

/// Counts the approvals of a proposal's present text. Approvals of another text, and of people who are not (or no
/// longer) approvers on the roster, do not count. Who wrote evidence after approving counts as having written it.
pub fn tally(record: &ProposalRecord, roster: &Roster, min_approvals: u32) -> ApprovalTally {
    let valid = record.approvals.iter().filter(|a| a.content_hash == record.content_hash);
    let approvers: BTreeSet<String> =
        valid.map(|a| a.reviewer_id.clone()).filter(|id| roster.is_approver(id)).collect();
    let independent = approvers.iter().filter(|id| !wrote(record, id)).count();
    let needed = usize::try_from(min_approvals).unwrap_or(usize::MAX).max(1);
    ApprovalTally { approvers, independent, needed, alone: needed == 1 && roster.approvers() == 1 }
}

/// Whether somebody wrote part of a proposal's evidence, under whatever spelling.
pub fn wrote(record: &ProposalRecord, id: &str) -> bool {
    record.reviewers.iter().any(|reviewer| identity::same(reviewer, id))
}
