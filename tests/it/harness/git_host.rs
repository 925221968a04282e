//! A Git host: a bare repository with hooks, by path or through `git daemon`, and the people who work on it.

use super::daemon::{git, try_git};
use super::wait_until;
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A host with one empty repository.
pub struct GitHost {
    directory: TempDir,
    served: Option<(Child, u16)>,
}

impl GitHost {
    /// Creates the repository.
    pub fn new() -> GitHost {
        let host = GitHost { directory: tempfile::tempdir().expect("a temporary directory"), served: None };
        git(host.directory.path(), &["init", "-q", "--bare", "-b", "main", "copy.git"]);
        // One line for each push.
        host.hook("post-receive", "echo push >> pushes");
        host
    }

    /// Serves it by `git daemon`, too.
    pub fn served() -> GitHost {
        let mut host = GitHost::new();
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let child = Command::new("git")
            .args(["daemon", "--reuseaddr", "--listen=127.0.0.1", "--export-all", "--enable=receive-pack"])
            .arg(format!("--port={port}"))
            .arg(format!("--base-path={}", host.directory.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("git daemon starts");
        host.served = Some((child, port));
        wait_until("git daemon listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        host
    }

    /// Returns its address: by `git://` if it is served, else its path.
    pub fn url(&self) -> String {
        match &self.served {
            Some((_, port)) => format!("git://127.0.0.1:{port}/copy.git"),
            None => self.path().display().to_string(),
        }
    }

    /// Returns the repository's path.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("copy.git")
    }

    /// Writes a hook, a shell script.
    pub fn hook(&self, name: &str, script: &str) {
        let file = self.path().join("hooks").join(name);
        fs::create_dir_all(file.parent().expect("hooks")).expect("a folder");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("the hook can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it can be executable");
    }

    /// Removes a hook.
    pub fn unhook(&self, name: &str) {
        fs::remove_file(self.path().join("hooks").join(name)).expect("a hook");
    }

    /// Refuses every push, in the words of a protected branch.
    pub fn protect(&self) {
        self.hook("pre-receive", "echo 'GH006: Protected branch update failed for refs/heads/main.' >&2; exit 1");
    }

    /// Returns how many pushes were taken.
    pub fn pushes(&self) -> usize {
        fs::read_to_string(self.path().join("pushes")).unwrap_or_default().lines().count()
    }

    /// Returns the head of `main`; empty if there is no such branch.
    pub fn head(&self) -> String {
        try_git(&self.path(), &["rev-parse", "--verify", "-q", "refs/heads/main"]).unwrap_or_default().trim().to_owned()
    }

    /// Edits a file of `main` there, as a person whose pull request is merged, and returns the commit.
    pub fn merge(&self, path: &str, edit: impl Fn(String) -> String) -> String {
        let clone = tempfile::tempdir_in(self.directory.path()).expect("a temporary directory");
        let clone = clone.path();
        git(self.directory.path(), &["clone", "-q", &self.path().display().to_string(), &clone.display().to_string()]);
        let file = clone.join(path);
        fs::write(&file, edit(fs::read_to_string(&file).unwrap_or_default())).expect("the clone can be written");
        git(clone, &["add", "."]);
        git(clone, &["commit", "-qm", &format!("Edit {path}")]);
        git(clone, &["push", "-q", "origin", "HEAD:main"]);
        git(clone, &["rev-parse", "HEAD"]).trim().to_owned()
    }
}

impl Drop for GitHost {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.served {
            // git daemon starts another program, in the same group.
            let group = i32::try_from(child.id()).expect("a process id");
            // SAFETY: kill() reads no memory, and the child was not waited for, so the group is still its own.
            unsafe { libc::kill(-group, libc::SIGKILL) };
            let _ = child.wait();
        }
    }
}

/// Reports whether a repository's commit contains another.
pub fn contains(repository: &Path, commit: &str, other: &str) -> bool {
    try_git(repository, &["merge-base", "--is-ancestor", other, commit]).is_ok()
}
