//! A clone built by a test: commits, the notes in which Gerrit keeps a change, other notes.

use git2::{Oid, Repository, Signature, Time};
use std::path::Path;
use tempfile::TempDir;

/// 1 May 2025.
pub(super) const BEGIN: i64 = 1_746_057_600;

/// A bare repository.
pub(super) struct Clone {
    directory: TempDir,
    repository: Repository,
}

impl Clone {
    pub(super) fn new() -> Clone {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let repository = Repository::init_bare(directory.path()).expect("a repository");
        repository.set_head("refs/heads/main").expect("a head");
        repository.remote("origin", "https://git.example.org/a/team/shop").expect("a remote");
        Clone { directory, repository }
    }

    pub(super) fn path(&self) -> &str {
        self.directory.path().to_str().expect("a path in UTF-8")
    }

    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Commits these files on a branch in addition to existing ones, so many hours after the beginning.
    pub(super) fn commit(&self, branch: &str, by: &str, hour: i64, message: &str, files: &[(&str, &str)]) -> Oid {
        let reference = format!("refs/heads/{branch}");
        let parent = self.repository.find_reference(&reference).and_then(|found| found.peel_to_commit()).ok();
        let mut builder = git2::build::TreeUpdateBuilder::new();
        for (path, content) in files {
            builder.upsert(*path, self.blob(content.as_bytes()), git2::FileMode::Blob);
        }
        let empty = self.repository.treebuilder(None).and_then(|builder| builder.write()).expect("a tree");
        let before = parent.as_ref().map_or(empty, |parent| parent.tree_id());
        let tree = self.repository.find_tree(before).expect("a tree");
        let tree = builder.create_updated(&self.repository, &tree).expect("a tree");
        self.write(&reference, by, hour * 3_600, message, tree, parent.map(|parent| parent.id()).as_slice())
    }

    /// Notes an account's action as Gerrit does, with all comments published so far.
    pub(super) fn meta(&self, number: u64, account: u64, hour: i64, message: &str, notes: &[(Oid, &[u8])]) -> Oid {
        let reference = format!("refs/changes/{:02}/{number}/meta", number % 100);
        let parent = self.repository.refname_to_id(&reference).ok();
        let mut builder = self.repository.treebuilder(None).expect("a tree");
        for (about, text) in notes {
            builder.insert(about.to_string(), self.blob(text), 0o100_644).expect("an entry");
        }
        let (tree, by) = (builder.write().expect("a tree"), format!("Gerrit User {account} <{account}@1e5a-77>"));
        self.write(&reference, &by, hour * 3_600, message, tree, parent.as_slice())
    }

    /// Adds a note to a commit.
    pub(super) fn note(&self, reference: &str, about: Oid, text: &[u8]) {
        let parent = self.repository.refname_to_id(reference).ok();
        let before = parent.map(|id| self.repository.find_commit(id).and_then(|found| found.tree()).expect("a tree"));
        let mut builder = self.repository.treebuilder(before.as_ref()).expect("a tree");
        builder.insert(about.to_string(), self.blob(text), 0o100_644).expect("an entry");
        let tree = builder.write().expect("a tree");
        self.write(reference, "Notes <notes@x.org>", 0, "Note it", tree, parent.as_slice());
    }

    pub(super) fn blob(&self, content: &[u8]) -> Oid {
        self.repository.blob(content).expect("a file")
    }

    fn write(&self, reference: &str, by: &str, second: i64, message: &str, tree: Oid, parents: &[Oid]) -> Oid {
        let (name, mail) = by.trim_end_matches('>').split_once(" <").expect("a name and an address");
        let by = Signature::new(name, mail, &Time::new(BEGIN + second, 120)).expect("a person");
        let tree = self.repository.find_tree(tree).expect("a tree");
        let parents: Vec<_> = parents.iter().map(|id| self.repository.find_commit(*id).expect("a commit")).collect();
        let parents: Vec<_> = parents.iter().collect();
        self.repository.commit(Some(reference), &by, &by, message, &tree, &parents).expect("a commit")
    }
}

/// Makes a shallow clone of a repository, as Git itself does.
pub(super) fn shallow(of: &Clone, to: &Path) {
    let from = format!("file://{}", of.path());
    let done = std::process::Command::new("git")
        .args(["clone", "-q", "--bare", "--depth", "1", &from])
        .arg(to)
        .status()
        .expect("git is installed");
    assert!(done.success());
}
