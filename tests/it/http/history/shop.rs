//! A repository with its reviews, in the shapes of GitHub's API.

use crate::harness::forge::{Answered, Asked, ForgeServer};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, Entry, entries};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TOKEN: &str = "ghp_0123456789secret";
pub(super) const REPOSITORY: &str = "team/shop";
/// 1 January 2025.
pub(super) const BEGIN: i64 = 1_735_689_600;

/// A repository with so many pull requests, in GitHub's shapes.
#[derive(Clone, Default)]
pub(super) struct Shop {
    pub(super) pulls: Vec<Value>,
    /// Reviews by pull request.
    pub(super) reviews: BTreeMap<u64, Vec<Value>>,
    pub(super) remarks: BTreeMap<u64, Vec<Value>>,
    pub(super) comments: BTreeMap<u64, Vec<Value>>,
    /// The ids of the resulting decisions.
    pub(super) decisions: BTreeSet<String>,
}

pub(super) fn time(second: i64) -> String {
    Timestamp::from_second(second).expect("a time").to_string()
}

pub(super) fn person(login: &str) -> Value {
    let id = login.bytes().fold(1_u64, |id, byte| id * 131 + u64::from(byte));
    json!({ "login": login, "id": id, "type": if login == "lint-app" { "Bot" } else { "User" } })
}

impl Shop {
    /// Creates it. Every fifth has no review; some are by the author or a program.
    pub(super) fn with(pulls: u64) -> Shop {
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
                    "id": id, "user": person("ann"), "author_association": "MEMBER", "body": "Please write a test.",
                    "created_at": time(at - 60),
                }));
                shop.decisions.insert(format!("github-Team-Shop-{number}-comment-{id}"));
            }
        }
        shop
    }

    pub(super) fn review(&mut self, number: u64, nth: u64, by: &str, state: &str, remarks: u64, at: i64) {
        let id = number * 100 + nth;
        let revision = format!("{number:040x}");
        self.reviews.entry(number).or_default().push(json!({
            "id": id, "user": person(by), "state": state, "body": if state == "COMMENTED" { "" } else { "See below." },
            "author_association": "MEMBER", "commit_id": revision, "submitted_at": time(at), "html_url": format!("https://github.com/r/{id}"),
        }));
        for remark in 0..remarks {
            self.remarks.entry(number).or_default().push(json!({
                "id": id * 10 + remark, "pull_request_review_id": id, "user": person(by), "author_association": "MEMBER",
                "body": format!("Handle the error of call {remark}."), "path": "src/api.rs", "line": 10 + remark,
                "side": "RIGHT", "diff_hunk": "@@ -1 +1 @@\n-old\n+new", "original_commit_id": revision,
                "created_at": time(at),
            }));
        }
        if !matches!(by, "eva" | "lint-app") {
            self.decisions.insert(format!("github-Team-Shop-{number}-review-{id}"));
        }
    }

    /// Answers as GitHub does.
    pub(super) fn answer(&self, port: u16, asked: &Asked) -> Answered {
        assert_eq!(asked.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
        let place = asked.path.split('?').next().unwrap_or_default();
        let parts: Vec<&str> = place.trim_start_matches("/api/v3").trim_start_matches('/').split('/').collect();
        let of = |map: &BTreeMap<u64, Vec<Value>>, number: &str| {
            let found = number.parse().ok().and_then(|number: u64| map.get(&number).cloned());
            Answered::json(&Value::Array(found.unwrap_or_default()))
        };
        match parts.as_slice() {
            ["repos", "team", "shop", "pulls"] => self.list(port, asked),
            ["repos", "team", "shop", "pulls", number, "reviews"] => of(&self.reviews, number),
            ["repos", "team", "shop", "pulls", number, "comments"] => of(&self.remarks, number),
            ["repos", "team", "shop", "issues", number, "comments"] => of(&self.comments, number),
            // Renamed on the same server, and moved to another one.
            ["repos", "team", "old", ..] => Answered::status(301)
                .with("location", format!("http://127.0.0.1:{port}{}", asked.path.replace("/old/", "/shop/"))),
            ["repos", "team", "gone", ..] => Answered::status(301)
                .with("location", format!("http://localhost:{port}/repos/team/shop/pulls?per_page=100")),
            ["rate_limit"] => Answered::json(&json!({})).with("x-ratelimit-remaining", "4987"),
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

pub(super) fn github(server: &ForgeServer, token: &str) -> String {
    format!("api_url = \"{}\"\ntoken_file = \"{token}\"\n", server.url())
}

pub(super) fn ids(redis: &RedisServer) -> Vec<String> {
    let id = |entry: &Entry| entry.data()["decision_id"].as_str().expect("an id").to_owned();
    entries(redis, DECISIONS).iter().map(id).collect()
}
