//! Pages and API under a flow of decisions: response times, and the effect on intake.
//!
//! Runs the daemon as a separate process on a real Redis. First the store is filled (`BENCH_EVENTS`, default 2,000).
//! Then decisions arrive at a steady rate (`BENCH_RATE`, default 500 a second) for `BENCH_SECONDS` (default 20), once
//! without and once with requests (`BENCH_REQUESTS`, default 200 a second, over eight connections). A response time
//! counts from the moment the request was due. Then the requests are repeated while nothing changes. The increase in
//! the daemon's CPU is the cost of the requests. Not measured: a browser, TLS, a proxy.

#![allow(
    clippy::disallowed_types,
    reason = "it starts redis-server and the daemon, plays the gates, and reads the clock"
)]

mod end_to_end {
    pub mod decisions;
    pub mod load;
    #[allow(dead_code, reason = "each benchmark uses a part of it")]
    pub mod processes;
}

use end_to_end::decisions::Decisions;
use end_to_end::load::{load, number, report, wait};
use end_to_end::processes::{Daemon, Redis, Scratch};
use std::collections::BTreeMap;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

const STREAM: &str = "asdlc:events:hitl_decisions";
const TOKEN: &str = "a-token-for-the-benchmark-alone";

fn main() {
    // reqwest requires a provider even for plain HTTP.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let directory = Scratch::new("http");
    let redis = Redis::start(&directory.path);
    let token = directory.path.join("token");
    std::fs::write(&token, TOKEN).expect("a token");
    let daemon = Daemon::start(&directory.path, &redis.url(), &[("FEEDBACKD__HTTP__API_TOKEN_FILE", &token)]);
    let (mut connection, mut decisions) = (redis.connect(), Decisions::new());
    let filled = number("BENCH_EVENTS", 2_000);
    wait("the daemon answers", || daemon.get("/ready", "").is_ok());
    for _ in 0..filled {
        add(&mut connection, &decisions.next());
    }
    wait("the store is filled", || is_done(&mut connection));
    let paths = paths(&daemon);
    println!("{filled} decisions in the store; a mix of {} pages and calls", paths.len());

    let (rate, seconds) = (number("BENCH_RATE", 500), number("BENCH_SECONDS", 20));
    let alone = flow(&daemon, &mut connection, &mut decisions, rate, seconds);
    println!(
        "  {rate} decisions a second alone          last one acknowledged {:.2} s after it came, CPU {:.2} s",
        alone.0, alone.1
    );
    let requests = number("BENCH_REQUESTS", 200);
    let (together, times) = thread::scope(|scope| {
        let load = scope.spawn(|| load(&daemon, &paths, TOKEN, requests, seconds));
        let together = flow(&daemon, &mut connection, &mut decisions, rate, seconds);
        (together, load.join().expect("the requests"))
    });
    println!(
        "  with {requests} requests a second            last one acknowledged {:.2} s after it came, CPU {:.2} s",
        together.0, together.1
    );
    let mut all: Vec<Duration> = times.values().flatten().copied().collect();
    for (path, times) in &times {
        report(path, &mut times.clone());
    }
    report("all", &mut all);
    let answered = all.len().max(1) as f64;
    println!("  CPU for a request beside decisions       {:.2} ms", (together.1 - alone.1) * 1e3 / answered);
    let cpu = daemon.cpu();
    let answered = load(&daemon, &paths, TOKEN, requests, seconds).values().map(Vec::len).sum::<usize>().max(1) as f64;
    let used = (daemon.cpu() - cpu).as_secs_f64();
    println!("  CPU for a request while nothing changes  {:.2} ms", used * 1e3 / answered);
    println!("  RATIO of the intake's last acknowledgement, with requests / alone: {:.2}", together.0 / alone.0);
    daemon.stop();
}

/// Returns the paths to request: every kind of page, and API calls.
fn paths(daemon: &Daemon) -> Vec<String> {
    let mut paths: Vec<String> =
        ["/", "/proposals", "/rules", "/contradictions", "/groups", "/report"].map(str::to_owned).into();
    let listed = daemon.get("/api/v1/proposals?limit=5", TOKEN).expect("a list");
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let ids: Vec<&str> =
        listed["proposals"].as_array().into_iter().flatten().filter_map(|p| p["proposal_id"].as_str()).collect();
    paths.extend(ids.iter().map(|id| format!("/proposals/{id}")));
    paths.extend(["/api/v1/proposals?limit=20", "/api/v1/rules/stopped", "/api/v1/inbox"].map(str::to_owned));
    paths.retain(|path| match daemon.get(path, TOKEN) {
        Ok(_) => true,
        Err(why) => {
            println!("  left out: {path}: {why}");
            false
        }
    });
    paths
}

/// Sends decisions at a steady rate. Returns the last one's wait and the daemon's CPU, in seconds.
fn flow(
    daemon: &Daemon,
    connection: &mut redis::Connection,
    decisions: &mut Decisions,
    rate: usize,
    seconds: usize,
) -> (f64, f64) {
    let (begin, cpu) = (Instant::now(), daemon.cpu());
    for number in 0..rate * seconds {
        let due = begin + Duration::from_secs_f64(number as f64 / rate as f64);
        sleep(due.saturating_duration_since(Instant::now()));
        add(connection, &decisions.next());
    }
    let last = Instant::now();
    wait("all is acknowledged", || is_done(connection));
    (last.elapsed().as_secs_f64(), (daemon.cpu() - cpu).as_secs_f64())
}

fn add(connection: &mut redis::Connection, fields: &[(&'static str, String)]) {
    let mut command = redis::cmd("XADD");
    command.arg(STREAM).arg("*");
    for (name, value) in fields {
        command.arg(*name).arg(value);
    }
    command.query::<()>(connection).expect("Redis takes it");
}

fn is_done(connection: &mut redis::Connection) -> bool {
    let groups: Result<Vec<BTreeMap<String, redis::Value>>, _> =
        redis::cmd("XINFO").arg("GROUPS").arg(STREAM).query(connection);
    groups.ok().and_then(|groups| groups.into_iter().next()).is_some_and(|group| {
        let number =
            |name: &str| group.get(name).and_then(|v| redis::from_redis_value::<Option<u64>>(v.clone()).ok()).flatten();
        number("pending") == Some(0) && number("lag") == Some(0)
    })
}
