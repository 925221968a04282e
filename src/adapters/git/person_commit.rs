//! A commit in a person's name outside the writer, like a push: of a file at the root of the store, on top of the
//! branch. Does not take the writer's lock; a running daemon picks up the commit.

use super::error::sort;
use super::permissions;
use super::pool::set_up_library;
use crate::ports::StoreError;
use crate::text::ids::CommitId;
use git2::{ErrorCode, Repository, Signature};
use std::path::Path;

/// Attempts when the branch keeps moving.
const TRIES: usize = 8;

/// Applies `edit` to a file (`""` if it does not exist) and commits the result in the name of `who`. The inner error is
/// that of `edit`; nothing is written then.
///
/// # Errors
/// `Git` if the repository is not writable or the branch keeps moving.
pub fn commit_aside<E>(
    path: &Path,
    branch: &str,
    file: &str,
    who: &str,
    subject: &str,
    mut edit: impl FnMut(&str) -> Result<String, E>,
) -> Result<Result<CommitId, E>, StoreError> {
    set_up_library();
    let repository = Repository::open_bare(path).map_err(|e| sort(&e))?;
    permissions::follow(&repository);
    let reference = format!("refs/heads/{branch}");
    for _ in 0..TRIES {
        let head =
            repository.find_reference(&reference).and_then(|head| head.peel_to_commit()).map_err(|e| sort(&e))?;
        let tree = head.tree().map_err(|e| sort(&e))?;
        let before =
            tree.get_name(file).map(|entry| repository.find_blob(entry.id())).transpose().map_err(|e| sort(&e))?;
        let before = before.map(|blob| String::from_utf8_lossy(blob.content()).into_owned()).unwrap_or_default();
        let content = match edit(&before) {
            Ok(content) => content,
            Err(error) => return Ok(Err(error)),
        };
        let made = || -> Result<git2::Oid, git2::Error> {
            let blob = repository.blob(content.as_bytes())?;
            let mut root = repository.treebuilder(Some(&tree))?;
            root.insert(file, blob, 0o100_644)?;
            let root = repository.find_tree(root.write()?)?;
            let by = Signature::now(who, &format!("{}@localhost", who.replace(char::is_whitespace, "-")))?;
            let id = repository.commit(None, &by, &by, subject, &root, &[&head])?;
            repository.reference_matching(&reference, id, true, head.id(), subject)?;
            Ok(id)
        };
        match made() {
            Ok(id) => return Ok(Ok(CommitId(id.to_string()))),
            Err(e) if matches!(e.code(), ErrorCode::Modified | ErrorCode::Locked) => continue,
            Err(e) => return Err(sort(&e)),
        }
    }
    Err(StoreError::Git("the branch keeps moving; try again".to_owned()))
}
