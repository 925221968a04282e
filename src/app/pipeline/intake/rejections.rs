//! Turns entries that cannot be processed into dead letters.

use super::decode::{Incoming, Outcomes};
use crate::domain::intake::decode::REPLAY;
use crate::domain::intake::event::{RawEntry, Rejection};
use crate::domain::records::record::DeadLetterRecord;
use crate::domain::records::{build, layout};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::batch::outcome::EntryOutcome;
use crate::pipeline::error::PipelineError;
use crate::text::ids::short_hash;

/// Records all entries that cannot be processed.
pub(crate) fn reject_all(draft: &mut Draft<'_>, incoming: &Incoming<'_>) -> Result<Outcomes, PipelineError> {
    let mut outcomes = Outcomes::new();
    for (place, rejection) in &incoming.rejected {
        reject(draft, &incoming.entries[*place], rejection)?;
        outcomes.push((*place, EntryOutcome::Rejected(rejection.clone())));
    }
    Ok(outcomes)
}

/// Records one entry that cannot be processed.
pub(crate) fn reject(draft: &mut Draft<'_>, entry: &RawEntry, rejection: &Rejection) -> Result<(), PipelineError> {
    // Lines of a file have no unique ids: two files must not share their records.
    let replayed = entry.stream == REPLAY;
    let id = if replayed { format!("{}-{}", entry.id, fingerprint(entry)) } else { entry.id.clone() };
    let path = layout::dead_letter(&entry.stream, &id);
    if draft.load::<DeadLetterRecord>(&path)?.is_none() {
        draft.staging.put_at(path, build::dead_letter(entry, rejection, &draft.settings.decode.personal));
    }
    Ok(())
}

fn fingerprint(entry: &RawEntry) -> String {
    let fields: Vec<String> =
        entry.fields.iter().map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect();
    short_hash(&fields.iter().map(String::as_str).collect::<Vec<_>>())
}
