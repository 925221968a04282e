//! Notes: the tree of a commit whose paths are the ids of their subjects, possibly split by slashes.

use crate::domain::intake::forge::clone::NoteText;
use git2::{ObjectType, Oid, Repository};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The largest note that is read; Gerrit itself reads no more than 25 MiB.
const LARGEST: usize = 8 << 20;
/// Maximum depth of note folders: two digits each.
const DEEPEST: usize = 20;

/// Visits the notes of a tree: the id of each one's subject, and that of its text.
pub(super) fn each(
    repository: &Repository,
    tree: Oid,
    visit: &mut dyn FnMut(String, Oid) -> ControlFlow<()>,
) -> Result<(), git2::Error> {
    below(repository, tree, "", 0, visit).map(|_| ())
}

fn below(
    repository: &Repository,
    tree: Oid,
    before: &str,
    depth: usize,
    visit: &mut dyn FnMut(String, Oid) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, git2::Error> {
    let tree = repository.find_tree(tree)?;
    for entry in &tree {
        let Ok(name) = std::str::from_utf8(entry.name_bytes()) else { continue };
        if !name.bytes().all(|c| c.is_ascii_hexdigit()) {
            continue;
        }
        let id = format!("{before}{name}");
        let flow = match entry.kind() {
            Some(ObjectType::Tree) if depth < DEEPEST && name.len() == 2 => {
                // A damaged part costs only that part.
                below(repository, entry.id(), &id, depth + 1, visit).unwrap_or(ControlFlow::Continue(()))
            }
            Some(ObjectType::Blob) if matches!(id.len(), 40 | 64) => visit(id, entry.id()),
            _ => ControlFlow::Continue(()),
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Returns the notes of a tree, by subject.
pub(super) fn all(repository: &Repository, tree: Oid) -> BTreeMap<String, Oid> {
    let mut found = BTreeMap::new();
    // Keeps the readable part.
    let _ = each(repository, tree, &mut |id, text| {
        found.insert(id, text);
        ControlFlow::Continue(())
    });
    found
}

/// Returns the text of a note.
pub(super) fn text(repository: &Repository, id: Oid) -> NoteText {
    let read = || {
        let odb = repository.odb().ok()?;
        let (size, kind) = odb.read_header(id).ok()?;
        if kind != ObjectType::Blob {
            return None;
        }
        if size > LARGEST {
            return Some(NoteText::TooLarge);
        }
        let bytes = odb.read(id).ok()?.data().to_vec();
        String::from_utf8(bytes).ok().map(NoteText::Text)
    };
    read().unwrap_or(NoteText::Unreadable)
}
