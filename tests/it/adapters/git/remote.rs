//! How `git` is run for the host: what it is given to log in with, what it is not, and when it is ended.

use super::Store;
use crate::harness::git_host::GitHost;
use feedbackd::adapters::git::{GitReader, GitRemote, RemoteOptions};
use feedbackd::ports::{PushOutcome, Remote, RemoteError, RemoteHead, StoreReader};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

fn options(url: &str) -> RemoteOptions {
    RemoteOptions {
        git: "git".into(),
        url: url.to_owned(),
        branch: "main".to_owned(),
        username: "bot".to_owned(),
        token_file: None,
        ssh_key_file: None,
        known_hosts_file: None,
        ca_file: None,
        limit: Duration::from_secs(20),
    }
}

fn never() -> bool {
    false
}

/// A host by HTTP that asks for a login and then refuses it; returns its address, and each request's head.
fn strict_host() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/octo/feedback.git", listener.local_addr().unwrap());
    let (sender, heads) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let head = head.join("\n");
            let answer = if head.contains("Authorization:") {
                "403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 41\r\nConnection: close\r\n\r\n\
                 Write access to repository not granted.\r\n"
            } else {
                "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"Git\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            };
            let _ = write!(stream, "HTTP/1.1 {answer}");
            if sender.send(head).is_err() {
                return;
            }
        }
    });
    (url, heads)
}

#[test]
fn the_host_is_given_the_token_of_the_file_and_its_words_are_told() {
    let store = Store::new();
    let (url, heads) = strict_host();
    let file = store.path.with_file_name("the token");
    fs::write(&file, "hunter2\n").unwrap();
    let remote =
        GitRemote::open(&store.path, RemoteOptions { token_file: Some(file.clone()), ..options(&url) }).unwrap();
    let head = GitReader::open(&store.path).unwrap().head().unwrap().unwrap();
    let error = remote.push(&head, &never).unwrap_err().to_string();
    assert!(error.contains("Write access to repository not granted") || error.contains("403"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
    // "bot:hunter2" in Base64.
    let logins: Vec<String> = heads.try_iter().filter(|head| head.contains("Authorization:")).collect();
    assert!(!logins.is_empty() && logins.iter().all(|head| head.contains("Basic Ym90Omh1bnRlcjI=")), "{logins:?}");
    // A renewed token is used at once.
    fs::write(&file, "other").unwrap();
    remote.push(&head, &never).unwrap_err();
    assert!(heads.try_iter().any(|head| head.contains("Basic Ym90Om90aGVy")));
    fs::remove_file(&file).unwrap();
    let error = remote.push(&head, &never).unwrap_err().to_string();
    assert!(error.contains("the token") && error.contains("remote.token_file"), "{error}");
}

#[test]
fn without_a_token_nothing_is_asked_for() {
    let store = Store::new();
    let (url, heads) = strict_host();
    let remote = GitRemote::open(&store.path, options(&url)).unwrap();
    let head = GitReader::open(&store.path).unwrap().head().unwrap().unwrap();
    let error = remote.push(&head, &never).unwrap_err().to_string();
    assert!(error.contains("could not read Username"), "{error}");
    assert!(heads.try_iter().all(|head| !head.contains("Authorization:")));
}

#[test]
fn a_host_that_says_nothing_is_given_up_at_the_limit_and_when_the_caller_gives_up() {
    let store = Store::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("git://{}/copy.git", listener.local_addr().unwrap());
    let head = GitReader::open(&store.path).unwrap().head().unwrap().unwrap();
    let limit = Duration::from_secs(1);
    let remote = GitRemote::open(&store.path, RemoteOptions { limit, ..options(&url) }).unwrap();
    let started = Instant::now();
    let error = remote.push(&head, &never).unwrap_err();
    assert!(matches!(error, RemoteError::TooLong { seconds: 1 }), "{error}");
    let error = remote.fetch(&|| true).unwrap_err();
    assert!(matches!(error, RemoteError::GivenUp), "{error}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn ssh_is_given_its_key_and_hosts_and_asks_nothing() {
    let host = GitHost::new();
    let store = Store::new();
    // In the place of ssh: notes its arguments, and runs what the other side would.
    let ssh = store.path.with_file_name("ssh");
    let noted = store.path.with_file_name("noted");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\nfor last; do :; done\nexec sh -c \"$last\"\n",
        noted.display()
    );
    fs::write(&ssh, script).unwrap();
    fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // A Git that finds this ssh first.
    let git = store.path.with_file_name("git-with-ssh");
    let directory = ssh.parent().unwrap().display().to_string();
    fs::write(&git, format!("#!/bin/sh\nPATH='{directory}':\"$PATH\" exec git \"$@\"\n")).unwrap();
    fs::set_permissions(&git, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let key = Some("/etc/feedbackd/deploy key".into());
    let known = Some("/etc/feedbackd/known_hosts".into());
    let url = format!("git@git.example.org:{}", host.path().display());
    let options = RemoteOptions { git, ssh_key_file: key, known_hosts_file: known, ..options(&url) };
    let remote = GitRemote::open(&store.path, options).unwrap();
    let head = GitReader::open(&store.path).unwrap().head().unwrap().unwrap();
    assert_eq!(remote.push(&head, &never).unwrap(), PushOutcome::Done);
    assert_eq!(host.head(), head.to_string());
    assert_eq!(remote.fetch(&never).unwrap(), RemoteHead::At(head));
    let noted = fs::read_to_string(noted).unwrap();
    for argument in ["BatchMode=yes", "StrictHostKeyChecking=yes", "IdentitiesOnly=yes", "/etc/feedbackd/deploy key"] {
        assert!(noted.lines().any(|line| line == argument), "{noted}");
    }
    assert!(noted.contains("UserKnownHostsFile=\"/etc/feedbackd/known_hosts\""), "{noted}");
}

#[test]
fn no_helper_program_takes_the_place_of_a_transport() {
    let store = Store::new();
    let trace = store.path.with_file_name("ran");
    let remote = GitRemote::open(&store.path, options(&format!("ext::touch {}", trace.display()))).unwrap();
    let head = GitReader::open(&store.path).unwrap().head().unwrap().unwrap();
    let error = remote.push(&head, &never).unwrap_err().to_string();
    assert!(error.contains("'ext' not allowed"), "{error}");
    assert!(!trace.exists());
}
