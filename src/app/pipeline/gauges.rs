//! Status for the metrics: work pending for people, and the effects of rules.

use super::state::Pipeline;
use crate::domain::records::record::{AmbiguousStatus, ProposalRecord, ProposalStatus};
use crate::metrics;
use crate::metrics::PendingKind;
use crate::ports::IndexError;
use crate::reports::effectiveness::RuleEffect;
use std::collections::BTreeSet;

impl Pipeline {
    /// Updates the metrics of pending work if the store changed since the last update.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn tell_standing(&mut self) -> Result<(), IndexError> {
        if self.index_behind || self.told_at.is_some() && self.told_at == self.memory.head {
            return Ok(());
        }
        let pending = || self.memory.rules().filter(|rule| rule.is_pending()).map(|rule| &rule.record);
        let since = pending().map(|p| p.version_at.unwrap_or(p.created_at).as_second());
        metrics::waiting(PendingKind::Proposal, pending().count(), since.min());
        metrics::stale_approvals(pending().map(stale_approvals).sum());
        let flagged =
            self.memory.rules().filter(|rule| rule.in_force() && rule.record.status == ProposalStatus::Flagged);
        metrics::flagged_rules(flagged.count());
        let open = self.index().ambiguous()?.into_iter().map(|(_, record)| record);
        let open: Vec<i64> = open
            .filter(|record| record.status == AmbiguousStatus::Open)
            .map(|record| record.opened_at.as_second())
            .collect();
        metrics::waiting(PendingKind::Contradiction, open.len(), open.iter().min().copied());
        self.told_at = self.memory.head.clone();
        Ok(())
    }
}

/// Returns how many people approved an earlier text of a proposal but not the present one.
fn stale_approvals(proposal: &ProposalRecord) -> usize {
    let approved = proposal.history.iter().filter(|event| event.event == "approval");
    let (now, before): (Vec<_>, Vec<_>) = approved.partition(|event| event.version == proposal.version);
    let again: BTreeSet<Option<&str>> = now.iter().map(|event| event.by.as_deref()).collect();
    let before: BTreeSet<Option<&str>> = before.iter().map(|event| event.by.as_deref()).collect();
    before.difference(&again).count()
}

/// Updates the metrics of the measured effects of the rules in force.
pub(super) fn tell_effects(measured: &[RuleEffect]) {
    metrics::rules(|effect| measured.iter().filter(|rule| rule.assessment.verdict == effect).count());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::records::record::LifeEvent;
    use crate::domain::testing::sample;
    use jiff::Timestamp;

    #[test]
    fn approvals_of_an_earlier_text_are_counted_until_their_approvers_look_again() {
        let event = |version, by: &str| LifeEvent {
            at: Timestamp::UNIX_EPOCH,
            event: "approval".to_owned(),
            version,
            by: Some(by.to_owned()),
            note: None,
        };
        let mut proposal = ProposalRecord { version: 2, history: vec![], ..sample::proposal(1) };
        assert_eq!(stale_approvals(&proposal), 0);
        proposal.history = vec![event(1, "ana"), event(1, "ben")];
        assert_eq!(stale_approvals(&proposal), 2);
        proposal.history.push(event(2, "ana"));
        assert_eq!(stale_approvals(&proposal), 1);
    }
}
