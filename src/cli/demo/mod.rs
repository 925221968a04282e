//! `demo`: the main job, end to end, on a private Redis server and a private store, told step by step.
//!
//! Everything is real: a Redis server of its own, the daemon as a process of its own, a Git repository that stays.

#![allow(clippy::disallowed_types, reason = "it starts the programs that it shows: redis-server, git, the daemon")]

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::config::{Config, Secret};
use crate::wiring;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long any step may take.
const PATIENCE: Duration = Duration::from_secs(60);
const HITL: &str = "asdlc:events:hitl_decisions";

/// Where to show it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory to work in; must not exist or be empty
    #[arg(long, value_name = "DIR", default_value = "target/demo")]
    dir: PathBuf,
}

/// A program that is ended when the demonstration ends, however it ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // SIGTERM would be kinder, but both keep what they were told on disk.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs it.
pub fn run(args: &Args, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let dir = fresh(&args.dir)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| failed(format!("cannot start: {e}"), ""))?;
    let (redis_port, http_port) = (free_port()?, free_port()?);
    let config = configure(&dir, redis_port, http_port);
    let mut show = Show { out, step: 0 };

    show.step("A private Redis server and a new store")?;
    let _redis = start_redis(&dir, redis_port)?;
    wait("Redis answers", || runtime.block_on(wiring::probe(&config)).is_ok())?;
    wiring::init_store(&config)?;
    show.say(&format!("Redis on port {redis_port}; the store is {}", config.store.path.display()))?;

    show.step("The daemon starts")?;
    let daemon = start_daemon(&dir, &config)?;
    wait("the daemon listens", || std::net::TcpStream::connect(config.http.listen).is_ok())?;
    show.say(&format!("feedbackd serve, process {}; health on http://{}/ready", daemon.0.id(), config.http.listen))?;

    show.step("People decide at their gates; each decision is one entry in the stream")?;
    for event in remarks() {
        let fields = vec![("data".to_owned(), event.to_string())];
        runtime.block_on(wiring::append(&config, HITL, &fields))?;
        show.say(&format!(
            "{:>4} {:21} {}",
            event["reviewer_id"].as_str().unwrap_or("?"),
            event["decision"].as_str().unwrap_or("?"),
            event["reviewer_comment"].as_str().map_or("(no remark)".to_owned(), |c| format!("“{c}”"))
        ))?;
    }
    wait("everything is recorded and acknowledged", || runtime.block_on(drained(&config)).unwrap_or(false))?;

    show.step("What the daemon made of it: commits in a Git repository")?;
    show.program(&config.store.path, &["log", "--reverse", "--format=%h %s"])?;

    show.step("Each decision is a file; this is the last of the three that ask for the same")?;
    show.file(&config.store.path, "feedback/decisions/HITL-4/2026/01/12/10/demo-3.yaml")?;

    show.step("Three people asked for the same, so a rule is proposed")?;
    show.file(&config.store.path, "feedback/rules/proposed/*.yaml")?;

    show.step("An approval contradicts them: a person has to decide")?;
    show.file(&config.store.path, "feedback/ambiguous/demo-6.yaml")?;

    show.step("A remark made once is an edge case, until its like arrives")?;
    show.file(&config.store.path, "feedback/edge_cases/*.yaml")?;

    show.step("What was published on the outgoing streams")?;
    for stream in [
        "asdlc:events:feedback_evaluated",
        "asdlc:events:rule_proposals",
        "asdlc:events:alerts",
        "asdlc:events:dead_letters",
    ] {
        for entry in runtime.block_on(wiring::entries(&config, stream))? {
            show.say(&published(stream, &entry))?;
        }
    }

    show.step("The same, asked from the command line")?;
    show.ourselves(&dir, &config, &["status"])?;
    drop(daemon);
    show.say(&format!(
        "\nThe store stays: git clone {0} and look around, or\n  FEEDBACKD__STORE__PATH={0} FEEDBACKD__STATE__DIR={1} feedbackd proposals list",
        config.store.path.display(),
        config.state.dir.display()
    ))?;
    Ok(Exit::Ok)
}

/// What the people say.
fn remarks() -> Vec<Value> {
    let decision = |id: &str, who: &str, verdict: &str, comment: Option<&str>| {
        json!({
            "decision_id": id, "gate_id": "HITL-4", "epic_id": "EP-7", "task_id": "T-42", "decision": verdict,
            "reviewer_id": who, "timestamp": "2026-01-12T10:00:00Z", "review_duration_seconds": 90,
            "agent_output_sha": "ba4220b8f472a8d1e2972bb999efbac1c47bfe1c", "reviewer_comment": comment,
            "tags": ["code"], "agent": "coding-agent",
        })
    };
    let mut with_diff =
        decision("demo-3", "cem", "APPROVED_WITH_CHANGES", Some("Please add error handling to the API handler"));
    with_diff["correction_diff"] = "--- a/src/api.py\n+++ b/src/api.py\n@@ -10,2 +10,5 @@\n def handler(request):\n-    return client.call(request)\n+    try:\n+        return client.call(request)\n+    except TimeoutError:\n+        return retry_later()\n".into();
    vec![
        decision("demo-1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("demo-2", "bob", "REJECTED", Some("API handler lacks error handling")),
        with_diff,
        decision("demo-4", "ann", "APPROVED", None),
        decision("demo-5", "bob", "REJECTED", Some("The release notes name the wrong version")),
        decision("demo-6", "dee", "APPROVED", Some("Error handling is not needed in the API handler")),
        decision("demo-7", "ann", "PERHAPS", Some("an unknown decision, so this entry is malformed")),
    ]
}

async fn drained(config: &Config) -> Result<bool, wiring::WiringError> {
    let probe = wiring::probe(config).await?;
    let Some(stream) = probe.streams.iter().find(|s| s.key == HITL) else { return Ok(false) };
    Ok(stream.group.as_ref().is_some_and(|g| g.pending == 0 && g.lag == Some(0)))
}

fn configure(dir: &Path, redis_port: u16, http_port: u16) -> Config {
    let mut config = Config::default();
    config.redis.url = Secret::new(format!("redis://127.0.0.1:{redis_port}/0"));
    config.store.path = dir.join("store.git");
    config.state.dir = dir.join("state");
    config.http.listen.set_port(http_port);
    config
}

fn start_redis(dir: &Path, port: u16) -> Result<Running, CliError> {
    let child = Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--appendonly", "yes", "--dir"])
        .arg(dir)
        .stdout(Stdio::null())
        .spawn()
        .map_err(|e| failed(format!("redis-server does not start: {e}"), "install it: `make setup`"))?;
    Ok(Running(child))
}

fn start_daemon(dir: &Path, config: &Config) -> Result<Running, CliError> {
    let log = std::fs::File::create(dir.join("daemon.log"))
        .map_err(|e| failed(format!("cannot write {}: {e}", dir.display()), "give a directory with --dir"))?;
    let child = ourselves(config)?
        .arg("serve")
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(|e| failed(format!("the daemon does not start: {e}"), ""))?;
    Ok(Running(child))
}

/// This program with the demonstration's configuration, and nothing of the caller's.
fn ourselves(config: &Config) -> Result<Command, CliError> {
    let program = std::env::current_exe().map_err(|e| failed(format!("cannot find this program: {e}"), ""))?;
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FEEDBACKD")) {
        command.env_remove(name);
    }
    command
        .env("FEEDBACKD__REDIS__URL", config.redis.url.expose())
        .env("FEEDBACKD__STORE__PATH", &config.store.path)
        .env("FEEDBACKD__STATE__DIR", &config.state.dir)
        .env("FEEDBACKD__HTTP__LISTEN", config.http.listen.to_string());
    Ok(command)
}

/// An absolute, empty directory. One that an earlier demonstration left is made anew.
fn fresh(dir: &Path) -> Result<PathBuf, CliError> {
    let refuse = |e: std::io::Error| failed(format!("cannot use {}: {e}", dir.display()), "give another with --dir");
    if dir.join("store.git").is_dir() && dir.join("daemon.log").is_file() {
        std::fs::remove_dir_all(dir).map_err(refuse)?;
    }
    std::fs::create_dir_all(dir).map_err(refuse)?;
    if std::fs::read_dir(dir).map_err(refuse)?.next().is_some() {
        return Err(failed(format!("{} is not empty", dir.display()), "give another with --dir"));
    }
    dir.canonicalize().map_err(refuse)
}

fn free_port() -> Result<u16, CliError> {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|e| failed(format!("no free port: {e}"), ""))
}

fn wait(what: &str, mut done: impl FnMut() -> bool) -> Result<(), CliError> {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        if Instant::now() > deadline {
            return Err(failed(
                format!("waited {} s until {what}, in vain", PATIENCE.as_secs()),
                "daemon.log in the demonstration's directory says more",
            ));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn published(stream: &str, entry: &[(String, String)]) -> String {
    let field = |name: &str| entry.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v.as_str());
    let data: Value = serde_json::from_str(field("data")).unwrap_or_default();
    let what = ["classification", "rule_content", "question", "message"]
        .iter()
        .find_map(|name| data[name].as_str())
        .unwrap_or_default();
    format!("{} {}: {what}", stream.trim_start_matches("asdlc:events:"), field("idempotency_key"))
}

fn failed(message: String, hint: &str) -> CliError {
    CliError::new(Exit::Failure, message, hint)
}

/// Tells the story.
struct Show<'a, 'b> {
    out: &'a mut Output<'b>,
    step: usize,
}

impl Show<'_, '_> {
    fn step(&mut self, title: &str) -> Result<(), CliError> {
        self.step += 1;
        self.print(&format!("\n=== {}. {title}\n\n", self.step))
    }

    fn say(&mut self, text: &str) -> Result<(), CliError> {
        self.print(&format!("{text}\n"))
    }

    /// A file of the store at its head; `*` stands for any file below the directory, the first is shown.
    fn file(&mut self, store: &Path, pattern: &str) -> Result<(), CliError> {
        let path = match pattern.split_once('*') {
            None => pattern.to_owned(),
            Some((below, _)) => {
                let listed = git(store, &["ls-tree", "-r", "--name-only", "HEAD", "--", below])?;
                let first = listed.lines().next().map(str::to_owned);
                first.ok_or_else(|| failed(format!("there is no file below {below}"), "daemon.log says more"))?
            }
        };
        let text = git(store, &["show", &format!("HEAD:{path}")])?;
        self.print(&format!("$ git show HEAD:{path}\n{text}"))
    }

    fn program(&mut self, store: &Path, args: &[&str]) -> Result<(), CliError> {
        let text = git(store, args)?;
        self.print(&format!("$ git {}\n{text}", args.join(" ")))
    }

    fn ourselves(&mut self, dir: &Path, config: &Config, args: &[&str]) -> Result<(), CliError> {
        let output = ourselves(config)?
            .args(args)
            .current_dir(dir)
            .output()
            .map_err(|e| failed(format!("cannot run this program: {e}"), ""))?;
        self.print(&format!("$ feedbackd {}\n{}", args.join(" "), String::from_utf8_lossy(&output.stdout)))
    }

    fn print(&mut self, text: &str) -> Result<(), CliError> {
        self.out.raw(super::output::clean(text).as_bytes())
    }
}

fn git(store: &Path, args: &[&str]) -> Result<String, CliError> {
    let output = Command::new("git")
        .arg("-C")
        .arg(store)
        .args(args)
        .output()
        .map_err(|e| failed(format!("git does not run: {e}"), "install it: `make setup`"))?;
    if !output.status.success() {
        return Err(failed(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim()), ""));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
