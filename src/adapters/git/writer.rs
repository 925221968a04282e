//! Writes the store: one commit at a time, durable before it is reported, never over another's commit.
//!
//! The order of one commit: build in memory, write pack and index, read them back, fsync pack, index and directory, let
//! libgit2 find the commit, move the branch by compare-and-swap (libgit2 syncs the ref and its directory).

use super::commit;
use super::error::{at, sort};
use super::join::{self, Relation};
use super::lock::{GitLocks, WriterLock};
use super::maintenance::Maintenance;
use super::object::{Kind, ObjectId};
use super::pack::{self, PackBuilder};
use super::pack_dir::{PackDir, remove};
use super::path;
use super::reader::GitReader;
use super::scrub::Scrub;
use super::signature::CommitKey;
use super::tree::Trees;
use crate::ports::{
    ChangeSet, CommitInfo, CommitOutcome, FileChange, JoinOutcome, Signatures, StoreError, StoreReader, StoreWriter,
    Trace,
};
use crate::text::ids::CommitId;
use git2::{ErrorCode, Oid};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Approximate directory entries kept in memory between commits, a hundred bytes each.
const KEPT_ENTRIES: usize = 200_000;
/// How long a commit waits for another Git process that holds the branch's lock.
const WAIT_FOR_LOCK: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(5);

/// Options of a writer. The defaults are measured, see `benches/RESULTS.md`.
#[derive(Clone, Debug)]
pub struct WriterOptions {
    /// The time of commits: seconds since 1970.
    pub clock: fn() -> i64,
    /// 1 (fast) to 12 (small); default 1.
    pub compression: i32,
    /// [`StoreWriter::maintain`] combines packs when there are more than this; default 200.
    pub max_packs: usize,
    /// How long that may take before it is stopped; default 10 minutes.
    pub maintenance_limit: Duration,
    /// The Git that combines packs, by name or path; default `git`.
    pub git: PathBuf,
    /// The key that commits are signed with; none by default.
    pub key: Option<Arc<CommitKey>>,
    /// Makes a file or directory durable; default [`File::sync_all`]. A seam for testing disk failures.
    pub sync: fn(&File) -> io::Result<()>,
}

impl WriterOptions {
    /// Returns the defaults, with this clock.
    pub fn new(clock: fn() -> i64) -> WriterOptions {
        WriterOptions {
            clock,
            compression: 1,
            max_packs: 200,
            maintenance_limit: Duration::from_secs(600),
            git: PathBuf::from("git"),
            key: None,
            sync: File::sync_all,
        }
    }
}

/// A store opened for writing. Holds the writer's lock until dropped.
pub struct GitWriter {
    reader: GitReader,
    options: WriterOptions,
    packs: PackDir,
    locks: GitLocks,
    maintenance: Maintenance,
    scrub: Scrub,
    compressor: libdeflater::Compressor,
    /// The directories of the last commit we saw.
    trees: Option<(ObjectId, Trees)>,
    /// The disk failed: the branch may appear moved without being durable.
    doubtful: bool,
    _lock: WriterLock,
}

impl GitWriter {
    /// Opens the store at a path for writing, and removes leftovers of a killed writer.
    ///
    /// # Errors
    /// `Missing`, `Locked` if another process writes, `Git` as in [`GitReader::open`], `Io`.
    pub fn open(path: &Path, options: WriterOptions) -> Result<GitWriter, StoreError> {
        let reader = GitReader::open(path)?;
        let lock = WriterLock::take(path)?;
        let mut locks = GitLocks::new(path, reader.branch());
        locks.clear_at_start(lock.taken)?;
        let packs = PackDir::new(path, options.sync);
        packs.clean(lock.taken)?;
        let writer = GitWriter {
            maintenance: Maintenance::new(&options.git, options.max_packs, options.maintenance_limit),
            scrub: Scrub::default(),
            compressor: pack::compressor(options.compression),
            trees: None,
            doubtful: false,
            reader,
            options,
            packs,
            locks,
            _lock: lock,
        };
        writer.settle_disk()?;
        Ok(writer)
    }

    /// Reports whether Git was combining packs at the last poll.
    pub fn is_in_maintenance(&self) -> bool {
        self.maintenance.is_running()
    }

    fn look_at_maintenance(&mut self) -> Result<(), StoreError> {
        if self.maintenance.look(self.reader.path(), &self.packs)? {
            self.reader.pool().forget();
        }
        Ok(())
    }

    /// Syncs the branch: the last writer may have been killed between moving it and making that durable. A repeated
    /// batch then finds its records and writes nothing, so this is the only time to do it.
    fn settle_disk(&self) -> Result<(), StoreError> {
        self.packs.sync_directory()?;
        let root = self.reader.path();
        let branch = root.join(self.reader.branch());
        let parents = branch.ancestors().skip(1).take_while(|parent| parent.starts_with(root));
        for path in [branch.as_path(), &root.join("packed-refs")].into_iter().chain(parents) {
            match File::open(path) {
                Ok(file) => (self.options.sync)(&file).map_err(at(path, "make durable"))?,
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(at(path, "open")(e)),
            }
        }
        Ok(())
    }

    fn commit_on(
        &mut self,
        head: Option<ObjectId>,
        plan: &Plan,
        change: &ChangeSet,
    ) -> Result<CommitOutcome, StoreError> {
        let pool = self.reader.pool();
        let load = |id| pool.tree(id);
        let before = head.map(|id| root_of(&self.reader, id)).transpose()?;
        let cached = self.trees.take().filter(|(of, _)| Some(*of) == head).map(|(_, trees)| trees);
        let mut trees = cached.map_or_else(|| Trees::open(before, KEPT_ENTRIES, &load), Ok)?;

        let mut pack = PackBuilder::new(&mut self.compressor);
        for path in &plan.removes {
            trees.remove(path, &load)?;
        }
        for (path, content) in &plan.writes {
            let id = ObjectId::of(Kind::Blob, content);
            if trees.write(path, id, &load)? {
                pack.add(Kind::Blob, id, content);
            }
        }
        let root = trees.store(&mut |id, content| pack.add(Kind::Tree, id, content));
        if let (Some(head), true) = (head, Some(root) == before) {
            trees.settle();
            self.trees = Some((head, trees));
            return Ok(CommitOutcome::Unchanged(head.to_commit_id()));
        }
        let text = commit::render(root, head, (self.options.clock)(), change);
        let id = add_commit(&mut pack, text, self.options.key.as_deref())?;
        feedbackd_ports::fail_point!("commit.begins");
        self.packs.store(&pack.finish())?;
        feedbackd_ports::fail_point!("commit.before_branch");
        match self.move_branch(head, id, &change.subject)? {
            Move::Done => {
                feedbackd_ports::fail_point!("commit.after_branch");
                trees.settle();
                self.trees = Some((id, trees));
                Ok(CommitOutcome::Committed(id.to_commit_id()))
            }
            // The pack stays: nothing refers to it, but a concurrent push may have found one of its objects.
            Move::Lost => match self.reader.head()? {
                Some(head) => Ok(CommitOutcome::Moved(head)),
                None => Err(self.branch_is_gone()),
            },
        }
    }

    fn move_branch(&mut self, from: Option<ObjectId>, to: ObjectId, message: &str) -> Result<Move, StoreError> {
        let branch = self.reader.branch().to_owned();
        let message = message.replace(char::is_control, " ");
        let deadline = Instant::now() + WAIT_FOR_LOCK;
        // Read first: it also makes libgit2 look for the new pack.
        if self.reader.pool().root(to)?.is_none() {
            return Err(StoreError::Damaged(format!("the new commit {to} cannot be found")));
        }
        loop {
            let moved = self.reader.pool().once(|repository| {
                match from {
                    Some(from) => {
                        repository.reference_matching(&branch, Oid::from(to), true, Oid::from(from), &message)
                    }
                    None => repository.reference(&branch, Oid::from(to), false, &message),
                }
                .map(drop)
            })?;
            match moved {
                Ok(()) => return Ok(Move::Done),
                Err(e) if matches!(e.code(), ErrorCode::Modified | ErrorCode::Exists) => return Ok(Move::Lost),
                Err(e) if e.code() == ErrorCode::NotFound => return Err(self.branch_is_gone()),
                Err(e) if e.code() == ErrorCode::Locked => {
                    if self.locks.sweep_later(self.maintenance.is_running())? && Instant::now() >= deadline {
                        return Err(sort(&e));
                    }
                    std::thread::sleep(POLL);
                }
                Err(e) => return Err(sort(&e)),
            }
        }
    }

    /// Rewrites the branch's file under Git's own lock, with its current value. After a disk failure it may be in
    /// memory only, and syncing it again proves nothing.
    fn write_branch_anew(&mut self) -> Result<(), StoreError> {
        let path = self.reader.path().join(self.reader.branch());
        let lock = self.reader.path().join(format!("{}.lock", self.reader.branch()));
        if let Some(parent) = lock.parent() {
            fs::create_dir_all(parent).map_err(at(parent, "create"))?;
        }
        let opened = OpenOptions::new().write(true).create_new(true).open(&lock);
        let mut file = match opened {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                self.locks.sweep_later(self.maintenance.is_running())?;
                return Err(StoreError::Git(format!("{} is held by another process; try again", lock.display())));
            }
            other => other.map_err(at(&lock, "create"))?,
        };
        let result = (|| {
            // Nothing can move it while the lock is held.
            let Some(head) = self.reader.head()? else { return remove(&lock).map_err(at(&lock, "remove")) };
            let written = writeln!(file, "{head}").and_then(|()| (self.options.sync)(&file));
            written.map_err(at(&lock, "write"))?;
            fs::rename(&lock, &path).map_err(at(&path, "rename a new file to"))
        })();
        if let Err(e) = result {
            // A leftover is removed as a stale lock.
            let _ = remove(&lock);
            return Err(e);
        }
        self.settle_disk()
    }

    fn branch_is_gone(&self) -> StoreError {
        StoreError::Damaged(format!(
            "the branch {} is gone; find the last commit with `git fsck --lost-found` and restore it with `git branch`",
            self.reader.branch()
        ))
    }
}

impl StoreWriter for GitWriter {
    fn commit(&mut self, expected: Option<&CommitId>, change: &ChangeSet) -> Result<CommitOutcome, StoreError> {
        let plan = Plan::new(change)?;
        let head = self.reader.head()?;
        match &head {
            Some(head) if Some(head) != expected => {
                self.trees = None;
                return Ok(CommitOutcome::Moved(head.clone()));
            }
            None if expected.is_some() => return Err(self.branch_is_gone()),
            _ => {}
        }
        if let Err(error) = self.look_at_maintenance() {
            tracing::error!(%error, "store maintenance failed");
        }
        if self.doubtful {
            self.write_branch_anew()?;
            self.doubtful = false;
        }
        let head = head.as_ref().and_then(ObjectId::parse);
        let outcome = self.commit_on(head, &plan, change);
        self.doubtful = matches!(outcome, Err(StoreError::Io(_) | StoreError::Damaged(_)));
        outcome
    }

    fn join(&mut self, other: &CommitId) -> Result<JoinOutcome, StoreError> {
        let (Some(head), Some(theirs)) = (self.reader.head()?, ObjectId::parse(other)) else {
            return Ok(JoinOutcome::Unrelated);
        };
        let ours = ObjectId::parse(&head).ok_or_else(|| self.branch_is_gone())?;
        let (to, outcome) = match join::look(self.reader.pool(), ours, theirs)? {
            Relation::Contained => return Ok(JoinOutcome::Contained),
            Relation::Unrelated => return Ok(JoinOutcome::Unrelated),
            Relation::Conflict(paths) => return Ok(JoinOutcome::Conflict(paths)),
            Relation::Ahead => (theirs, JoinOutcome::Forwarded as fn(CommitId) -> JoinOutcome),
            Relation::Apart { tree, author } => {
                let parents = [ours, theirs];
                let text = commit::render_merge(tree, parents, &author, (self.options.clock)());
                let mut pack = PackBuilder::new(&mut self.compressor);
                let id = add_commit(&mut pack, text, self.options.key.as_deref())?;
                self.packs.store(&pack.finish())?;
                (id, JoinOutcome::Merged as fn(CommitId) -> JoinOutcome)
            }
        };
        // Git wrote the objects that were fetched, and libgit2 the trees of a merge.
        self.settle_disk()?;
        self.trees = None;
        match self.move_branch(Some(ours), to, "take up the commits of the Git host")? {
            Move::Done => Ok(outcome(to.to_commit_id())),
            Move::Lost => Err(StoreError::Git("the branch moved meanwhile; try again".to_owned())),
        }
    }

    /// Starts combining packs in the background, or polls whether it is done.
    fn maintain(&mut self) -> Result<(), StoreError> {
        self.look_at_maintenance()?;
        self.locks.sweep_later(self.maintenance.is_running())?;
        self.maintenance.begin(self.reader.path(), &self.packs)?;
        self.scrub.step(&self.reader.path().join("objects/pack"))
    }
}

impl StoreReader for GitWriter {
    fn head(&self) -> Result<Option<CommitId>, StoreError> {
        self.reader.head()
    }

    fn read(&self, at: &CommitId, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.reader.read(at, path)
    }

    fn files_in(&self, at: &CommitId, directory: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.reader.files_in(at, directory)
    }

    fn for_each_change(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        visit: &mut dyn FnMut(FileChange) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.reader.for_each_change(from, to, visit)
    }

    fn commits(&self, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<CommitInfo>, StoreError> {
        self.reader.commits(from, to)
    }

    fn contains(&self, commit: &CommitId, other: &CommitId) -> Result<bool, StoreError> {
        self.reader.contains(commit, other)
    }

    fn history(&self, to: &CommitId, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, StoreError> {
        self.reader.history(to, paths, limit)
    }

    fn trace(&self, from: Option<&CommitId>, to: &CommitId, paths: &[&str]) -> Result<Trace, StoreError> {
        self.reader.trace(from, to, paths)
    }

    fn signatures(&self, to: &CommitId, keys: &[String]) -> Result<Signatures, StoreError> {
        self.reader.signatures(to, keys)
    }
}

enum Move {
    Done,
    Lost,
}

/// A change set in the order of application: removals first, then writes, each path once.
struct Plan<'c> {
    removes: Vec<&'c str>,
    writes: BTreeMap<&'c str, &'c [u8]>,
}

impl<'c> Plan<'c> {
    /// Checks the paths to write; removing a path without a file does nothing. A path both removed and written is
    /// written.
    fn new(change: &'c ChangeSet) -> Result<Plan<'c>, StoreError> {
        change.writes.iter().try_for_each(|write| path::check(&write.path))?;
        let writes: BTreeMap<_, _> = change.writes.iter().map(|w| (w.path.as_str(), w.content.as_slice())).collect();
        let removes = change.removes.iter().map(String::as_str).filter(|path| !writes.contains_key(path)).collect();
        Ok(Plan { removes, writes })
    }
}

/// Adds a commit, signed if there is a key, and returns its id.
fn add_commit(pack: &mut PackBuilder<'_>, text: Vec<u8>, key: Option<&CommitKey>) -> Result<ObjectId, StoreError> {
    let text = match key {
        Some(key) => key.sign(&text).map_err(StoreError::Git)?,
        None => text,
    };
    let id = ObjectId::of(Kind::Commit, &text);
    pack.add(Kind::Commit, id, &text);
    Ok(id)
}

fn root_of(reader: &GitReader, commit: ObjectId) -> Result<ObjectId, StoreError> {
    let root = reader.pool().root(commit)?;
    root.ok_or_else(|| StoreError::Damaged(format!("the branch points to the commit {commit}, which is missing")))
}
