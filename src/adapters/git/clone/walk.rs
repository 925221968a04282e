//! Reads a clone: its references, the notes of changes, its commits.

use super::super::pool::set_up_library;
use super::{hunk, notes};
use crate::domain::intake::forge::clone::{Commit, Ident, Meta, NoteText};
use crate::ports::{CloneError, CloneFacts, ReadClone};
use git2::{Config, ErrorCode, Mailmap, Oid, Repository, RepositoryOpenFlags, Signature, Sort};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The most commits of one change's notes; Gerrit itself allows 1000 by default.
const MOST_METAS: usize = 10_000;
/// The largest commit message that is read.
const LARGEST_MESSAGE: usize = 256 << 10;

/// A clone.
pub struct GitClone {
    path: PathBuf,
    repository: Repository,
    /// Maps several addresses to one person.
    people: Option<Mailmap>,
}

impl GitClone {
    /// Opens a clone: a bare one, or the folder of a worktree.
    ///
    /// # Errors
    /// If there is none at this path, or it may not be read.
    pub fn open(path: &Path) -> Result<GitClone, CloneError> {
        set_up_library();
        let none = std::iter::empty::<&str>();
        let shown = path.display().to_string();
        let repository =
            Repository::open_ext(path, RepositoryOpenFlags::NO_SEARCH, none).map_err(|error| match error.code() {
                ErrorCode::NotFound => CloneError::Missing(shown),
                ErrorCode::Owner => CloneError::Owner { path: shown, why: error.message().to_owned() },
                _ => form(path, shown).unwrap_or_else(|| CloneError::Failing(error.message().to_owned())),
            })?;
        let people = repository.mailmap().ok();
        Ok(GitClone { path: path.to_owned(), repository, people })
    }

    fn failing(&self, error: &git2::Error) -> CloneError {
        CloneError::Failing(format!("{} ({})", error.message(), self.path.display()))
    }
}

/// Detects a repository format that libgit2 cannot read, from the configuration.
fn form(path: &Path, shown: String) -> Option<CloneError> {
    let files = [path.join(".git/config"), path.join("config")];
    let config = files.iter().find(|file| file.exists()).and_then(|file| Config::open(file).ok())?;
    let is = |key: &str, value: &str| config.get_string(key).is_ok_and(|said| said.eq_ignore_ascii_case(value));
    if is("extensions.objectformat", "sha256") {
        let (what, hint) = (
            "objects by SHA-256",
            "only SHA-1 is supported: use a clone with --object-format=sha1, if the forge has \
                                    one",
        );
        return Some(CloneError::Form { path: shown, what, hint });
    }
    if is("extensions.refstorage", "reftable") {
        let what = "references in a reftable";
        let hint = "run `git refs migrate --ref-format=files` in it, or clone again with `git clone \
                    --ref-format=files`";
        return Some(CloneError::Form { path: shown, what, hint });
    }
    None
}

impl ReadClone for GitClone {
    fn facts(&self) -> Result<CloneFacts, CloneError> {
        let repository = &self.repository;
        let mut facts = CloneFacts {
            has_commits: repository.head().is_ok_and(|head| head.peel_to_commit().is_ok()),
            is_shallow: repository.is_shallow(),
            origin: repository.find_remote("origin").ok().and_then(|remote| Some(remote.url().ok()?.to_owned())),
            ..CloneFacts::default()
        };
        let references = repository.references_glob("refs/changes/*").map_err(|error| self.failing(&error))?;
        for reference in references.flatten() {
            let Some(rest) = reference.name_bytes().strip_suffix(b"/meta") else { continue };
            let number = std::str::from_utf8(rest).ok().and_then(|name| name.rsplit('/').next()?.parse::<u64>().ok());
            match number.filter(|number| meta_of(*number).as_bytes() == reference.name_bytes()) {
                Some(number) => facts.changes.push(number),
                None => facts.odd += 1,
            }
        }
        facts.changes.sort_unstable();
        Ok(facts)
    }

    fn change(&self, number: u64, visit: &mut dyn FnMut(&Meta)) -> Result<(), CloneError> {
        let repository = &self.repository;
        let failing = |error: git2::Error| self.failing(&error);
        let mut next = Some(repository.refname_to_id(&meta_of(number)).map_err(failing)?);
        let mut chain = Vec::new();
        // A broken chain has no beginning; readers can tell by the parent.
        while let Some(commit) = next.and_then(|id| repository.find_commit(id).ok()) {
            if chain.len() == MOST_METAS {
                return Err(CloneError::Failing(format!("the notes of change {number} do not end")));
            }
            next = commit.parent_ids().next();
            chain.push(commit.id());
        }
        if chain.is_empty() {
            return Err(CloneError::Failing(format!("the notes of change {number} cannot be read")));
        }
        let mut before: BTreeMap<String, Oid> = BTreeMap::new();
        for id in chain.into_iter().rev() {
            let commit = repository.find_commit(id).map_err(failing)?;
            let now = notes::all(repository, commit.tree_id());
            let changed = now.iter().filter(|(about, text)| before.get(*about) != Some(*text));
            let notes = changed.map(|(about, text)| (about.clone(), notes::text(repository, *text))).collect();
            visit(&Meta { commit: said(&commit, None), notes });
            before = now;
        }
        Ok(())
    }

    fn notes(
        &self,
        reference: &str,
        visit: &mut dyn FnMut(&str, NoteText) -> ControlFlow<()>,
    ) -> Result<bool, CloneError> {
        let Ok(tree) = self.repository.find_reference(reference).and_then(|found| found.peel_to_tree()) else {
            return Ok(false);
        };
        notes::each(&self.repository, tree.id(), &mut |about, text| visit(&about, notes::text(&self.repository, text)))
            .map_err(|error| self.failing(&error))?;
        Ok(true)
    }

    fn commits(&self, wants: &mut dyn FnMut(&Commit) -> bool) -> Result<Vec<String>, CloneError> {
        let repository = &self.repository;
        let failing = |error: git2::Error| self.failing(&error);
        let mut wanted: Vec<Oid> = Vec::new();
        let mut walk = repository.revwalk().map_err(failing)?;
        walk.set_sorting(Sort::TIME).map_err(failing)?;
        walk.push_head().map_err(failing)?;
        for id in walk {
            // History ends where it is truncated or damaged.
            let Ok(id) = id else { break };
            let Ok(commit) = repository.find_commit(id) else { continue };
            if wants(&said(&commit, None)) {
                wanted.push(id);
            }
        }
        wanted.reverse();
        Ok(wanted.iter().map(Oid::to_string).collect())
    }

    fn commit(&self, id: &str) -> Option<Commit> {
        let repository = &self.repository;
        let commit = match Oid::from_str(id) {
            Ok(full) if matches!(id.len(), 40 | 64) => repository.find_commit(full).ok()?,
            _ => repository.find_commit_by_prefix(id).ok()?,
        };
        Some(said(&commit, self.people.as_ref()))
    }

    fn merged(&self, merge: &Commit, most: usize) -> Vec<Commit> {
        let repository = &self.repository;
        let walked = || {
            let [into, from] = merge.parents.as_slice() else { return None };
            let mut walk = repository.revwalk().ok()?;
            walk.push(Oid::from_str(from).ok()?).ok()?;
            walk.hide(Oid::from_str(into).ok()?).ok()?;
            let commits = walk.flatten().take(most).filter_map(|id| repository.find_commit(id).ok());
            Some(commits.map(|commit| said(&commit, self.people.as_ref())).collect())
        };
        walked().unwrap_or_default()
    }

    fn files(&self, commit: &str, most: usize) -> Vec<String> {
        let repository = &self.repository;
        let found = || -> Result<Vec<String>, git2::Error> {
            let commit = repository.find_commit(Oid::from_str(commit)?)?;
            let before = commit.parents().next().map(|parent| parent.tree()).transpose()?;
            let diff = repository.diff_tree_to_tree(before.as_ref(), Some(&commit.tree()?), None)?;
            let path = |delta: git2::DiffDelta<'_>| {
                let path = delta.new_file().path_bytes().or(delta.old_file().path_bytes())?;
                std::str::from_utf8(path).ok().map(str::to_owned)
            };
            Ok(diff.deltas().take(most).filter_map(path).collect())
        };
        found().unwrap_or_default()
    }

    fn hunk(&self, commit: &str, file: &str, line: u64, lines: u64, old: bool) -> Option<String> {
        hunk::hunk(&self.repository, Oid::from_str(commit).ok()?, file, line, lines, old)
    }
}

/// Returns the ref of a change's notes.
fn meta_of(number: u64) -> String {
    format!("refs/changes/{:02}/{number}/meta", number % 100)
}

/// Reads a commit. People with several addresses are named according to the repository's mailmap.
fn said(commit: &git2::Commit<'_>, map: Option<&Mailmap>) -> Commit {
    let author = commit.author();
    let mapped = map.and_then(|map| map.resolve_signature(&author).ok());
    let message = commit.message_bytes();
    let message = &message[..message.len().min(LARGEST_MESSAGE)];
    Commit {
        id: commit.id().to_string(),
        parents: commit.parent_ids().map(|id| id.to_string()).collect(),
        author: ident(mapped.as_ref().unwrap_or(&author)),
        written: at(author.when().seconds()),
        committed: at(commit.time().seconds()),
        message: String::from_utf8_lossy(message).into_owned(),
    }
}

fn ident(signature: &Signature<'_>) -> Ident {
    let clean = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.chars().filter(|c| !c.is_control()).take(200).collect::<String>().trim().to_owned()
    };
    Ident { name: clean(signature.name_bytes()), mail: clean(signature.email_bytes()) }
}

/// Converts a plausible time.
fn at(second: i64) -> Option<Timestamp> {
    Timestamp::from_second(second).ok().filter(|at| at.as_second() > 0)
}
