//! Private Sentinels that watch one primary.

use super::redis::{RedisServer, free_port};
use super::wait_until;
use redis::{Client, Value};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The primary's name there.
pub const NAME: &str = "feedback";

/// A private Sentinel. Dropping it kills it.
pub struct Sentinel {
    child: Child,
    port: u16,
}

impl Sentinel {
    /// Starts one that watches the primary on this port; so many have to agree that it is down.
    pub fn start(directory: &Path, primary: u16, quorum: u32) -> Sentinel {
        let port = free_port();
        fs::create_dir(directory).expect("a directory");
        let file = directory.join("sentinel.conf");
        let lines = [
            format!("port {port}"),
            "bind 127.0.0.1".to_owned(),
            format!("dir {}", directory.display()),
            format!("sentinel monitor {NAME} 127.0.0.1 {primary} {quorum}"),
            format!("sentinel down-after-milliseconds {NAME} 500"),
            format!("sentinel failover-timeout {NAME} 2000"),
        ];
        fs::write(&file, lines.join("\n") + "\n").expect("a file");
        let child = Command::new("redis-server")
            .arg(&file)
            .arg("--sentinel")
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is installed");
        let sentinel = Sentinel { child, port };
        wait_until("it answers", || sentinel.primary() == Some(primary));
        sentinel
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Returns the port of the primary known to this one.
    pub fn primary(&self) -> Option<u16> {
        let (_, port): (String, u16) = self.ask("GET-MASTER-ADDR-BY-NAME").ok()?;
        Some(port)
    }

    /// Reports whether it knows one working replica, and the two others.
    pub fn is_complete(&self) -> bool {
        let works = |found: &Vec<Value>| !found.iter().any(|one| format!("{one:?}").contains("s_down"));
        let replicas = self.ask::<Vec<Value>>("REPLICAS").ok().filter(works);
        let others = self.ask::<Vec<Value>>("SENTINELS").ok();
        replicas.is_some_and(|found| found.len() == 1) && others.is_some_and(|found| found.len() == 2)
    }

    /// Reports whether it holds the primary to be down.
    pub fn sees_it_down(&self) -> bool {
        self.ask::<Value>("MASTER").is_ok_and(|facts| format!("{facts:?}").contains("s_down"))
    }

    fn ask<T: redis::FromRedisValue>(&self, what: &str) -> redis::RedisResult<T> {
        let mut connection = Client::open(("127.0.0.1", self.port))?.get_connection()?;
        redis::cmd("SENTINEL").arg(what).arg(NAME).query(&mut connection)
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes a server the replica of another one, and waits until it follows.
pub fn replicate(replica: &RedisServer, primary: &RedisServer) {
    let _: String = replica.cli(&["REPLICAOF", "127.0.0.1", &primary.port().to_string()]);
    wait_until("the replica follows", || {
        replica.cli::<String>(&["INFO", "replication"]).contains("master_link_status:up")
    });
}
