//! Combines packs: `git repack` as a child process that can be stopped. Commits continue meanwhile, and the writer only
//! polls it from time to time.
//!
//! Geometric: small packs are combined and large ones stay, so the work is proportional to what is new. Nothing is
//! pruned, so a concurrent push loses nothing. No deltas are computed: that takes most of the time, blocks commits, and
//! saves little space on records. Without `git` the store only gets slower to read.

use super::error::at;
use super::pack_dir::PackDir;
use super::process_group::{signal, wait_until};
use crate::ports::StoreError;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long Git may take after SIGTERM to remove its temporary files.
const GRACE: Duration = Duration::from_secs(5);

/// Schedules combining packs and tracks whether it works.
pub struct Maintenance {
    /// Git, by name or path.
    git: PathBuf,
    max_packs: usize,
    limit: Duration,
    /// The pack count that triggers the next run; raised while combining does not help.
    next: usize,
    warned: bool,
    running: Option<GitProcess>,
}

/// A running Git.
struct GitProcess {
    child: Child,
    started: Instant,
    /// The number of packs before.
    before: usize,
    /// When it was signalled to stop.
    stopped: Option<Instant>,
}

impl Maintenance {
    /// Has this Git combine packs when there are more than `max_packs`, stopping it after `limit`.
    pub fn new(git: &Path, max_packs: usize, limit: Duration) -> Maintenance {
        Maintenance { git: git.to_owned(), max_packs, limit, next: max_packs, warned: false, running: None }
    }

    /// Reports whether Git was running at the last poll.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Starts Git if there is work to do, and returns at once. Commits and pushes may happen meanwhile: only packs that
    /// already existed are combined.
    ///
    /// # Errors
    /// `Io` if packs cannot be counted, `Git` if Git cannot be run.
    pub fn begin(&mut self, repository: &Path, packs: &PackDir) -> Result<(), StoreError> {
        if self.running.is_some() {
            return Ok(());
        }
        let before = packs.count()?;
        if before <= self.next {
            return Ok(());
        }
        // After a failure, the next attempt comes when there is more to gain, not at every commit.
        self.next = before + self.max_packs.max(1);
        match repack(&self.git, repository) {
            Ok(child) => self.running = Some(GitProcess { child, started: Instant::now(), before, stopped: None }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                if !std::mem::replace(&mut self.warned, true) {
                    tracing::warn!(
                        packs = before,
                        "git is not installed: packs are not combined, and reads will get slower"
                    );
                }
            }
            Err(e) => return Err(at(repository, "run git in")(e)),
        }
        Ok(())
    }

    /// Polls whether Git is done, stops it if it takes too long, and returns at once. True if packs were combined since
    /// the last poll.
    ///
    /// # Errors
    /// `Git` if it failed or took too long, `Io`.
    pub fn look(&mut self, repository: &Path, packs: &PackDir) -> Result<bool, StoreError> {
        let Some(mut running) = self.running.take() else { return Ok(false) };
        let status = running.child.try_wait().map_err(at(repository, "wait for git in"))?;
        let Some(status) = status else {
            match running.stopped {
                None if running.started.elapsed() < self.limit => {}
                None => {
                    signal(&running.child, libc::SIGTERM);
                    running.stopped = Some(Instant::now());
                }
                Some(told) if told.elapsed() < GRACE => {}
                Some(_) => {
                    // Not waited for: a process stuck in the kernel survives even this.
                    signal(&running.child, libc::SIGKILL);
                    return Err(self.too_long(repository));
                }
            }
            self.running = Some(running);
            return Ok(false);
        };
        if running.stopped.is_some() {
            return Err(self.too_long(repository));
        }
        if !status.success() {
            let mut said = String::new();
            if let Some(stderr) = running.child.stderr.take() {
                // The message is helpful; its absence is not a failure.
                let _ = stderr.take(4096).read_to_string(&mut said);
            }
            return Err(StoreError::Git(format!("`git repack` failed ({status}): {}", said.trim())));
        }
        let after = packs.count()?;
        self.next = self.max_packs.max(2 * after);
        let millis = running.started.elapsed().as_millis() as u64;
        tracing::info!(packs_before = running.before, packs_after = after, millis, "packs combined");
        Ok(true)
    }

    fn too_long(&self, repository: &Path) -> StoreError {
        StoreError::Git(format!(
            "combining packs was stopped after {} s; run `git -C {} repack --geometric=2 -d --write-midx` by hand",
            self.limit.as_secs(),
            repository.display()
        ))
    }
}

impl Drop for Maintenance {
    fn drop(&mut self) {
        if let Some(running) = &mut self.running {
            // It leaves the packs unchanged. The next writer starts again.
            signal(&running.child, libc::SIGTERM);
            if !matches!(wait_until(&mut running.child, Instant::now() + GRACE), Ok(Some(_))) {
                signal(&running.child, libc::SIGKILL);
            }
        }
    }
}

fn repack(git: &Path, repository: &Path) -> io::Result<Child> {
    Command::new(git)
        .arg("-C")
        .arg(repository)
        .args(["-c", "core.fsync=all", "-c", "pack.window=0", "repack", "--geometric=2", "-d", "-q", "--write-midx"])
        .env_remove("GIT_DIR")
        .env_remove("GIT_OBJECT_DIRECTORY")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        // So that its children are stopped with it.
        .process_group(0)
        .spawn()
}
