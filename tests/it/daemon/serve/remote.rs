//! The copy at a Git host: it follows the store, takes up what people merge there, and says in the host's words what
//! keeps it from doing so.

use super::{World, three_alike};
use crate::harness::daemon::{Site, git, try_git};
use crate::harness::git_host::{GitHost, contains};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{self, decision};
use crate::harness::wait_until;
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;

/// A store with a copy at this host, pushed and fetched so often.
fn world(host: &GitHost, push_every: u32, fetch_every: u32) -> World {
    world_with(host, push_every, fetch_every, &[])
}

/// The same with further settings.
fn world_with(host: &GitHost, push_every: u32, fetch_every: u32, more: &[(&str, &str)]) -> World {
    let (push, fetch) = (push_every.to_string(), fetch_every.to_string());
    let settings = [
        ("REMOTE__URL", host.url()),
        ("REMOTE__PUSH_EVERY_SECONDS", push),
        ("REMOTE__FETCH_EVERY_SECONDS", fetch),
        ("REMOTE__TIMEOUT_SECONDS", "20".to_owned()),
    ];
    let settings = settings.iter().map(|(key, value)| (*key, value.as_str()));
    let settings: Vec<(&str, &str)> = settings.chain(more.iter().copied()).collect();
    World::with(&settings)
}

impl World {
    fn head(&self) -> String {
        self.site.git(&["rev-parse", "main"]).trim().to_owned()
    }

    /// Waits until the host has everything.
    fn wait_copied(&self, host: &GitHost) {
        wait_until("the host has the store's head", || host.head() == self.head());
    }

    /// Waits until the check about the copy says this, and returns the document.
    fn wait_told(&self, words: &str) -> Value {
        let mut ready = Value::Null;
        wait_until(&format!("/ready says {words}"), || {
            let (status, found) = self.daemon.ready();
            assert_eq!(status, 200, "a copy is no reason to be unready: {found}");
            ready = found;
            ready["checks"]["remote"]["message"].as_str().is_some_and(|told| told.contains(words))
        });
        ready
    }
}

#[test]
fn the_copy_follows_the_store_and_many_commits_share_a_push() {
    let host = GitHost::served();
    let world = world(&host, 2, 60);
    world.wait_copied(&host);
    let (pushes, commits) = (host.pushes(), world.site.git(&["rev-list", "--count", "main"]));
    for number in 0..12 {
        world.decide(&[decision(&format!("d{number}"), "ann", "APPROVED", None)]);
    }
    world.wait_copied(&host);
    let since = world.site.git(&["rev-list", "--count", "main"]).trim().parse::<usize>().expect("a number")
        - commits.trim().parse::<usize>().expect("a number");
    let taken = host.pushes() - pushes;
    assert!(since >= 12 && taken < since, "{taken} pushes for {since} commits");
    let ready = world.wait_told("is up to date");
    assert_eq!(ready["checks"]["remote"]["ok"], true, "{ready}");
    wait_until("nothing is behind", || world.daemon.metric("feedbackd_remote_behind_commits") == 0.0);
    assert!(world.daemon.metric("feedbackd_remote_push_total{outcome=\"ok\"}") >= 2.0);
    git(&host.path(), &["fsck", "--strict", "--no-progress"]);
}

#[test]
fn the_last_commits_are_pushed_at_a_stop() {
    let host = GitHost::new();
    let world = world(&host, 3600, 3600);
    world.wait_copied(&host);
    world.decide(&three_alike());
    assert_ne!(host.head(), world.head());
    let World { site, daemon, .. } = world;
    assert!(daemon.stop().success());
    assert_eq!(host.head(), site.git(&["rev-parse", "main"]).trim());
}

#[test]
fn a_protected_branch_is_told_in_the_hosts_words_and_nothing_waits_for_it() {
    let host = GitHost::new();
    host.protect();
    let world = world(&host, 1, 60);
    world.decide(&three_alike());
    let ready = world.wait_told("GH006: Protected branch update failed");
    assert_eq!(ready["checks"]["remote"]["ok"], false, "{ready}");
    assert!(world.daemon.metric("feedbackd_remote_push_total{outcome=\"refused\"}") >= 1.0);
    wait_until("it is counted", || world.daemon.metric("feedbackd_remote_behind_commits") >= 2.0);
    let (_, page) = world.daemon.get("/rules");
    assert!(page.contains("GH006"), "{page}");
    let log = world.daemon.log();
    assert_eq!(log.matches("GH006").count(), 1, "once, not at each try: {log}");
    let listen = format!("127.0.0.1:{}", world.daemon.port());
    let doctor = world.site.command(&["doctor"]).env("FEEDBACKD__HTTP__LISTEN", listen).output().expect("doctor runs");
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.contains("complains: remote: the Git host refuses"), "{doctor}");
    host.unhook("pre-receive");
    world.wait_copied(&host);
    world.wait_told("is up to date");
}

#[test]
fn a_host_that_is_away_is_told_and_found_again() {
    let host = GitHost::new();
    let world = world(&host, 1, 1);
    world.wait_copied(&host);
    let moved = host.path().with_extension("away");
    std::fs::rename(host.path(), &moved).expect("it can be moved");
    world.decide(&three_alike());
    world.wait_told("does not appear to be a git repository");
    std::fs::rename(&moved, host.path()).expect("it can be moved");
    world.wait_copied(&host);
    world.wait_told("is up to date");
}

#[test]
fn what_people_merge_at_the_host_is_taken_up() {
    let host = GitHost::new();
    let world = world(&host, 1, 1);
    world.wait_copied(&host);
    let merged = host.merge("reviewers.yaml", |_| "reviewers:\n  - {id: ana, roles: [approver]}\n".to_owned());
    wait_until("the store has the commit", || world.head() == merged);
    world.decide(&three_alike());
    world.wait_copied(&host);
    let (_, roster) = world.daemon.get("/roster");
    assert!(roster.contains("ana"), "{roster}");
}

#[test]
fn commits_on_both_sides_are_merged_and_nothing_is_rewritten() {
    let host = GitHost::new();
    let directory = tempfile::tempdir().expect("a directory");
    let key = directory.path().join("key").display().to_string();
    let made = std::process::Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &key]).status();
    assert!(made.expect("ssh-keygen, which `make setup` installs").success());
    // The store's own commits stay here until the host has another one.
    let world = world_with(&host, 4, 1, &[("STORE__SIGNING_KEY_FILE", &key)]);
    world.wait_copied(&host);
    host.protect();
    world.decide(&three_alike());
    let ours = world.head();
    host.unhook("pre-receive");
    let theirs = host.merge("reviewers.yaml", |_| "reviewers:\n  - {id: ana, roles: [approver]}\n".to_owned());
    wait_until("the store has the commit", || contains(&world.site.store(), "main", &theirs));
    world.wait_copied(&host);
    assert!(contains(&host.path(), "main", &theirs) && contains(&host.path(), "main", &ours));
    let merge = world.site.git(&["log", "--merges", "-1", "--format=%P|%an|%cn|%s", "main"]);
    let merge: Vec<&str> = merge.trim().split('|').collect();
    let parents: Vec<&str> = merge[0].split(' ').collect();
    // The history of the store goes on along first parents.
    assert_eq!((parents.len(), parents[1]), (2, theirs.as_str()), "{merge:?}");
    assert_eq!(&merge[1..3], ["Ann", "feedbackd"], "{merge:?}");
    let (_, roster) = world.daemon.get("/roster");
    assert!(roster.contains("ana"), "{roster}");
    git(&world.site.store(), &["fsck", "--strict", "--no-progress"]);
    let merged = world.site.git(&["log", "--merges", "-1", "--format=%H", "main"]);
    let signed = world.site.git(&["cat-file", "commit", merged.trim()]);
    assert!(signed.contains("gpgsig "), "the daemon signs what it merges: {signed}");
    let verified = world.site.run(&["verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn a_file_that_both_sides_changed_waits_for_people() {
    let host = GitHost::new();
    let world = world(&host, 1, 1);
    world.wait_copied(&host);
    host.protect();
    world.site.push("README.md", |text| format!("{text}\nOurs.\n"));
    host.unhook("pre-receive");
    let theirs = host.merge("README.md", |text| format!("{text}\nTheirs.\n"));
    let ready = world.wait_told("have both changed README.md");
    assert_eq!(ready["checks"]["remote"]["ok"], false, "{ready}");
    assert_eq!(host.head(), theirs);
    // As the message says.
    let clone = world.site.path("resolved");
    git(&world.site.store(), &["clone", "-q", ".", &clone.display().to_string()]);
    assert!(try_git(&clone, &["pull", "-q", "--no-rebase", &host.url(), "main"]).is_err(), "there is a conflict");
    git(&clone, &["checkout", "-q", "--theirs", "README.md"]);
    git(&clone, &["add", "README.md"]);
    git(&clone, &["commit", "-qm", "Resolve"]);
    wait_until("the store takes it", || {
        try_git(&clone, &["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"]).is_ok()
            && try_git(&clone, &["push", "-q", "origin", "HEAD:main"]).is_ok()
    });
    world.wait_copied(&host);
    world.wait_told("is up to date");
}

#[test]
fn a_branch_that_was_rewritten_at_the_host_is_left_to_people() {
    let host = GitHost::new();
    let world = world(&host, 1, 1);
    world.wait_copied(&host);
    let first = git(&host.path(), &["rev-list", "--max-parents=0", "main"]).trim().to_owned();
    world.decide(&three_alike());
    world.wait_copied(&host);
    let full = host.head();
    git(&host.path(), &["update-ref", "refs/heads/main", &first]);
    world.wait_told("was rewritten");
    world.decide(&[decision("d9", "ann", "APPROVED", None)]);
    let pushes = host.pushes();
    world.wait_told("lacks");
    assert_eq!((host.head(), host.pushes()), (first, pushes));
    git(&host.path(), &["update-ref", "refs/heads/main", &full]);
    world.wait_copied(&host);
}

#[test]
fn doctor_rehearses_a_push_and_says_the_hosts_words() {
    let host = GitHost::served();
    let world = world(&host, 1, 60);
    world.wait_copied(&host);
    let doctor = || world.site.run(&["doctor"]).out;
    assert!(doctor().contains(&format!("{} lets this user push", host.url())), "{}", doctor());
    // git daemon's way to make it read-only.
    git(&host.path(), &["config", "daemon.receivepack", "false"]);
    let said = doctor();
    assert!(said.contains("PROBLEM  remote") && said.contains("access denied"), "{said}");
}

#[test]
fn an_empty_disk_is_filled_from_the_host() {
    let host = GitHost::served();
    let World { redis, site, daemon } = world(&host, 1, 60);
    let world = World { redis, site, daemon };
    world.decide(&three_alike());
    let records = world.site.files("feedback/decisions").len();
    world.wait_copied(&host);
    let World { redis, site, daemon } = world;
    assert!(daemon.stop().success());
    let head = host.head();
    for place in [site.store(), site.state()] {
        std::fs::remove_dir_all(place).expect("the disk is lost");
    }
    let daemon = site.start();
    daemon.wait_ready();
    assert!(daemon.log().contains("the store was copied from the Git host"), "{}", daemon.log());
    let world = World { redis, site, daemon };
    assert!(contains(&world.site.store(), "main", &head));
    // Redis's cursor is in it, so the daemon goes on where the first one ended.
    world.decide(&[decision("d9", "ann", "APPROVED", None)]);
    assert_eq!(world.site.files("feedback/decisions").len(), records + 1);
    world.wait_copied(&host);
    git(&world.site.store(), &["fsck", "--strict", "--no-progress"]);
}

#[test]
fn init_copies_the_store_of_the_host_or_says_that_there_is_none() {
    let host = GitHost::new();
    let redis = RedisServer::start();
    let mut site = Site::without_store(&redis.url());
    let said = site.run(&["init", "--from-remote"]);
    assert!(said.code != Some(0) && said.err.contains("remote.url"), "{said:?}");
    site.set("REMOTE__URL", &host.url());
    let said = site.run(&["init", "--from-remote"]);
    assert!(said.code != Some(0) && said.err.contains("has no such branch"), "{said:?}");
    // Without the option a new store is made, from the same place.
    let said = site.run(&["init"]);
    assert!(said.code == Some(0) && said.out.contains("Created"), "{said:?}");
    git(&site.store(), &["push", "-q", &host.url(), "main"]);
    let mut other = Site::without_store(&redis.url());
    other.set("REMOTE__URL", &host.url());
    let said = other.run(&["init"]);
    assert!(said.code == Some(0) && said.out.contains("Copied the store from"), "{said:?}");
    assert_eq!(other.git(&["rev-parse", "main"]).trim(), host.head());
    let said = other.run(&["init", "--from-remote"]);
    assert!(said.code == Some(0) && said.out.contains("already a store"), "{said:?}");
    // What is no store is not taken for one.
    let code = GitHost::new();
    let clone = site.path("code");
    git(&code.path(), &["clone", "-q", ".", &clone.display().to_string()]);
    git(&clone, &["commit", "-q", "--allow-empty", "-m", "Code"]);
    git(&clone, &["push", "-q", "origin", "HEAD:main"]);
    let mut wrong = Site::without_store(&redis.url());
    wrong.set("REMOTE__URL", &code.url());
    let said = wrong.run(&["init"]);
    assert!(said.code != Some(0) && said.err.contains("holds no store"), "{said:?}");
}

#[test]
fn a_purge_rewrites_the_host_only_if_it_is_told_to() {
    const SECRET: &str = "blaue-elefanten-tanzen";
    let host = GitHost::new();
    let world = world(&host, 1, 60);
    let text = format!("Please do not paste {SECRET} into the handler");
    world.decide(&[decision("d1", "ann", "REJECTED", Some(&text))]);
    world.wait_copied(&host);
    let World { redis: _redis, site, daemon } = world;
    assert!(daemon.stop().success());
    let fingerprint = feedbackd::text::redact::Fingerprint::of(SECRET).expect("long enough").to_string();
    let purge = ["purge", "--secret-fingerprint", &fingerprint, "--yes", "--as", "ann", "--reason", "A secret"];
    let before = host.head();
    let refused = site.run(&purge);
    assert!(refused.code != Some(0) && refused.err.contains("--force-remote"), "{refused:?}");
    assert_eq!(site.git(&["rev-parse", "main"]).trim(), before, "nothing was done");
    host.protect();
    let force = [&purge[..], &["--force-remote"]].concat();
    let said = site.run(&force);
    assert!(said.code != Some(0) && said.out.contains("GH006"), "{said:?}");
    host.unhook("pre-receive");
    let said = site.run(&force);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(host.head(), site.git(&["rev-parse", "main"]).trim());
    assert!(!contains(&host.path(), "main", &before));
    let all = git(&host.path(), &["log", "-p", "main"]);
    assert!(!all.contains(SECRET), "the host's branch still has it");
    let daemon = site.start();
    daemon.wait_ready();
    wait_until("the copy is up to date", || {
        daemon.ready().1["checks"]["remote"]["message"].as_str().is_some_and(|told| told.contains("up to date"))
    });
}

#[test]
fn an_abort_around_a_push_is_survived() {
    let host = GitHost::new();
    let World { redis, mut site, daemon } = world(&host, 1, 60);
    assert!(daemon.stop().success());
    for (place, point) in ["push.before", "push.after"].iter().enumerate() {
        site.set_fail_points(&format!("{point}=return"));
        let mut daemon = site.spawn();
        // A start has something to write at once only if there is an entry.
        streams::decide(&redis, &decision(&format!("d{place}"), "ann", "APPROVED", None));
        wait_until(&format!("the daemon aborts at {point}"), || !daemon.is_running());
        assert_eq!(daemon.wait().signal(), Some(libc::SIGABRT), "{}", daemon.log());
    }
    // The host may have what the daemon did not note.
    site.set_fail_points("");
    let daemon = site.start();
    daemon.wait_ready();
    let world = World { redis, site, daemon };
    world.drain();
    world.wait_copied(&host);
    world.wait_told("is up to date");
    assert_eq!(world.site.files("feedback/decisions").len(), 2);
    git(&host.path(), &["fsck", "--strict", "--no-progress"]);
}
