//! Which commits changed a file. Compares only the ids of directories, so unchanged ones cost almost nothing. Reads no
//! file, and knows no renames beyond the given paths.

use super::object::ObjectId;
use crate::ports::CommitInfo;
use git2::{Commit, ObjectType, Oid, Repository};

/// Returns the commits from `to` back that changed one of the files, latest first; first parents only.
pub fn of(repository: &Repository, to: Oid, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, git2::Error> {
    let mut files = Place::root(paths.iter().map(String::as_str));
    let mut found = Vec::new();
    let mut commit = repository.find_commit(to)?;
    files.follow(repository, Some(commit.tree_id()))?;
    while found.len() < limit && !paths.is_empty() {
        let parent = commit.parent_ids().next().map(|id| repository.find_commit(id)).transpose()?;
        let root = parent.as_ref().map(|p| p.tree_id());
        if files.follow(repository, root)? {
            found.push(info(&commit));
            if !files.is_there() {
                break;
            }
        }
        let Some(parent) = parent else { break };
        commit = parent;
    }
    Ok(found)
}

/// Returns all commits after `from` up to `to` that changed one of the paths, oldest first, and the root if `from` was
/// not found; first parents only. A path that ends with `/` is a directory.
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
    let mut places = Place::root(paths.iter().copied());
    let mut commit = repository.find_commit(to)?;
    places.follow(repository, Some(commit.tree_id()))?;
    let root = loop {
        let parent = commit.parent_ids().next();
        let before = parent.map(|id| repository.find_commit(id)).transpose()?;
        let tree = before.as_ref().map(|before| before.tree_id());
        if places.follow(repository, tree)? {
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

/// Returns the information shown for a commit.
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

/// A wanted file or directory, or one on the path to it, with its id in one commit.
struct Place<'p> {
    name: &'p str,
    kind: ObjectType,
    is_wanted: bool,
    /// `None` if it does not exist.
    id: Option<Oid>,
    below: Vec<Place<'p>>,
}

impl<'p> Place<'p> {
    fn new(name: &'p str, kind: ObjectType) -> Place<'p> {
        Place { name, kind, is_wanted: false, id: None, below: Vec::new() }
    }

    /// Builds the root from which all of these are found: a directory shared by several paths is read once. A path that
    /// ends with `/` is a directory.
    fn root(paths: impl IntoIterator<Item = &'p str>) -> Place<'p> {
        let mut root = Place::new("", ObjectType::Tree);
        for path in paths {
            let kind = if path.ends_with('/') { ObjectType::Tree } else { ObjectType::Blob };
            let (way, name) = path.trim_end_matches('/').rsplit_once('/').unwrap_or(("", path.trim_end_matches('/')));
            let mut place = &mut root;
            for directory in way.split('/').filter(|name| !name.is_empty()) {
                place = place.below(directory, ObjectType::Tree);
            }
            place.below(name, kind).is_wanted = true;
        }
        root
    }

    fn below(&mut self, name: &'p str, kind: ObjectType) -> &mut Place<'p> {
        let found = self.below.iter().position(|place| place.name == name && place.kind == kind);
        let at = found.unwrap_or_else(|| {
            self.below.push(Place::new(name, kind));
            self.below.len() - 1
        });
        &mut self.below[at]
    }

    /// Moves to another commit. Returns whether something wanted differs there. Directories with the same id have the
    /// same content.
    fn follow(&mut self, repository: &Repository, id: Option<Oid>) -> Result<bool, git2::Error> {
        if self.id == id {
            return Ok(false);
        }
        self.id = id;
        let mut changed = self.is_wanted;
        if !self.below.is_empty() {
            let tree = id.map(|id| repository.find_tree(id)).transpose()?;
            for place in &mut self.below {
                let entry = tree.as_ref().and_then(|tree| tree.get_name(place.name));
                let id = entry.filter(|entry| entry.kind() == Some(place.kind)).map(|entry| entry.id());
                changed |= place.follow(repository, id)?;
            }
        }
        Ok(changed)
    }

    /// Reports whether anything wanted exists.
    fn is_there(&self) -> bool {
        (self.is_wanted && self.id.is_some()) || self.below.iter().any(Place::is_there)
    }
}
