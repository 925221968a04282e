//! Taking a secret or a person out of the whole history: looked at first, done and recorded when that is confirmed.

use crate::domain::records::layout;
use crate::domain::records::purges::{PurgeRecord, PurgesRecord};
use crate::ports::{ChangeSet, FileWrite, HistoryPurger, PurgeFound, PurgeResult, StoreError};
use crate::text::ids::CommitId;
use crate::text::prose::line;
pub use crate::text::redact::{Fingerprint, Purged};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;

/// How much of a reason is kept, in characters.
const REASON: usize = 500;

/// Who takes something out, when and why.
#[derive(Clone, Debug)]
pub struct By {
    /// Who, as they say.
    pub who: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// Where something stands, or stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Purge {
    /// Whether it was taken out; otherwise it was only looked at.
    pub done: bool,
    /// The fingerprint of a secret, or what stands for a person.
    pub what: String,
    /// Where it stands, or stood.
    #[serde(flatten)]
    pub found: PurgeFound,
    /// The rules whose files change: approvals of their texts may be void.
    pub rules: Vec<String>,
    /// Where the branch was and is, and how many objects are gone; where it was taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<PurgeOutcome>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PurgeOutcome {
    /// Where the branch was.
    pub old_head: CommitId,
    /// Where it is.
    pub new_head: CommitId,
    /// How many objects are gone.
    pub removed: usize,
}

impl Purge {
    /// Whether there is anything to do.
    pub fn is_needed(&self) -> bool {
        self.found.is_there() || self.found.unreachable > 0 || self.found.unfinished
    }

    fn of(what: &Purged, found: PurgeFound, outcome: Option<PurgeOutcome>) -> Purge {
        Purge { done: outcome.is_some(), what: called(what), rules: rules(&found), found, outcome }
    }
}

/// Where it stands; changes nothing.
///
/// # Errors
/// When the store cannot be read.
pub fn look(store: &dyn HistoryPurger, what: &Purged) -> Result<Purge, StoreError> {
    Ok(Purge::of(what, store.survey(what)?, None))
}

/// Takes it out, and commits a record of that.
///
/// # Errors
/// When the store cannot be read or written; it may be called again.
pub fn purge(store: &mut dyn HistoryPurger, what: &Purged, by: &By) -> Result<Purge, StoreError> {
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

fn called(what: &Purged) -> String {
    match what {
        Purged::Secret(fingerprint) => fingerprint.to_string(),
        Purged::Person { pseudonym, .. } => pseudonym.clone(),
    }
}

/// The rules whose files change.
fn rules(found: &PurgeFound) -> Vec<String> {
    let of = |path: &String| {
        let name = path.strip_prefix(layout::RULES)?.rsplit('/').next()?;
        Some(name.strip_suffix(".yaml")?.to_owned()).filter(|name| name.starts_with("RULE-"))
    };
    found.paths.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
}
