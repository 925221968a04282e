//! Queries a daemon at a steady rate and reports response times.

use super::processes::Daemon;
use std::collections::BTreeMap;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

const CONNECTIONS: u32 = 8;

/// Sends requests at a steady rate; returns response times by path.
pub fn load(
    daemon: &Daemon,
    paths: &[String],
    token: &str,
    rate: usize,
    seconds: usize,
) -> BTreeMap<String, Vec<Duration>> {
    let begin = Instant::now();
    let each = Duration::from_secs(1) * CONNECTIONS / u32::try_from(rate).unwrap_or(1);
    let asked = thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS)
            .map(|number| {
                scope.spawn(move || {
                    let client = daemon.client();
                    let mut times = Vec::new();
                    let mut due = begin + each * number / CONNECTIONS;
                    let mut turn = number as usize;
                    while due < begin + Duration::from_secs(seconds as u64) {
                        sleep(due.saturating_duration_since(Instant::now()));
                        let path = &paths[turn % paths.len()];
                        daemon.ask(&client, path, token).unwrap_or_else(|why| panic!("{path}: {why}"));
                        times.push((path.clone(), due.elapsed()));
                        (due, turn) = (due + each, turn + 1);
                    }
                    times
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a connection")).collect::<Vec<_>>()
    });
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    asked.into_iter().for_each(|(path, time)| times.entry(path).or_default().push(time));
    times
}

/// Prints the distribution of some times, in milliseconds.
pub fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| {
        times.get(((times.len() as f64 - 1.0) * share) as usize).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    println!(
        "  {what:<32} {:>5} answers, p50 {:>6.1} ms, p99 {:>6.1} ms, at most {:>6.1} ms",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// Waits until a condition holds.
pub fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(300);
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        sleep(Duration::from_millis(5));
    }
}

/// Reads a number from the environment.
pub fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
