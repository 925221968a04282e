//! The repository at the host, as the port describes it.

use super::child::{GitOutput, run};
use super::command::command;
use super::options::RemoteOptions;
use super::words::{is_absent, is_rewritten, push_outcome, words};
use crate::git::error::sort;
use crate::git::object::ObjectId;
use crate::git::pool::Pool;
use crate::ports::{GiveUp, PushOutcome, Remote, RemoteError, RemoteHead, StoreError};
use crate::text::ids::CommitId;
use git2::Oid;
use std::fs::File;
use std::path::Path;

/// A repository at a host, next to the store of which it holds the commits.
pub struct GitRemote {
    pool: Pool,
    options: RemoteOptions,
    /// What the host had when last asked: `refs/remotes/origin/<branch>`.
    tracking: String,
}

impl GitRemote {
    /// Opens the store at a path; asks the host nothing yet.
    ///
    /// # Errors
    /// `Missing` if there is no store, `Git` if it is not bare.
    pub fn open(store: &Path, options: RemoteOptions) -> Result<GitRemote, StoreError> {
        let tracking = format!("refs/remotes/origin/{}", options.branch);
        Ok(GitRemote { pool: Pool::open(store)?, options, tracking })
    }

    fn git(&self, arguments: &[&str], give_up: GiveUp<'_>) -> Result<GitOutput, RemoteError> {
        if let Some(file) = &self.options.token_file {
            // Git would only say that the login failed.
            File::open(file).map_err(|error| {
                RemoteError::Git(format!("remote.token_file {} cannot be read: {error}", file.display()))
            })?;
        }
        let mut git = command(&self.options, self.pool.path());
        git.args(arguments);
        run(git, self.options.limit, give_up)
    }

    fn push_with(&self, flags: &[&str], commit: &CommitId, give_up: GiveUp<'_>) -> Result<PushOutcome, RemoteError> {
        let refspec = format!("{commit}:refs/heads/{}", self.options.branch);
        let arguments = [&["push", "--porcelain"], flags, &["--", &self.options.url, &refspec]].concat();
        let output = self.git(&arguments, give_up)?;
        push_outcome(&output).ok_or_else(|| RemoteError::Git(words(&output)))
    }

    /// Replaces the host's branch with another history, if it is still at `old`: for a purge alone.
    ///
    /// # Errors
    /// If the host does not answer. It may have the new history nevertheless.
    pub fn replace(&self, old: &CommitId, new: &CommitId) -> Result<PushOutcome, RemoteError> {
        let lease = format!("--force-with-lease=refs/heads/{}:{old}", self.options.branch);
        let outcome = self.push_with(&[&lease], new, &|| false)?;
        if outcome == PushOutcome::Done {
            self.note(new)?;
        }
        Ok(outcome)
    }

    /// Notes what the host has.
    fn note(&self, commit: &CommitId) -> Result<(), StoreError> {
        let Some(id) = ObjectId::parse(commit) else { return Ok(()) };
        self.pool
            .once(|repository| repository.reference(&self.tracking, Oid::from(id), true, "pushed").map(drop))?
            .map_err(|error| sort(&error))
    }
}

impl Remote for GitRemote {
    fn address(&self) -> String {
        self.options.url.clone()
    }

    fn known(&self) -> Result<Option<CommitId>, StoreError> {
        Ok(self.pool.head(&self.tracking)?.map(ObjectId::to_commit_id))
    }

    fn fetch(&self, give_up: GiveUp<'_>) -> Result<RemoteHead, RemoteError> {
        // Without a `+`: a rewritten branch is reported, and what was last seen there stays noted.
        let refspec = format!("refs/heads/{}:{}", self.options.branch, self.tracking);
        let flags = ["fetch", "--no-tags", "--no-write-fetch-head", "--", &self.options.url, &refspec];
        let output = self.git(&flags, give_up)?;
        if output.status.success() {
            // Git wrote packs that an open handle does not know.
            self.pool.forget();
            let head = self.known()?;
            return Ok(head.map_or(RemoteHead::Absent, RemoteHead::At));
        }
        match self.known()? {
            Some(known) if is_rewritten(&output.err) => Ok(RemoteHead::Rewritten { known }),
            _ if is_absent(&output.err) => Ok(RemoteHead::Absent),
            _ => Err(RemoteError::Git(words(&output))),
        }
    }

    fn push(&self, commit: &CommitId, give_up: GiveUp<'_>) -> Result<PushOutcome, RemoteError> {
        feedbackd_ports::fail_point!("push.before");
        let outcome = self.push_with(&[], commit, give_up)?;
        feedbackd_ports::fail_point!("push.after");
        if outcome == PushOutcome::Done {
            self.note(commit)?;
        }
        Ok(outcome)
    }

    fn rehearse(&self, commit: &CommitId) -> Result<PushOutcome, RemoteError> {
        self.push_with(&["--dry-run"], commit, &|| false)
    }
}
