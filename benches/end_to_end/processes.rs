//! The measured programs, Redis and the daemon, each in its own process, and their resource usage.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A directory that is removed when the benchmark ends.
pub struct Scratch {
    pub path: PathBuf,
}

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let base = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = base.join(format!("feedbackd-bench-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory");
        Scratch { path }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::env::var_os("BENCH_KEEP").is_none() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// A Redis server without persistence.
pub struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    pub fn start(directory: &Path) -> Redis {
        let port = free_port();
        let child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir"])
            .arg(directory)
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is installed: run make setup");
        answers(port);
        Redis { child, port }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    pub fn connect(&self) -> redis::Connection {
        redis::Client::open(self.url()).and_then(|client| client.get_connection()).expect("Redis answers")
    }

    pub fn cpu(&self) -> Duration {
        cpu(self.child.id())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The daemon as run in production, on its own store.
pub struct Daemon {
    child: Child,
    log: PathBuf,
    port: u16,
}

impl Daemon {
    /// Starts the daemon. `more`: configuration keys, as variables.
    pub fn start(directory: &Path, redis: &str, more: &[(&str, &Path)]) -> Daemon {
        let (log, port) = (directory.join("daemon.log"), free_port());
        let program = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_feedbackd"));
            command
                .args(arguments)
                .current_dir(directory)
                .env("FEEDBACKD__REDIS__URL", redis)
                .env("FEEDBACKD__STORE__PATH", directory.join("store.git"))
                .env("FEEDBACKD__STATE__DIR", directory.join("state"))
                .env("FEEDBACKD__HTTP__LISTEN", format!("127.0.0.1:{port}"))
                .env("FEEDBACKD__LOG__FORMAT", "json")
                .envs(more.iter().copied())
                .stdout(Stdio::null())
                .stderr(File::options().create(true).append(true).open(&log).expect("a log"));
            command
        };
        assert!(program(&["init"]).status().expect("the program").success(), "no store");
        Daemon { child: program(&["serve"]).spawn().expect("the daemon"), log, port }
    }

    /// Returns the URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns a client with one kept-alive connection.
    pub fn client(&self) -> reqwest::blocking::Client {
        reqwest::blocking::Client::builder().pool_max_idle_per_host(1).build().expect("a client")
    }

    /// Returns the response body, or the status and body of an error. Only the API needs the token.
    pub fn ask(&self, client: &reqwest::blocking::Client, path: &str, token: &str) -> Result<String, String> {
        let mut request = client.get(self.url(path));
        if path.starts_with("/api/") {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let answer = request.send().map_err(|error| error.to_string())?;
        let status = answer.status();
        let body = answer.text().map_err(|error| error.to_string())?;
        if status.is_success() { Ok(body) } else { Err(format!("{status}: {body}")) }
    }

    /// Sends a single request, with a new client.
    pub fn get(&self, path: &str, token: &str) -> Result<String, String> {
        self.ask(&self.client(), path, token)
    }

    pub fn cpu(&self) -> Duration {
        cpu(self.child.id())
    }

    /// Returns CPU time since the start by kind of thread, busiest first.
    pub fn threads(&self) -> Vec<(String, Duration)> {
        let mut threads = std::collections::BTreeMap::<String, Duration>::new();
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten() {
            let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
            let name = stat.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("?", |(name, _)| name);
            *threads.entry(name.to_owned()).or_default() += cpu_in(&stat);
        }
        let mut threads: Vec<_> = threads.into_iter().collect();
        threads.sort_by_key(|(_, cpu)| std::cmp::Reverse(*cpu));
        threads
    }

    /// Returns the peak memory, in bytes.
    pub fn most_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) * 1024
    }

    /// Returns the lines of its log.
    pub fn log(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub fn stop(mut self) {
        let id = libc::pid_t::try_from(self.child.id()).expect("a process id");
        // SAFETY: kill has no preconditions; the child is ours and has not been reaped.
        unsafe { libc::kill(id, libc::SIGTERM) };
        assert!(self.child.wait().expect("the daemon ends").success(), "the daemon failed: {}", self.log.display());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cpu(process: u32) -> Duration {
    cpu_in(&fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default())
}

/// Returns user plus system time from a line of `/proc/<id>/stat`, in ticks of a hundredth of a second.
fn cpu_in(stat: &str) -> Duration {
    // The name, in parentheses, may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or(stat, |(_, rest)| rest).split_whitespace().collect();
    let ticks: u64 = fields.iter().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn answers(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "redis-server does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}
