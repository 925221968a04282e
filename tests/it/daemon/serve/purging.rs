//! `purge`: a secret, or a person, is removed from the whole history, and nothing of the repository contains it
//! afterwards.

use super::World;
use crate::harness::daemon::{Said, Site, git};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, add, decision, drain};
use feedbackd::text::redact::Fingerprint;
use feedbackd::text::yaml;
use serde_json::Value;
use std::path::Path;

/// In an unknown format: it is not masked on arrival.
const SECRET: &str = "blaue-elefanten-tanzen";

/// Creates a store with several hundred commits, with the secret in files of several commits, in file names, in
/// messages, and in a branch and a tag that people created.
fn world() -> (RedisServer, Site) {
    let World { redis, mut site, daemon } = World::with(&[("INTAKE__BATCH_WAIT_MS", "0")]);
    assert_eq!(daemon.stop().code(), Some(0));
    let key = site.path("commit_key");
    let made =
        std::process::Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    assert!(made.expect("ssh-keygen, which `make setup` installs").success());
    site.set("STORE__SIGNING_KEY_FILE", &key.display().to_string());
    let daemon = site.start();
    daemon.wait_ready();
    let world = World { redis, site, daemon };
    world.site.push_roster(&["ann", "bob"]);
    for n in 0..120 {
        let text = match n {
            30 => format!("Please do not paste {SECRET} into the handler"),
            31 => format!("The handler logs\n    {}\n    {} here", &SECRET[..8], &SECRET[8..]),
            _ => format!("The handler of step {n} lacks a timeout"),
        };
        let id = if n == 32 { format!("d-{SECRET}") } else { format!("d{n}") };
        let reviewer = if n % 10 == 3 { "maria.berg" } else { "ann" };
        add(&world.redis, DECISIONS, &[("data", &decision(&id, reviewer, "REJECTED", Some(&text)).to_string())]);
        if n % 4 == 0 {
            world.drain();
        }
    }
    world.drain();
    let clone = world.site.path("person");
    let store = world.site.store();
    git(
        store.parent().expect("a directory"),
        &["clone", "-q", &store.display().to_string(), &clone.display().to_string()],
    );
    let who = ["-c", "user.name=maria.berg", "-c", "user.email=m@example.org"];
    let commit = |message: &str| {
        git(&clone, &[who[0], who[1], who[2], who[3], "commit", "-q", "--allow-empty", "-m", message]);
    };
    commit(&format!("Try {SECRET}"));
    git(&clone, &["push", "-q", "origin", "HEAD:refs/heads/try"]);
    git(&clone, &[who[0], who[1], who[2], who[3], "tag", "-a", "-m", &format!("With {SECRET}"), "v1"]);
    git(&clone, &["push", "-q", "origin", "v1"]);
    git(&clone, &["reset", "-q", "--hard", "origin/main"]);
    commit(&format!("Note {SECRET}"));
    (0..100).for_each(|n| commit(&format!("Look at page {n}")));
    git(&clone, &["push", "-q", "origin", "HEAD:main"]);
    // Unreachable objects.
    world.site.git(&["branch", "gone", "try"]);
    world.site.git(&["branch", "-D", "gone"]);
    world.decide(&[decision("d-last", "bob", "REJECTED", Some("The handler lacks a timeout"))]);
    let World { redis, site, daemon } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    (redis, site)
}

/// Returns everything in the repository and the state directory, as text: objects whether reachable or not, names, logs
/// of branches, and the bytes of all files.
fn everything(site: &Site) -> String {
    let all = site.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"]);
    let mut text = site.git(&["log", "-p", "--text", "--all", "--format=%H %an %ae %cn %B"]);
    text.push_str(&site.git(&["log", "--all", "--name-only", "--format="]));
    for line in all.lines() {
        let (id, kind) = line.split_once(' ').expect("an id and a kind");
        let output = std::process::Command::new("git").args(["cat-file", kind, id]).current_dir(site.store()).output();
        text.push_str(&String::from_utf8_lossy(&output.expect("git runs").stdout));
    }
    for directory in [site.store(), site.state()] {
        files(&directory, &mut |bytes| text.push_str(&String::from_utf8_lossy(bytes)));
    }
    text
}

fn files(directory: &Path, each: &mut dyn FnMut(&[u8])) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, each),
            path => each(&std::fs::read(path).unwrap_or_default()),
        }
    }
}

/// Counts the halves as well: across a line break it is split in two.
fn hits(site: &Site, words: &[&str]) -> usize {
    let text = everything(site);
    words.iter().map(|word| text.matches(word).count()).sum()
}

fn purge(site: &Site, more: &[&str]) -> Said {
    let fingerprint = Fingerprint::of(SECRET).expect("long enough").to_string();
    let mut words = vec!["purge", "--secret-fingerprint", &fingerprint, "--json"];
    words.extend(more);
    site.run(&words)
}

const SURE: [&str; 5] = ["--yes", "--as", "ann", "--reason", "It was pasted into a remark"];

fn goes_on(redis: &RedisServer, site: &Site) {
    site.git(&["fsck", "--full", "--strict"]);
    let daemon = site.start();
    daemon.wait_ready();
    add(redis, DECISIONS, &[("data", &decision("d-after", "bob", "REJECTED", Some("Name the units")).to_string())]);
    drain(redis, site);
    assert_eq!(daemon.stop().code(), Some(0));
    let check = site.run(&["reindex", "--check"]);
    assert_eq!(check.code, Some(0), "{check:?}");
}

#[test]
fn a_purged_secret_is_in_no_object_log_or_index() {
    let (redis, site) = world();
    let commits = site.git(&["rev-list", "--count", "main"]).trim().parse::<usize>().expect("a number");
    let before = hits(&site, &[SECRET]);
    assert!(before > 5, "{before}");
    let seen = purge(&site, &["--dry-run"]);
    let seen: Value = serde_json::from_str(&seen.out).unwrap_or_else(|_| panic!("{seen:?}"));
    assert_eq!((&seen["done"], &seen["references"]), (&false.into(), &3.into()), "{seen}");
    assert_eq!(hits(&site, &[SECRET]), before, "it was only looked");
    let first = site.git(&["rev-list", "--max-parents=0", "main"]);

    let said = purge(&site, &SURE);
    assert_eq!(said.code, Some(0), "{said:?}");
    let done: Value = serde_json::from_str(&said.out).expect("an answer");
    println!("{commits} commits; {done:#}");
    assert_eq!(hits(&site, &[SECRET, "tanzen"]), 0);
    assert_eq!(site.git(&["rev-list", "--max-parents=0", "main"]), first, "what is before it stays");
    assert_eq!(site.git(&["rev-list", "--count", "main"]).trim().parse::<usize>().expect("a number"), commits + 1);
    // The result is reported, in the store and in the streams.
    let record: Value = yaml::parse(&site.git(&["show", "main:purges.yaml"])).expect("YAML");
    assert_eq!((&record["schema"], &record["purges"][0]["by"]), (&"feedbackd.purges/1".into(), &"ann".into()));
    let subject = site.git(&["log", "-1", "--format=%s", "main"]);
    assert_eq!(subject.trim(), "Purge a secret from the history");
    assert!(done["entries_removed"].as_u64() >= Some(3), "{done}");
    let left: Vec<String> = redis.cli(&["KEYS", "*"]);
    for key in left.iter().filter(|key| key.starts_with("asdlc:events:")) {
        let text = format!("{:?}", redis.cli::<redis::Value>(&["XRANGE", key, "-", "+"]));
        assert!(!text.contains(SECRET), "{key}");
    }
    goes_on(&redis, &site);
    let verified: Value = serde_json::from_str(&site.run(&["verify", "--json"]).out).expect("an answer");
    assert_eq!(verified["commits"]["unsigned"], Value::Array(Vec::new()), "the daemon's commits are signed anew");
    assert!(verified["commits"]["signed"].as_u64() > Some(20), "{verified}");
    // Repeated, there is nothing left to do.
    let again = purge(&site, &[]);
    let again: Value = serde_json::from_str(&again.out).expect("an answer");
    assert_eq!((&again["commits"], &again["unreachable"]), (&0.into(), &0.into()), "{again}");
}

#[test]
fn a_purged_person_is_in_no_record_name_or_author() {
    let (redis, site) = world();
    let said =
        site.run(&["purge", "--reviewer", "maria.berg", "--yes", "--as", "ann", "--reason", "Asked to be forgotten"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let words: Vec<&str> = said.out.split_whitespace().collect();
    assert!(words.join(" ").contains("Everyone must clone again"), "{said:?}");
    assert_eq!(hits(&site, &["maria.berg"]), 0);
    assert!(site.git(&["log", "--all", "--format=%an"]).contains("person-"));
    goes_on(&redis, &site);
}

#[test]
fn a_purge_that_is_killed_leaves_one_history_and_can_be_run_again() {
    let (redis, mut site) = world();
    let old = site.git(&["rev-parse", "main"]);
    for (point, moved) in [
        ("purge.begins", false),
        ("purge.packed", false),
        ("purge.moving", true),
        ("purge.moved", true),
        ("purge.packed_anew", true),
        ("purge.removed", true),
    ] {
        site.set_fail_points(&format!("{point}=return"));
        let said = purge(&site, &SURE);
        assert_ne!(said.code, Some(0), "{point}: {said:?}");
        site.set_fail_points("");
        site.git(&["fsck", "--full", "--strict"]);
        assert_eq!(site.git(&["rev-parse", "main"]) != old, moved, "{point}");
    }
    let said = purge(&site, &SURE);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(hits(&site, &[SECRET, "tanzen"]), 0);
    goes_on(&redis, &site);
}

#[test]
fn a_purge_waits_for_nobody_and_guesses_nothing() {
    let world = World::new();
    world.decide(&[decision("d1", "ann", "REJECTED", Some("The handler lacks a timeout"))]);
    let said = purge(&world.site, &SURE);
    assert!(said.code != Some(0) && said.err.contains("another process is writing"), "{said:?}");
    assert_eq!(world.daemon.stop().code(), Some(0));
    let said = world.site.run(&["purge", "--secret-fingerprint", "sha256:12:4"]);
    assert!(said.code == Some(2) && said.err.contains("redact --fingerprint"), "{said:?}");
    let said = purge(&world.site, &["--yes"]);
    assert_eq!(said.code, Some(2), "who and why are asked for: {said:?}");
    let head = world.site.git(&["rev-parse", "main"]);
    let said = purge(&world.site, &SURE);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(world.site.git(&["rev-parse", "main"]), head, "it stands nowhere");
}
