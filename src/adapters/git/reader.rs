//! Reads the store: heads, files, differences, history. Takes no lock and may be used from any number of threads.

use super::diff;
use super::history::{self, info};
use super::object::ObjectId;
use super::pool::{Pool, optional};
use super::signature;
use super::tree;
use crate::ports::{CommitInfo, FileChange, Signatures, StoreError, StoreReader, Trace};
use crate::text::ids::CommitId;
use git2::{Oid, Repository};
use std::path::Path;

/// A store opened for reading.
pub struct GitReader {
    pool: Pool,
    branch: String,
}

impl GitReader {
    /// Opens the store at a path. Sees every later commit, from any source.
    ///
    /// # Errors
    /// `Missing` if there is no repository, `Git` if it is not bare or its `HEAD` names no branch.
    pub fn open(path: &Path) -> Result<GitReader, StoreError> {
        let pool = Pool::open(path)?;
        let branch = pool.read(|repository| {
            let head = repository.find_reference("HEAD")?;
            Ok(head.symbolic_target().ok().flatten().map(str::to_owned))
        })?;
        match branch.filter(|name| name.starts_with("refs/heads/")) {
            Some(branch) => Ok(GitReader { pool, branch }),
            None => Err(StoreError::Git(format!(
                "HEAD of {} names no branch; set it with `git symbolic-ref HEAD refs/heads/main`",
                path.display()
            ))),
        }
    }

    /// Returns the full name of the branch, e.g. `refs/heads/main`.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// Returns the path of the repository.
    pub fn path(&self) -> &Path {
        self.pool.path()
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    fn root(&self, commit: &CommitId) -> Result<ObjectId, StoreError> {
        let root = match ObjectId::parse(commit) {
            Some(id) => self.pool.root(id)?,
            None => None,
        };
        root.ok_or_else(|| StoreError::Git(format!("there is no commit {commit} in the store")))
    }
}

impl StoreReader for GitReader {
    fn head(&self) -> Result<Option<CommitId>, StoreError> {
        Ok(self.pool.head(&self.branch)?.map(ObjectId::to_commit_id))
    }

    fn read(&self, at: &CommitId, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let mut directory = self.root(at)?;
        let mut components = path.split('/').peekable();
        while let Some(name) = components.next() {
            let items = tree::parse(directory, &self.pool.tree(directory)?)?;
            let is_last = components.peek().is_none();
            let wanted = |item: &&tree::Item| {
                *item.name == *name.as_bytes() && if is_last { item.is_file() } else { item.is_directory() }
            };
            match items.iter().find(wanted) {
                Some(item) if is_last => return self.pool.blob(item.id).map(Some),
                Some(item) => directory = item.id,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn files_in(&self, at: &CommitId, directory: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let mut place = self.root(at)?;
        for name in directory.split('/').filter(|name| !name.is_empty()) {
            let items = tree::parse(place, &self.pool.tree(place)?)?;
            let Some(item) = items.iter().find(|i| i.is_directory() && *i.name == *name.as_bytes()) else {
                return Ok(Vec::new());
            };
            place = item.id;
        }
        let items = tree::parse(place, &self.pool.tree(place)?)?;
        let named = items.iter().filter(|item| item.is_file());
        named
            .filter_map(|item| Some((std::str::from_utf8(&item.name).ok()?.to_owned(), item.id)))
            .map(|(name, id)| Ok((name, self.pool.blob(id)?)))
            .collect()
    }

    fn for_each_change(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        visit: &mut dyn FnMut(FileChange) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // A commit of another store is an error: everything would count as new, and nothing as removed.
        let from = from.map(|from| self.root(from)).transpose()?;
        diff::for_each_change(&self.pool, from, self.root(to)?, visit)
    }

    fn commits(&self, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<CommitInfo>, StoreError> {
        self.root(to)?;
        let Some(to) = ObjectId::parse(to).map(Oid::from) else { return Ok(Vec::new()) };
        let from = from.and_then(ObjectId::parse).map(Oid::from);
        self.pool.read(|repository| {
            let from = match from {
                Some(from) if optional(repository.find_commit(from))?.is_some() => Some(from),
                _ => None,
            };
            let mut chain = first_parents(repository, from, to)?;
            // A chain that ends with a root did not reach `from`.
            if let (Some(from), Some(CommitInfo { parent: None, .. })) = (from, chain.last()) {
                cut_known(repository, from, to, &mut chain)?;
            }
            chain.reverse();
            Ok(chain)
        })
    }

    fn contains(&self, commit: &CommitId, other: &CommitId) -> Result<bool, StoreError> {
        self.root(commit)?;
        let (Some(commit), Some(other)) = (ObjectId::parse(commit), ObjectId::parse(other)) else { return Ok(false) };
        let (commit, other) = (Oid::from(commit), Oid::from(other));
        self.pool.read(|repository| {
            let known = optional(repository.find_commit(other))?.is_some();
            Ok(known && (commit == other || repository.graph_descendant_of(commit, other)?))
        })
    }

    fn history(&self, to: &CommitId, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, StoreError> {
        self.root(to)?;
        let Some(to) = ObjectId::parse(to).map(Oid::from) else { return Ok(Vec::new()) };
        self.pool.read(|repository| history::of(repository, to, paths, limit))
    }

    fn trace(&self, from: Option<&CommitId>, to: &CommitId, paths: &[&str]) -> Result<Trace, StoreError> {
        self.root(to)?;
        let Some(to) = ObjectId::parse(to).map(Oid::from) else { return Ok(Trace::default()) };
        let from = from.and_then(ObjectId::parse).map(Oid::from);
        let (root, commits) = self.pool.read(|repository| history::trace(repository, from, to, paths))?;
        Ok(Trace { root: root.map(|id| ObjectId::from(id).to_commit_id()), commits })
    }

    fn signatures(&self, to: &CommitId, keys: &[String]) -> Result<Signatures, StoreError> {
        self.root(to)?;
        let Some(to) = ObjectId::parse(to).map(Oid::from) else { return Ok(Signatures::default()) };
        self.pool.read(|repository| signature::check(repository, to, keys))
    }
}

/// Lists the commits from `to` back to `from` (exclusive) or to the root.
fn first_parents(repository: &Repository, from: Option<Oid>, to: Oid) -> Result<Vec<CommitInfo>, git2::Error> {
    let mut chain = Vec::new();
    let mut next = Some(to);
    while let Some(id) = next.filter(|id| Some(*id) != from) {
        let commit = repository.find_commit(id)?;
        next = commit.parent_ids().next();
        chain.push(info(&commit));
    }
    Ok(chain)
}

/// Handles a person's merge: `from` is an ancestor, but not by first parents. Earlier commits on the chain are then
/// known.
fn cut_known(repository: &Repository, from: Oid, to: Oid, chain: &mut Vec<CommitInfo>) -> Result<(), git2::Error> {
    if !repository.graph_descendant_of(to, from)? {
        return Ok(());
    }
    // The older a commit on the chain, the more likely it is known: search for the first known one.
    let (mut unknown, mut known) = (0, chain.len());
    while unknown < known {
        let middle = (unknown + known) / 2;
        if repository.graph_descendant_of(from, Oid::from_str(&chain[middle].id.0)?)? {
            known = middle;
        } else {
            unknown = middle + 1;
        }
    }
    chain.truncate(known);
    Ok(())
}
