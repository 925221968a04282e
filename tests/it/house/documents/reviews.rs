//! The repository of the documents' examples, `octo/shop`, on a forge in the shapes of GitHub's API.

use crate::harness::forge::{Answered, Asked, ForgeServer};
use crate::harness::repository::Repository;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What its reviewers said.
const REVIEWS: &str = include_str!("../../../data/shop_reviews.tsv");

struct Comment {
    id: u64,
    pull: u64,
    by: &'static str,
    at: String,
    file: &'static str,
    line: u64,
    text: &'static str,
}

fn comments() -> Vec<Comment> {
    let read = |(n, line): (usize, &'static str)| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [pull, by, day, file, line, text] = fields[..] else { panic!("six fields: {line}") };
        let number = |text: &str| text.parse().expect("a number");
        let id = 4_000 + n as u64;
        Comment { id, pull: number(pull), by, at: format!("{day}T09:{n:02}:00Z"), file, line: number(line), text }
    };
    let lines = REVIEWS.lines().filter(|line| !line.starts_with('#'));
    lines.enumerate().map(read).collect()
}

fn person(login: &str) -> Value {
    let id = login.bytes().fold(1_u32, |id, byte| id.wrapping_mul(131).wrapping_add(u32::from(byte)));
    json!({ "login": login, "id": id, "type": "User" })
}

fn page(comment: &Comment) -> String {
    format!("https://github.com/octo/shop/pull/{}#discussion_r{}", comment.pull, comment.id)
}

/// Starts the forge.
pub fn start() -> ForgeServer {
    let repository = Arc::new(Mutex::new(Repository::new("github")));
    ForgeServer::start(move |_, asked| {
        let path = asked.path.trim_start_matches("/api/v3").replacen("/repos/octo/", "/repos/team/", 1);
        let asked = Asked { path, ..asked.clone() };
        reviews(&asked).unwrap_or_else(|| repository.lock().expect("no thread panicked").answer(&asked))
    })
}

/// Answers what is asked about reviews.
fn reviews(asked: &Asked) -> Option<Answered> {
    let all = comments();
    let place = asked.path.split('?').next()?;
    let parts: Vec<&str> = place.trim_start_matches('/').split('/').collect();
    let of = |number: &str| -> Vec<&Comment> { all.iter().filter(|one| one.pull.to_string() == number).collect() };
    let list = match parts.as_slice() {
        ["rate_limit"] => return Some(Answered::json(&json!({})).with("x-ratelimit-remaining", "4987")),
        ["repos", "team", "shop", "pulls"] if asked.query("head").is_none() && asked.method == "GET" => {
            let mut pulls: Vec<Value> = Vec::new();
            for one in all.iter().rev() {
                if pulls.iter().any(|pull| pull["number"] == one.pull) {
                    continue;
                }
                pulls.push(json!({
                    "number": one.pull, "html_url": format!("https://github.com/octo/shop/pull/{}", one.pull),
                    "user": person("codex-bot"), "body": "", "created_at": one.at, "updated_at": one.at,
                    "head": { "ref": format!("codex/{}", one.pull), "sha": format!("{:040x}", one.pull), "repo": {} },
                    "base": { "repo": { "full_name": "octo/shop" } },
                }));
            }
            pulls
        }
        ["repos", "team", "shop", "pulls", number, "reviews"] => of(number)
            .iter()
            .map(|one| {
                json!({
                    "id": one.id + 1_000, "user": person(one.by), "state": "COMMENTED", "body": "",
                    "author_association": "MEMBER", "submitted_at": one.at, "html_url": page(one),
                    "commit_id": format!("{:040x}", one.pull),
                })
            })
            .collect(),
        ["repos", "team", "shop", "pulls", number, "comments"] => of(number)
            .iter()
            .map(|one| {
                json!({
                    "id": one.id, "pull_request_review_id": one.id + 1_000, "user": person(one.by), "body": one.text,
                    "author_association": "MEMBER", "path": one.file, "line": one.line, "side": "RIGHT",
                    "diff_hunk": "@@ -1 +1 @@\n-old\n+new", "original_commit_id": format!("{:040x}", one.pull),
                    "created_at": one.at, "html_url": page(one),
                })
            })
            .collect(),
        ["repos", "team", "shop", "issues", _, "comments"] => Vec::new(),
        _ => return None,
    };
    Some(Answered::json(&Value::Array(list)))
}
