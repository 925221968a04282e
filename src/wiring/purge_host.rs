//! The branch at the Git host in a purge: it is replaced only if there was no other push meanwhile.
//!
//! The commit that is replaced is noted in the store beforehand: after a kill, the rewritten store no longer tells it.

use super::error::WiringError;
use super::remote_options::remote_options;
use super::store::open_store;
use crate::adapters::git::{GitReader, GitRemote};
use crate::config::Config;
use crate::ports::{PushOutcome, Remote, RemoteError, RemoteHead, StoreError, StoreReader};
use crate::text::ids::CommitId;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Present in the repository until the host has the new history; contains the commit that it had before.
const NOTE: &str = "feedbackd.purge-host";

/// A host whose branch may be replaced.
pub(super) struct RewrittenHost {
    remote: GitRemote,
    store: GitReader,
    note: PathBuf,
}

impl RewrittenHost {
    /// Returns the host; `None` if there is none.
    ///
    /// # Errors
    /// If there is one that may not be rewritten.
    pub(super) fn of(config: &Config, may_rewrite: bool) -> Result<Option<RewrittenHost>, WiringError> {
        let Some(options) = remote_options(config)? else { return Ok(None) };
        if !may_rewrite {
            let message = "a Git host holds a copy (remote.url), which would still contain it; add --force-remote to \
                           rewrite its branch, too";
            return Err(RemoteError::Git(message.to_owned()).into());
        }
        let path = &config.store.path;
        let (remote, store) = (GitRemote::open(path, options)?, open_store(config)?);
        Ok(Some(RewrittenHost { remote, store, note: path.join(NOTE) }))
    }

    /// Returns the commit at the host that is to be replaced, and notes it; `None` if the host has no such branch.
    ///
    /// # Errors
    /// If the host does not answer, or has commits that the store lacks.
    pub(super) fn lease(&self) -> Result<Option<CommitId>, WiringError> {
        match fs::read_to_string(&self.note) {
            Ok(noted) => return Ok(Some(CommitId(noted.trim().to_owned()))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::Io(error).into()),
        }
        let there = match self.remote.fetch(&|| false)? {
            RemoteHead::Absent => return Ok(None),
            RemoteHead::At(there) => Some(there),
            RemoteHead::Rewritten { .. } => None,
        };
        let head = self.store.head()?;
        let (Some(there), Some(head)) = (there, head) else { return Err(lacks()) };
        if !self.store.contains(&head, &there)? {
            return Err(lacks());
        }
        let written = File::create(&self.note).and_then(|mut file| {
            file.write_all(there.to_string().as_bytes())?;
            file.sync_all()
        });
        written.map_err(StoreError::Io)?;
        Ok(Some(there))
    }

    /// Gives the host the new history. Returns what remains to be done, in a sentence.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn rewrite(&self, lease: &CommitId) -> Result<Option<String>, WiringError> {
        let Some(head) = self.store.head()? else { return Ok(None) };
        let outcome = if head == *lease {
            // There was nothing to remove.
            Ok(PushOutcome::Done)
        } else {
            self.remote.replace(lease, &head)
        };
        let why = match outcome {
            Ok(PushOutcome::Done) => {
                fs::remove_file(&self.note).map_err(StoreError::Io)?;
                return Ok(None);
            }
            Ok(PushOutcome::Behind) => {
                format!("there was another push after {}; reset the branch there to that commit first", lease.short())
            }
            Ok(PushOutcome::Refused(words)) => words,
            Err(error) => error.to_string(),
        };
        Ok(Some(format!("The Git host still contains it ({why}); run this command again")))
    }
}

fn lacks() -> WiringError {
    let message = "the Git host has commits that the store lacks, or was rewritten; let the daemon take them up, then \
                   stop it";
    RemoteError::Git(message.to_owned()).into()
}
