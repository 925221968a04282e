//! Purges something from the whole history: every commit, directory and file that contains it is rewritten, all
//! branches and tags move, and the old objects are removed from the repository.
//!
//! The order ensures that a kill leaves either the old history or the new one: new objects first, then the branches,
//! then the removal, which is repeated as needed. Commits before the first one containing it keep their ids. The
//! daemon's own signatures are renewed. Others, on changed commits and tags, are dropped, as they no longer match.
//! Clones and backups are not reached.

use super::commit;
use super::error::{at, sort};
use super::lock::WriterLock;
use super::object::{Kind, ObjectId};
use super::pack::{self, PackBuilder};
use super::pack_dir::{PackDir, remove};
use super::pool::set_up_library;
use super::rewrite::{HistoryRewrite, objects};
use super::writer::WriterOptions;
use crate::ports::{HistoryPurger, PurgeFound, PurgeLast, PurgeResult, StoreError};
use crate::text::ids::CommitId;
use crate::text::redact::PurgeTarget;
use git2::{ObjectType, Oid, Repository, RepositoryOpenFlags};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Present in the repository from before the branches move until everything old is removed.
const PENDING: &str = "feedbackd.purge";

/// A store whose history may be rewritten.
pub struct GitPurger {
    path: PathBuf,
    branch: String,
    options: WriterOptions,
    lock: Option<WriterLock>,
}

impl GitPurger {
    /// Opens the store at a path; `branch` is the full name of the one that is written.
    ///
    /// # Errors
    /// `Git` if objects are also stored in another repository.
    pub fn open(path: &Path, branch: &str, options: WriterOptions) -> Result<GitPurger, StoreError> {
        set_up_library();
        if path.join("objects/info/alternates").exists() {
            return Err(StoreError::Git(format!(
                "{} borrows objects from another repository, which is not purged; copy them with `git repack -a -d` \
                 and remove objects/info/alternates",
                path.display()
            )));
        }
        Ok(GitPurger { path: path.to_owned(), branch: branch.to_owned(), options, lock: None })
    }

    /// Locks out daemons until dropped.
    ///
    /// # Errors
    /// `Locked` if one is writing.
    pub fn lock(&mut self) -> Result<(), StoreError> {
        if self.lock.is_none() {
            self.lock = Some(WriterLock::take(&self.path)?);
        }
        Ok(())
    }

    fn repository(&self) -> Result<Repository, StoreError> {
        let none = std::iter::empty::<&str>();
        Repository::open_ext(&self.path, RepositoryOpenFlags::NO_SEARCH, none).map_err(|e| sort(&e))
    }

    fn sync(&self, path: &Path) -> Result<(), StoreError> {
        File::open(path).and_then(|file| (self.options.sync)(&file)).map_err(at(path, "make durable"))
    }
}

impl HistoryPurger for GitPurger {
    fn survey(&self, what: &PurgeTarget) -> Result<PurgeFound, StoreError> {
        let repository = self.repository()?;
        let mut rewriting = HistoryRewrite::new(&repository, what, self.options.key.clone(), None);
        rewriting.all().map_err(|e| sort(&e))?;
        rewriting.beyond().map_err(|e| sort(&e))?;
        let mut found = rewriting.found;
        found.unfinished = self.path.join(PENDING).exists();
        Ok(found)
    }

    fn purge(&mut self, what: &PurgeTarget, last: &mut PurgeLast<'_>) -> Result<PurgeResult, StoreError> {
        self.lock()?;
        let (repository, pending) = (self.repository()?, self.path.join(PENDING));
        let mut compressor = pack::compressor(self.options.compression);
        let pack = PackBuilder::new(&mut compressor);
        let mut rewriting = HistoryRewrite::new(&repository, what, self.options.key.clone(), Some(pack));
        let moves = rewriting.all().map_err(|e| sort(&e))?;
        rewriting.beyond().map_err(|e| sort(&e))?;
        let old = repository.refname_to_id(&self.branch).map_err(|e| sort(&e))?;
        let mut head = old;
        let mut found = std::mem::take(&mut rewriting.found);
        found.unfinished = pending.exists();
        if found.is_there() {
            head = moves.get(&self.branch).map_or(old, |(_, to)| *to);
            // A final commit records what was done, by whom and why.
            let read = |path: &str| rewriting.root_file(head, path);
            let change = last(&found, &commit_id(old), &commit_id(head), &read)?;
            let root = rewriting.with_files(head, &change.writes)?;
            let mut text = commit::render(root, Some(head.into()), (self.options.clock)(), &change);
            if let Some(key) = &self.options.key {
                text = key.sign(&text).map_err(StoreError::Git)?;
            }
            head = rewriting.add(Kind::Commit, &text);
            feedbackd_ports::fail_point!("purge.begins");
            let packs = PackDir::new(&self.path, self.options.sync);
            if let Some(pack) = rewriting.pack.take() {
                packs.store(&pack.finish())?;
            }
            let odb = repository.odb().map_err(|e| sort(&e))?;
            for tag in rewriting.tags.values() {
                odb.write(ObjectType::Tag, tag).map_err(|e| sort(&e))?;
            }
            feedbackd_ports::fail_point!("purge.packed");
            fs::write(&pending, "").map_err(at(&pending, "write"))?;
            self.sync(&pending)?;
            self.sync(&self.path)?;
            self.move_all(moves, head)?;
        }
        feedbackd_ports::fail_point!("purge.moved");
        let removed = self.remove_old()?;
        feedbackd_ports::fail_point!("purge.removed");
        remove(&pending).map_err(at(&pending, "remove"))?;
        Ok(PurgeResult { found, old: commit_id(old), new: commit_id(head), removed })
    }
}

impl GitPurger {
    /// Moves the written branch first: everything else is found again after a kill.
    fn move_all(&self, mut moves: BTreeMap<String, (Oid, Oid)>, head: Oid) -> Result<(), StoreError> {
        let repository = self.repository()?;
        let from = repository.refname_to_id(&self.branch).map_err(|e| sort(&e))?;
        moves.remove(&self.branch);
        let message = "take something out of the history";
        let others = moves.into_iter().map(|(name, (from, to))| (name, from, to));
        for (name, from, to) in std::iter::once((self.branch.clone(), from, head)).chain(others) {
            repository.reference_matching(&name, to, true, from, message).map_err(|e| sort(&e))?;
            feedbackd_ports::fail_point!("purge.moving");
        }
        self.sync(&self.path.join("refs"))
    }

    /// Writes one new pack with everything reachable from branches and tags, then removes all other packs, loose
    /// objects, reflogs and files that only mention the past. Returns the number of objects removed.
    fn remove_old(&self) -> Result<usize, StoreError> {
        let repository = self.repository()?;
        let before = objects(&repository).map_err(|e| sort(&e))?;
        let (name, kept) = self.pack_all(&repository).map_err(|e| sort(&e))?;
        drop(repository);
        let directory = self.path.join("objects/pack");
        let is_new = |path: &Path| path.file_stem().is_some_and(|stem| *stem == *format!("pack-{name}"));
        for extension in ["pack", "idx"] {
            self.sync(&directory.join(format!("pack-{name}.{extension}")))?;
        }
        self.sync(&directory)?;
        feedbackd_ports::fail_point!("purge.packed_anew");
        // Indexes first: without one a pack is ignored.
        for indexes in [true, false] {
            for path in files(&directory)? {
                let is_index = path.extension().is_some_and(|extension| extension == "idx" || extension == "midx");
                let multi = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("multi-pack-index"));
                if (is_index || multi) == indexes && !is_new(&path) {
                    remove(&path).map_err(at(&path, "remove"))?;
                }
            }
        }
        let objects = self.path.join("objects");
        for path in directories(&objects)? {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let loose = name.len() == 2 && name.bytes().all(|b| b.is_ascii_hexdigit());
            if loose || name.starts_with("tmp_objdir") || name == "info" {
                gone(fs::remove_dir_all(&path)).map_err(at(&path, "remove"))?;
            }
        }
        gone(fs::remove_dir_all(self.path.join("logs"))).map_err(at(&self.path, "remove the reflogs of"))?;
        for name in ["ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "COMMIT_EDITMSG", "gc.log"] {
            let path = self.path.join(name);
            remove(&path).map_err(at(&path, "remove"))?;
        }
        for path in [&directory, &objects, &self.path] {
            self.sync(path)?;
        }
        Ok(before.len().saturating_sub(kept))
    }

    fn pack_all(&self, repository: &Repository) -> Result<(String, usize), git2::Error> {
        let mut walk = repository.revwalk()?;
        let mut builder = repository.packbuilder()?;
        for reference in repository.references()?.flatten() {
            let Some(id) = reference.target() else { continue };
            let mut object = repository.find_object(id, None)?;
            while let Ok(tag) = object.clone().into_tag() {
                builder.insert_object(tag.id(), None)?;
                object = tag.target()?;
            }
            match object.kind() {
                Some(ObjectType::Commit) => walk.push(object.id())?,
                _ => builder.insert_recursive(object.id(), None)?,
            }
        }
        builder.insert_walk(&mut walk)?;
        builder.write(&self.path.join("objects/pack"), 0o444)?;
        let name = builder.name().ok().flatten().map(str::to_owned).unwrap_or_default();
        Ok((name, builder.object_count()))
    }
}

fn commit_id(id: Oid) -> CommitId {
    ObjectId::from(id).to_commit_id()
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = fs::read_dir(directory).map_err(at(directory, "list"))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect())
}

fn directories(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = fs::read_dir(directory).map_err(at(directory, "list"))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}

/// Ignores files that do not exist.
fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
