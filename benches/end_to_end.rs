//! From Redis to acknowledged: the daemon as a separate process on a real Redis, against `git fast-import` of what it
//! committed.
//!
//! The stream is full before the daemon starts, so that only Redis and the daemon run during the measurement. The clock
//! runs from the daemon's first read to the last acknowledgement. CPU is that of each process over the same time. Sizes
//! are environment variables: `BENCH_EVENTS` (default 20000), `BENCH_ENCODINGS` (default `flat,json`),
//! `BENCH_LATENCIES` (default 50, single events at idle), `BENCH_DIR` (default the system's temporary directory),
//! `BENCH_KEEP` (keep the directories), `BENCH_APPROVALS` (only approvals without a comment). Not measured: several
//! daemons, a Redis that persists to disk.

#![allow(clippy::disallowed_types, reason = "it starts redis-server, git and the daemon, and plays the gates")]

mod end_to_end {
    pub mod decisions;
    pub mod importing;
    #[allow(dead_code, reason = "each benchmark uses a part of it")]
    pub mod processes;
}

use end_to_end::decisions::Decisions;
use end_to_end::importing::{self, Import};
use end_to_end::processes::{Daemon, Redis, Scratch};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The timeout for any step.
const PATIENCE: Duration = Duration::from_secs(600);
const STREAM: &str = "asdlc:events:hitl_decisions";

fn main() {
    let events = number("BENCH_EVENTS", 20_000);
    let encodings = std::env::var("BENCH_ENCODINGS").unwrap_or_else(|_| "flat,json".to_owned());
    let mut rates = Vec::new();
    for encoding in encodings.split(',').map(str::trim) {
        let directory = Scratch::new(encoding);
        rates.push((encoding.to_owned(), run(&directory.path, encoding == "json", events)));
        if rates.len() == encodings.split(',').count() {
            println!("git fast-import of what the last run committed\n");
            let imports = importing::all(&directory.path);
            ratios(&rates, &imports);
        }
    }
}

/// Returns events per second from Redis to acknowledged.
fn run(directory: &Path, json: bool, events: usize) -> f64 {
    println!("{events} decisions, {}", if json { "one JSON field each" } else { "18 fields each" });
    let redis = Redis::start(directory);
    let mut connection = redis.connect();
    let mut decisions = Decisions::new();
    // Creating the group is the daemon's job, so the stream must not exist before it does.
    fill(&mut connection, &mut decisions, events, json);
    let daemon = Daemon::start(directory, &redis.url(), &[]);
    wait("the first read", Duration::from_millis(1), || progress(&mut connection).read > 0);
    let (started, daemon_before, redis_before) = (Instant::now(), daemon.cpu(), redis.cpu());
    wait("everything is acknowledged", Duration::from_millis(5), || progress(&mut connection).finished());
    let wall = started.elapsed();
    let (daemon_cpu, redis_cpu) = (daemon.cpu() - daemon_before, redis.cpu() - redis_before);
    let rate = events as f64 / wall.as_secs_f64();
    let each = |time: Duration| time.as_secs_f64() * 1e6 / events as f64;
    println!("  from Redis to acknowledged   {rate:>8.0} events/s, {:.1} us an event", each(wall));
    println!("  CPU of the daemon            {:>8.1} us an event", each(daemon_cpu));
    for (thread, cpu) in daemon.threads() {
        println!("    thread {thread:<21} {:>8.1}", each(cpu));
    }
    println!("  CPU of Redis                 {:>8.1} us an event", each(redis_cpu));
    println!("  most memory (RSS)            {:>8.0} MB", daemon.most_memory() as f64 / 1e6);
    stages(&daemon, events);
    latency(&mut connection, &mut decisions, json);
    daemon.stop();
    println!();
    rate
}

fn fill(connection: &mut redis::Connection, decisions: &mut Decisions, events: usize, json: bool) {
    let mut left = events;
    while left > 0 {
        let mut pipeline = redis::pipe();
        for _ in 0..left.min(1000) {
            pipeline.add_command(add(&decisions.next(), json)).ignore();
        }
        left -= left.min(1000);
        pipeline.query::<()>(connection).expect("Redis takes the events");
    }
}

fn add(fields: &[(&'static str, String)], json: bool) -> redis::Cmd {
    let mut command = redis::cmd("XADD");
    command.arg(STREAM).arg("*");
    if json {
        let object: serde_json::Map<_, _> =
            fields.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect();
        command.arg("data").arg(serde_json::Value::Object(object).to_string());
    } else {
        for (name, value) in fields {
            command.arg(*name).arg(value);
        }
    }
    command
}

/// The progress of the consumer group.
#[derive(Default)]
struct Progress {
    read: u64,
    pending: u64,
    lag: Option<u64>,
    last: String,
}

impl Progress {
    fn finished(&self) -> bool {
        self.read > 0 && self.pending == 0 && self.lag == Some(0)
    }
}

fn progress(connection: &mut redis::Connection) -> Progress {
    let groups: Result<Vec<std::collections::HashMap<String, redis::Value>>, _> =
        redis::cmd("XINFO").arg("GROUPS").arg(STREAM).query(connection);
    let Some(group) = groups.ok().and_then(|groups| groups.into_iter().next()) else { return Progress::default() };
    let number =
        |name: &str| group.get(name).and_then(|v| redis::from_redis_value::<Option<u64>>(v.clone()).ok()).flatten();
    Progress {
        read: number("entries-read").unwrap_or(0),
        pending: number("pending").unwrap_or(0),
        lag: number("lag"),
        last: group.get("last-delivered-id").and_then(|v| redis::from_redis_value(v.clone()).ok()).unwrap_or_default(),
    }
}

/// Prints where the batches' time went, from the daemon's log.
fn stages(daemon: &Daemon, events: usize) {
    let batches: Vec<serde_json::Value> = daemon.log().into_iter().filter(|line| line["message"] == "batch").collect();
    let mut sizes: Vec<u64> = batches.iter().filter_map(|b| b["entries"].as_u64()).collect();
    sizes.sort_unstable();
    let (least, most) = (sizes.first().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
    let middle = sizes.get(sizes.len() / 2).copied().unwrap_or(0);
    println!("  batches                      {:>8} of {least} to {most} entries, median {middle}", sizes.len());
    print!("  wall us an event by stage    ");
    for stage in ["decode", "capture", "embed", "evaluate", "render", "commit", "index", "publish", "ack"] {
        let name = format!("{stage}_us");
        let total: u64 = batches.iter().filter_map(|b| b[&name].as_u64()).sum();
        print!(" {stage} {:.1}", total as f64 / events as f64);
    }
    println!();
    // Does it slow down as the store grows? Time between the ends of batches, in five parts of the run.
    let process = |b: &serde_json::Value| b["process_ms"].as_f64().unwrap_or(0.0);
    let entries = |b: &serde_json::Value| b["entries"].as_f64().unwrap_or(0.0);
    print!("  processing by fifth of the run, us an event:");
    for part in batches.chunks(batches.len().div_ceil(5).max(1)) {
        let (time, count): (f64, f64) = (part.iter().map(process).sum(), part.iter().map(entries).sum());
        print!(" {:.1}", time * 1000.0 / count);
    }
    println!();
    let sum = |name: &str| batches.iter().filter_map(|b| b[name].as_u64()).sum::<u64>();
    println!(
        "  recorded {}, re-evaluated {}, rejected {}, duplicates {}",
        sum("recorded"),
        sum("reevaluated"),
        sum("rejected"),
        sum("duplicates")
    );
}

/// Measures XADD to acknowledged, one event at a time.
fn latency(connection: &mut redis::Connection, decisions: &mut Decisions, json: bool) {
    let mut times: Vec<Duration> = (0..number("BENCH_LATENCIES", 50))
        .map(|_| {
            let command = add(&decisions.next(), json);
            let started = Instant::now();
            let id: String = command.query(connection).expect("Redis takes the event");
            wait("one event is acknowledged", Duration::from_micros(100), || {
                let now = progress(connection);
                now.last == id && now.finished()
            });
            let time = started.elapsed();
            sleep(Duration::from_millis(20));
            time
        })
        .collect();
    times.sort_unstable();
    if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
        println!("  one event at idle            {:>8.1} ms median, {:.1} ms at most", millis(*median), millis(*worst));
    }
}

fn ratios(rates: &[(String, f64)], imports: &[Import]) {
    for import in imports {
        println!("  {:<48} {:>7.0} records/s, {:.1} us a record", import.name, import.rate(), 1e6 / import.rate());
        for (encoding, rate) in rates {
            println!("    RATIO ours ({encoding}) / that: {:.2}", rate / import.rate());
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn wait(what: &str, every: Duration, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        sleep(every);
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
