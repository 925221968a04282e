//! How a commit made elsewhere relates to the branch, and the tree of their merge.
//!
//! A file that both sides changed is a conflict, even if the lines differ: half a record from each side may be no
//! record. Only changed directories are read.

use super::error::sort;
use super::object::ObjectId;
use super::pool::{Pool, optional};
use crate::ports::StoreError;
use git2::build::TreeUpdateBuilder;
use git2::{Delta, DiffOptions, FileMode, Oid, Repository};
use std::collections::BTreeMap;

/// The relation of a commit to the branch.
pub enum Relation {
    /// The branch contains it.
    Contained,
    /// It is on top of the branch.
    Ahead,
    /// Both sides have commits, and changed different files.
    Apart {
        /// The directory with the changes of both.
        tree: ObjectId,
        /// Who made the commit: name and address as in its header.
        author: String,
    },
    /// Both sides changed these files.
    Conflict(Vec<String>),
    /// They have no commit in common.
    Unrelated,
}

/// By path, what a side made of a file; `None` if it removed the file.
type Changes = BTreeMap<String, Option<(Oid, FileMode)>>;

/// Finds the relation, and writes the directories of a merge into the repository.
///
/// # Errors
/// If a commit is missing, or the merge cannot be written.
pub fn look(pool: &Pool, ours: ObjectId, theirs: ObjectId) -> Result<Relation, StoreError> {
    // Git wrote packs that an open handle does not know.
    pool.forget();
    let (ours, theirs) = (Oid::from(ours), Oid::from(theirs));
    pool.once(|repository| relation(repository, ours, theirs))?.map_err(|error| sort(&error))
}

fn relation(repository: &Repository, ours: Oid, theirs: Oid) -> Result<Relation, git2::Error> {
    let Some(base) = optional(repository.merge_base(ours, theirs))? else { return Ok(Relation::Unrelated) };
    if base == theirs {
        return Ok(Relation::Contained);
    }
    if base == ours {
        return Ok(Relation::Ahead);
    }
    let our_changes = changes(repository, base, ours)?;
    let mut their_changes = changes(repository, base, theirs)?;
    let conflicts = conflicts(&our_changes, &their_changes);
    if !conflicts.is_empty() {
        return Ok(Relation::Conflict(conflicts));
    }
    // Both sides may have made the same of a file.
    their_changes.retain(|path, _| !our_changes.contains_key(path));
    let mut update = TreeUpdateBuilder::new();
    for (path, change) in &their_changes {
        match change {
            Some((id, mode)) => update.upsert(path.as_str(), *id, *mode),
            None => update.remove(path.as_str()),
        };
    }
    let tree = update.create_updated(repository, &repository.find_commit(ours)?.tree()?)?;
    let commit = repository.find_commit(theirs)?;
    let author = commit.author();
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(['<', '>'], "");
    let author = format!("{} <{}>", shown(author.name_bytes()), shown(author.email_bytes()));
    Ok(Relation::Apart { tree: tree.into(), author })
}

fn changes(repository: &Repository, from: Oid, to: Oid) -> Result<Changes, git2::Error> {
    let tree = |id: Oid| repository.find_commit(id)?.tree();
    let mut options = DiffOptions::new();
    options.include_typechange(true).skip_binary_check(true);
    let diff = repository.diff_tree_to_tree(Some(&tree(from)?), Some(&tree(to)?), Some(&mut options))?;
    let mut changes = Changes::new();
    for delta in diff.deltas() {
        let is_gone = delta.status() == Delta::Deleted;
        let file = if is_gone { delta.old_file() } else { delta.new_file() };
        let path = String::from_utf8_lossy(file.path_bytes().unwrap_or_default()).into_owned();
        changes.insert(path, (!is_gone).then(|| (file.id(), file.mode())));
    }
    Ok(changes)
}

/// Returns the paths on which the sides disagree: each made something else of it, or one of them needs a directory at a
/// place where the other has a file.
fn conflicts(ours: &Changes, theirs: &Changes) -> Vec<String> {
    let is_file = |changes: &Changes, path: &str| matches!(changes.get(path), Some(Some(_)));
    let parents = |path: &str| path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect::<Vec<_>>();
    let is_below = |path: &str, others: &Changes| parents(path).iter().any(|parent| is_file(others, parent));
    let mut found: Vec<String> = theirs
        .iter()
        .filter(|(path, change)| {
            ours.get(*path).is_some_and(|our| our != *change) || (change.is_some() && is_below(path, ours))
        })
        .map(|(path, _)| path.clone())
        .collect();
    found.extend(
        ours.iter().filter(|(path, change)| change.is_some() && is_below(path, theirs)).map(|(path, _)| path.clone()),
    );
    found
}
