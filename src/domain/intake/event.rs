//! Incoming events: a raw stream entry, and the decision, submission, rejection or nothing that it decodes to.
//!
//! Raw fields are read in `decode`; this file only defines the results.

use super::comment::Comment;
use crate::source::Source;
use crate::text::ids::Gate;
use crate::text::verdict::{Severity, Verdict};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{IntoStaticStr, VariantNames};

/// The kind of event on a stream; the key itself may have a tenant prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum StreamKind {
    /// `asdlc:events:hitl_decisions`: one HITL decision per entry (specification, "Decisions").
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
    /// All kinds, in reading order.
    pub const ALL: [StreamKind; StreamKind::VARIANTS.len()] = [
        StreamKind::HitlDecisions,
        StreamKind::Dispatcher,
        StreamKind::MetaHitl,
        StreamKind::Turns,
        StreamKind::Refinements,
        StreamKind::ActionResults,
        StreamKind::IterationFeedback,
    ];

    /// Returns the stream's usual key, without the tenant's prefix.
    pub fn usual_key(self) -> String {
        match self {
            StreamKind::Dispatcher => "asdlc:events".to_owned(),
            other => format!("asdlc:events:{}", other.label()),
        }
    }

    /// Returns the last part of the stream's usual name, for labels.
    pub fn label(self) -> &'static str {
        self.into()
    }
}

/// One stream entry as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    /// The key it was read from, with its tenant prefix.
    pub stream: String,
    /// What the stream carries.
    pub kind: StreamKind,
    /// The stream's own entry id, `<milliseconds>-<sequence>`.
    pub id: String,
    /// The fields in order. Empty if the entry was trimmed before it was processed. Only their beginnings if the entry
    /// is too large.
    pub fields: Vec<(String, Vec<u8>)>,
    /// What was omitted if the entry is too large.
    pub oversize: Option<Oversize>,
    /// The hash at `asdlc:gate_request:<request_id>`, for dispatcher entries that name one. Filled by the reader of the
    /// entry, so that decoding stays pure.
    pub gate_request: Option<GateRequest>,
}

impl RawEntry {
    /// Returns the bytes of all its names and values, including omitted ones.
    pub fn bytes(&self) -> u64 {
        let read = || self.fields.iter().map(|(name, value)| (name.len() + value.len()) as u64).sum();
        self.oversize.as_ref().map_or_else(read, |oversize| oversize.bytes)
    }
}

/// The gate request that a dispatcher's event answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateRequest {
    /// The relevant fields.
    Found(BTreeMap<String, String>),
    /// Too large to be accepted.
    TooLarge {
        /// The bytes of their values.
        bytes: u64,
        /// The maximum accepted.
        most: u64,
    },
}

/// An entry that is too large to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oversize {
    /// The bytes of all its names and values.
    pub bytes: u64,
    /// The SHA-1, in hexadecimal, of the hexadecimal SHA-1 of each name and value in turn.
    pub digest: String,
}

/// One person's decision at one gate (`HITLDecisionEvent`; specification, "Learning: Evaluation"; specification,
/// "Decisions").
///
/// Texts are as sent by the publisher: nothing is redacted yet.
#[derive(Clone, Debug, PartialEq)]
pub struct HitlDecision {
    /// The publisher's id; the identity of everything derived from this decision.
    pub decision_id: String,
    /// The gate in its original spelling.
    pub gate_id: String,
    /// The canonical gate.
    pub gate: Gate,
    /// The epic under review.
    pub epic_id: Option<String>,
    /// The task under review.
    pub task_id: Option<String>,
    /// The agent session.
    pub session_id: Option<String>,
    pub verdict: Verdict,
    /// The reviewer.
    pub reviewer_id: String,
    /// When it was decided.
    pub timestamp: Timestamp,
    /// The review time in seconds.
    pub review_duration_seconds: Option<u64>,
    /// Hash of the agent's output.
    pub agent_output_sha: Option<String>,
    /// Hash of the accepted output.
    pub approved_output_sha: Option<String>,
    /// The agent whose work it was, if the event names one.
    pub agent: Option<String>,
    /// The reviewer's comment on the whole.
    pub reviewer_comment: Option<String>,
    /// Comments on places, in the order sent; each is separate feedback.
    pub comments: Vec<Comment>,
    /// A summary of the correction, in a person's words.
    pub correction_summary: Option<String>,
    /// The correction itself, inline.
    pub correction_diff: Option<String>,
    /// Path of the correction below the configured directory.
    pub correction_diff_path: Option<String>,
    /// How severe the reviewer considers it.
    pub severity: Option<Severity>,
    /// Whether the reviewer wants something to be learned from it.
    pub consider_for_improvement: Option<bool>,
    /// The tenant, if the event names one.
    pub tenant_id: Option<String>,
    /// Free tags.
    pub tags: Vec<String>,
    /// Unknown fields, unchanged.
    pub extra: BTreeMap<String, serde_json::Value>,
    /// Its source.
    pub source: Source,
}

/// Why an entry could not be processed. Invalid input is a value, never a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The kind, for programs.
    pub code: RejectCode,
    /// The invalid field, if any.
    pub field: Option<String>,
    /// One sentence: which field is wrong, what was found, what was expected.
    pub message: String,
}

/// The kinds of rejection. The spelling is part of the contract with readers of the dead-letter stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RejectCode {
    /// A required field is missing.
    MissingField,
    /// A field is present, but its value cannot be read.
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
    /// A review document that is not actionable (specification, "Review documents").
    InvalidDocument,
    /// Another event has this id, from another person or with other content: this one is distinct.
    ConflictingId,
    /// The entry was trimmed from its stream before it was processed: its content is lost.
    EntryTrimmed,
}

impl RejectCode {
    /// Returns the spelling used in records, metrics and messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
