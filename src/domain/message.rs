//! What goes out on the streams (contracts, 3), as a function of what was recorded.
//!
//! Every message has a schema, an idempotency key that is a function of its content's identity, the tenant, a
//! timestamp and JSON data.

use jiff::Timestamp;

/// A stream to publish on; the key gets the tenant's prefix from whoever publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// `asdlc:events:feedback_evaluated`
    FeedbackEvaluated,
    /// `asdlc:events:rule_proposals`
    RuleProposals,
    /// `asdlc:events:alerts`
    Alerts,
}

impl Topic {
    /// The key without a tenant prefix.
    pub fn key(self) -> &'static str {
        match self {
            Topic::FeedbackEvaluated => "asdlc:events:feedback_evaluated",
            Topic::RuleProposals => "asdlc:events:rule_proposals",
            Topic::Alerts => "asdlc:events:alerts",
        }
    }
}

/// One message to publish.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// Where to.
    pub topic: Topic,
    /// Name and version of the data's schema, e.g. `feedbackd.feedback_evaluated/1`.
    pub schema: &'static str,
    /// The same for every repetition of the same message.
    pub idempotency_key: String,
    /// The tenant; empty for the default tenant.
    pub tenant_id: String,
    /// When what it reports happened.
    pub timestamp: Timestamp,
    /// The data, as JSON text.
    pub data: String,
}
