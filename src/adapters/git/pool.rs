//! Open libgit2 handles on one repository. A handle that failed is dropped and the call repeated once with a fresh one:
//! another process may have combined the packs that the old one had open.

use super::error::sort;
use super::object::ObjectId;
use crate::ports::StoreError;
use git2::{ErrorCode, Oid, Repository, RepositoryOpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

/// The largest file that is read; anything larger is not a record.
pub const MAX_FILE: usize = 64 << 20;

/// Handles on a bare repository.
pub struct Pool {
    path: PathBuf,
    free: Mutex<Vec<Repository>>,
}

impl Pool {
    /// Opens a bare repository.
    ///
    /// # Errors
    /// `Missing` if there is none, `Git` if it has a worktree.
    pub fn open(path: &Path) -> Result<Pool, StoreError> {
        set_up_library();
        let pool = Pool { path: path.to_owned(), free: Mutex::default() };
        let repository = pool.handle()?;
        pool.give_back(repository);
        Ok(pool)
    }

    /// Returns the path of the repository.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a call that may be repeated.
    pub fn read<T>(&self, call: impl Fn(&Repository) -> Result<T, git2::Error>) -> Result<T, StoreError> {
        let repository = self.take()?;
        match call(&repository) {
            Ok(value) => {
                self.give_back(repository);
                Ok(value)
            }
            Err(_) => {
                drop(repository);
                self.forget();
                self.once(call)?.map_err(|e| sort(&e))
            }
        }
    }

    /// Runs a call that must not be retried.
    pub fn once<T>(
        &self,
        call: impl FnOnce(&Repository) -> Result<T, git2::Error>,
    ) -> Result<Result<T, git2::Error>, StoreError> {
        let repository = self.take()?;
        let result = call(&repository);
        if result.is_ok() {
            self.give_back(repository);
        }
        Ok(result)
    }

    /// Closes all idle handles: the packs changed.
    pub fn forget(&self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the commit a branch points to.
    pub fn head(&self, branch: &str) -> Result<Option<ObjectId>, StoreError> {
        self.read(|repository| optional(repository.refname_to_id(branch)).map(|id| id.map(ObjectId::from)))
    }

    /// Returns the root directory of a commit; `None` if there is no such commit.
    pub fn root(&self, commit: ObjectId) -> Result<Option<ObjectId>, StoreError> {
        self.read(|repository| match optional(repository.find_commit(Oid::from(commit)))? {
            Some(commit) => Ok(Some(ObjectId::from(commit.tree_id()))),
            None => Ok(None),
        })
    }

    /// Returns the content of a tree.
    pub fn tree(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        self.read(|repository| Ok(repository.odb()?.read(Oid::from(id))?.data().to_vec()))
    }

    /// Returns the content of a file; empty, with a warning, if it is too large for a record.
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        self.read(|repository| {
            let odb = repository.odb()?;
            let (size, _) = odb.read_header(Oid::from(id))?;
            if size > MAX_FILE {
                tracing::warn!(object = %id, size, "a file in the store is too large to read");
                return Ok(Vec::new());
            }
            Ok(odb.read(Oid::from(id))?.data().to_vec())
        })
    }

    fn take(&self) -> Result<Repository, StoreError> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.map_or_else(|| self.handle(), Ok)
    }

    fn give_back(&self, repository: Repository) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(repository);
    }

    fn handle(&self) -> Result<Repository, StoreError> {
        let none = std::iter::empty::<&str>();
        let repository = match Repository::open_ext(&self.path, RepositoryOpenFlags::NO_SEARCH, none) {
            Ok(repository) => repository,
            Err(e) if e.code() == ErrorCode::NotFound => {
                // libgit2 does not distinguish missing from unreadable.
                let head = std::fs::File::open(self.path.join("HEAD"));
                if head.is_err_and(|e| e.kind() == std::io::ErrorKind::PermissionDenied) {
                    return Err(StoreError::Git(format!(
                        "this user may not read the store at {}; run this as the user who owns it (sudo -u), or as a \
                         member of its group",
                        self.path.display()
                    )));
                }
                return Err(StoreError::Missing { path: self.path.display().to_string() });
            }
            Err(e) => return Err(sort(&e)),
        };
        if !repository.is_bare() {
            return Err(StoreError::Git(format!(
                "{} has a worktree, but a store is a bare repository; create one elsewhere with `feedbackd init`, or \
                 turn a clone into one with `git clone --bare`",
                self.path.display()
            )));
        }
        Ok(repository)
    }
}

/// Tolerates a missing object.
pub fn optional<T>(result: Result<T, git2::Error>) -> Result<Option<T>, git2::Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Initializes libgit2 for this process, once.
pub fn set_up_library() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: these set global variables of libgit2 before its other calls: every entry to this module passes
        // through here first. The option takes one int.
        unsafe {
            // Without it a moved branch is not durable. git2 has no wrapper for it.
            libgit2_sys::git_libgit2_opts(libgit2_sys::GIT_OPT_ENABLE_FSYNC_GITDIR as i32, 1i32);
            // These only bound memory and open files; it works without them.
            let _ = git2::opts::set_cache_max_size(32 << 20);
            let _ = git2::opts::set_mwindow_size(16 << 20);
            let _ = git2::opts::set_mwindow_mapped_limit(256 << 20);
            let _ = git2::opts::set_mwindow_file_limit(16);
        }
    });
}
