//! Taking something out of the whole history: every commit, directory and file in which it stands is made anew, all
//! branches and tags move, and what was there before is removed from the repository.
//!
//! The order lets a kill leave either the old history or the new one: new objects first, then the branches, then the
//! removing, which is repeated as often as needed. Commits before the first that held it keep their ids. The daemon's own
//! signatures are made anew; those of others, of commits and tags that change, are left out: they are of another text.
//! Clones and backups are not reached.

use super::commit;
use super::error::{at, sort};
use super::lock::WriterLock;
use super::object::{Kind, ObjectId};
use super::pack::{self, PackBuilder};
use super::pack_dir::{PackDir, remove};
use super::pool::set_up_library;
use super::signing::CommitKey;
use super::writer::WriterOptions;
use crate::domain::ids::CommitId;
use crate::domain::redact::Purged;
use crate::ports::{HistoryPurger, PurgeFound, PurgeLast, PurgeResult, StoreError};
use git2::{ObjectType, Oid, Repository, RepositoryOpenFlags, Sort};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Stands in the repository from before the branches move until everything old is removed.
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
    /// `Git` where objects lie in another repository as well.
    pub fn open(path: &Path, branch: &str, options: WriterOptions) -> Result<GitPurger, StoreError> {
        set_up_library();
        if path.join("objects/info/alternates").exists() {
            return Err(StoreError::Git(format!(
                "{} takes objects from another repository, which is not reached; copy them with `git repack -a -d` and \
                 remove objects/info/alternates",
                path.display()
            )));
        }
        Ok(GitPurger { path: path.to_owned(), branch: branch.to_owned(), options, lock: None })
    }

    /// Keeps daemons away, for as long as this lives.
    ///
    /// # Errors
    /// `Locked` where one writes.
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
    fn survey(&self, what: &Purged) -> Result<PurgeFound, StoreError> {
        let repository = self.repository()?;
        let mut rewriting = Rewriting::new(&repository, what, self.options.key.clone(), None);
        rewriting.all().map_err(|e| sort(&e))?;
        rewriting.beyond().map_err(|e| sort(&e))?;
        let mut found = rewriting.found;
        found.unfinished = self.path.join(PENDING).exists();
        Ok(found)
    }

    fn purge(&mut self, what: &Purged, last: &mut PurgeLast<'_>) -> Result<PurgeResult, StoreError> {
        self.lock()?;
        let repository = self.repository()?;
        let mut compressor = pack::compressor(self.options.compression);
        let pack = PackBuilder::new(&mut compressor);
        let mut rewriting = Rewriting::new(&repository, what, self.options.key.clone(), Some(pack));
        let moves = rewriting.all().map_err(|e| sort(&e))?;
        rewriting.beyond().map_err(|e| sort(&e))?;
        let old = repository.refname_to_id(&self.branch).map_err(|e| sort(&e))?;
        let mut head = old;
        let mut found = std::mem::take(&mut rewriting.found);
        found.unfinished = self.path.join(PENDING).exists();
        if found.is_there() {
            head = moves.get(&self.branch).map_or(old, |(_, to)| *to);
            // What was done, by whom and why, on top.
            let read = |path: &str| rewriting.root_file(head, path);
            let change = last(&found, &commit_id(old), &commit_id(head), &read)?;
            let root = rewriting.with_files(head, &change.writes).map_err(|e| sort(&e))?;
            let mut text = commit::render(root, Some(head.into()), (self.options.clock)(), &change);
            if let Some(key) = &self.options.key {
                text = key.sign(&text).map_err(StoreError::Git)?;
            }
            head = rewriting.add(Kind::Commit, &text);
            fail_point!("purge.begins");
            let packs = PackDir::new(&self.path, self.options.sync);
            if let Some(pack) = rewriting.pack.take() {
                packs.store(&pack.finish())?;
            }
            for (bytes, _) in rewriting.tags.values() {
                self.repository()?.odb().and_then(|odb| odb.write(ObjectType::Tag, bytes)).map_err(|e| sort(&e))?;
            }
            fail_point!("purge.packed");
            let pending = self.path.join(PENDING);
            fs::write(&pending, "").map_err(at(&pending, "write"))?;
            self.sync(&pending)?;
            self.sync(&self.path)?;
            self.move_all(moves, head)?;
        }
        fail_point!("purge.moved");
        let removed = self.remove_old()?;
        fail_point!("purge.removed");
        let pending = self.path.join(PENDING);
        remove(&pending).map_err(at(&pending, "remove"))?;
        Ok(PurgeResult { found, old: commit_id(old), new: commit_id(head), removed })
    }
}

impl GitPurger {
    /// The branch that is written goes first: everything else is looked for again after a kill.
    fn move_all(&self, mut moves: BTreeMap<String, (Oid, Oid)>, head: Oid) -> Result<(), StoreError> {
        let repository = self.repository()?;
        let from = repository.refname_to_id(&self.branch).map_err(|e| sort(&e))?;
        moves.remove(&self.branch);
        let message = "take something out of the history";
        let others = moves.into_iter().map(|(name, (from, to))| (name, from, to));
        for (name, from, to) in std::iter::once((self.branch.clone(), from, head)).chain(others) {
            repository.reference_matching(&name, to, true, from, message).map_err(|e| sort(&e))?;
            fail_point!("purge.moving");
        }
        self.sync(&self.path.join("refs"))
    }

    /// One new pack with everything that branches and tags reach; then all other packs, loose objects, reflogs and
    /// files that only name what was. Returns how many objects are gone.
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
        fail_point!("purge.packed_anew");
        // Indexes first: a pack without one is no pack.
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

/// One look at everything that branches and tags reach, with the new objects where they are wanted.
struct Rewriting<'r, 'c> {
    repository: &'r Repository,
    what: &'r Purged,
    /// What the daemon's commits are signed with, where they are.
    key: Option<Arc<CommitKey>>,
    /// `None`: it is only looked.
    pack: Option<PackBuilder<'c>>,
    /// Old objects, and what stands for each.
    seen: HashMap<Oid, Oid>,
    /// The content of new root directories, for the last commit.
    roots: HashMap<Oid, Vec<u8>>,
    /// New commits' root directories.
    root_of: HashMap<Oid, Oid>,
    /// New files at the root.
    contents: HashMap<Oid, Vec<u8>>,
    tags: BTreeMap<Oid, (Vec<u8>, Oid)>,
    found: PurgeFound,
}

impl<'r, 'c> Rewriting<'r, 'c> {
    fn new(
        repository: &'r Repository,
        what: &'r Purged,
        key: Option<Arc<CommitKey>>,
        pack: Option<PackBuilder<'c>>,
    ) -> Self {
        Rewriting {
            repository,
            what,
            key,
            pack,
            seen: HashMap::new(),
            roots: HashMap::new(),
            root_of: HashMap::new(),
            contents: HashMap::new(),
            tags: BTreeMap::new(),
            found: PurgeFound::default(),
        }
    }

    /// Everything, and where each branch and tag that changes goes.
    fn all(&mut self) -> Result<BTreeMap<String, (Oid, Oid)>, git2::Error> {
        let mut walk = self.repository.revwalk()?;
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)?;
        let mut moves = BTreeMap::new();
        let mut targets = Vec::new();
        for reference in self.repository.references()?.flatten() {
            let (Some(target), Ok(name)) = (reference.target(), reference.name()) else { continue };
            targets.push((name.to_owned(), target));
            if let Ok(commit) = reference.peel_to_commit() {
                walk.push(commit.id())?;
            }
        }
        for id in walk {
            self.commit(id?)?;
        }
        for (name, target) in targets {
            let to = self.object(target)?;
            if to != target {
                moves.insert(name, (target, to));
                self.found.references += 1;
            }
        }
        Ok(moves)
    }

    /// What nothing reaches any more, and is there all the same.
    fn beyond(&mut self) -> Result<(), git2::Error> {
        let odb = self.repository.odb()?;
        for id in objects(self.repository)? {
            if !self.seen.contains_key(&id) && self.what.out_of(odb.read(id)?.data()).is_some() {
                self.found.unreachable += 1;
            }
        }
        Ok(())
    }

    fn object(&mut self, id: Oid) -> Result<Oid, git2::Error> {
        if let Some(new) = self.seen.get(&id) {
            return Ok(*new);
        }
        match self.repository.find_object(id, None)?.kind() {
            Some(ObjectType::Commit) => self.commit(id),
            Some(ObjectType::Tree) => self.tree(id, ""),
            Some(ObjectType::Tag) => self.tag(id),
            _ => self.blob(id, ""),
        }
    }

    fn commit(&mut self, id: Oid) -> Result<Oid, git2::Error> {
        if let Some(new) = self.seen.get(&id) {
            return Ok(*new);
        }
        let data = self.repository.odb()?.read(id)?.data().to_vec();
        self.found.commits_seen += 1;
        let (head, message) = parts(&data);
        let mut text = Vec::with_capacity(data.len());
        let mut signed = false;
        let mut root = Oid::ZERO_SHA1;
        let mut in_signature = false;
        for line in head.split_inclusive(|b| *b == b'\n') {
            let named = |name: &str| line.strip_prefix(name.as_bytes());
            in_signature = (in_signature && line.starts_with(b" "))
                || [&b"gpgsig"[..], b"mergetag"].iter().any(|name| line.starts_with(name));
            if in_signature {
                signed = true;
            } else if let Some(tree) = named("tree ").and_then(oid) {
                root = self.tree(tree, "")?;
                text.extend_from_slice(format!("tree {root}\n").as_bytes());
            } else if let Some(parent) = named("parent ").and_then(oid) {
                text.extend_from_slice(format!("parent {}\n", self.commit(parent)?).as_bytes());
            } else {
                text.extend_from_slice(&self.words(line));
            }
        }
        let clean = self.words(message);
        text.extend_from_slice(&clean);
        // A commit that stays keeps its signature; it is not of another text.
        let same = text == [&without_signatures(head), message].concat();
        let new = if same {
            id
        } else {
            self.found.commits += 1;
            match &self.key {
                Some(key) if signed && key.signed(self.repository, id)? => {
                    text = key.sign(&text).map_err(|e| git2::Error::from_str(&e))?;
                }
                _ => self.found.signatures += usize::from(signed),
            }
            self.add(Kind::Commit, &text)
        };
        self.root_of.insert(new, root);
        self.seen.insert(id, new);
        Ok(new)
    }

    /// Names, addresses and messages without it.
    fn words(&mut self, text: &[u8]) -> Vec<u8> {
        match self.what.out_of(text) {
            Some((clean, _)) => {
                self.found.messages += 1;
                clean
            }
            None => text.to_vec(),
        }
    }

    fn tag(&mut self, id: Oid) -> Result<Oid, git2::Error> {
        let data = self.repository.odb()?.read(id)?.data().to_vec();
        let (head, message) = parts(&data);
        let mut text = Vec::with_capacity(data.len());
        for line in head.split_inclusive(|b| *b == b'\n') {
            match line.strip_prefix(b"object ").and_then(oid) {
                Some(target) => {
                    text.extend_from_slice(format!("object {}\n", self.object(target)?).as_bytes());
                }
                None => text.extend_from_slice(&self.words(line)),
            }
        }
        text.extend_from_slice(&self.words(message));
        let new = if text == data {
            id
        } else {
            // The signature of a tag stands at its end.
            if let Some(signature) = find(&text, b"-----BEGIN ") {
                text.truncate(signature);
                self.found.signatures += 1;
            }
            let new = Oid::hash_object(ObjectType::Tag, &text)?;
            self.tags.insert(new, (text, id));
            new
        };
        self.seen.insert(id, new);
        Ok(new)
    }

    fn tree(&mut self, id: Oid, path: &str) -> Result<Oid, git2::Error> {
        if let Some(new) = self.seen.get(&id) {
            return Ok(*new);
        }
        let tree = self.repository.find_tree(id)?;
        let mut entries: Vec<(i32, Vec<u8>, Oid)> = Vec::with_capacity(tree.len());
        let mut changed = false;
        for entry in tree.iter() {
            let below = || {
                let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
                if path.is_empty() { name } else { format!("{path}/{name}") }
            };
            let new = match entry.kind() {
                Some(ObjectType::Tree) => self.tree(entry.id(), &below())?,
                Some(ObjectType::Blob) => self.blob(entry.id(), &below())?,
                // A commit of another repository.
                _ => entry.id(),
            };
            let name = match self.what.out_of_name(entry.name_bytes()) {
                Some(name) => {
                    self.found.names += 1;
                    self.found.paths.insert(self.clean_path(&below()));
                    name
                }
                None => entry.name_bytes().to_vec(),
            };
            changed |= new != entry.id() || name != entry.name_bytes();
            entries.push((entry.filemode_raw(), name, new));
        }
        let new = if changed {
            let content = rendered(entries);
            let new = self.add(Kind::Tree, &content);
            if path.is_empty() {
                self.roots.insert(new, content);
            }
            new
        } else {
            id
        };
        self.seen.insert(id, new);
        Ok(new)
    }

    fn blob(&mut self, id: Oid, path: &str) -> Result<Oid, git2::Error> {
        let new = match self.seen.get(&id) {
            Some(new) => *new,
            None => {
                let odb = self.repository.odb()?;
                let data = odb.read(id)?;
                let new = match self.what.out_of(data.data()) {
                    Some((clean, times)) => {
                        self.found.files += 1;
                        self.found.times += times;
                        if !path.contains('/') {
                            let new = ObjectId::of(Kind::Blob, &clean).into();
                            self.contents.insert(new, clean.clone());
                        }
                        self.add(Kind::Blob, &clean)
                    }
                    None => id,
                };
                self.seen.insert(id, new);
                new
            }
        };
        if new != id {
            self.found.paths.insert(self.clean_path(path));
        }
        Ok(new)
    }

    /// A path as people are told of it: without what is taken out.
    fn clean_path(&self, path: &str) -> String {
        self.what
            .out_of(path.as_bytes())
            .map_or_else(|| path.to_owned(), |(clean, _)| String::from_utf8_lossy(&clean).into_owned())
    }

    fn add(&mut self, kind: Kind, content: &[u8]) -> Oid {
        let id = ObjectId::of(kind, content);
        if let Some(pack) = &mut self.pack {
            pack.add(kind, id, content);
        }
        id.into()
    }

    /// A file at the root of a commit, old or new.
    fn root_file(&self, commit: Oid, path: &str) -> Option<Vec<u8>> {
        let (_, _, id) = self.root_entries(commit).ok()?.into_iter().find(|(_, name, _)| name == path.as_bytes())?;
        match self.contents.get(&id) {
            Some(content) => Some(content.clone()),
            None => Some(self.repository.find_blob(id).ok()?.content().to_vec()),
        }
    }

    fn root_entries(&self, commit: Oid) -> Result<Vec<(i32, Vec<u8>, Oid)>, git2::Error> {
        let root = match self.root_of.get(&commit) {
            Some(root) => *root,
            None => self.repository.find_commit(commit)?.tree_id(),
        };
        if let Some(content) = self.roots.get(&root) {
            return Ok(parsed(content));
        }
        let tree = self.repository.find_tree(root)?;
        Ok(tree.iter().map(|entry| (entry.filemode_raw(), entry.name_bytes().to_vec(), entry.id())).collect())
    }

    /// The root directory of a commit with these files at the root.
    fn with_files(&mut self, commit: Oid, writes: &[crate::ports::FileWrite]) -> Result<ObjectId, git2::Error> {
        let mut entries = self.root_entries(commit)?;
        for write in writes {
            let id = self.add(Kind::Blob, &write.content);
            entries.retain(|(_, name, _)| name != write.path.as_bytes());
            entries.push((0o100_644, write.path.clone().into_bytes(), id));
        }
        Ok(self.add(Kind::Tree, &rendered(entries)).into())
    }
}

fn commit_id(id: Oid) -> CommitId {
    ObjectId::from(id).to_commit_id()
}

/// The head of a commit or a tag, and its message with the blank line before it.
fn parts(data: &[u8]) -> (&[u8], &[u8]) {
    let end = find(data, b"\n\n").map_or(data.len(), |at| at + 1);
    data.split_at(end)
}

fn find(data: &[u8], what: &[u8]) -> Option<usize> {
    data.windows(what.len()).position(|window| window == what)
}

fn oid(text: &[u8]) -> Option<Oid> {
    Oid::from_str(std::str::from_utf8(text).ok()?.trim()).ok()
}

fn without_signatures(head: &[u8]) -> Vec<u8> {
    let mut in_signature = false;
    let lines = head.split_inclusive(|b| *b == b'\n').filter(|line| {
        in_signature = (in_signature && line.starts_with(b" "))
            || [&b"gpgsig"[..], b"mergetag"].iter().any(|name| line.starts_with(name));
        !in_signature
    });
    lines.flatten().copied().collect()
}

/// A directory as Git keeps it: sorted, as if the names of directories ended with a stroke. Two names that became one
/// are told apart.
fn rendered(mut entries: Vec<(i32, Vec<u8>, Oid)>) -> Vec<u8> {
    let mut names: BTreeSet<Vec<u8>> = BTreeSet::new();
    for (_, name, _) in &mut entries {
        let plain = name.clone();
        let mut number = 1;
        while !names.insert(name.clone()) {
            number += 1;
            let dot = plain.iter().rposition(|b| *b == b'.').unwrap_or(plain.len());
            *name = [&plain[..dot], format!("-{number}").as_bytes(), &plain[dot..]].concat();
        }
    }
    let key = |(mode, name, _): &(i32, Vec<u8>, Oid)| {
        let mut key = name.clone();
        key.extend((*mode == 0o040_000).then_some(b'/'));
        key
    };
    entries.sort_by_key(key);
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        content.extend_from_slice(format!("{mode:o} ").as_bytes());
        content.extend_from_slice(&name);
        content.push(0);
        content.extend_from_slice(&id.as_bytes()[..20]);
    }
    content
}

fn parsed(mut content: &[u8]) -> Vec<(i32, Vec<u8>, Oid)> {
    let mut entries = Vec::new();
    while let Some(blank) = content.iter().position(|b| *b == b' ')
        && let Some(end) = content.iter().position(|b| *b == 0)
        && content.len() >= end + 21
    {
        let mode = std::str::from_utf8(&content[..blank]).ok().and_then(|mode| i32::from_str_radix(mode, 8).ok());
        let id = Oid::from_bytes(&content[end + 1..end + 21]);
        if let (Some(mode), Ok(id)) = (mode, id) {
            entries.push((mode, content[blank + 1..end].to_vec(), id));
        }
        content = &content[end + 21..];
    }
    entries
}

/// All objects that are in the repository.
fn objects(repository: &Repository) -> Result<BTreeSet<Oid>, git2::Error> {
    let mut all = BTreeSet::new();
    repository.odb()?.foreach(|id| {
        all.insert(*id);
        true
    })?;
    Ok(all)
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = fs::read_dir(directory).map_err(at(directory, "list"))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect())
}

fn directories(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = fs::read_dir(directory).map_err(at(directory, "list"))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}

/// What is not there need not be removed.
fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
