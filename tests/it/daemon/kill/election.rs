//! Three Sentinels monitor a primary and its replica. The primary is killed, they hold an election, and the daemon's
//! address follows the result.

use super::times;
use crate::harness::daemon::Site;
use crate::harness::proxy::Proxy;
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, EVALUATED, decide, decision, drain, entries};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use redis::{Client, Value};
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NAME: &str = "feedback";

#[test]
fn sentinels_elect_another_primary() {
    let moves = times(1, 50);
    let mut servers = [RedisServer::start(), RedisServer::start()];
    replicate(&servers[1], &servers[0]);
    let proxy = Proxy::to(servers[0].port());
    let mut site = Site::new(&proxy.url());
    site.set("REDIS__RESPONSE_TIMEOUT_MS", "1000");
    let sentinels: Vec<Sentinel> =
        (0..3).map(|n| Sentinel::start(&site.path(&format!("sentinel-{n}")), servers[0].port())).collect();
    let daemon = site.start();
    let (mut primary, mut slowest) = (0, Duration::ZERO);
    for n in 0..moves {
        let other = 1 - primary;
        wait_until("all Sentinels know the replica and each other", || sentinels.iter().all(Sentinel::is_complete));
        decide(&servers[primary], &decision(&format!("d-{n}"), "ann", "APPROVED", None));
        drain(&servers[primary], &site);
        let sent = entries(&servers[primary], DECISIONS).len();
        wait_until("the replica has it", || entries(&servers[other], DECISIONS).len() == sent);
        let _: i64 = servers[primary].cli(&["WAIT", "1", "5000"]);
        servers[primary].kill9();
        let killed = Instant::now();
        wait_until("they agree on the other", || {
            sentinels.iter().all(|sentinel| sentinel.primary() == Some(servers[other].port()))
        });
        let elected = Instant::now();
        proxy.lead_to(servers[other].port());
        proxy.cut();
        decide(&servers[other], &decision(&format!("e-{n}"), "ann", "APPROVED", None));
        drain(&servers[other], &site);
        slowest = slowest.max(elected.elapsed());
        println!("elected after {:.1?}, went on after {:.1?} more", elected - killed, elected.elapsed());
        servers[primary].restart();
        replicate(&servers[primary], &servers[other]);
        primary = other;
    }
    assert_eq!(daemon.stop().code(), Some(0));
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    let recorded = site.files(layout::DECISIONS).len() as u64;
    assert_eq!(recorded, 2 * moves);
    let sent = entries(&servers[primary], EVALUATED);
    let mut keys: Vec<&str> = sent.iter().map(|entry| entry.key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((keys.len(), sent.len() as u64), (sent.len(), recorded), "published once");
    println!("{moves} elections, the slowest was made good in {slowest:.1?}; {recorded} decisions");
}

fn replicate(replica: &RedisServer, primary: &RedisServer) {
    let _: String = replica.cli(&["REPLICAOF", "127.0.0.1", &primary.port().to_string()]);
    wait_until("the replica follows", || {
        replica.cli::<String>(&["INFO", "replication"]).contains("master_link_status:up")
    });
}

/// A private Sentinel. Dropping it kills it.
struct Sentinel {
    child: Child,
    port: u16,
}

impl Sentinel {
    fn start(directory: &Path, primary: u16) -> Sentinel {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        fs::create_dir(directory).expect("a directory");
        let file = directory.join("sentinel.conf");
        let lines = [
            format!("port {port}"),
            "bind 127.0.0.1".to_owned(),
            format!("dir {}", directory.display()),
            format!("sentinel monitor {NAME} 127.0.0.1 {primary} 2"),
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

    /// Returns the port of the primary known to this one.
    fn primary(&self) -> Option<u16> {
        let (_, port): (String, u16) = self.ask("GET-MASTER-ADDR-BY-NAME").ok()?;
        Some(port)
    }

    /// Reports whether it knows one working replica, and the two others.
    fn is_complete(&self) -> bool {
        let works = |found: &Vec<Value>| !found.iter().any(|one| format!("{one:?}").contains("s_down"));
        let replicas = self.ask::<Vec<Value>>("REPLICAS").ok().filter(works);
        let others = self.ask::<Vec<Value>>("SENTINELS").ok();
        replicas.is_some_and(|found| found.len() == 1) && others.is_some_and(|found| found.len() == 2)
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
