//! What the calls of the review UI need.

use super::people::StandIns;
use super::shapes::RuleProposal;
use crate::app::decisions::gate_form::GateFeedback;
use crate::memo::Last;

/// What the calls of the review UI need beside the services.
pub struct ReviewUi {
    /// Who may call, and as whom.
    pub people: StandIns,
    /// The way of forms.
    pub gates: GateFeedback,
    /// What was listed last.
    pub listed: Last<(), Vec<RuleProposal>>,
}
