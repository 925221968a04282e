//! A private `redis-server`, on a free port of this machine, with its data in a temporary directory.

use super::wait_until;
use redis::{Connection, FromRedisValue, ToRedisArgs};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A running server. Dropping it kills it.
pub struct RedisServer {
    child: Option<Child>,
    port: u16,
    password: Option<String>,
    arguments: Vec<String>,
    directory: TempDir,
}

impl RedisServer {
    /// Starts a server without persistence.
    pub fn start() -> RedisServer {
        RedisServer::start_with(&["--appendonly", "no"])
    }

    /// Starts a server that writes everything to disk before it answers.
    pub fn durable() -> RedisServer {
        RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"])
    }

    /// Starts a server with these arguments, e.g. `["--requirepass", "pw"]`.
    pub fn start_with(arguments: &[&str]) -> RedisServer {
        let password = arguments.windows(2).find(|pair| pair[0] == "--requirepass").map(|pair| pair[1].to_owned());
        let mut server = RedisServer {
            child: None,
            port: 0,
            password,
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            directory: tempfile::tempdir().expect("a temporary directory"),
        };
        // Another process may take the free port before the server does: try another.
        for _ in 0..10 {
            server.port = free_port();
            if server.launch() {
                return server;
            }
        }
        panic!("redis-server does not start");
    }

    /// Returns the URL, with the password if there is one.
    pub fn url(&self) -> String {
        match &self.password {
            Some(password) => format!("redis://:{password}@127.0.0.1:{}/0", self.port),
            None => format!("redis://127.0.0.1:{}/0", self.port),
        }
    }

    /// Returns the port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops it cleanly.
    pub fn stop(&mut self) {
        if let (Some(mut child), Ok(mut connection)) = (self.child.take(), self.try_connect()) {
            // The server hangs up instead of answering.
            let _: Result<(), _> = redis::cmd("SHUTDOWN").query(&mut connection);
            child.wait().expect("the server ends");
        }
    }

    /// Kills it (SIGKILL).
    pub fn kill9(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the server can be killed");
            child.wait().expect("the server ends");
        }
    }

    /// Starts it again on the same port and directory, after `stop` or `kill9`.
    pub fn restart(&mut self) {
        self.kill9();
        assert!(self.launch(), "redis-server does not start again");
    }

    /// Opens a new connection.
    pub fn connect(&self) -> Connection {
        self.try_connect().expect("the server accepts connections")
    }

    /// Sends one command on a new connection.
    pub fn cli<T: FromRedisValue>(&self, words: &[impl ToRedisArgs]) -> T {
        self.try_cli(words).expect("the command succeeds")
    }

    /// Sends one command that may fail, as may the connection.
    pub fn try_cli<T: FromRedisValue>(&self, words: &[impl ToRedisArgs]) -> redis::RedisResult<T> {
        let mut command = redis::Cmd::new();
        for word in words {
            command.arg(word);
        }
        command.query(&mut self.try_connect()?)
    }

    /// Sends a pipeline that may fail, as may the connection.
    pub fn try_query<T: FromRedisValue>(&self, pipeline: &redis::Pipeline) -> redis::RedisResult<T> {
        pipeline.query(&mut self.try_connect()?)
    }

    fn try_connect(&self) -> redis::RedisResult<Connection> {
        redis::Client::open(self.url())?.get_connection()
    }

    /// Starts the process; returns false if it ended immediately.
    fn launch(&mut self) -> bool {
        let started = Command::new("redis-server")
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", "", "--daemonize", "no"])
            .args(["--repl-diskless-sync-delay", "0"])
            .arg("--dir")
            .arg(self.directory.path())
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                panic!("redis-server is not installed: run make setup")
            }
            Err(error) => panic!("redis-server: {error}"),
        };
        let mut running = true;
        wait_until("redis-server answers", || {
            running = child.try_wait().expect("the server's state").is_none();
            let ping = || redis::cmd("PING").query::<String>(&mut self.try_connect()?);
            !running || ping().is_ok()
        });
        self.child = Some(child);
        running
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns a port that is free now.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
