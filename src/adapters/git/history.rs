//! Which commits changed a file. Looks at directories' ids only, so what did not change costs almost nothing; reads no
//! file, and knows no renames beyond the paths it is given.

use super::object::ObjectId;
use crate::ports::CommitInfo;
use git2::{Commit, ObjectType, Oid, Repository};

/// The commits from `to` back that changed one of the files, the latest first; first parents only.
pub fn of(repository: &Repository, to: Oid, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, git2::Error> {
    let mut trails: Vec<Trail> = paths.iter().map(|path| Trail::new(path)).collect();
    let mut found = Vec::new();
    let mut commit = repository.find_commit(to)?;
    for trail in &mut trails {
        trail.follow(repository, Some(commit.tree_id()))?;
    }
    while found.len() < limit && !trails.is_empty() {
        let parent = commit.parent_ids().next().map(|id| repository.find_commit(id)).transpose()?;
        let root = parent.as_ref().map(|p| p.tree_id());
        let mut changed = false;
        for trail in &mut trails {
            changed |= trail.follow(repository, root)?;
        }
        if changed {
            found.push(info(&commit));
            if trails.iter().all(|t| t.file().is_none()) {
                break;
            }
        }
        let Some(parent) = parent else { break };
        commit = parent;
    }
    Ok(found)
}

/// All commits after `from` up to `to` that changed one of the paths, oldest first, and the root where `from` was not met; first
/// parents only. A path that ends with `/` is a directory.
pub fn trace(
    repository: &Repository,
    from: Option<Oid>,
    to: Oid,
    paths: &[&str],
) -> Result<(Option<Oid>, Vec<CommitInfo>), git2::Error> {
    let mut found = Vec::new();
    if from == Some(to) {
        return Ok((None, found));
    }
    let mut trails: Vec<Trail<'_>> = paths.iter().map(|path| Trail::new(path)).collect();
    let mut commit = repository.find_commit(to)?;
    for trail in &mut trails {
        trail.follow(repository, Some(commit.tree_id()))?;
    }
    let root = loop {
        let parent = commit.parent_ids().next();
        let before = parent.map(|id| repository.find_commit(id)).transpose()?;
        let tree = before.as_ref().map(|before| before.tree_id());
        let mut changed = false;
        for trail in &mut trails {
            changed |= trail.follow(repository, tree)?;
        }
        if changed {
            found.push(info(&commit));
        }
        match before {
            None => break Some(commit.id()),
            Some(_) if parent == from => break None,
            Some(before) => commit = before,
        }
    };
    found.reverse();
    Ok((root, found))
}

/// What is told of a commit.
pub fn info(commit: &Commit<'_>) -> CommitInfo {
    CommitInfo {
        id: ObjectId::from(commit.id()).to_commit_id(),
        parent: commit.parent_ids().next().map(|id| ObjectId::from(id).to_commit_id()),
        author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
        seconds: commit.time().seconds(),
        subject: commit
            .message_bytes()
            .split(|c| *c == b'\n')
            .find(|line| !line.trim_ascii().is_empty())
            .map_or_else(String::new, |line| String::from_utf8_lossy(line).trim().to_owned()),
    }
}

/// A path with the ids that its parts have in one commit.
struct Trail<'p> {
    names: Vec<&'p str>,
    /// What the last name is.
    kind: ObjectType,
    /// The root's id, then one for each name; `None` from where the path ends.
    ids: Vec<Option<Oid>>,
}

impl<'p> Trail<'p> {
    fn new(path: &'p str) -> Trail<'p> {
        let kind = if path.ends_with('/') { ObjectType::Tree } else { ObjectType::Blob };
        let names: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        Trail { ids: vec![None; names.len() + 1], names, kind }
    }

    fn file(&self) -> Option<Oid> {
        self.ids.last().copied().flatten()
    }

    /// Goes to another commit. Returns whether the file is another one there. Below a directory with the same id
    /// everything is the same.
    fn follow(&mut self, repository: &Repository, root: Option<Oid>) -> Result<bool, git2::Error> {
        let before = self.file();
        let mut id = root;
        for depth in 0..self.ids.len() {
            if id == self.ids[depth] {
                break;
            }
            self.ids[depth] = id;
            let Some(name) = self.names.get(depth) else { break };
            let last = depth + 1 == self.names.len();
            let wanted = if last { self.kind } else { ObjectType::Tree };
            id = match id {
                Some(tree) => {
                    let tree = repository.find_tree(tree)?;
                    tree.get_name(name).filter(|e| e.kind() == Some(wanted)).map(|e| e.id())
                }
                None => None,
            };
        }
        Ok(self.file() != before)
    }
}
