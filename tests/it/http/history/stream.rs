//! Gerrit's event stream over SSH, from a substitute for `ssh`: disconnections, non-events, and what happens meanwhile.

use super::gerrit::serve;
use crate::harness::gerrit::{Gerrit, Posted};
use crate::harness::streams::{DECISIONS, entries};
use crate::harness::wait_until;
use crate::http::hooks::World;
use feedbackd::domain::records::record::DecisionRecord;
use feedbackd::wiring;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A substitute for `ssh`: the first time it prints the content of `first` and disconnects; then, as soon as it may
/// `go` on, it prints what arrives in `live`.
const SSH: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$@" > arguments
echo $$ > pid
[ -f first ] || until [ -f go ]; do sleep 0.05; done
echo "Authenticated to git.example.org ([192.0.2.1]:29418) using \"publickey\"." >&2
if [ -f first ]; then
    cat first
    rm first
    echo "client_loop: send disconnect: Broken pipe" >&2
    exit 255
fi
exec tail -n +1 -f live
"#;

struct Ssh {
    directory: tempfile::TempDir,
}

impl Ssh {
    fn new(script: &str) -> Ssh {
        let directory = tempfile::tempdir().expect("a directory");
        let program = directory.path().join("ssh");
        fs::write(&program, script).expect("a program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
        fs::write(directory.path().join("live"), "").expect("a file");
        Ssh { directory }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn table(&self) -> String {
        format!(
            "ssh = \"ssh://bot@git.example.org:29418\"\nssh_program = \"{}\"\nssh_key_file = \"{}\"\n",
            self.at("ssh").display(),
            self.at("key").display()
        )
    }

    fn say(&self, event: &Value) {
        let mut live = fs::OpenOptions::new().append(true).open(self.at("live")).expect("it is there");
        writeln!(live, "{event}").expect("said");
    }

    fn pid(&self) -> Option<i32> {
        fs::read_to_string(self.at("pid")).ok()?.trim().parse().ok()
    }
}

fn is_running(pid: i32) -> bool {
    // SAFETY: signal 0 sends nothing.
    unsafe { libc::kill(pid, 0) == 0 }
}

fn lines(world: &World, outcome: &str) -> f64 {
    world.daemon.metric(&format!("feedbackd_forge_stream_lines_total{{outcome=\"{outcome}\"}}"))
}

fn words(decisions: &[DecisionRecord]) -> Vec<String> {
    let one = |one: &DecisionRecord| {
        let late = if one.decision_id.contains("-late-") { "late " } else { "" };
        let comments: Vec<String> = one.comments.iter().map(|said| format!(" - {}", said.comment.body)).collect();
        let said = one.reviewer_comment.as_deref().unwrap_or("-").replace('\n', " ");
        format!("{late}{}: {said}{}", one.decision.as_str(), comments.concat())
    };
    let mut words: Vec<String> = decisions.iter().map(one).collect();
    words.sort();
    words
}

#[test]
fn where_the_stream_breaks_off_nothing_is_lost_and_nothing_comes_twice() {
    let gerrit = Arc::new(Mutex::new(Gerrit::new("shop", None)));
    let (server, ssh) = (serve(&gerrit), Ssh::new(SSH));
    let later = wiring::now().as_second() + 3_600;
    let posted = |second: i64, words: &'static str| Posted {
        by: "zoe",
        at: later + second,
        vote: Some(-1),
        message: words,
        ..Posted::default()
    };
    let of_first = posted(10, "One remark:");
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| gerrit.lock().unwrap().upload("eva", later + at));
    let post = |number, posted: &Posted<'_>| gerrit.lock().unwrap().post(number, posted);
    let first = post(a, &Posted { inline: &[("src/api.rs", 7, "Handle the error.")], ..of_first });
    let second = post(b, &posted(11, "Add a test."));
    let cut = second.to_string();
    let oversized = "x".repeat(2 << 20);
    let mut elsewhere = first.clone();
    elsewhere["change"]["project"] = "another".into();
    let said = format!("{first}\nno event\n[1]\n{elsewhere}\n{oversized}\n{first}\n{}", &cut[..cut.len() / 2]);
    fs::write(ssh.at("first"), said).expect("events");

    let more =
        format!("{}api_url = \"{}\"\npoll_minutes = 600\nrepositories = [\"shop\"]\n", ssh.table(), server.url());
    let world = World::gathering(12, "gerrit", &more);
    let polls = || world.daemon.metric("feedbackd_forge_polls_total{outcome=\"ok\"}");
    wait_until("it broke", || world.daemon.metric("feedbackd_forge_stream_breaks_total") >= 1.0);
    // Woken by the first event at most once more; otherwise it does not poll for ten hours.
    wait_until("it is asked", || polls() >= 2.0);
    // There is no listener.
    post(c, &posted(12, "Rename it."));
    fs::write(ssh.at("go"), "").expect("it goes on");
    wait_until("it is connected again", || world.daemon.metric("feedbackd_forge_streams_connected") >= 1.0);
    wait_until("what was lost is asked for", || entries(&world.redis, DECISIONS).len() >= 3);
    ssh.say(&post(d, &Posted { inline: &[("src/api.rs", 9, "Close it.")], ..posted(20, "Say why.") }));
    wait_until("all that was said is taken", || lines(&world, "taken") >= 3.0);
    wait_until("all is asked for", || world.decisions().len() >= 4);
    assert_eq!(
        words(&world.decisions()),
        [
            "REJECTED: Add a test.",
            "REJECTED: One remark: - Handle the error.",
            "REJECTED: Rename it.",
            // Its comment was requested before the review was submitted.
            "REJECTED: Say why. - Close it."
        ]
    );
    assert_eq!((lines(&world, "unreadable"), lines(&world, "oversized"), lines(&world, "elsewhere")), (3.0, 1.0, 1.0));
    assert_eq!(world.daemon.metric("feedbackd_forge_streams"), 1.0);
    let arguments = fs::read_to_string(ssh.at("arguments")).expect("it was called");
    assert!(
        arguments.trim().ends_with("-l bot -- git.example.org gerrit stream-events -s comment-added"),
        "{arguments}"
    );
    assert!(arguments.contains("BatchMode=yes") && arguments.contains("IdentityFile="), "{arguments}");

    let pid = ssh.pid().expect("it runs");
    assert!(is_running(pid));
    world.daemon.stop();
    assert!(!is_running(pid), "the program ends with the daemon");
}

#[test]
fn without_an_api_and_a_secret_a_stream_is_enough() {
    let ssh = Ssh::new(SSH);
    let mut gerrit = Gerrit::new("shop", None);
    let number = gerrit.upload("eva", 1_740_787_200);
    let posted = Posted { by: "zoe", at: 1_740_787_300, vote: Some(-1), message: "Add a test.", ..Posted::default() };
    ssh.say(&gerrit.post(number, &posted));
    fs::write(ssh.at("go"), "").expect("it goes on");
    let world = World::with("gerrit", &ssh.table());
    let file = world.site.path("config.toml");
    let text = fs::read_to_string(&file).expect("a configuration");
    let without: Vec<&str> = text.split("[[forges.connected]]").collect();
    let gerrit_only = without.iter().find(|table| table.contains("kind = \"gerrit\"")).expect("its table");
    let unsecret: Vec<&str> = gerrit_only.lines().filter(|line| !line.starts_with("secret_files")).collect();
    fs::write(&file, format!("[[forges.connected]]{}\n", unsecret.join("\n"))).expect("a configuration");
    let said = world.site.run(&["config", "check"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    wait_until("it is taken", || lines(&world, "taken") >= 1.0);
    assert_eq!(words(&world.decisions()), ["REJECTED: Add a test."]);
    insta::assert_snapshot!(check(&world), @r#"
    Some(0)
    ok       stream             ssh://bot@git.example.org:29418 is connected
    ok       heard              everyone who may comment
    warning  api                none is set: inline comments and earlier comments are not read
                                -> set api_url to Gerrit's address
    "#);

    // A missing program, an unknown host, and a denied listener.
    replace(&ssh.at("ssh"), "#!/bin/sh\necho 'Host key verification failed.' >&2\nexit 255\n");
    insta::assert_snapshot!(check(&world), @r"
    Some(1)
    PROBLEM  stream             ssh exited (exit status: 255): Host key verification failed.
                                -> try `ssh -p PORT USER@HOST gerrit stream-events` as the daemon's user; the account needs a key, and the capability Stream Events
    ok       heard              everyone who may comment
    warning  api                none is set: inline comments and earlier comments are not read
                                -> set api_url to Gerrit's address
    ");
    replace(
        &ssh.at("ssh"),
        "#!/bin/sh\necho 'Authenticated to x' >&2\nsleep 0.2\necho 'fatal: bot does not have \"Stream Events\" capability.' >&2\nexit 1\n",
    );
    insta::assert_snapshot!(check(&world), @r#"
    Some(1)
    PROBLEM  stream             ssh exited (exit status: 1): fatal: bot does not have "Stream Events" capability.
                                -> try `ssh -p PORT USER@HOST gerrit stream-events` as the daemon's user; the account needs a key, and the capability Stream Events
    ok       heard              everyone who may comment
    warning  api                none is set: inline comments and earlier comments are not read
                                -> set api_url to Gerrit's address
    "#);
    fs::remove_file(ssh.at("ssh")).expect("it goes");
    let said = check(&world);
    assert!(said.contains("cannot be run: No such file or directory"), "{said}");
}

fn check(world: &World) -> String {
    let said = world.site.run(&["forge", "check", "gerrit"]);
    format!("{:?}\n{}{}", said.code, said.out, said.err)
}

/// Replaces it atomically, as it may be running.
fn replace(program: &Path, script: &str) {
    let beside = program.with_extension("new");
    fs::write(&beside, script).expect("a program");
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o755)).expect("it can be run");
    fs::rename(&beside, program).expect("it is replaced");
}
