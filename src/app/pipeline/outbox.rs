//! Git is the outbox: what a commit gives to publish, read back from the commit itself.
//!
//! A worker that was killed between its commit and its publishing resumes here. The messages are the same as those
//! made when the commit was: the same functions make them from the same records.

use crate::domain::ids::CommitId;
use crate::domain::records::channel::{ChannelKind, ChannelRecord};
use crate::domain::records::index_update::RuleState;
use crate::domain::records::layout;
use crate::domain::records::message::{self, Outgoing};
use crate::domain::records::record::{AlertRecord, AmbiguousRecord, DeadLetterRecord, DecisionRecord, ProposalRecord};
use crate::domain::yaml;
use crate::ports::{FileChange, StoreError, StoreReader};
use serde::de::DeserializeOwned;

/// What is published for the step from `parent` to `commit`.
///
/// # Errors
/// When the store cannot be read.
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
    let Some(content) = &change.content else { return Ok(Vec::new()) };
    if RuleState::of(path).is_some() {
        let before = parent.map(|parent| store.read(parent, path)).transpose()?.flatten();
        let before = read::<ProposalRecord>(before.as_deref());
        let now = read::<ProposalRecord>(Some(content));
        return Ok(now.map_or_else(Vec::new, |now| message::rule_messages(path, &now, before.as_ref())));
    }
    if let Some(kind) = ChannelKind::of(path) {
        let known = parent.map(|parent| store.read(parent, path)).transpose()?.flatten().is_some();
        let record = std::str::from_utf8(content).ok().and_then(|text| ChannelRecord::read(kind, text).ok());
        return Ok(record.and_then(|record| record.message(path, known)).into_iter().collect());
    }
    let before = || match parent {
        Some(parent) => store.read(parent, path),
        None => Ok(None),
    };
    Ok(if path.starts_with(layout::DECISIONS) {
        let previous = read::<DecisionRecord>(before()?.as_deref()).map(|r| r.evaluation.revision);
        read(Some(content)).and_then(|record| message::evaluated(path, &record, previous))
    } else if path.starts_with(layout::AMBIGUOUS) {
        let known = before()?.is_some();
        read::<AmbiguousRecord>(Some(content)).and_then(|record| message::tiebreak(path, &record, known))
    } else if path.starts_with(layout::DEAD_LETTERS) {
        let known = before()?.is_some();
        read::<DeadLetterRecord>(Some(content)).and_then(|record| message::lost(path, &record, known))
    } else if path.starts_with(layout::ALERTS) {
        let known = before()?.is_some();
        read::<AlertRecord>(Some(content)).and_then(|record| message::raised(path, &record, known))
    } else {
        None
    }
    .into_iter()
    .collect())
}

/// A record, where the text is one: what cannot be read is nothing that could be published.
fn read<T: DeserializeOwned>(content: Option<&[u8]>) -> Option<T> {
    yaml::parse(std::str::from_utf8(content?).ok()?).ok()
}
