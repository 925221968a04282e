//! The environment of the demonstration: a private Redis, the daemon as a process, this program, Git.
//!
//! It does not contain the steps themselves.

#![allow(clippy::disallowed_types, reason = "it starts the programs shown: redis-server, git, the daemon")]

use crate::cli::exit::{CliError, Exit};
use crate::config::{Config, Secret};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum duration of a step.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that is killed when the demonstration ends, however it ends.
pub(super) struct ChildGuard(Child);

impl ChildGuard {
    /// Returns the process id.
    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // SIGTERM would be gentler, but both persist their state.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Builds the configuration of everything that is started.
pub(super) fn configure(dir: &Path, redis_port: u16, http_port: u16) -> Config {
    let mut config = Config::default();
    config.redis.url = Secret::new(format!("redis://127.0.0.1:{redis_port}/0"));
    config.store.path = dir.join("store.git");
    config.state.dir = dir.join("state");
    config.http.listen.set_port(http_port);
    // Outside a demonstration nothing counts for a week, because work begun before a rule is still in progress.
    config.effect.stabilizing_days = 0;
    config
}

/// Starts a private server.
pub(super) fn start_redis(dir: &Path, config: &Config) -> Result<ChildGuard, CliError> {
    let url = config.redis.url.expose();
    let port = url.rsplit(':').next().and_then(|end| end.split('/').next()).unwrap_or_default();
    let child = Command::new("redis-server")
        .args(["--port", port, "--bind", "127.0.0.1", "--appendonly", "yes", "--dir"])
        .arg(dir)
        .stdout(Stdio::null())
        .spawn()
        .map_err(|e| failed(format!("cannot start redis-server: {e}"), "install it: `make setup`"))?;
    Ok(ChildGuard(child))
}

/// Starts the daemon as a process; its log goes to a file.
pub(super) fn start_daemon(dir: &Path, config: &Config) -> Result<ChildGuard, CliError> {
    let log = std::fs::File::create(dir.join("daemon.log"))
        .map_err(|e| failed(format!("cannot write {}: {e}", dir.display()), "give a directory with --dir"))?;
    let child = ourselves(config)?
        .arg("serve")
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(|e| failed(format!("cannot start the daemon: {e}"), ""))?;
    Ok(ChildGuard(child))
}

/// Runs this program with the demonstration's configuration and a clean environment.
pub(super) fn ourselves(config: &Config) -> Result<Command, CliError> {
    let program = std::env::current_exe().map_err(|e| failed(format!("cannot find this program: {e}"), ""))?;
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FEEDBACKD")) {
        command.env_remove(name);
    }
    command
        .env("FEEDBACKD__REDIS__URL", config.redis.url.expose())
        .env("FEEDBACKD__STORE__PATH", &config.store.path)
        .env("FEEDBACKD__STATE__DIR", &config.state.dir)
        .env("FEEDBACKD__HTTP__LISTEN", config.http.listen.to_string())
        .env("FEEDBACKD__EFFECT__STABILIZING_DAYS", config.effect.stabilizing_days.to_string());
    Ok(command)
}

/// Returns an absolute, empty directory. One left by an earlier demonstration is recreated.
pub(super) fn fresh(dir: &Path) -> Result<PathBuf, CliError> {
    let refuse =
        |e: std::io::Error| failed(format!("cannot use {}: {e}", dir.display()), "give another directory with --dir");
    if dir.join("store.git").is_dir() && dir.join("daemon.log").is_file() {
        std::fs::remove_dir_all(dir).map_err(refuse)?;
    }
    std::fs::create_dir_all(dir).map_err(refuse)?;
    if std::fs::read_dir(dir).map_err(refuse)?.next().is_some() {
        return Err(failed(format!("{} is not empty", dir.display()), "give another directory with --dir"));
    }
    dir.canonicalize().map_err(refuse)
}

/// Returns an unused port.
pub(super) fn free_port() -> Result<u16, CliError> {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|e| failed(format!("no free port: {e}"), ""))
}

/// Waits until a condition holds.
pub(super) fn wait(what: &str, mut done: impl FnMut() -> bool) -> Result<(), CliError> {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        if Instant::now() > deadline {
            return Err(failed(
                format!("timed out after {} s, waiting until {what}", PATIENCE.as_secs()),
                "see daemon.log in the demonstration's directory",
            ));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Builds an error with a hint.
pub(super) fn failed(message: String, hint: &str) -> CliError {
    CliError::new(Exit::Failure, message, hint)
}

/// Returns Git's output for the store or a clone.
pub(super) fn git(store: &Path, args: &[&str]) -> Result<String, CliError> {
    let output = Command::new("git")
        .arg("-C")
        .arg(store)
        .args(args)
        .output()
        .map_err(|e| failed(format!("cannot run git: {e}"), "install it: `make setup`"))?;
    if !output.status.success() {
        return Err(failed(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim()), ""));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
