//! The first people of a roster on the command line, and a store that its group may push to.

use crate::harness::daemon::Site;
use crate::harness::redis::RedisServer;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_first_people_come_onto_the_roster_and_later_ones_need_approvals() {
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    let daemon = site.start();
    daemon.wait_ready();
    let before = site.git(&["show", "main:reviewers.yaml"]);
    let said = site.run(&["roster", "add", "ana=Ana Example", "ben"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let file = site.git(&["show", "main:reviewers.yaml"]);
    let comments = |text: &str| text.lines().filter(|line| line.starts_with('#')).count();
    assert_eq!(comments(&file), comments(&before), "{file}");
    assert_eq!(site.git(&["log", "-1", "--format=%s|%an", "main"]).trim(), "Add ana, ben to the roster|ana");
    let shown: Value = serde_json::from_str(&site.run(&["roster", "show", "--json"]).out).expect("JSON");
    let people: Vec<&str> =
        shown["in_force"]["reviewers"].as_array().expect("people").iter().filter_map(|p| p["id"].as_str()).collect();
    assert_eq!((people, &shown["waits"]), (vec!["ana", "ben"], &Value::Null), "{shown}");
    let head = site.git(&["rev-parse", "main"]);
    let said = site.run(&["roster", "add", "mallory"]);
    assert!(said.code == Some(1) && said.err.contains("already has approvers"), "{said:?}");
    let said = site.run(&["roster", "add", "=Nobody"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(site.git(&["rev-parse", "main"]), head);
    site.git(&["fsck", "--full", "--strict"]);
    assert_eq!(daemon.stop().code(), Some(0));
}

/// Returns everything below a directory, including directories.
fn all(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| if path.is_dir() { [vec![path.clone()], all(&path)].concat() } else { vec![path] })
        .collect()
}

#[test]
fn the_group_may_push_to_a_shared_store_and_to_no_other() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, shared) in [("shared", true), ("own", false)] {
        let store = directory.path().join(name);
        // As in the unit: a umask that removes the group's write permission.
        let command = format!(
            "umask 0027; exec {} init {}",
            env!("CARGO_BIN_EXE_feedbackd"),
            if shared { "--shared" } else { "" }
        );
        let made = Command::new("sh")
            .args(["-c", &command])
            .env("FEEDBACKD__STORE__PATH", &store)
            .env("FEEDBACKD__STATE__DIR", directory.path().join("state"))
            .current_dir(directory.path())
            .status();
        assert!(made.expect("sh").success());
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o7777;
        for path in [vec![store.clone()], all(&store)].concat() {
            let (mode, is_directory) = (mode(&path), path.is_dir());
            let may = if shared && is_directory { mode & 0o2070 == 0o2070 } else { mode & 0o040 != 0 };
            assert!(may && mode & 0o007 == 0, "{} {mode:o}", path.display());
            assert!(shared || mode & 0o2020 == 0, "{} {mode:o}", path.display());
        }
        let key = Command::new("git")
            .args(["-C", store.to_str().expect("UTF-8"), "config", "--get", "core.sharedRepository"])
            .output()
            .expect("git");
        assert_eq!(String::from_utf8_lossy(&key.stdout).trim(), if shared { "group" } else { "" });
    }
}
