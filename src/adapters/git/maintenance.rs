//! Combining packs: `git repack` as a child that can be stopped, off the path to the acknowledgement.
//!
//! Geometric: small packs are combined and large ones stay, so the work stays in proportion to what is new. Nothing is
//! pruned, so a person's push that runs beside it loses nothing. No deltas are looked for: that takes most of the time,
//! in which nothing is committed, and saves little space on records. Without `git` the store only gets slower to read.

use super::error::at;
use super::pack_dir::PackDir;
use crate::ports::StoreError;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(10);
/// After a polite signal: how long Git may take to remove its temporary files.
const GRACE: Duration = Duration::from_secs(5);

/// When packs are combined, and whether it works.
pub struct Maintenance {
    max_packs: usize,
    limit: Duration,
    /// How many packs are too many now: raised while combining does not help.
    next: usize,
    warned: bool,
}

impl Maintenance {
    /// Combines when there are more than `max_packs`, and stops after `limit`.
    pub fn new(max_packs: usize, limit: Duration) -> Maintenance {
        Maintenance { max_packs, limit, next: max_packs, warned: false }
    }

    /// Returns whether packs were combined. Not to be called while a commit is under way.
    pub fn run(&mut self, repository: &Path, packs: &PackDir) -> Result<bool, StoreError> {
        let before = packs.count()?;
        if before <= self.next {
            return Ok(false);
        }
        // Where it fails, the next try comes when there is more to gain, not at every commit.
        self.next = before + self.max_packs.max(1);
        let started = Instant::now();
        match repack(repository, self.limit) {
            Ok(()) => {}
            Err(Failure::NotInstalled) => {
                if !std::mem::replace(&mut self.warned, true) {
                    tracing::warn!(
                        packs = before,
                        "git is not installed: packs are not combined, reads will get slower"
                    );
                }
                return Ok(false);
            }
            Err(Failure::Failed(e)) => return Err(e),
        }
        let after = packs.count()?;
        self.next = self.max_packs.max(2 * after);
        let millis = started.elapsed().as_millis() as u64;
        tracing::info!(packs_before = before, packs_after = after, millis, "packs combined");
        Ok(true)
    }
}

enum Failure {
    NotInstalled,
    Failed(StoreError),
}

fn repack(repository: &Path, limit: Duration) -> Result<(), Failure> {
    let spawned = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["-c", "core.fsync=all", "-c", "pack.window=0", "repack", "--geometric=2", "-d", "-q", "--write-midx"])
        .env_remove("GIT_DIR")
        .env_remove("GIT_OBJECT_DIRECTORY")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        // Its children are stopped with it.
        .process_group(0)
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(Failure::NotInstalled),
        Err(e) => return Err(Failure::Failed(at(repository, "run git in")(e))),
    };
    let status = wait(&mut child, limit).map_err(|e| Failure::Failed(at(repository, "wait for git in")(e)))?;
    let Some(status) = status else {
        return Err(Failure::Failed(StoreError::Git(format!(
            "combining packs was stopped after {} s; run `git -C {} repack --geometric=2 -d --write-midx` by hand",
            limit.as_secs(),
            repository.display()
        ))));
    };
    if status.success() {
        return Ok(());
    }
    let mut said = String::new();
    if let Some(stderr) = child.stderr.take() {
        // The message is a help, its absence no failure.
        let _ = stderr.take(4096).read_to_string(&mut said);
    }
    Err(Failure::Failed(StoreError::Git(format!("`git repack` failed ({status}): {}", said.trim()))))
}

/// `None` where it had to be stopped.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    if let Some(status) = wait_until(child, Instant::now() + limit)? {
        return Ok(Some(status));
    }
    signal_group(child, libc::SIGTERM);
    if wait_until(child, Instant::now() + GRACE)?.is_none() {
        signal_group(child, libc::SIGKILL);
        child.wait()?;
    }
    Ok(None)
}

fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        let status = child.try_wait()?;
        if status.is_some() || Instant::now() >= deadline {
            return Ok(status);
        }
        std::thread::sleep(POLL);
    }
}

fn signal_group(child: &Child, signal: i32) {
    // SAFETY: a system call without memory. The child was not waited for, so the group is still its own.
    unsafe { libc::kill(-(child.id() as i32), signal) };
}
