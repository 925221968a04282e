//! The trace of each entry: spans for its processing, and the context in which its answers continue. Without a span
//! collector they continue the sender's trace.
//!
//! A batch handles many entries at once, so each of their traces shows the same steps. Messages read back from a commit
//! after a crash have no trace, because the entry they answer is unknown.

use super::spans::{Member, acknowledging, commit_of, step};
use super::steps::{Moments, steps};
use crate::domain::intake::event::RawEntry;
use crate::domain::intake::traceparent::{TraceContext, trace_context};
use crate::pipeline::{EntryOutcome, ProcessedBatch};
use crate::ports::{Span, Tracer};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Carries traces from entries into the messages that answer them.
pub struct Traces {
    /// The span destination; without it there are no spans.
    pub tracer: Option<Arc<dyn Tracer>>,
    /// The processor of entries.
    pub member: Member,
}

/// The spans of a batch that is durable but neither published nor acknowledged.
#[derive(Default)]
pub struct BatchSpans {
    /// Spans of entries, with their streams.
    entries: Vec<(Box<dyn Span>, String)>,
    /// Spans of messages.
    messages: Vec<Box<dyn Span>>,
}

/// The trace that an answer continues.
enum Trace {
    /// Below the entry's span, by its position.
    Ours(usize),
    /// The sender's trace.
    Theirs(TraceContext),
}

impl Traces {
    /// Begins the spans of a durable batch. Each message whose key names what an entry was recorded as (`kind:ID` or
    /// `kind:ID:…`) gets that entry's trace.
    pub fn follow(&self, entries: &[RawEntry], processed: &mut ProcessedBatch, moments: &Moments) -> BatchSpans {
        let mut followed = BatchSpans::default();
        let mut traces: HashMap<&str, Trace> = HashMap::new();
        for (entry, outcome) in entries.iter().zip(&processed.outcomes) {
            let theirs = trace_context(entry);
            let trace = match self.begin(entry, outcome, processed, moments, theirs.as_ref()) {
                Some(span) => {
                    followed.entries.push((span, entry.stream.clone()));
                    Trace::Ours(followed.entries.len() - 1)
                }
                None => match theirs {
                    Some(theirs) => Trace::Theirs(theirs),
                    None => continue,
                },
            };
            if let Some(id) = recorded_as(outcome) {
                traces.insert(id, trace);
            }
        }
        if traces.is_empty() {
            return followed;
        }
        let at = moments.at(moments.durable);
        for message in &mut processed.messages {
            let Some((_, named)) = message.idempotency_key.split_once(':') else { continue };
            let ends = named.match_indices(':').map(|(end, _)| end).chain([named.len()]);
            match ends.filter_map(|end| traces.get(&named[..end])).next_back() {
                Some(Trace::Theirs(trace)) => message.trace = Some(trace.clone()),
                Some(Trace::Ours(place)) => {
                    let span = followed.entries[*place].0.begin(self.member.sending(message, at));
                    message.trace = Some(span.context());
                    followed.messages.push(span);
                }
                None => {}
            }
        }
        followed
    }

    /// Begins the span of an entry, with the steps to its commit.
    fn begin(
        &self,
        entry: &RawEntry,
        outcome: &EntryOutcome,
        processed: &ProcessedBatch,
        moments: &Moments,
        theirs: Option<&TraceContext>,
    ) -> Option<Box<dyn Span>> {
        let tracer = self.tracer.as_ref()?;
        let mut span = tracer.begin(self.member.entry(entry, outcome, processed, moments.at), theirs)?;
        if let EntryOutcome::Rejected(rejection) = outcome {
            span.fail(rejection.code.as_str());
        }
        if let Some(commit) = commit_of(outcome, processed) {
            for done in steps(&processed.timings, moments) {
                span.begin(step(&done, commit, processed.outcomes.len())).end(done.ended);
            }
        }
        Some(span)
    }
}

impl BatchSpans {
    /// Ends the spans of an acknowledged batch. `sent` is false if its messages are not known to be published: messages
    /// published later have no trace.
    pub fn end(self, moments: &Moments, published: Instant, acknowledged: Instant, sent: bool) {
        let (published, acknowledged) = (moments.at(published), moments.at(acknowledged));
        for mut span in self.messages {
            if !sent {
                span.fail("unconfirmed");
            }
            span.end(published);
        }
        for (span, stream) in self.entries {
            span.begin(acknowledging(&stream, published)).end(acknowledged);
            span.end(acknowledged);
        }
    }
}

fn recorded_as(outcome: &EntryOutcome) -> Option<&str> {
    match outcome {
        EntryOutcome::Recorded(id)
        | EntryOutcome::Heard(id)
        | EntryOutcome::Submitted { id, .. }
        | EntryOutcome::Refused { id, .. } => Some(id),
        EntryOutcome::Duplicate(_) | EntryOutcome::Ignored(_) | EntryOutcome::Rejected(_) => None,
    }
}

#[cfg(test)]
mod tests;
