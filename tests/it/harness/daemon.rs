//! A store with its environment, and `feedbackd` as a process on it. Of Redis it knows only the URL.

use super::wait_until;
use feedbackd::domain::records::layout;
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The daemon's name in its consumer group.
pub const CONSUMER: &str = "feedbackd-it";

/// A store, a state directory and a log, all in a temporary directory, and the environment to run on them.
pub struct Site {
    directory: TempDir,
    environment: Vec<(String, String)>,
}

/// The output of a command.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Site {
    /// Creates a new store, for a Redis at this URL.
    pub fn new(url: &str) -> Site {
        let site = Site::without_store(url);
        let said = site.run(&["init"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        site
    }

    /// Creates everything but the store.
    pub fn without_store(url: &str) -> Site {
        let mut site = Site { directory: tempfile::tempdir().expect("a temporary directory"), environment: Vec::new() };
        site.set("REDIS__URL", url);
        site.set("REDIS__CONSUMER", CONSUMER);
        // Short, so that a test that stops the daemon does not wait.
        site.set("REDIS__BLOCK_MS", "200");
        site.set("STORE__PATH", &site.store().display().to_string());
        site.set("STATE__DIR", &site.state().display().to_string());
        site.set("LOG__FORMAT", "json");
        site
    }

    /// Sets `FEEDBACKD__<key>` for processes started from now on.
    pub fn set(&mut self, key: &str, value: &str) {
        let key = format!("FEEDBACKD__{key}");
        self.environment.retain(|(known, _)| *known != key);
        self.environment.push((key, value.to_owned()));
    }

    /// Makes processes started from now on read this configuration file.
    pub fn set_file(&mut self, file: &Path) {
        self.environment.retain(|(known, _)| known != "FEEDBACKD_CONFIG");
        self.environment.push(("FEEDBACKD_CONFIG".to_owned(), file.display().to_string()));
    }

    /// Makes processes started from now on abort at a fail point: `batch.durable=return`; empty: nowhere.
    pub fn set_fail_points(&mut self, points: &str) {
        self.environment.retain(|(known, _)| known != "FAILPOINTS");
        self.environment.push(("FAILPOINTS".to_owned(), points.to_owned()));
    }

    /// Returns the bare repository.
    pub fn store(&self) -> PathBuf {
        self.directory.path().join("store.git")
    }

    /// Returns the directory of derived data.
    pub fn state(&self) -> PathBuf {
        self.directory.path().join("state")
    }

    /// Returns a path for a test's own files.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a command to completion.
    pub fn run(&self, arguments: &[&str]) -> Said {
        let output = self.command(arguments).output().expect("feedbackd runs");
        Said {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts the daemon and waits until it answers `/health`.
    pub fn start(&self) -> Daemon {
        // Another process may take the free port before the daemon does: try another.
        for _ in 0..5 {
            let mut daemon = self.spawn();
            let mut alive = false;
            wait_until("the daemon is alive or has ended", || {
                alive = daemon.try_get("/health").is_some_and(|(status, _)| status == 200);
                alive || !daemon.is_running()
            });
            if alive && daemon.is_running() {
                return daemon;
            }
            assert!(daemon.log().contains("cannot listen"), "the daemon ended:\n{}", daemon.log());
        }
        panic!("the daemon finds no free port");
    }

    /// Starts the daemon without waiting.
    pub fn spawn(&self) -> Daemon {
        self.spawn_as(self.command(&["serve"]))
    }

    /// Starts the daemon with so many file descriptors.
    pub fn start_with_files(&self, most: u32) -> Daemon {
        let mut limited = Command::new("sh");
        limited.args(["-c", &format!("ulimit -n {most} && exec \"$0\" serve"), env!("CARGO_BIN_EXE_feedbackd")]);
        self.surround(&mut limited);
        let daemon = self.spawn_as(limited);
        wait_until("the daemon is alive", || daemon.try_get("/health").is_some());
        daemon
    }

    /// Starts the daemon under another program that execs it, or that is invoked so that the daemon stays our child.
    pub fn start_under(&self, program: &str, arguments: &[&str]) -> Daemon {
        let mut command = Command::new(program);
        command.args(arguments).arg(env!("CARGO_BIN_EXE_feedbackd")).arg("serve");
        self.surround(&mut command);
        let daemon = self.spawn_as(command);
        wait_until("the daemon is alive", || daemon.try_get("/health").is_some());
        daemon
    }

    /// Starts the daemon under strace, which writes a trace file; returns `None`, with a message, if that is not
    /// possible.
    pub fn start_traced(&self, calls: &str, trace: &Path) -> Option<Daemon> {
        let mut traced = Command::new("strace");
        // -D: the daemon is our child, not strace's.
        traced.args(["-D", "-f", "-y", "-s", "256", "-e", &format!("trace={calls}"), "-o"]).arg(trace);
        traced.arg(env!("CARGO_BIN_EXE_feedbackd")).arg("serve");
        self.surround(&mut traced);
        if Command::new("strace").args(["-o", "/dev/null", "true"]).output().map_or(true, |o| !o.status.success()) {
            eprintln!("strace is not installed, or not allowed here: not checked");
            return None;
        }
        let daemon = self.spawn_as(traced);
        wait_until("the daemon is alive", || daemon.try_get("/health").is_some());
        Some(daemon)
    }

    fn spawn_as(&self, mut command: Command) -> Daemon {
        let log = self.path("daemon.log");
        let file = OpenOptions::new().create(true).append(true).open(&log).expect("a log");
        let seen = file.metadata().map_or(0, |m| m.len());
        let port = free_port();
        let child = command
            .env("FEEDBACKD__HTTP__LISTEN", format!("127.0.0.1:{port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn()
            .expect("feedbackd starts");
        Daemon { child: Some(child), port, log, seen }
    }

    /// Runs git on the store.
    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.store(), arguments)
    }

    /// Clones the store as a person, edits a file, commits and pushes. If the daemon was faster, retries.
    pub fn push(&self, path: &str, edit: impl FnOnce(String) -> String) {
        let directory = tempfile::tempdir_in(self.directory.path()).expect("a temporary directory");
        let clone = directory.path();
        git(&self.store(), &["clone", "-q", ".", &clone.display().to_string()]);
        let file = clone.join(path);
        let text = edit(fs::read_to_string(&file).unwrap_or_default());
        fs::write(&file, text).expect("the clone can be written");
        git(clone, &["add", "."]);
        git(clone, &["commit", "-qm", &format!("Edit {path}")]);
        wait_until("the push is taken", || {
            git(clone, &["pull", "-q", "--rebase", "origin", "main"]);
            try_git(clone, &["push", "-q", "origin", "HEAD:main"]).is_ok()
        });
    }

    /// Adds these people to the roster, as approvers.
    pub fn push_roster(&self, ids: &[&str]) {
        let people: String = ids.iter().map(|id| format!("  - {{id: {id}, roles: [approver]}}\n")).collect();
        self.push(layout::ROSTER, |_| format!("reviewers:\n{people}"));
    }

    /// Returns the files below `prefix` at the head of the branch, with their content.
    pub fn files(&self, prefix: &str) -> Vec<(String, String)> {
        let mut arguments = vec!["ls-tree", "-r", "-z", "--format=%(objectname) %(path)", "main"];
        if !prefix.is_empty() {
            arguments.extend(["--", prefix]);
        }
        let listed = self.git(&arguments);
        let (ids, paths): (Vec<String>, Vec<String>) = listed
            .split_terminator('\0')
            .filter_map(|line| line.split_once(' '))
            .map(|(id, path)| (id.to_owned(), path.to_owned()))
            .unzip();
        paths.into_iter().zip(self.blobs(&ids)).collect()
    }

    /// Returns the content of blobs, in the order requested.
    pub fn blobs(&self, ids: &[String]) -> Vec<String> {
        let mut child = Command::new("git")
            .arg("-C")
            .arg(self.store())
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("git is installed");
        let (mut stdin, asked) = (child.stdin.take().expect("a pipe"), ids.join("\n") + "\n");
        let asking = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
        let output = child.wait_with_output().expect("git ends");
        asking.join().expect("not panicked").expect("git reads");
        let mut rest = output.stdout.as_slice();
        ids.iter()
            .map(|id| {
                let end = rest.iter().position(|b| *b == b'\n').expect("a line for each blob");
                let line = String::from_utf8_lossy(&rest[..end]).into_owned();
                let size: usize =
                    line.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{id}: {line}"));
                let content = String::from_utf8_lossy(&rest[end + 1..=end + size]).into_owned();
                rest = &rest[end + size + 2..];
                content
            })
            .collect()
    }

    /// Returns a command for the test to start.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_feedbackd"));
        command.args(arguments);
        self.surround(&mut command);
        command
    }

    /// Makes a command run in its directory and with its environment.
    pub fn surround(&self, command: &mut Command) {
        command.current_dir(self.directory.path());
        for (key, _) in std::env::vars().filter(|(key, _)| key.starts_with("FEEDBACKD_")) {
            command.env_remove(key);
        }
        command.envs(self.environment.iter().map(|(key, value)| (key, value)));
    }
}

/// A running daemon. Dropping it kills it, and shows its log if the test failed.
pub struct Daemon {
    child: Option<Child>,
    port: u16,
    log: PathBuf,
    /// The length of earlier daemons' log.
    seen: u64,
}

impl Daemon {
    /// Sends SIGTERM and waits for its end.
    pub fn stop(mut self) -> ExitStatus {
        self.terminate();
        self.wait()
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.signal(libc::SIGTERM);
    }

    /// Sends a signal.
    pub fn signal(&self, signal: i32) {
        let child = self.child.as_ref().expect("it was not waited for");
        let id = i32::try_from(child.id()).expect("a process id");
        // SAFETY: kill() reads no memory, and the child was not waited for, so the id is still valid.
        assert_eq!(unsafe { libc::kill(id, signal) }, 0);
    }

    /// Returns its peak memory so far, in MiB; `None` if the system does not report it.
    pub fn peak_memory(&self) -> Option<u64> {
        self.memory_of("VmHWM:")
    }

    /// Returns its current memory, in MiB, and resets the peak to it; `None` if the system does not report it.
    pub fn memory_at_rest(&self) -> Option<u64> {
        let id = self.child.as_ref().expect("it was not waited for").id();
        // 5: resets the peak to the current value.
        fs::write(format!("/proc/{id}/clear_refs"), "5").ok()?;
        self.memory_of("VmRSS:")
    }

    fn memory_of(&self, what: &str) -> Option<u64> {
        let id = self.child.as_ref().expect("it was not waited for").id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(what))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
    }

    /// Kills it (SIGKILL).
    pub fn kill9(&mut self) {
        let mut child = self.child.take().expect("it was not waited for");
        child.kill().expect("the daemon can be killed");
        child.wait().expect("the daemon ends");
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        wait_until("the daemon ends", || !self.is_running());
        self.child.take().and_then(|mut child| child.wait().ok()).expect("it was not waited for")
    }

    /// Reports whether it has not ended on its own.
    pub fn is_running(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| child.try_wait().expect("the daemon's state").is_none())
    }

    /// Waits until `/ready` answers 200.
    pub fn wait_ready(&self) {
        wait_until("the daemon is ready", || self.ready().0 == 200);
    }

    /// Returns status and document of `/ready`.
    pub fn ready(&self) -> (u16, Value) {
        let (status, body) = self.get("/ready");
        (status, serde_json::from_str(&body).expect("a JSON document"))
    }

    /// Returns status and body of a page.
    pub fn get(&self, path: &str) -> (u16, String) {
        self.try_get(path).unwrap_or_else(|| panic!("{path} does not answer"))
    }

    /// Returns the port of its HTTP side.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the value of a metric, with its labels as written there: `name{label="value"}`.
    pub fn metric(&self, name: &str) -> f64 {
        let (_, page) = self.get("/metrics");
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in\n{page}")).parse().expect("a number")
    }

    /// Returns what this daemon logged.
    pub fn log(&self) -> String {
        let bytes = fs::read(&self.log).expect("the log");
        let from = usize::try_from(self.seen).expect("a small log").min(bytes.len());
        String::from_utf8_lossy(&bytes[from..]).into_owned()
    }

    pub fn try_get(&self, path: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, body.to_owned()))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if std::thread::panicking() && self.log.exists() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let tail = &lines[lines.len().saturating_sub(60)..];
            eprintln!("--- the daemon's log, its last lines ---\n{}\n---", tail.join("\n"));
        }
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs git in a directory.
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    try_git(directory, arguments).unwrap_or_else(|error| panic!("git {arguments:?}: {error}"))
}

/// Runs git in a directory; the error is its message.
pub fn try_git(directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
        .args(arguments)
        .output()
        .expect("git is installed");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Empties or corrupts a file.
pub fn overwrite(path: &Path, content: &[u8]) {
    File::create(path).and_then(|mut file| file.write_all(content)).expect("the file can be written");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
