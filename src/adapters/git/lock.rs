//! One writer per store, and the locks left by a killed process.
//!
//! The writer's lock is an advisory `flock`, which the kernel releases whatever happens to its holder. Git's own locks
//! are files, which survive a kill. A running Git holds one for milliseconds, so one that stays unchanged for a while
//! is stale. No clock is read: a file's age is determined by comparison with a fresh file of our own.

use super::error::at;
use super::pack_dir::remove;
use crate::ports::StoreError;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The writer's lock file, in the repository.
const FILE: &str = "feedbackd.lock";
/// How long a lock must stay unchanged at startup to be stale: the last daemon may have just been killed.
const STALE_AT_START: Duration = Duration::from_secs(2);
/// The same while the daemon runs, when only a person's Git can have left it.
const STALE_LATER: Duration = Duration::from_secs(20);
/// Held while packs are combined, which may take longer than any other Git operation here.
const LOCK_OF_PACKS: &str = "objects/pack/multi-pack-index.lock";
const POLL: Duration = Duration::from_millis(10);

/// The writer's lock, held until dropped.
pub struct WriterLock {
    _file: File,
    /// When it was taken, by the file system's clock.
    pub taken: SystemTime,
}

impl WriterLock {
    /// Takes the lock, or reports that another process holds it.
    pub fn take(repository: &Path) -> Result<WriterLock, StoreError> {
        let path = repository.join(FILE);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let mut file = opened.map_err(at(&path, "open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked { path: repository.display().to_string() });
            }
            Err(TryLockError::Error(e)) => return Err(at(&path, "lock")(e)),
        }
        // The process id is for people; the lock is the kernel's. Writing it also yields the time.
        let written = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        // A full disk must not prevent startup: the daemon can still read, and wait.
        let taken = written.and_then(|()| file.metadata()?.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(WriterLock { _file: file, taken })
    }
}

/// Git's lock files in a repository, and since when each has been unchanged.
pub struct GitLocks {
    paths: Vec<PathBuf>,
    seen: HashMap<PathBuf, (Identity, Instant)>,
}

type Identity = (u64, u64, i64, i64);

impl GitLocks {
    /// Lists the locks that would block us or a person's push.
    pub fn new(repository: &Path, branch: &str) -> GitLocks {
        let names = ["HEAD.lock", "packed-refs.lock", "config.lock", LOCK_OF_PACKS];
        let mut paths: Vec<PathBuf> = names.iter().map(|name| repository.join(name)).collect();
        paths.push(repository.join(format!("{branch}.lock")));
        GitLocks { paths, seen: HashMap::new() }
    }

    /// Removes locks older than two seconds at startup, and waits as long for the others.
    pub fn clear_at_start(&mut self, now: SystemTime) -> Result<(), StoreError> {
        for path in &self.paths {
            let old = std::fs::metadata(path).and_then(|m| m.modified());
            if old.is_ok_and(|m| now.duration_since(m).is_ok_and(|age| age >= STALE_AT_START)) {
                remove_stale(path)?;
            }
        }
        while self.sweep(STALE_AT_START, false)? {
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// Removes locks that were unchanged for twenty seconds while the daemon runs, except the pack lock while our own
    /// Git combines packs. Returns whether any is left.
    pub fn sweep_later(&mut self, combines_packs: bool) -> Result<bool, StoreError> {
        self.sweep(STALE_LATER, combines_packs)
    }

    fn sweep(&mut self, stale: Duration, combines_packs: bool) -> Result<bool, StoreError> {
        let now = Instant::now();
        let mut left = false;
        for path in self.paths.iter().filter(|path| !combines_packs || !path.ends_with(LOCK_OF_PACKS)) {
            let Ok(metadata) = std::fs::symlink_metadata(path) else {
                self.seen.remove(path);
                continue;
            };
            let identity = (metadata.dev(), metadata.ino(), metadata.mtime(), metadata.mtime_nsec());
            match self.seen.get(path) {
                Some((same, since)) if *same == identity => {
                    if now.duration_since(*since) >= stale {
                        remove_stale(path)?;
                        self.seen.remove(path);
                    } else {
                        left = true;
                    }
                }
                _ => {
                    self.seen.insert(path.clone(), (identity, now));
                    left = true;
                }
            }
        }
        Ok(left)
    }
}

fn remove_stale(path: &Path) -> Result<(), StoreError> {
    tracing::warn!(path = %path.display(), "removing a lock left by a killed Git process");
    remove(path).map_err(at(path, "remove"))
}
