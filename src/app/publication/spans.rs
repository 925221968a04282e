//! Contents of each span: names and attributes of the semantic conventions for messaging, version 1.44, and our own
//! ids. Spans never contain what people say, and only the code of a rejected entry.

use super::steps::{COMMIT, Step};
use crate::domain::intake::event::RawEntry;
use crate::domain::records::message::Outgoing;
use crate::pipeline::{EntryOutcome, ProcessedBatch};
use crate::ports::{SpanKind, SpanStart, SpanValue};
use crate::text::ids::CommitId;
use crate::text::prose::beginning;
use jiff::Timestamp;

/// Maximum length of an id in characters; longer ids are cut.
const LONGEST: usize = 256;

/// The processor of entries, as shown in spans.
#[derive(Clone, Debug)]
pub struct Member {
    /// The consumer group.
    pub group: String,
    /// The daemon's consumer name.
    pub consumer: String,
    /// The prefix of the stream keys.
    pub prefix: String,
}

/// An attribute's name and value.
type Attribute = (&'static str, SpanValue);

impl Member {
    /// Returns the span covering all work for an entry.
    pub(super) fn entry(
        &self,
        entry: &RawEntry,
        outcome: &EntryOutcome,
        processed: &ProcessedBatch,
        at: Timestamp,
    ) -> SpanStart {
        let (became, id) = became(outcome);
        let mut more = vec![
            ("messaging.message.id", entry.id.as_str().into()),
            ("messaging.consumer.group.name", self.group.as_str().into()),
            ("messaging.client.id", self.consumer.as_str().into()),
            ("feedbackd.outcome", became.into()),
        ];
        more.extend(id.map(|id| ("feedbackd.id", beginning(id, LONGEST).into())));
        more.extend(commit_of(outcome, processed).map(in_commit));
        if let EntryOutcome::Refused { refusal, .. } = outcome {
            more.push(("feedbackd.refusal", refusal.code.as_str().into()));
        }
        messaging(SpanKind::Consumer, "process", "process", &entry.stream, more, at)
    }

    /// Returns the span for sending a message that answers it.
    pub(super) fn sending(&self, message: &Outgoing, at: Timestamp) -> SpanStart {
        let stream = format!("{}{}", self.prefix, message.topic.key());
        let more = vec![
            ("feedbackd.schema", message.schema.into()),
            ("feedbackd.idempotency_key", beginning(&message.idempotency_key, LONGEST).into()),
        ];
        messaging(SpanKind::Producer, "send", "send", &stream, more, at)
    }
}

/// Returns the span for one step towards the commit, shared by all entries of the batch.
pub(super) fn step(step: &Step, commit: &CommitId, entries: usize) -> SpanStart {
    let mut attributes = vec![("feedbackd.batch.entries", SpanValue::Count(entries))];
    if step.name == COMMIT {
        attributes.push(in_commit(commit));
    }
    SpanStart { name: step.name.to_owned(), kind: SpanKind::Internal, attributes, at: step.began }
}

/// Returns the span for acknowledging.
pub(super) fn acknowledging(stream: &str, at: Timestamp) -> SpanStart {
    messaging(SpanKind::Client, "ack", "settle", stream, Vec::new(), at)
}

/// Returns the commit in which an entry changed something.
pub(super) fn commit_of<'a>(outcome: &EntryOutcome, processed: &'a ProcessedBatch) -> Option<&'a CommitId> {
    match outcome {
        EntryOutcome::Duplicate(_) | EntryOutcome::Ignored(_) => None,
        _ => processed.commit.as_ref(),
    }
}

fn in_commit(commit: &CommitId) -> Attribute {
    ("feedbackd.commit", commit.0.as_str().into())
}

fn messaging(
    kind: SpanKind,
    operation: &str,
    operation_type: &str,
    stream: &str,
    more: Vec<Attribute>,
    at: Timestamp,
) -> SpanStart {
    let mut attributes = vec![
        ("messaging.system", "redis".into()),
        ("messaging.operation.name", operation.into()),
        ("messaging.operation.type", operation_type.into()),
        ("messaging.destination.name", stream.into()),
    ];
    attributes.extend(more);
    SpanStart { name: format!("{operation} {stream}"), kind, attributes, at }
}

fn became(outcome: &EntryOutcome) -> (&'static str, Option<&str>) {
    match outcome {
        EntryOutcome::Recorded(id) => ("recorded", Some(id)),
        EntryOutcome::Duplicate(id) => ("duplicate", Some(id)),
        EntryOutcome::Submitted { id, .. } => ("submitted", Some(id)),
        EntryOutcome::Refused { id, .. } => ("refused", Some(id)),
        EntryOutcome::Heard(id) => ("heard", Some(id)),
        EntryOutcome::Ignored(_) => ("ignored", None),
        EntryOutcome::Rejected(_) => ("rejected", None),
    }
}
