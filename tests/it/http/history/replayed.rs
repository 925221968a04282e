//! Two thousand pull requests over an unreliable network from a forge that rejects requests, with interruptions.

use super::shop::{BEGIN, REPOSITORY, Shop, TOKEN, github, ids};
use crate::harness::daemon::Site;
use crate::harness::forge::{Answered, ForgeServer};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, Entry, entries};
use crate::harness::wait_until;
use feedbackd::app::forges::history::{HistoryError, Span, Tally, Watcher};
use feedbackd::config::{self, Config};
use feedbackd::wiring;
use jiff::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Returns a fault, at places determined by a seed.
pub(super) fn trouble(chance: &mut ChaCha8Rng, good: &Answered) -> Option<Answered> {
    let body = |text: &str| json!({ "message": text }).to_string();
    Some(match chance.next_u32() % 200 {
        // Cut off within the body, before it, and before the head.
        0..4 => Answered { cut: Some(good.body.len() / 2), ..good.clone() },
        4 => Answered { cut: Some(0), ..good.clone() },
        5 => Answered::status(502),
        6 => Answered { body: body("API rate limit exceeded"), ..Answered::status(403) }
            .with("x-ratelimit-remaining", "0")
            .with("x-ratelimit-reset", (wiring::now().as_second() + 30).to_string()),
        7 => Answered::status(429).with("retry-after", "7"),
        8 => Answered { body: body("You have exceeded a secondary rate limit."), ..Answered::status(403) },
        // The last request within the rate limit.
        9 => good
            .clone()
            .with("x-ratelimit-remaining", "0")
            .with("x-ratelimit-reset", (wiring::now().as_second() + 20).to_string()),
        _ => return None,
    })
}

/// Skips waits, records their reasons, and stops after every so many.
#[derive(Default)]
pub(super) struct Hurried {
    pub(super) waits: RefCell<Vec<(Duration, String)>>,
    pub(super) stops_every: usize,
    pub(super) listed: Cell<usize>,
}

impl Watcher for Hurried {
    fn listed(&self, pulls: usize) {
        self.listed.set(pulls);
    }

    fn read(&self, _: &Tally) {}

    fn wait(&self, time: Duration, why: &str) -> bool {
        let mut waits = self.waits.borrow_mut();
        waits.push((time, why.to_owned()));
        !waits.len().is_multiple_of(self.stops_every)
    }
}

/// Returns a configuration of a forge called `github` with the server's API, for this process.
fn configured(site: &mut Site, redis: &RedisServer, server: &ForgeServer) -> Config {
    let (secret, token, file) = (site.path("hook.key"), site.path("api.token"), site.path("config.toml"));
    fs::write(&secret, "0123456789abcdef0123456789abcdef").expect("a secret");
    fs::write(&token, format!("{TOKEN}\n")).expect("a token");
    let text = format!(
        "[redis]\nurl = \"{}\"\n[state]\ndir = \"{}\"\n[[forges.connected]]\nname = \"github\"\nkind = \"github\"\n\
         secret_files = [\"{}\"]\nagents = [{{ branch = \"codex/\", agent = \"codex\" }}]\n{}",
        redis.url(),
        site.state().display(),
        secret.display(),
        github(server, &token.display().to_string())
    );
    fs::write(&file, text).expect("a configuration");
    site.set_file(&file);
    config::load(Some(&file), &config::Environment::default()).expect("it can be used")
}

#[test]
fn of_2000_pull_requests_nothing_is_lost_and_nothing_comes_twice() {
    let (redis, shop) = (RedisServer::start(), Shop::with(2_000));
    let mut site = Site::without_store(&redis.url());
    let (chance, answering) = (Mutex::new(ChaCha8Rng::seed_from_u64(17)), shop.clone());
    let server = ForgeServer::start(move |port, asked| {
        let good = answering.answer(port, asked);
        let wrong = trouble(&mut chance.lock().expect("no thread panicked"), &good);
        wrong.unwrap_or(good)
    });
    let config = configured(&mut site, &redis, &server);
    let span = Span { since: Timestamp::from_second(BEGIN - 86_400).expect("a time"), until: None };
    let begun = Instant::now();
    let (mut runs, mut all, mut waited) = (0, Tally::default(), Vec::new());
    loop {
        runs += 1;
        assert!(runs < 1_000, "it never ends");
        let history = wiring::history(&config, "github", REPOSITORY, None).expect("it can be read");
        let (watcher, mut tally) = (Hurried { stops_every: 20, ..Hurried::default() }, Tally::default());
        let done = history.import(span, &watcher, &mut tally);
        all.requests += tally.requests;
        all.pull_requests += tally.pull_requests;
        all.handed_over += tally.handed_over;
        all.known += tally.known;
        waited.extend(watcher.waits.take());
        match done {
            Ok(()) => break,
            Err(HistoryError::Stopped) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let seconds: u64 = waited.iter().map(|(time, _)| time.as_secs()).sum();
    println!(
        "2000 pull requests, {} decisions: {} runs, {} requests, {} waits ({seconds} s, not waited), {:.1} s",
        shop.decisions.len(),
        runs,
        all.requests,
        waited.len(),
        begun.elapsed().as_secs_f64()
    );
    let found = ids(&redis);
    let unique: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!(found.len(), unique.len(), "something came twice");
    let lost: Vec<&String> = shop.decisions.difference(&unique).take(5).collect();
    assert!(lost.is_empty() && unique.len() == shop.decisions.len(), "lost: {lost:?}");
    assert_eq!((all.pull_requests, all.handed_over), (2_000, shop.decisions.len() as u64));
    assert!(runs > 5, "it was interrupted: {runs}");
    assert!(waited.iter().any(|(time, _)| (6_000..=7_000).contains(&time.as_millis())), "{waited:?}");
    assert!(waited.iter().any(|(time, why)| time.as_secs() >= 18 && why.contains("no more requests")), "{waited:?}");
    // Three for each with reviews, two for others, the list at each run, and the faults.
    let bound = 3 * 2_000 + 20 * runs + 2 * waited.len() as u64;
    assert!(all.requests <= bound, "{} requests, at most {bound}", all.requests);
    assert_eq!(all.requests, server.asked().len() as u64);

    // Chronological: by the pull request's last change, and within it by the review's time.
    let order = |entry: &Entry| {
        let data = entry.data();
        let number = data["forge"]["number"].as_str().and_then(|number| number.parse::<u64>().ok()).expect("a number");
        (number / 3, number, data["timestamp"].as_str().expect("a time").to_owned())
    };
    let orders: Vec<(u64, u64, String)> = entries(&redis, DECISIONS).iter().map(order).collect();
    assert!(orders.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{:?}", &orders[..50]);
    assert!(orders.windows(2).all(|pair| pair[0].1 != pair[1].1 || pair[0].2 <= pair[1].2));
}

#[test]
fn killed_in_the_middle_it_goes_on() {
    let (redis, shop) = (RedisServer::start(), Shop::with(80));
    let mut site = Site::without_store(&redis.url());
    let answering = shop.clone();
    let server = ForgeServer::start(move |port, asked| answering.answer(port, asked));
    configured(&mut site, &redis, &server);
    let arguments = ["import", "forge", "github", REPOSITORY, "--since", "2024-12-01"];
    let mut killed = 0;
    for _ in 0..4 {
        let seen = server.asked().len();
        let mut import =
            site.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        wait_until("it has asked for some of it", || server.asked().len() >= seen + 30);
        import.kill().expect("a process of ours");
        // If it was faster, it has ended successfully.
        killed += usize::from(!import.wait().expect("it ends").success());
    }
    assert!(killed >= 2, "it was killed {killed} times");
    let said = site.run(&arguments);
    assert_eq!(said.code, Some(0), "{said:?}");
    let found = ids(&redis);
    let unique: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!((found.len(), unique), (shop.decisions.len(), shop.decisions));
    // Of what was read before the kill, at most one pull request is requested again.
    let asked = server.asked().len();
    println!("80 pull requests, killed {killed} times: {asked} requests");
    assert!(asked <= 80 * 3 + 5 * (1 + 3), "{asked} requests");
}
