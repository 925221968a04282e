//! Everything reachable from branches and tags, rewritten without the purged content.
//!
//! It writes only into the given pack; moving branches and removing old objects is done elsewhere.

use super::error::sort;
use super::object::{Kind, ObjectId};
use super::pack::PackBuilder;
use super::signature::CommitKey;
use super::tree::{self, Item};
use crate::ports::{FileWrite, PurgeFound, StoreError};
use crate::text::redact::PurgeTarget;
use git2::{ObjectType, Oid, Repository, Sort, TreeEntry};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// One pass over everything reachable from branches and tags, building the new objects if wanted.
pub(super) struct HistoryRewrite<'r, 'c> {
    repository: &'r Repository,
    what: &'r PurgeTarget,
    /// The key that the daemon's commits are signed with, if any.
    key: Option<Arc<CommitKey>>,
    /// `None`: search only.
    pub pack: Option<PackBuilder<'c>>,
    /// Old objects and their replacements.
    seen: HashMap<Oid, Oid>,
    /// The content of new root directories, for the last commit.
    roots: HashMap<Oid, Vec<u8>>,
    /// The root directories of new commits.
    root_of: HashMap<Oid, Oid>,
    /// New files at the root.
    contents: HashMap<Oid, Vec<u8>>,
    /// New tags.
    pub tags: BTreeMap<Oid, Vec<u8>>,
    /// The result.
    pub found: PurgeFound,
}

impl<'r, 'c> HistoryRewrite<'r, 'c> {
    pub fn new(
        repository: &'r Repository,
        what: &'r PurgeTarget,
        key: Option<Arc<CommitKey>>,
        pack: Option<PackBuilder<'c>>,
    ) -> Self {
        HistoryRewrite {
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

    /// Rewrites everything; returns where each changed branch and tag goes.
    pub fn all(&mut self) -> Result<BTreeMap<String, (Oid, Oid)>, git2::Error> {
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

    /// Visits unreachable objects that still exist.
    pub fn beyond(&mut self) -> Result<(), git2::Error> {
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
        let plain = without_signatures(head);
        let signed = plain.len() < head.len();
        let mut text = Vec::with_capacity(data.len());
        let mut root = Oid::ZERO_SHA1;
        for line in plain.split_inclusive(|b| *b == b'\n') {
            let named = |name: &str| line.strip_prefix(name.as_bytes());
            if let Some(tree) = named("tree ").and_then(oid) {
                root = self.tree(tree, "")?;
                text.extend_from_slice(format!("tree {root}\n").as_bytes());
            } else if let Some(parent) = named("parent ").and_then(oid) {
                text.extend_from_slice(format!("parent {}\n", self.commit(parent)?).as_bytes());
            } else {
                text.extend_from_slice(&self.words(line));
            }
        }
        text.extend_from_slice(&self.words(message));
        // An unchanged commit keeps its signature, which still matches.
        let same = text == [&plain, message].concat();
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

    /// Purges names, addresses and messages.
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
            // A tag's signature is at its end.
            if let Some(signature) = find(&text, b"-----BEGIN ") {
                text.truncate(signature);
                self.found.signatures += 1;
            }
            let new = Oid::hash_object(ObjectType::Tag, &text)?;
            self.tags.insert(new, text);
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
        let mut items: Vec<Item> = Vec::with_capacity(tree.len());
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
                    self.found.paths.insert(self.what.cleaned(&below()));
                    name
                }
                None => entry.name_bytes().to_vec(),
            };
            changed |= new != entry.id() || name != entry.name_bytes();
            items.push(Item { name: name.into(), ..item(&entry, new) });
        }
        let new = if changed {
            let content = rendered(items);
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
            self.found.paths.insert(self.what.cleaned(path));
        }
        Ok(new)
    }

    pub fn add(&mut self, kind: Kind, content: &[u8]) -> Oid {
        let id = ObjectId::of(kind, content);
        if let Some(pack) = &mut self.pack {
            pack.add(kind, id, content);
        }
        id.into()
    }

    /// Returns a file at the root of a commit, old or new.
    pub fn root_file(&self, commit: Oid, path: &str) -> Option<Vec<u8>> {
        let items = self.root_items(commit).ok()?;
        let id = items.into_iter().find(|item| *item.name == *path.as_bytes())?.id.into();
        match self.contents.get(&id) {
            Some(content) => Some(content.clone()),
            None => Some(self.repository.find_blob(id).ok()?.content().to_vec()),
        }
    }

    fn root_items(&self, commit: Oid) -> Result<Vec<Item>, StoreError> {
        let root = match self.root_of.get(&commit) {
            Some(root) => *root,
            None => self.repository.find_commit(commit).map_err(|e| sort(&e))?.tree_id(),
        };
        if let Some(content) = self.roots.get(&root) {
            return tree::parse(root.into(), content);
        }
        let tree = self.repository.find_tree(root).map_err(|e| sort(&e))?;
        Ok(tree.iter().map(|entry| item(&entry, entry.id())).collect())
    }

    /// Returns the root directory of a commit with these files at the root.
    pub fn with_files(&mut self, commit: Oid, writes: &[FileWrite]) -> Result<ObjectId, StoreError> {
        let mut items = self.root_items(commit)?;
        for write in writes {
            let id = self.add(Kind::Blob, &write.content).into();
            items.retain(|item| *item.name != *write.path.as_bytes());
            items.push(Item { name: write.path.as_bytes().into(), mode: tree::FILE, id });
        }
        Ok(self.add(Kind::Tree, &rendered(items)).into())
    }
}

/// Splits a commit or tag into its header, and its message with the preceding blank line.
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

fn item(entry: &TreeEntry<'_>, id: Oid) -> Item {
    Item { name: entry.name_bytes().into(), mode: entry.filemode_raw().unsigned_abs(), id: id.into() }
}

/// Renders a directory in Git's form. Names that became equal are disambiguated.
fn rendered(mut items: Vec<Item>) -> Vec<u8> {
    let mut names: BTreeSet<Box<[u8]>> = BTreeSet::new();
    for item in &mut items {
        let plain = item.name.clone();
        let mut number = 1;
        while !names.insert(item.name.clone()) {
            number += 1;
            let dot = plain.iter().rposition(|b| *b == b'.').unwrap_or(plain.len());
            item.name = [&plain[..dot], format!("-{number}").as_bytes(), &plain[dot..]].concat().into();
        }
    }
    items.sort_by(tree::order);
    tree::render(&items)
}

/// Returns all objects in the repository.
pub(super) fn objects(repository: &Repository) -> Result<BTreeSet<Oid>, git2::Error> {
    let mut all = BTreeSet::new();
    repository.odb()?.foreach(|id| {
        all.insert(*id);
        true
    })?;
    Ok(all)
}
