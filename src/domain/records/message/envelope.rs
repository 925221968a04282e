//! A message to publish, and the outgoing streams.

use crate::intake::traceparent::TraceContext;
use crate::json::change_texts;
use crate::text::redact::{clean_text, hidden_characters};
use jiff::Timestamp;
use serde::Serialize;
use strum::{IntoStaticStr, VariantNames};

/// A stream to publish on; the publisher adds the tenant's prefix to the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Topic {
    /// `asdlc:events:feedback_evaluated`
    FeedbackEvaluated,
    /// `asdlc:events:rule_proposals`
    RuleProposals,
    /// `asdlc:events:rules`
    Rules,
    /// `asdlc:events:review_outcomes`
    ReviewOutcomes,
    /// `asdlc:events:alerts`
    Alerts,
    /// `asdlc:events:turn_feedback`
    TurnFeedback,
    /// `asdlc:events:action_feedback`
    ActionFeedback,
    /// `asdlc:events:refined_prompts`
    RefinedPrompts,
    /// `asdlc:events:forge_told`
    ForgeTold,
    /// `asdlc:events:dead_letters`: for entries, so no record produces a message for it.
    DeadLetters,
}

impl Topic {
    /// Returns its name, for labels.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the key without a tenant prefix.
    pub fn key(self) -> String {
        format!("asdlc:events:{}", self.name())
    }
}

/// One message to publish.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The target stream.
    pub topic: Topic,
    /// Name and version of the data's schema, e.g. `feedbackd.feedback_evaluated/1`.
    pub schema: &'static str,
    /// Identical for every repetition of the message.
    pub idempotency_key: String,
    /// The tenant; empty for the default tenant.
    pub tenant_id: String,
    /// The time of the reported event.
    pub timestamp: Timestamp,
    /// The trace context of the entry it answers; known only while that entry is available.
    pub trace: Option<TraceContext>,
    /// The data, as JSON text.
    pub data: String,
}

/// Serializes data for publishing, without invisible characters, for any reader and in any name.
pub(crate) fn json<T: Serialize>(data: &T) -> String {
    const SHAPE: &str = "these types have string keys only, so they always serialise";
    let text = serde_json::to_string(data).expect(SHAPE);
    // A control character is escaped as its code.
    if hidden_characters(&text).next().is_none() && !text.contains("\\u00") {
        return text;
    }
    let mut value = serde_json::to_value(data).expect(SHAPE);
    change_texts(&mut value, &clean_text);
    value.to_string()
}
