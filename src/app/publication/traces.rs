//! The trace of each entry: spans for what was done for it, and where the messages that answer it go on. Where nobody collects
//! spans, they go on where the entry came from.
//!
//! A batch is made for many entries at once, so each of their traces shows the same steps. Messages that are read back from
//! a commit after a crash have no trace: it is not known then which entry they answer.

use super::spans::{Member, acknowledging, commit_of, step};
use super::steps::{Moments, steps};
use crate::domain::intake::event::RawEntry;
use crate::domain::intake::traceparent::{TraceContext, trace_context};
use crate::pipeline::{EntryOutcome, Processed};
use crate::ports::{Span, Tracer};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Follows entries from their traces into the messages that answer them.
pub struct Traces {
    /// Where spans go; without it there are none.
    pub tracer: Option<Arc<dyn Tracer>>,
    /// Who deals with entries here.
    pub member: Member,
}

/// The spans of a batch that is durable, and neither published nor acknowledged.
#[derive(Default)]
pub struct Followed {
    /// Of entries, with their streams.
    entries: Vec<(Box<dyn Span>, String)>,
    /// Of messages.
    messages: Vec<Box<dyn Span>>,
}

/// Where an answer goes on.
enum Trace {
    /// Below the entry's span, in its place among all.
    Ours(usize),
    /// Where the entry came from.
    Theirs(TraceContext),
}

impl Traces {
    /// Begins the spans of a batch that is durable. Each message whose key names what an entry was recorded as (`kind:ID` or
    /// `kind:ID:…`) gets the trace in which it answers.
    pub fn follow(&self, entries: &[RawEntry], processed: &mut Processed, moments: &Moments) -> Followed {
        let mut followed = Followed::default();
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

    /// The span of an entry, with the steps to its commit.
    fn begin(
        &self,
        entry: &RawEntry,
        outcome: &EntryOutcome,
        processed: &Processed,
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

impl Followed {
    /// Ends the spans of a batch that is acknowledged. `sent` is false where its messages are not known to be published: those
    /// that follow later have no trace.
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
