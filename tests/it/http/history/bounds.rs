//! Limits on a forge's API: as much as people write, whatever address it uses for itself.

use crate::harness::forge::{Answered, Asked, ForgeServer};
use crate::http::hooks::World;
use serde_json::{Value, json};

fn pull(number: u64) -> Value {
    json!({
        "number": number, "html_url": "u", "user": { "login": "eva", "id": 1 }, "body": "", "comments": 0,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": format!("2026-01-{:02}T00:00:00Z", 20 - number),
        "head": { "ref": "f", "sha": "a".repeat(40) },
    })
}

fn review(id: u64, text: &str) -> Value {
    json!({
        "id": id, "user": { "login": "ann", "id": 2 }, "state": "CHANGES_REQUESTED", "body": text,
        "author_association": "MEMBER", "submitted_at": "2026-01-02T00:00:00Z", "commit_id": "a".repeat(40),
        "comments_count": 0,
    })
}

fn import(kind: &str, answer: impl Fn(u16, &Asked) -> Answered + Send + Sync + 'static) -> (Value, ForgeServer) {
    let server = ForgeServer::start(answer);
    let world = World::with(kind, &format!("api_url = \"{}/api/v1\"\n", server.url()));
    let said = world.site.run(&["import", "forge", kind, "team/shop", "--since", "2025-11-01", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    (serde_json::from_str(&said.out).expect("JSON"), server)
}

#[test]
fn a_pull_request_whose_lists_never_end_is_left_out_and_the_others_are_read() {
    let (tally, server) = import("github", |port, asked| {
        let place = asked.path.split('?').next().unwrap_or_default().to_owned();
        let fat = || {
            let page: u64 = asked.query("page").and_then(|page| page.parse().ok()).unwrap_or(1);
            let reviews: Vec<Value> = (0..100).map(|n| review(page * 1_000 + n, &"x".repeat(60_000))).collect();
            let next = format!("<http://127.0.0.1:{port}{place}?page={}>; rel=\"next\"", page + 1);
            Answered::json(&json!(reviews)).with("link", next)
        };
        match place.as_str() {
            "/api/v1/repos/team/shop/pulls" => Answered::json(&json!([pull(1), pull(2)])),
            "/api/v1/repos/team/shop/pulls/1/reviews" => fat(),
            "/api/v1/repos/team/shop/pulls/2/reviews" => Answered::json(&json!([review(5, "Handle the error.")])),
            _ => Answered::json(&json!([])),
        }
    });
    assert_eq!((&tally["pull_requests"], &tally["reviews"]), (&json!(2), &json!(1)), "{tally}");
    assert_eq!(tally["skipped"], json!({ "too_large": 1 }), "{tally}");
    assert!(server.asked().len() < 30, "{}", server.asked().len());
}

#[test]
fn the_next_page_is_asked_where_the_api_is_whatever_the_forge_calls_itself() {
    let (tally, server) = import("gitea", |_, asked| {
        let page = asked.query("page").unwrap_or("1").to_owned();
        let public = "https://git.example.org/api/v1/repos/team/shop/pulls?limit=50&page=2&sort=recentupdate&state=all";
        match (asked.path.split('?').next().unwrap_or_default(), page.as_str()) {
            ("/api/v1/repos/team/shop/pulls", "1") => {
                Answered::json(&json!([pull(1)])).with("link", format!("<{public}>; rel=\"next\""))
            }
            ("/api/v1/repos/team/shop/pulls", "2") => Answered::json(&json!([pull(2)])),
            // Some lists give a total instead of a next address.
            ("/api/v1/repos/team/shop/pulls/1/reviews", "1") => {
                Answered::json(&json!([review(5, "Handle the error.")])).with("x-total-count", "2")
            }
            ("/api/v1/repos/team/shop/pulls/1/reviews", "2") => {
                let mut second = review(6, "Add a test.");
                second["state"] = json!("REQUEST_CHANGES");
                Answered::json(&json!([second])).with("x-total-count", "2")
            }
            _ => Answered::json(&json!([])),
        }
    });
    assert_eq!((&tally["pull_requests"], &tally["reviews"]), (&json!(2), &json!(1)), "{tally}");
    assert!(server.asked().iter().all(|asked| asked.path.starts_with("/api/v1/repos/team/shop/")));
}

#[test]
fn an_address_that_cannot_be_used_is_said_at_once() {
    let server = ForgeServer::start(|_, _| {
        Answered::json(&json!([pull(1)])).with("link", "<https://elsewhere.example/steal>; rel=\"next\"")
    });
    let world = World::with("gitea", &format!("api_url = \"{}/api/v1\"\n", server.url()));
    let said = world.site.run(&["import", "forge", "gitea", "team/shop", "--since", "2025-11-01"]);
    assert!(said.code != Some(0) && said.err.contains("its next page is on another server"), "{said:?}");
    assert_eq!(server.asked().len(), 1, "what stays so is asked once");
}
