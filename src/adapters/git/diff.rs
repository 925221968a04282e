//! Differences between two commits: files by path, no renames, one file in memory at a time.

use super::object::ObjectId;
use super::pool::Pool;
use super::tree::{self, Item};
use crate::domain::records::layout;
use crate::ports::{FileChange, StoreError};
use std::cmp::Ordering;

type Visitor<'v> = &'v mut dyn FnMut(FileChange) -> Result<(), StoreError>;

/// Visits the differences between two roots in path order, or all files if there is no first one. Only what the daemon
/// reads: the records and the roster. Symlinks and submodules count as absent.
pub fn for_each_change(pool: &Pool, from: Option<ObjectId>, to: ObjectId, visit: Visitor) -> Result<(), StoreError> {
    let ours = |item: &Item| match item.is_directory() {
        true => *item.name == *layout::ROOT.as_bytes(),
        false => *item.name == *layout::ROSTER.as_bytes(),
    };
    let [mut old, mut new] = [items(pool, from)?, items(pool, Some(to))?];
    old.retain(ours);
    new.retain(ours);
    compare(pool, &mut String::new(), old, new, visit)
}

fn compare(pool: &Pool, prefix: &mut String, old: Vec<Item>, new: Vec<Item>, visit: Visitor) -> Result<(), StoreError> {
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => tree::order(a, b),
        };
        let before = if order != Ordering::Greater { old.next() } else { None };
        let after = if order != Ordering::Less { new.next() } else { None };
        compare_one(pool, prefix, before, after, visit)?;
    }
}

/// Compares two entries with the same name, both directories or neither, or one missing.
fn compare_one(
    pool: &Pool,
    prefix: &mut String,
    old: Option<Item>,
    new: Option<Item>,
    visit: Visitor,
) -> Result<(), StoreError> {
    if old == new {
        return Ok(());
    }
    let Some(either) = new.as_ref().or(old.as_ref()) else { return Ok(()) };
    let length = prefix.len();
    prefix.push_str(&String::from_utf8_lossy(&either.name));
    if either.is_directory() {
        prefix.push('/');
        let [old, new] = [items(pool, old.map(|item| item.id))?, items(pool, new.map(|item| item.id))?];
        compare(pool, prefix, old, new, visit)?;
    } else {
        let [old, new] = [old.filter(Item::is_file), new.filter(Item::is_file)];
        let [before, after] = [old.map(|item| item.id), new.map(|item| item.id)];
        // A changed mode is not a change of content.
        if before != after {
            let content = after.map(|id| pool.blob(id)).transpose()?;
            visit(FileChange { path: prefix.clone(), content })?;
        }
    }
    prefix.truncate(length);
    Ok(())
}

fn items(pool: &Pool, directory: Option<ObjectId>) -> Result<Vec<Item>, StoreError> {
    directory.map_or_else(|| Ok(Vec::new()), |id| tree::parse(id, &pool.tree(id)?))
}
