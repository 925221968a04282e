//! Purging a secret or a person from the whole history: a dry run first, then done and recorded once confirmed.

use crate::domain::records::layout;
use crate::domain::records::purges::{PurgeRecord, PurgesRecord};
use crate::ports::{ChangeSet, FileWrite, HistoryPurger, PurgeFound, PurgeResult, StoreError};
use crate::text::ids::CommitId;
use crate::text::prose::line;
pub use crate::text::redact::{Fingerprint, PurgeTarget};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;

/// Maximum length of a stored reason, in characters.
const REASON: usize = 500;

/// The author, time and reason of a purge.
#[derive(Clone, Debug)]
pub struct By {
    /// The author, as self-reported.
    pub who: String,
    /// The reason.
    pub reason: String,
    /// When it was made.
    pub at: Timestamp,
}

/// The places affected by a purge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Purge {
    /// Whether it was removed; otherwise this was a dry run.
    pub done: bool,
    /// The fingerprint of a secret, or a person's placeholder.
    pub what: String,
    /// Where it occurs, or occurred.
    #[serde(flatten)]
    pub found: PurgeFound,
    /// The rules whose files change; approvals of their texts may be void.
    pub rules: Vec<String>,
    /// Branch positions and the number of removed objects, if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<PurgeOutcome>,
}

/// The result of a purge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PurgeOutcome {
    /// The old head of the branch.
    pub old_head: CommitId,
    /// The new head of the branch.
    pub new_head: CommitId,
    /// Number of removed objects.
    pub removed: usize,
}

impl Purge {
    /// Reports whether there is anything to do.
    pub fn is_needed(&self) -> bool {
        self.found.is_there() || self.found.unreachable > 0 || self.found.unfinished
    }

    fn of(what: &PurgeTarget, found: PurgeFound, outcome: Option<PurgeOutcome>) -> Purge {
        Purge { done: outcome.is_some(), what: called(what), rules: rules(&found), found, outcome }
    }
}

/// Finds all occurrences; changes nothing.
///
/// # Errors
/// If the store cannot be read.
pub fn look(store: &dyn HistoryPurger, what: &PurgeTarget) -> Result<Purge, StoreError> {
    Ok(Purge::of(what, store.survey(what)?, None))
}

/// Purges it and commits a record of that.
///
/// # Errors
/// If the store cannot be read or written. The call may be repeated.
pub fn purge(store: &mut dyn HistoryPurger, what: &PurgeTarget, by: &By) -> Result<Purge, StoreError> {
    let PurgeResult { found, old, new, removed } = store.purge(what, &mut |found, old, new, read| {
        let clean = |text: &str| line(&what.cleaned(text), REASON);
        let record = PurgeRecord {
            what: called(what),
            by: clean(&by.who),
            at: by.at,
            reason: clean(&by.reason),
            old_head: old.0.clone(),
            new_head: new.0.clone(),
            commits: found.commits,
            files: found.files,
            names: found.names,
            messages: found.messages,
            rules: rules(found),
        };
        let before = read(layout::PURGES).and_then(|bytes| String::from_utf8(bytes).ok());
        let (subject, body, trailers) = (record.subject(), record.reason.clone(), record.trailers());
        let content = PurgesRecord::with(before.as_deref(), record).map_err(StoreError::Damaged)?;
        let writes = vec![FileWrite { path: layout::PURGES.to_owned(), content: content.into_bytes() }];
        Ok(ChangeSet { writes, subject, body, trailers, ..ChangeSet::default() })
    })?;
    Ok(Purge::of(what, found, Some(PurgeOutcome { old_head: old, new_head: new, removed })))
}

fn called(what: &PurgeTarget) -> String {
    match what {
        PurgeTarget::Secret(fingerprint) => fingerprint.to_string(),
        PurgeTarget::Person { pseudonym, .. } => pseudonym.clone(),
    }
}

/// Returns the rules whose files change.
fn rules(found: &PurgeFound) -> Vec<String> {
    let of = |path: &String| {
        let name = path.strip_prefix(layout::RULES)?.rsplit('/').next()?;
        Some(name.strip_suffix(".yaml")?.to_owned()).filter(|name| name.starts_with("RULE-"))
    };
    found.paths.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
}
