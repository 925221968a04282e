//! Messages on the outgoing streams (specification, "Streams and keys out").
//!
//! Every message has a schema, an idempotency key derived from its content's identity, the tenant, a timestamp and JSON
//! data. The message of a record is defined with the record; nothing is sent from here.

mod alert;
mod dead_letter;
mod envelope;
mod evaluated;
mod refined_prompt;
mod review_outcome;
mod rule_event;
mod rule_stop;

pub use alert::{Alert, AlertKind, GapFigures, alert};
pub use dead_letter::DeadLetterMessage;
pub(in crate::records) use envelope::json;
pub use envelope::{Outgoing, Topic};
pub use evaluated::FeedbackEvaluated;
pub use refined_prompt::RefinedPrompt;
pub use review_outcome::ReviewOutcomeMessage;
pub use rule_event::{RuleEvent, RuleEventKind};
pub use rule_stop::{RuleStop, RuleStopKind};
