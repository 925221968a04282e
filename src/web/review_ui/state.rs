//! Dependencies of the review UI's calls.

use super::people::StandIns;
use super::shapes::RuleProposal;
use crate::app::decisions::gate_form::GateFeedback;
use crate::memo::Memo;

/// Dependencies of the review UI's calls besides the services.
pub struct ReviewUi {
    /// Who may call, and as whom.
    pub people: StandIns,
    /// The processing of forms.
    pub gates: GateFeedback,
    /// The last list.
    pub listed: Memo<(), Vec<RuleProposal>>,
}
