//! What comes in: a raw stream entry, and the decision, submission, rejection or nothing that it turns out to be.
//!
//! Reading the raw fields is `decode`'s work; this file only names the results.

use super::comment::Comment;
use crate::source::Source;
use crate::text::ids::Gate;
use crate::text::verdict::{Severity, Verdict};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{IntoStaticStr, VariantNames};

/// Which kind of event a stream carries; the key itself may have a tenant prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum StreamKind {
    /// `asdlc:events:hitl_decisions`: one HITL decision an entry (specification, "Decisions").
    HitlDecisions,
    /// `asdlc:events`: the dispatcher's lifecycle events (specification, "The dispatcher's events").
    Dispatcher,
    /// `asdlc:events:meta_hitl_decisions`: what people and programs submit about what was learned (specification,
    /// "Reviews").
    #[strum(serialize = "meta_hitl_decisions")]
    MetaHitl,
    /// `asdlc:events:turns`: a conversation turn (specification, "Turns").
    Turns,
    /// `asdlc:events:refinements`: an agent's output that failed (specification, "Refinement").
    Refinements,
    /// `asdlc:events:action_results`: the outcome of an agent's action (specification, "Actions").
    ActionResults,
    /// `asdlc:events:iteration_feedback`: an actionable-feedback document (specification, "Review documents").
    IterationFeedback,
}

impl StreamKind {
    /// All of them, in the order in which they are read.
    pub const ALL: [StreamKind; StreamKind::VARIANTS.len()] = [
        StreamKind::HitlDecisions,
        StreamKind::Dispatcher,
        StreamKind::MetaHitl,
        StreamKind::Turns,
        StreamKind::Refinements,
        StreamKind::ActionResults,
        StreamKind::IterationFeedback,
    ];

    /// The stream's usual key, without the tenant's prefix.
    pub fn usual_key(self) -> String {
        match self {
            StreamKind::Dispatcher => "asdlc:events".to_owned(),
            other => format!("asdlc:events:{}", other.label()),
        }
    }

    /// The last part of the stream's usual name, for labels.
    pub fn label(self) -> &'static str {
        self.into()
    }
}

/// One entry of a stream, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    /// The key it was read from, with its tenant prefix.
    pub stream: String,
    /// What the stream carries.
    pub kind: StreamKind,
    /// The stream's own entry id, `<milliseconds>-<sequence>`.
    pub id: String,
    /// The fields in their order. Empty when the entry was trimmed before it was processed. Of an entry that is too large
    /// only how they begin.
    pub fields: Vec<(String, Vec<u8>)>,
    /// What was left out where the entry is too large.
    pub oversize: Option<Oversize>,
    /// The hash at `asdlc:gate_request:<request_id>`, for dispatcher entries that name one. Filled by whoever
    /// read the entry, so that decoding stays pure.
    pub gate_request: Option<GateRequest>,
}

impl RawEntry {
    /// The bytes of all its names and values, also of those that were left out.
    pub fn bytes(&self) -> u64 {
        let read = || self.fields.iter().map(|(name, value)| (name.len() + value.len()) as u64).sum();
        self.oversize.as_ref().map_or_else(read, |oversize| oversize.bytes)
    }
}

/// What was found of the gate request that a dispatcher's event answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateRequest {
    /// Those of its fields that matter.
    Found(BTreeMap<String, String>),
    /// They are too large to be taken in.
    TooLarge {
        /// The bytes of their values.
        bytes: u64,
        /// How many are accepted.
        most: u64,
    },
}

/// An entry that is too large to be taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oversize {
    /// The bytes of all its names and values.
    pub bytes: u64,
    /// The SHA-1, in hexadecimal, of the hexadecimal SHA-1 of each name and value in turn.
    pub digest: String,
}

/// One decision of one person at one gate (`HITLDecisionEvent`; specification, "Learning: Evaluation"; specification,
/// "Decisions").
///
/// Texts are as the publisher sent them: nothing here is redacted yet.
#[derive(Clone, Debug, PartialEq)]
pub struct HitlDecision {
    /// The publisher's id; the identity of everything derived from this decision.
    pub decision_id: String,
    /// The gate as it was spelled.
    pub gate_id: String,
    /// The gate it means.
    pub gate: Gate,
    /// The epic under review.
    pub epic_id: Option<String>,
    /// The task under review.
    pub task_id: Option<String>,
    /// The agent session.
    pub session_id: Option<String>,
    pub verdict: Verdict,
    /// Who decided.
    pub reviewer_id: String,
    /// When.
    pub timestamp: Timestamp,
    /// How long the review took, in seconds.
    pub review_duration_seconds: Option<u64>,
    /// Hash of what the agent offered.
    pub agent_output_sha: Option<String>,
    /// Hash of what was accepted.
    pub approved_output_sha: Option<String>,
    /// The agent whose work it was, where the event names one.
    pub agent: Option<String>,
    /// What the reviewer said of the whole.
    pub reviewer_comment: Option<String>,
    /// What was said of places, in the order in which it was sent; each is feedback of its own.
    pub comments: Vec<Comment>,
    /// A summary of the correction, in a person's words.
    pub correction_summary: Option<String>,
    /// The correction itself, inline.
    pub correction_diff: Option<String>,
    /// Where the correction lies below the configured directory.
    pub correction_diff_path: Option<String>,
    /// How much the reviewer minds.
    pub severity: Option<Severity>,
    /// Whether the reviewer asks that something be learned from it.
    pub consider_for_improvement: Option<bool>,
    /// The tenant, where the event names one.
    pub tenant_id: Option<String>,
    /// Free tags.
    pub tags: Vec<String>,
    /// Every field that is not known, kept as it was.
    pub extra: BTreeMap<String, serde_json::Value>,
    /// Where it was read.
    pub source: Source,
}

/// Why an entry could not be processed. Bad input is a value, never a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The kind, for programs.
    pub code: RejectCode,
    /// The field that is wrong, where one is.
    pub field: Option<String>,
    /// One sentence: which field is wrong, what was found, what was expected.
    pub message: String,
}

/// The kinds of rejection. The spelling is part of the contract with readers of the dead-letter stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RejectCode {
    /// A required field is not there.
    MissingField,
    /// A field is there, but its value cannot be read.
    InvalidField,
    /// The JSON in a payload field does not parse, or is not an object.
    InvalidJson,
    /// A CloudEvents envelope of an unknown version, or without data.
    InvalidEnvelope,
    /// The entry, or one field, is larger than the configured limit.
    TooLarge,
    /// A dispatcher event whose gate request is gone, so that the gate is unknown.
    GateRequestMissing,
    /// The event belongs to a tenant that this daemon does not serve.
    TenantMismatch,
    /// A review document that cannot be acted upon (specification, "Review documents").
    InvalidDocument,
    /// Another event has this id, by somebody else or with other content: this one is not taken for it.
    ConflictingId,
    /// The entry was trimmed from its stream before it was processed: its content is lost.
    EntryTrimmed,
}

impl RejectCode {
    /// The spelling used in records, metrics and messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
