//! What each span says: names and attributes of the semantic conventions for messaging, version 1.44, and ids of ours. Never
//! what people say, and nothing of an entry that was refused but the code.

use super::steps::{COMMIT, Step};
use crate::domain::intake::event::RawEntry;
use crate::domain::records::message::Outgoing;
use crate::pipeline::{EntryOutcome, Processed};
use crate::ports::{SpanKind, SpanStart, SpanValue};
use crate::text::ids::CommitId;
use crate::text::prose::beginning;
use jiff::Timestamp;

/// Ids are of any length; nobody looks for more of one, in characters.
const LONGEST: usize = 256;

/// Who deals with entries, as spans tell it.
#[derive(Clone, Debug)]
pub struct Member {
    /// The consumer group.
    pub group: String,
    /// The daemon's name in it.
    pub consumer: String,
    /// What stands before the usual keys of streams.
    pub prefix: String,
}

/// A name, and what it says.
type Attribute = (&'static str, SpanValue);

impl Member {
    /// All that is done for an entry.
    pub(super) fn entry(
        &self,
        entry: &RawEntry,
        outcome: &EntryOutcome,
        processed: &Processed,
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

    /// Sending a message that answers it.
    pub(super) fn sending(&self, message: &Outgoing, at: Timestamp) -> SpanStart {
        let stream = format!("{}{}", self.prefix, message.topic.key());
        let more = vec![
            ("feedbackd.schema", message.schema.into()),
            ("feedbackd.idempotency_key", beginning(&message.idempotency_key, LONGEST).into()),
        ];
        messaging(SpanKind::Producer, "send", "send", &stream, more, at)
    }
}

/// One step towards its commit, made for all entries of the batch together.
pub(super) fn step(step: &Step, commit: &CommitId, entries: usize) -> SpanStart {
    let mut attributes = vec![("feedbackd.batch.entries", SpanValue::Count(entries))];
    if step.name == COMMIT {
        attributes.push(in_commit(commit));
    }
    SpanStart { name: step.name.to_owned(), kind: SpanKind::Internal, attributes, at: step.began }
}

/// Saying that it is done.
pub(super) fn acknowledging(stream: &str, at: Timestamp) -> SpanStart {
    messaging(SpanKind::Client, "ack", "settle", stream, Vec::new(), at)
}

/// The commit that an entry changed something in.
pub(super) fn commit_of<'a>(outcome: &EntryOutcome, processed: &'a Processed) -> Option<&'a CommitId> {
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
