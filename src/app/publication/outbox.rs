//! Git as the outbox: the messages of a commit, read back from the commit itself.
//!
//! A worker killed between committing and publishing resumes here. The messages are identical to the originals: the
//! same functions build them from the same records.

use crate::domain::records::message::Outgoing;
use crate::domain::records::record;
use crate::domain::records::record::{Before, Stored, StoredKind};
use crate::ports::{FileChange, StoreError, StoreReader};
use crate::text::ids::CommitId;

/// Returns the messages for the step from `parent` to `commit`.
///
/// # Errors
/// If the store cannot be read.
pub fn messages(
    store: &dyn StoreReader,
    parent: Option<&CommitId>,
    commit: &CommitId,
) -> Result<Vec<Outgoing>, StoreError> {
    let mut messages = Vec::new();
    store.for_each_change(parent, commit, &mut |change| {
        messages.extend(messages_for(store, parent, &change)?);
        Ok(())
    })?;
    Ok(messages)
}

fn messages_for(
    store: &dyn StoreReader,
    parent: Option<&CommitId>,
    change: &FileChange,
) -> Result<Vec<Outgoing>, StoreError> {
    let path = change.path.as_str();
    let (Some(kind), Some(content)) = (StoredKind::of(path), &change.content) else { return Ok(Vec::new()) };
    let Some(after) = read(kind, content) else { return Ok(Vec::new()) };
    let before = parent.map(|parent| store.read(parent, path)).transpose()?.flatten();
    let record = before.as_ref().and_then(|content| read(kind, content));
    let before = match (&record, before) {
        (Some(record), _) => Before::Record(record),
        (None, Some(_)) => Before::Unreadable,
        (None, None) => Before::Nothing,
    };
    Ok(record::messages(path, &before, &after))
}

/// Parses a record; unreadable text yields nothing to publish.
fn read(kind: StoredKind, content: &[u8]) -> Option<Stored> {
    Stored::read(kind, std::str::from_utf8(content).ok()?).ok()
}
