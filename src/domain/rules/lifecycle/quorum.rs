//! Who may decide, and when enough people have (specification, "Rules"; specification, "Learning: Risks": two or more
//! must agree).

use super::roster::Roster;
use crate::identity;
use crate::records::record::ProposalRecord;
use std::collections::BTreeSet;

/// An open proposal's approvals so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalTally {
    /// Approvers of the present text who are on the roster.
    pub approvers: BTreeSet<String>,
    /// How many of them wrote none of the evidence.
    pub independent: usize,
    /// The number needed.
    pub needed: usize,
    /// Whether an author of evidence may decide alone: there is no one else.
    pub alone: bool,
}

impl ApprovalTally {
    /// Reports whether enough people agreed: as many as needed, including one who wrote none of the evidence.
    pub fn is_met(&self) -> bool {
        self.approvers.len() >= self.needed && (self.independent > 0 || self.alone)
    }

    /// Returns what is still missing, in words; empty if nothing is.
    pub fn missing(&self) -> String {
        let more = self.needed.saturating_sub(self.approvers.len());
        match (more, self.independent > 0 || self.alone) {
            (0, true) => String::new(),
            (0, false) => "an approver who wrote none of the evidence is needed".to_owned(),
            (1, _) => "one more approver is needed".to_owned(),
            (more, _) => format!("{more} more approvers are needed"),
        }
    }
}

/// Counts the approvals of a proposal's present text. Approvals of another text, and of people who are not (or no
/// longer) approvers on the roster, do not count. An approver who writes evidence later counts as its author.
pub fn tally(record: &ProposalRecord, roster: &Roster, min_approvals: u32) -> ApprovalTally {
    let valid = record.approvals.iter().filter(|a| a.content_hash == record.content_hash);
    let approvers: BTreeSet<String> =
        valid.map(|a| a.reviewer_id.clone()).filter(|id| roster.is_approver(id)).collect();
    let independent = approvers.iter().filter(|id| !wrote(record, id)).count();
    let needed = usize::try_from(min_approvals).unwrap_or(usize::MAX).max(1);
    ApprovalTally { approvers, independent, needed, alone: needed == 1 && roster.approvers() == 1 }
}

/// Reports whether a person wrote part of a proposal's evidence, under any spelling.
pub fn wrote(record: &ProposalRecord, id: &str) -> bool {
    record.reviewers.iter().any(|reviewer| identity::same(reviewer, id))
}
