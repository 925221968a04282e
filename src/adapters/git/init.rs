//! Creates a store. Existing content is never changed.

use super::error::{at, sort};
use super::lock::WriterLock;
use super::object::ObjectId;
use super::permissions;
use super::pool::{Pool, set_up_library};
use super::reader::GitReader;
use super::remote::{GitRemote, RemoteOptions};
use super::writer::{GitWriter, WriterOptions};
use crate::domain::records::layout;
use crate::ports::{
    ChangeSet, CommitOutcome, FileWrite, Remote, RemoteError, RemoteHead, StoreError, StoreReader, StoreWriter,
};
use crate::text::ids::CommitId;
use git2::{Repository, RepositoryInitOptions};
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Marks a repository as a store, in its configuration.
const MARK: &str = "feedbackd.store";

/// The outcome of [`init`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitOutcome {
    /// A new store with its first commit.
    Created(CommitId),
    /// The store already existed; nothing was changed.
    Existing(CommitId),
    /// A copy of the store at a Git host, up to this commit.
    Cloned(CommitId),
}

/// Creates a bare repository at `path` whose branch (`main`) has one commit with the template's files. Durable on
/// return. An interrupted run is completed by the next.
///
/// # Errors
/// `Git`, with what to do, if the path holds something else or the branch's name is invalid; `Locked`, `Io`.
pub fn init(
    path: &Path,
    template: &[(String, Vec<u8>)],
    branch: &str,
    options: WriterOptions,
    shared: bool,
) -> Result<InitOutcome, StoreError> {
    if let Some(outcome) = prepare(path, branch, shared)? {
        return Ok(outcome);
    }
    let sync = options.sync;
    let mut writer = GitWriter::open(path, options)?;
    let change = ChangeSet {
        writes: template
            .iter()
            .map(|(path, content)| FileWrite { path: path.clone(), content: content.clone() })
            .collect(),
        subject: "Create the store".to_owned(),
        ..ChangeSet::default()
    };
    match writer.commit(None, &change)? {
        CommitOutcome::Committed(id) => {
            sync_all(path, sync)?;
            Ok(InitOutcome::Created(id))
        }
        CommitOutcome::Unchanged(id) | CommitOutcome::Moved(id) => Ok(InitOutcome::Existing(id)),
    }
}

/// Creates a store with what a Git host has on its branch. Returns `None` if there is no such branch: [`init`] then
/// completes the store. Durable on return. An interrupted run is completed by the next.
///
/// # Errors
/// As [`init`]; and if the host does not answer, or its branch does not hold a store.
pub fn init_from(
    path: &Path,
    branch: &str,
    remote: RemoteOptions,
    options: &WriterOptions,
    shared: bool,
) -> Result<Option<InitOutcome>, RemoteError> {
    if let Some(outcome) = prepare(path, branch, shared)? {
        return Ok(Some(outcome));
    }
    let lock = WriterLock::take(path)?;
    let remote = GitRemote::open(path, remote)?;
    let head = match remote.fetch(&|| false)? {
        RemoteHead::Absent => return Ok(None),
        RemoteHead::At(head) => head,
        RemoteHead::Rewritten { .. } => {
            let message =
                "the branch at the Git host was rewritten while it was copied; remove the new store and repeat";
            return Err(RemoteError::Git(message.to_owned()));
        }
    };
    let reader = GitReader::open(path)?;
    if !has_records(&reader, &head)? {
        let message = format!("the branch at {} holds no store; set remote.url or remote.branch", remote.address());
        return Err(RemoteError::Git(message));
    }
    let id = ObjectId::parse(&head).ok_or_else(|| RemoteError::Git(format!("{head} is not a commit")))?;
    let made = |repository: &Repository| repository.reference(reader.branch(), id.into(), false, "clone").map(drop);
    reader.pool().once(made)?.map_err(|error| sort(&error))?;
    sync_all(path, options.sync)?;
    drop(lock);
    Ok(Some(InitOutcome::Cloned(head)))
}

/// Creates an empty store, or completes it; returns the outcome if there is one with commits.
fn prepare(path: &Path, branch: &str, shared: bool) -> Result<Option<InitOutcome>, StoreError> {
    set_up_library();
    let reference = format!("refs/heads/{branch}");
    if branch.is_empty() || branch.starts_with('-') || !git2::Reference::is_valid_name(&reference) {
        return Err(StoreError::Git(format!("{branch:?} is not a valid branch name; use `main`")));
    }
    if is_empty(path)? {
        create(path, &reference, shared)?;
        return Ok(None);
    }
    look_at(path, branch)
}

/// Reports whether the path does not exist or is an empty directory.
fn is_empty(path: &Path) -> Result<bool, StoreError> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(e) => Err(at(path, "list")(e)),
    }
}

/// Inspects the path: a store, an empty repository as left by an interrupted `init` (`None`), or something else.
fn look_at(path: &Path, branch: &str) -> Result<Option<InitOutcome>, StoreError> {
    let reader = match GitReader::open(path) {
        Err(StoreError::Missing { .. }) => {
            return Err(StoreError::Git(format!(
                "{} is not empty and not a store; give a path that does not exist, or an empty directory",
                path.display()
            )));
        }
        other => other?,
    };
    match reader.head()? {
        Some(head) if is_store(reader.pool(), &reader, &head)? => Ok(Some(InitOutcome::Existing(head))),
        None if has_no_references(reader.pool())? => {
            let reference = format!("refs/heads/{branch}");
            let ready = |repository: &Repository| repository.set_head(&reference).and_then(|()| configure(repository));
            reader.pool().read(ready)?;
            Ok(None)
        }
        _ => Err(StoreError::Git(format!(
            "{} is a Git repository, but not a store; give a path that does not exist, or an empty directory",
            path.display()
        ))),
    }
}

/// Checks that a repository is a store with the expected branch: nothing else is ever written to.
///
/// # Errors
/// `Git`, with what to do, if it is not.
pub fn check(reader: &GitReader, branch: &str) -> Result<(), StoreError> {
    let path = reader.path().display();
    if reader.branch() != format!("refs/heads/{branch}") {
        return Err(StoreError::Git(format!(
            "the branch of {path} is {}, but store.branch is {branch:?}; set store.branch to the store's branch",
            reader.branch().trim_start_matches("refs/heads/"),
        )));
    }
    match reader.head()? {
        Some(head) if is_store(reader.pool(), reader, &head)? => Ok(()),
        Some(_) => Err(StoreError::Git(format!(
            "{path} is a Git repository, but not a store; set store.path to another path, and run `feedbackd init`"
        ))),
        None => Err(StoreError::Git(format!("{path} has no commit yet; run `feedbackd init` to complete it"))),
    }
}

/// A cloned store has no mark, but the roster or records.
fn is_store(pool: &Pool, reader: &GitReader, head: &CommitId) -> Result<bool, StoreError> {
    Ok(is_marked(pool)? || has_records(reader, head)?)
}

fn has_records(reader: &GitReader, head: &CommitId) -> Result<bool, StoreError> {
    if reader.read(head, layout::ROSTER)?.is_some() {
        return Ok(true);
    }
    let mut found = false;
    let visited = reader.for_each_change(None, head, &mut |_| {
        found = true;
        Err(StoreError::Git("one is enough".to_owned()))
    });
    if found { Ok(true) } else { visited.map(|()| false) }
}

fn is_marked(pool: &Pool) -> Result<bool, StoreError> {
    pool.read(|repository| Ok(repository.config()?.get_string(MARK).is_ok()))
}

/// What was fetched from a host is no branch yet.
fn has_no_references(pool: &Pool) -> Result<bool, StoreError> {
    let is_own = |reference: git2::Reference<'_>| !reference.name().is_ok_and(|name| name.starts_with("refs/remotes/"));
    pool.read(|repository| Ok(!repository.references()?.flatten().any(is_own)))
}

fn create(path: &Path, reference: &str, shared: bool) -> Result<(), StoreError> {
    if shared {
        permissions::for_the_group();
    }
    let mut how = RepositoryInitOptions::new();
    how.bare(true).no_reinit(true).mkpath(true).external_template(false).initial_head(reference);
    let repository = Repository::init_opts(path, &how).map_err(|e| sort(&e))?;
    configure(&repository).map_err(|e| sort(&e))?;
    if shared {
        let config = repository.config().and_then(|config| config.open_level(git2::ConfigLevel::Local));
        config.and_then(|mut config| config.set_str(permissions::KEY, "group")).map_err(|e| sort(&e))?;
        permissions::share(path)?;
    }
    Ok(())
}

fn configure(repository: &Repository) -> Result<(), git2::Error> {
    // Only the repository's own settings: the user's are not our concern.
    let mut config = repository.config()?.open_level(git2::ConfigLevel::Local)?;
    // Nothing else may run gc: the writer combines packs itself and prunes nothing.
    config.set_i32("gc.auto", 0)?;
    config.set_bool("receive.autogc", false)?;
    config.set_bool("maintenance.auto", false)?;
    // A push is as durable as our own commits, and validated.
    config.set_str("core.fsync", "all")?;
    config.set_bool("receive.fsckObjects", true)?;
    // History is append-only.
    config.set_bool("receive.denyNonFastForwards", true)?;
    config.set_bool("receive.denyDeletes", true)?;
    config.set_i32(MARK, 1)
}

/// libgit2 syncs neither the configuration nor the directories it creates.
fn sync_all(path: &Path, sync: fn(&File) -> io::Result<()>) -> Result<(), StoreError> {
    let sync_one = |path: &Path| File::open(path).and_then(|file| sync(&file)).map_err(at(path, "make durable"));
    let mut directories = vec![path.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).map_err(at(&directory, "list"))?.flatten() {
            match entry.path() {
                inner if inner.is_dir() => directories.push(inner),
                inner => sync_one(&inner)?,
            }
        }
        sync_one(&directory)?;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync_one(parent)
}
