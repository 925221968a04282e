//! Passes the trace of an entry on to the messages that answer it, so that it does not end here. Messages that are read
//! back from a commit after a crash have none: it is not known then which entry they answer.

use crate::app::pipeline::{EntryOutcome, Processed};
use crate::domain::intake::event::RawEntry;
use crate::domain::intake::traceparent::traceparent;
use std::collections::HashMap;

/// Gives each message whose key names what an entry was recorded as (`kind:ID` or `kind:ID:…`) that entry's trace.
pub fn pass_on(entries: &[RawEntry], processed: &mut Processed) {
    let traces: HashMap<&str, String> = entries
        .iter()
        .zip(&processed.outcomes)
        .filter_map(|(entry, outcome)| Some((recorded_as(outcome)?, traceparent(entry)?)))
        .collect();
    if traces.is_empty() {
        return;
    }
    for message in &mut processed.messages {
        let Some((_, named)) = message.idempotency_key.split_once(':') else { continue };
        let ends = named.match_indices(':').map(|(end, _)| end).chain([named.len()]);
        message.traceparent = ends.filter_map(|end| traces.get(&named[..end])).next_back().cloned();
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
