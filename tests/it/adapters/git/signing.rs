//! Commits signed by the daemon, as verified by `git verify-commit`.

use super::{Store, commit, git, options, run};
use feedbackd::adapters::git::{CommitKey, GitReader, GitWriter, WriterOptions};
use feedbackd::ports::{ChangeSet, FileWrite, StoreReader};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn change(subject: &str) -> ChangeSet {
    let write = FileWrite { path: "feedback/a.yaml".into(), content: subject.into() };
    let trailers = vec![("Source".into(), "a stream".into())];
    ChangeSet {
        writes: vec![write],
        subject: subject.into(),
        body: "In words.".into(),
        trailers,
        ..ChangeSet::default()
    }
}

fn keygen(directory: &Path, name: &str, kind: &str, passphrase: &str) -> PathBuf {
    let path = directory.join(name);
    run(Command::new("ssh-keygen").args(["-q", "-t", kind, "-N", passphrase, "-f"]).arg(&path));
    path
}

fn public(key: &Path) -> String {
    fs::read_to_string(key.with_extension("pub")).unwrap()
}

#[test]
fn git_verifies_what_the_daemon_signed() {
    let store = Store::new();
    let keys = tempfile::tempdir().unwrap();
    let key = keygen(keys.path(), "key", "ed25519", "");
    let before = commit(&mut store.writer(), &change("Before"));
    let signing = || {
        let key = Some(Arc::new(CommitKey::read(&key).unwrap()));
        GitWriter::open(&store.path, WriterOptions { key, ..options() }).unwrap()
    };
    let first = commit(&mut signing(), &change("Sign\u{e9}d \u{2014} the first"));
    let second = commit(&mut signing(), &change("The second"));
    store.fsck();
    let allowed = keys.path().join("allowed");
    fs::write(&allowed, format!("feedbackd@localhost namespaces=\"git\" {}", public(&key))).unwrap();
    let verify = |commit: &str| {
        let file = format!("gpg.ssh.allowedSignersFile={}", allowed.display());
        let mut command = Command::new("git");
        command.arg("-C").arg(&store.path).args(["-c", &file, "-c", "gpg.format=ssh", "verify-commit", "-v", commit]);
        let said = command.output().unwrap();
        (said.status.success(), String::from_utf8_lossy(&said.stderr).into_owned())
    };
    for id in [&first, &second] {
        let (good, said) = verify(&id.0);
        assert!(good && said.contains("Good \"git\" signature for feedbackd@localhost"), "{said}");
    }
    assert!(!verify(&before.0).0);
    assert_eq!(
        store.git(&["log", "-1", "--format=%s%n%b%G?", &before.0]),
        "Before\nIn words.\n\nSource: a stream\nN\n"
    );
    let told = store.git(&["log", "-1", "--format=%s|%b|%an", &second.0]);
    assert_eq!(told, "The second|In words.\n\nSource: a stream\n|feedbackd\n");

    let reader = GitReader::open(&store.path).unwrap();
    let own = [CommitKey::read(&key).unwrap().public()];
    let found = reader.signatures(&second, &own).unwrap();
    assert_eq!((found.since, found.signed, found.unsigned), (Some(first), 2, vec![]));
    let other = public(&keygen(keys.path(), "other", "ed25519", ""));
    assert_eq!(reader.signatures(&second, &[other]).unwrap().since, None);
}

#[test]
fn a_commit_in_the_daemons_name_without_its_signature_is_found() {
    let store = Store::new();
    let keys = tempfile::tempdir().unwrap();
    let key = keygen(keys.path(), "key", "ed25519", "");
    let own = [public(&key)];
    let old = commit(&mut store.writer(), &change("Before"));
    let mut writer = {
        let key = Some(Arc::new(CommitKey::read(&key).unwrap()));
        GitWriter::open(&store.path, WriterOptions { key, ..options() }).unwrap()
    };
    let first = commit(&mut writer, &change("The first"));
    let clone = keys.path().join("clone");
    git(&store.path, &["clone", "-q", ".", &clone.display().to_string()]);
    let made = |who: [&str; 2], args: &[&str]| {
        let who = ["-c".to_owned(), format!("user.name={}", who[0]), "-c".to_owned(), format!("user.email={}", who[1])];
        let all: Vec<&str> = who.iter().map(String::as_str).chain(args.iter().copied()).collect();
        git(&clone, &all);
        git(&clone, &["rev-parse", "HEAD"]).trim().to_owned()
    };
    let ours = ["feedbackd", "feedbackd@localhost"];
    let person = ["Ann", "ann@example.org"];
    let mut expected = Vec::new();
    made(person, &["commit", "-q", "--allow-empty", "-m", "A person's"]);
    expected.push(made(ours, &["commit", "-q", "--allow-empty", "-m", "Unsigned"]));
    expected.push(made([ours[0], "else@example.org"], &["commit", "-q", "--allow-empty", "-m", "By name"]));
    // Signed, with another key.
    let other = keygen(keys.path(), "other", "ed25519", "");
    let named = format!("user.signingKey={}", other.display());
    let signed = ["-c", "gpg.format=ssh", "-c", &named, "commit", "-q", "-S", "--allow-empty", "-m", "Another key"];
    expected.push(made(ours, &signed));
    // The first one's signature on another text.
    let raw = git(&clone, &["cat-file", "commit", &first.0]);
    fs::write(keys.path().join("raw"), raw.replace("The first", "The fist")).unwrap();
    let file = keys.path().join("raw").display().to_string();
    let moved = git(&clone, &["hash-object", "-t", "commit", "-w", &file]).trim().to_owned();
    made(person, &["merge", "-q", "-s", "ours", "-m", "Merge", &moved]);
    expected.push(moved);
    // An old one, next to what was there then.
    let tip = git(&clone, &["rev-parse", "HEAD"]).trim().to_owned();
    git(&clone, &["checkout", "-q", &old.0]);
    let aside = made(ours, &["commit", "-q", "--allow-empty", "-m", "Aside"]);
    git(&clone, &["checkout", "-q", &tip]);
    made(person, &["merge", "-q", "-m", "Merge", &aside]);
    expected.push(aside);
    git(&clone, &["push", "-q", "origin", "HEAD:main"]);

    let reader = GitReader::open(&store.path).unwrap();
    let mut found = reader.signatures(&reader.head().unwrap().unwrap(), &own).unwrap();
    assert_eq!((found.since, found.signed), (Some(first), 1));
    found.unsigned.sort();
    expected.sort();
    assert_eq!(found.unsigned.into_iter().map(|id| id.0).collect::<Vec<_>>(), expected);
}

#[test]
fn a_key_that_cannot_be_used_is_refused_with_what_to_do() {
    let keys = tempfile::tempdir().unwrap();
    let refused = |path: &Path| CommitKey::read(path).expect_err("refused");
    assert!(refused(&keys.path().join("none")).contains("cannot be read"));
    let open = keygen(keys.path(), "open", "ed25519", "");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o604)).unwrap();
    assert!(refused(&open).contains("is readable by others (mode 0604)"), "{}", refused(&open));
    fs::set_permissions(&open, fs::Permissions::from_mode(0o600)).unwrap();
    CommitKey::read(&open).unwrap();
    assert!(refused(&keygen(keys.path(), "closed", "ed25519", "a passphrase")).contains("has a passphrase"));
    assert!(refused(&keygen(keys.path(), "curve", "ecdsa", "")).contains("use an Ed25519 key"));
    let text = keys.path().join("text");
    fs::write(&text, "secret").unwrap();
    fs::set_permissions(&text, fs::Permissions::from_mode(0o600)).unwrap();
    let said = refused(&text);
    assert!(said.contains("is not a private key") && !said.contains("secret"), "{said}");
}
