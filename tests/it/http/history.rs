//! History from a forge's API: what was reviewed before anybody listened, with all that goes wrong on the way.

use super::hooks::{World, recorded, said_by, signed};
use crate::harness::daemon::{Said, Site};
use crate::harness::forge::{Answered, Asked, ForgeServer};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, entries};
use crate::harness::wait_until;
use feedbackd::app::history::{HistoryError, Span, Tally, Watcher};
use feedbackd::config::{self, Config};
use feedbackd::wiring;
use jiff::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const TOKEN: &str = "ghp_0123456789secret";
const REPOSITORY: &str = "team/shop";
/// The first of January 2025.
const BEGIN: i64 = 1_735_689_600;

/// A repository with so many pull requests, in GitHub's shapes.
#[derive(Clone, Default)]
struct Shop {
    pulls: Vec<Value>,
    /// By pull request.
    reviews: BTreeMap<u64, Vec<Value>>,
    remarks: BTreeMap<u64, Vec<Value>>,
    comments: BTreeMap<u64, Vec<Value>>,
    /// The ids of the decisions that come of it.
    decisions: BTreeSet<String>,
}

fn time(second: i64) -> String {
    Timestamp::from_second(second).expect("a time").to_string()
}

fn person(login: &str) -> Value {
    let id = login.bytes().fold(1_u64, |id, byte| id * 131 + u64::from(byte));
    json!({ "login": login, "id": id, "type": if login == "lint-app" { "Bot" } else { "User" } })
}

impl Shop {
    /// Every fifth has no review; some are by the author or a program.
    fn with(pulls: u64) -> Shop {
        let mut shop = Shop::default();
        for number in 1..=pulls {
            // Three in a row change in the same second.
            let at = BEGIN + i64::try_from(number / 3).expect("few") * 3_600;
            shop.pulls.push(json!({
                "number": number,
                "html_url": format!("https://github.com/{REPOSITORY}/pull/{number}"),
                "user": person("eva"),
                "body": "Co-Authored-By: Claude",
                "head": { "ref": format!("codex/{number}"), "sha": format!("{number:040x}"), "repo": {} },
                "base": { "repo": { "full_name": "Team/Shop" } },
                "created_at": time(at - 7_200),
                "updated_at": time(at),
            }));
            if number % 5 != 0 {
                shop.review(number, 1, "ann", "CHANGES_REQUESTED", number % 4, at - 600);
            }
            match number % 7 {
                0 => shop.review(number, 2, "lint-app", "COMMENTED", 2, at - 500),
                1 => shop.review(number, 3, "ben", "APPROVED", 0, at - 400),
                2 => shop.review(number, 4, "eva", "COMMENTED", 1, at - 300),
                _ => {}
            }
            if number % 10 == 0 {
                let id = number * 10;
                shop.comments.entry(number).or_default().push(json!({
                    "id": id, "user": person("ann"), "body": "Please write a test.", "created_at": time(at - 60),
                }));
                shop.decisions.insert(format!("github-Team-Shop-{number}-comment-{id}"));
            }
        }
        shop
    }

    fn review(&mut self, number: u64, nth: u64, by: &str, state: &str, remarks: u64, at: i64) {
        let id = number * 100 + nth;
        let revision = format!("{number:040x}");
        self.reviews.entry(number).or_default().push(json!({
            "id": id, "user": person(by), "state": state, "body": if state == "COMMENTED" { "" } else { "See below." },
            "commit_id": revision, "submitted_at": time(at), "html_url": format!("https://github.com/r/{id}"),
        }));
        for remark in 0..remarks {
            self.remarks.entry(number).or_default().push(json!({
                "id": id * 10 + remark, "pull_request_review_id": id, "user": person(by),
                "body": format!("Handle the error of call {remark}."), "path": "src/api.rs", "line": 10 + remark,
                "side": "RIGHT", "diff_hunk": "@@ -1 +1 @@\n-old\n+new", "original_commit_id": revision,
                "created_at": time(at),
            }));
        }
        if !matches!(by, "eva" | "lint-app") {
            self.decisions.insert(format!("github-Team-Shop-{number}-review-{id}"));
        }
    }

    /// As GitHub answers.
    fn answer(&self, port: u16, asked: &Asked) -> Answered {
        assert_eq!(asked.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
        let place = asked.path.split('?').next().unwrap_or_default();
        let parts: Vec<&str> = place.trim_start_matches('/').split('/').collect();
        let of = |map: &BTreeMap<u64, Vec<Value>>, number: &str| {
            let found = number.parse().ok().and_then(|number: u64| map.get(&number).cloned());
            Answered::json(&Value::Array(found.unwrap_or_default()))
        };
        match parts.as_slice() {
            ["repos", "team", "shop", "pulls"] => self.list(port, asked),
            ["repos", "team", "shop", "pulls", number, "reviews"] => of(&self.reviews, number),
            ["repos", "team", "shop", "pulls", number, "comments"] => of(&self.remarks, number),
            ["repos", "team", "shop", "issues", number, "comments"] => of(&self.comments, number),
            _ => Answered::status(404),
        }
    }

    fn list(&self, port: u16, asked: &Asked) -> Answered {
        let mut all: Vec<&Value> = self.pulls.iter().collect();
        all.sort_by_key(|pull| std::cmp::Reverse(pull["updated_at"].as_str()));
        let page: usize = asked.query("page").and_then(|page| page.parse().ok()).unwrap_or(1);
        assert_eq!(asked.query("per_page"), Some("100"));
        let items: Vec<&Value> = all.iter().skip((page - 1) * 100).take(100).copied().collect();
        let etag = format!("\"{:?}\"", all.first().map(|pull| (&pull["updated_at"], &pull["number"])));
        if asked.header("if-none-match") == Some(etag.as_str()) {
            return Answered::status(304);
        }
        let mut answer = Answered::json(&json!(items)).with("etag", etag);
        if all.len() > page * 100 {
            let plain = asked.path.split("&page=").next().unwrap_or_default();
            answer = answer.with("link", format!("<http://127.0.0.1:{port}{plain}&page={}>; rel=\"next\"", page + 1));
        }
        answer
    }
}

/// What goes wrong on the way, at places that a seed says.
fn trouble(chance: &mut ChaCha8Rng, good: &Answered) -> Option<Answered> {
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
        // The last one that was left.
        9 => good
            .clone()
            .with("x-ratelimit-remaining", "0")
            .with("x-ratelimit-reset", (wiring::now().as_second() + 20).to_string()),
        _ => return None,
    })
}

/// Waits for nothing, keeps why, and stops every so many waits.
#[derive(Default)]
struct Hurried {
    waits: RefCell<Vec<(Duration, String)>>,
    stops_every: usize,
    listed: Cell<usize>,
}

impl Watcher for Hurried {
    fn listed(&self, pulls: usize) {
        self.listed.set(pulls);
    }

    fn read(&self, _: &Tally) {}

    fn wait(&self, time: Duration, why: &str) -> bool {
        let mut waits = self.waits.borrow_mut();
        waits.push((time, why.to_owned()));
        self.stops_every == 0 || waits.len() % self.stops_every != 0
    }
}

fn github(server: &ForgeServer, token: &str) -> String {
    format!("api_url = \"{}\"\ntoken_file = \"{token}\"\n", server.url())
}

/// A configuration of a forge called `github` with the server's API, for this process.
fn configured(site: &Site, redis: &RedisServer, server: &ForgeServer) -> Config {
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
    config::load(Some(&file), &config::Environment::default()).expect("it can be used")
}

fn ids(redis: &RedisServer) -> Vec<String> {
    let id = |entry: &crate::harness::streams::Entry| entry.data()["decision_id"].as_str().expect("an id").to_owned();
    entries(redis, DECISIONS).iter().map(id).collect()
}

#[test]
fn of_2000_pull_requests_nothing_is_lost_and_nothing_comes_twice() {
    let (redis, shop) = (RedisServer::start(), Shop::with(2_000));
    let site = Site::without_store(&redis.url());
    let (chance, answering) = (Mutex::new(ChaCha8Rng::seed_from_u64(17)), shop.clone());
    let server = ForgeServer::start(move |port, asked| {
        let good = answering.answer(port, asked);
        let wrong = trouble(&mut chance.lock().expect("no thread panicked"), &good);
        wrong.unwrap_or(good)
    });
    let config = configured(&site, &redis, &server);
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
    // Three for each that has reviews, two for others, the list at each run, and what went wrong.
    let bound = 3 * 2_000 + 20 * runs + 2 * waited.len() as u64;
    assert!(all.requests <= bound, "{} requests, at most {bound}", all.requests);
    assert_eq!(all.requests, server.asked().len() as u64);

    // In order of time: by the pull request's last change, and within it by the review's time.
    let order = |entry: &crate::harness::streams::Entry| {
        let data = entry.data();
        let number = data["forge"]["number"].as_str().and_then(|number| number.parse::<u64>().ok()).expect("a number");
        (number / 3, number, data["timestamp"].as_str().expect("a time").to_owned())
    };
    let orders: Vec<(u64, u64, String)> = entries(&redis, DECISIONS).iter().map(order).collect();
    assert!(orders.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{:?}", &orders[..50]);
    assert!(orders.windows(2).all(|pair| pair[0].1 != pair[1].1 || pair[0].2 <= pair[1].2));
}

/// The command line in a world where a shop's history can be read.
struct Imported {
    world: World,
    server: ForgeServer,
    shop: Arc<Mutex<Shop>>,
    _token: tempfile::NamedTempFile,
}

impl Imported {
    fn start(shop: Shop) -> Imported {
        Imported::with(shop, "")
    }

    /// The same, with this in the forge's table.
    fn with(shop: Shop, more: &str) -> Imported {
        let shop = Arc::new(Mutex::new(shop));
        let answering = Arc::clone(&shop);
        let server =
            ForgeServer::start(move |port, asked| answering.lock().expect("no thread panicked").answer(port, asked));
        let token = tempfile::NamedTempFile::new().expect("a file");
        fs::write(token.path(), TOKEN).expect("a token");
        let world = World::with(&(github(&server, &token.path().display().to_string()) + more));
        Imported { world, server, shop, _token: token }
    }

    fn import(&self, options: &[&str]) -> Said {
        let said = self
            .world
            .site
            .run(&[&["import", "forge", "github", REPOSITORY, "--since", "2024-12-01"], options].concat());
        assert!(!said.out.contains(TOKEN) && !said.err.contains(TOKEN), "{said:?}");
        said
    }

    /// How many were asked since the last call.
    fn requests(&self, seen: &Cell<usize>) -> usize {
        let now = self.server.asked().len();
        now - seen.replace(now)
    }
}

#[test]
fn what_comes_by_webhook_and_by_import_is_recorded_once() {
    // One review of pull request 2 with two remarks, as GitHub's API and its webhooks say it.
    let submitted = said_by(recorded("github_review_submitted"), "zoe");
    let mut review = submitted["review"].clone();
    (review["state"], review["body"]) = (json!("changes_requested"), json!("Two things:"));
    let remark = |id: u64, text: &str| {
        let mut payload = said_by(recorded("github_comment_created"), "zoe");
        payload["comment"]["id"] = json!(id);
        payload["comment"]["body"] = json!(text);
        payload["comment"]["pull_request_review_id"] = review["id"].clone();
        payload
    };
    let (first, second) = (remark(11, "Handle the error."), remark(12, "Add a test."));
    let mut shop = Shop::default();
    let mut pull = submitted["pull_request"].clone();
    pull["base"]["repo"]["full_name"] = submitted["repository"]["full_name"].clone();
    let number = pull["number"].as_u64().expect("a number");
    shop.pulls.push(pull);
    let mut by_api = review.clone();
    by_api["state"] = json!("CHANGES_REQUESTED");
    shop.reviews.insert(number, vec![by_api]);
    shop.remarks.insert(number, vec![first["comment"].clone(), second["comment"].clone()]);
    let imported = Imported::start(shop);
    let mut submitted = submitted;
    submitted["review"] = review;

    // The webhook of the second remark is lost.
    imported.world.taken(&signed("github", "pull_request_review", &submitted));
    imported.world.taken(&signed("github", "pull_request_review_comment", &first));
    assert_eq!(imported.world.decisions().len(), 1);
    let since = &["import", "forge", "github", REPOSITORY, "--since", "2019-01-01"];
    let said = imported.world.site.run(since);
    assert_eq!(said.code, Some(0), "{said:?}");
    let decisions = imported.world.decisions();
    let told: Vec<(&str, &str)> = decisions
        .iter()
        .map(|one| (one.decision_id.as_str(), one.reviewer_comment.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(decisions.len(), 2, "{told:?} {said:?}");
    assert!(told.iter().any(|(id, text)| id.contains("-late-") && *text == "Add a test."), "{told:?}");
    assert!(told.iter().any(|(id, text)| !id.contains("-late-") && text.contains("Handle the error.")), "{told:?}");
    assert_eq!(decisions[0].extra["forge"]["remarks"][0]["hunk"].as_str().map(|hunk| &hunk[..2]), Some("@@"));

    // What was imported is known when its webhooks come, and when it is imported again without a note.
    imported.world.taken(&signed("github", "pull_request_review_comment", &second));
    fs::remove_dir_all(imported.world.site.state().join("forges")).expect("the notes go");
    let said = imported.world.site.run(since);
    assert!(said.out.contains("0 handed over, 1 known before"), "{said:?}");
    assert_eq!(imported.world.decisions().len(), 2);
}

#[test]
fn a_dry_run_says_what_would_be_learned_and_a_second_run_asks_nothing_again() {
    let imported = Imported::start(Shop::with(30));
    let seen = Cell::new(0);
    let said = imported.import(&["--dry-run"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    insta::assert_snapshot!(said.out, @r"
    Dry run, nothing was written. 30 pull requests, 87 requests
      32 reviews (5 approve, 24 ask for changes), 36 remarks on lines
      from 2024-12-31 23:50 to 2025-01-01 09:59 UTC
      by: ann 27, ben 5
      about: codex 32
      left out: bot 8, author 5
    ");
    assert!(ids(&imported.world.redis).is_empty());
    assert!(!imported.world.site.state().join("forges").exists());
    let asked = imported.requests(&seen);
    let said = imported.import(&[]);
    insta::assert_snapshot!(said.out.lines().next().unwrap_or_default(), @"30 pull requests, 87 requests");
    assert_eq!(imported.requests(&seen), asked);
    assert_eq!(ids(&imported.world.redis).len(), imported.shop.lock().unwrap().decisions.len());
    assert_eq!(imported.world.decisions().len(), imported.shop.lock().unwrap().decisions.len());
    let said = imported.import(&["--json"]);
    let tally: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&tally["requests"], &tally["pull_requests"]), (&json!(1), &json!(0)), "{said:?}");
    assert_eq!(imported.requests(&seen), 1);

    // A pull request gets one more review.
    {
        let mut shop = imported.shop.lock().unwrap();
        shop.review(4, 9, "ben", "APPROVED", 1, BEGIN + 86_400 * 30);
        shop.pulls[3]["updated_at"] = json!(time(BEGIN + 86_400 * 30));
    }
    let said = imported.import(&["--json"]);
    let tally: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&tally["handed_over"], &tally["known"]), (&json!(1), &json!(1)), "{said:?}");
    assert_eq!(imported.requests(&seen), 4);
}

#[test]
fn the_daemon_asks_for_what_webhooks_lost() {
    let (mut shop, later) = (Shop::with(3), wiring::now().as_second() + 3_600);
    shop.review(2, 9, "ben", "CHANGES_REQUESTED", 2, later);
    shop.pulls[1]["updated_at"] = json!(time(later));
    let imported = Imported::with(shop, &format!("poll_minutes = 60\nrepositories = [\"{REPOSITORY}\"]\n"));
    wait_until("it has asked", || imported.world.daemon.metric("feedbackd_forge_polls_total{outcome=\"ok\"}") >= 1.0);
    let decisions = imported.world.decisions();
    // What was said before there was a daemon is for an import.
    let found: Vec<&str> = decisions.iter().map(|one| one.decision_id.as_str()).collect();
    assert_eq!(found, ["github-Team-Shop-2-review-209"]);
    let since = jiff::Timestamp::from_second(BEGIN).expect("a time").to_string();
    let said = imported.world.site.run(&["import", "forge", "github", REPOSITORY, "--since", &since, "--json"]);
    let tally: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&tally["handed_over"], &tally["known"]), (&json!(1), &json!(1)), "{said:?}");
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let imported = Imported::start(Shop::with(1));
    let say = |arguments: &[&str]| {
        let said = imported.world.site.run(&[&["import", "forge"], arguments, &["--since", "2025-01-01"]].concat());
        format!("{:?} {}", said.code, said.err.trim())
    };
    insta::assert_snapshot!(say(&["github", "team/other"]), @r"
    Some(1) error: the forge has no such repository, or does not show it to this token (HTTP status 404)
    hint: look at the repository's name, and at what the token in token_file may read
    ");
    insta::assert_snapshot!(say(&["gitea", REPOSITORY]), @r"
    Some(4) error: gitea: its `api_url` is missing, such as https://git.example.org/api/v1
    hint: look at [[forges.connected]] in the configuration; docs/forges.md has an example
    ");
    insta::assert_snapshot!(say(&["else", REPOSITORY]), @r"
    Some(4) error: no forge is connected under the name `else`; connected: github, gitlab, gitea, forgejo, gerrit
    hint: look at [[forges.connected]] in the configuration; docs/forges.md has an example
    ");
    insta::assert_snapshot!(say(&["github", "../admin"]), @r"
    Some(2) error: invalid value '../admin' for '<REPOSITORY>': it must be OWNER/NAME

    For more information, try '--help'.
    ");
}
