//! The result of an import: page, call, command and the preceding dry run agree, including the evidence.

use super::commands::Imported;
use super::shop::{BEGIN, REPOSITORY, Shop, ids, person, time};
use crate::harness::daemon::Said;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

const TOKEN: &str = "0123456789abcdef-the-token";
const HOSTILE: &str = "API handler lacks error handling <script>alert(1)</script>\u{202e}";

/// Creates a repository in which four people ask for the same, one asks twice for something else, and more.
pub(super) fn shop() -> Shop {
    let mut shop = Shop::default();
    let long = format!("Handlers of the API must handle errors. {}", "It goes on and on, word by word. ".repeat(300));
    let said = [
        (1, "ann", HOSTILE, "src/api.rs"),
        (2, "ben", "Missing error handling in API handler", "src/api.rs"),
        (3, "cem", "Please add error handling to the API handler", "src/hooks.rs"),
        (4, "ann", "Do not log passwords or tokens", "src/log.rs"),
        (5, "ann", "Do not log passwords or tokens", "src/log.rs"),
        (6, "dan", "The colour of the header should be teal", "web/site.css"),
        (7, "lint-app", "Line too long", "src/api.rs"),
        (8, "eva", "I shall mend that", "src/api.rs"),
        (9, "dan", &long, "src/api.rs"),
    ];
    for (number, who, text, file) in said {
        let at = BEGIN + i64::try_from(number).expect("few") * 10 * 86_400;
        shop.pulls.push(json!({
            "number": number,
            "html_url": format!("https://github.com/{REPOSITORY}/pull/{number}"),
            "user": person("eva"),
            "body": "",
            "head": { "ref": format!("codex/{number}"), "sha": format!("{number:040x}"), "repo": {} },
            "base": { "repo": { "full_name": "Team/Shop" } },
            "created_at": time(at - 7_200),
            "updated_at": time(at),
        }));
        let url = if number == 1 { "javascript:alert(1)".to_owned() } else { format!("https://github.com/r/{number}") };
        // A review without text adds nothing to its comment.
        let state = if matches!(who, "lint-app" | "eva") { "COMMENTED" } else { "CHANGES_REQUESTED" };
        shop.reviews.insert(
            number,
            vec![json!({
                "id": number * 100, "user": person(who), "state": state, "body": "",
                "submitted_at": time(at), "html_url": url,
            })],
        );
        shop.remarks.insert(
            number,
            vec![json!({
                "id": number * 1_000, "pull_request_review_id": number * 100, "user": person(who), "body": text,
                "path": file, "line": 7, "side": "RIGHT", "diff_hunk": "@@ -1 +1 @@\n-old\n+new",
                "created_at": time(at), "html_url": url,
            })],
        );
    }
    // Praise.
    shop.reviews.entry(3).or_default().push(json!({
        "id": 399, "user": person("ben"), "state": "APPROVED", "body": "", "submitted_at": time(BEGIN + 30 * 86_400),
        "html_url": "https://github.com/r/399",
    }));
    shop
}

/// Creates a world with that repository, and a token for the API.
fn imported() -> (Imported, tempfile::NamedTempFile) {
    let token = tempfile::NamedTempFile::new().expect("a file");
    fs::write(token.path(), TOKEN).expect("a token");
    let more = format!("[http]\napi_token_file = \"{}\"\nanonymous_reading = \"on\"\n", token.path().display());
    let mut imported = Imported::with(shop(), &more);
    let port = imported.world.daemon.port();
    imported.world.site.set("HTTP__LISTEN", &format!("127.0.0.1:{port}"));
    (imported, token)
}

fn parsed(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:?}"))
}

/// Returns the answer of the API, or a page.
fn ask(imported: &Imported, path: &str) -> (u16, String) {
    let port = imported.world.daemon.port();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
    )
    .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
}

/// Returns what depends neither on people's answers nor on the numbering of rules.
fn told(demands: &Value) -> Value {
    let mut told = demands.clone();
    told["questions"] = Value::Null;
    told["left_out"] = Value::Null;
    told
}

#[test]
fn what_is_imported_is_shown_with_its_evidence_as_the_dry_run_said() {
    let (imported, _token) = imported();
    let site = &imported.world.site;
    let keys = || {
        let mut keys: Vec<String> = imported.world.redis.cli(&["KEYS", "*"]);
        keys.sort();
        keys
    };
    let (head, before) = (site.git(&["rev-parse", "main"]), keys());
    let file = site.path("learned.html");
    let dry = imported.import(&["--dry-run", "--json", "--page", &file.display().to_string()]);
    let dry = parsed(&dry);
    let dry_text = imported.import(&["--dry-run"]).out;
    // Nothing was written.
    assert_eq!((keys(), site.git(&["rev-parse", "main"])), (before, head));
    assert!(ids(&imported.world.redis).is_empty() && !site.state().join("forges").exists());
    assert!(dry_text.contains("the store's existing records were not considered"), "{dry_text}");
    assert!(dry_text.lines().all(|line| line.chars().count() <= 80), "{dry_text}");

    let said = imported.import(&[]);
    let port = imported.world.daemon.port();
    assert!(said.out.contains("A daemon is running and learns from it."), "{said:?}");
    assert!(said.out.contains(&format!("http://127.0.0.1:{port}/demands")), "{said:?}");
    assert_eq!(imported.world.decisions().len(), 8);

    let (status, body) = ask(&imported, "/api/v1/demands");
    assert_eq!(status, 200, "{body}");
    let found: Value = serde_json::from_str(&body).expect("JSON");
    let command = parsed(&site.run(&["demands", "--json", "--no-questions"]));
    assert_eq!(told(&found), told(&command));
    assert_eq!(told(&dry["demands"]), told(&found), "the dry run said the same");
    assert_eq!(dry["demands"]["left_out"], found["left_out"]);

    let read = &found["read"];
    let figures =
        ["reviews", "pull_requests", "people", "shared", "by_one", "once", "nothing"].map(|name| read[name].as_u64());
    assert_eq!(figures, [8, 7, 4, 4, 2, 1, 1].map(Some), "{read}");
    assert_eq!((&read["first"], &read["last"]), (&json!("2025-01-11T00:00:00Z"), &json!("2025-04-01T00:00:00Z")));
    let [pattern] = found["patterns"].as_array().expect("a list").as_slice() else { panic!("one pattern: {found:#}") };
    assert_eq!((&pattern["remarks"], &pattern["people"], &pattern["pull_requests"]), (&json!(4), &json!(4), &json!(4)));
    assert_eq!((&pattern["share"]["part"], &pattern["share"]["of"]), (&json!(4), &json!(8)));
    assert_eq!(pattern["places"]["files"], json!([{ "name": "src/api.rs", "count": 3 }]));
    assert_eq!(pattern["rule"]["state"], "proposed");
    assert!(pattern["rule"]["text"].as_str().is_some_and(|text| text.contains("failure of every call")), "{pattern:#}");
    let months: u64 =
        pattern["periods"].as_array().expect("a list").iter().filter_map(|one| one["remarks"].as_u64()).sum();
    assert_eq!(months, 4);
    let evidence = pattern["evidence"].as_array().expect("a list");
    assert_eq!((evidence.len(), &pattern["more_evidence"]), (3, &json!(1)));
    let by = |who: &str| evidence.iter().find(|quote| quote["reviewer_id"] == who);
    let ben = by("ben").expect("it is quoted");
    assert_eq!(ben["text"], "Missing error handling in API handler");
    assert_eq!((&ben["file"], &ben["line"], &ben["task"]), (&json!("src/api.rs"), &json!(7), &json!("Team/Shop#2")));
    assert_eq!(ben["url"], "https://github.com/r/2");
    assert_eq!(by("ann").expect("it is quoted")["url"], Value::Null, "no address of the web");
    assert!(evidence.iter().all(|quote| quote["text"].as_str().is_some_and(|text| text.chars().count() <= 280)));
    let [by_one] = found["by_one"].as_array().expect("a list").as_slice() else { panic!("one: {found:#}") };
    assert_eq!((&by_one["remarks"], &by_one["people"]), (&json!(2), &json!(1)));
    assert_eq!(
        found["left_out"],
        json!([
            { "reason": "author", "why": "the author of the work wrote it", "count": 1 },
            { "reason": "bot", "why": "a program wrote it", "count": 1 },
        ])
    );

    // The page and the file contain it, and nothing in them is markup or links elsewhere.
    let (status, page) = ask(&imported, "/demands");
    assert_eq!(status, 200, "{page}");
    let rule = pattern["rule"]["rule_id"].as_str().expect("an id");
    let file = fs::read_to_string(&file).expect("it was written");
    for html in [&page, &file] {
        assert!(html.contains("8 reviews with 7 comments of 7 pull requests by 4 people were read"), "{html}");
        assert!(html.contains("4 comments by 4 people on 4 pull requests"), "{html}");
        assert!(html.contains("<a href=\"https://github.com/r/2\" rel=\"noopener noreferrer\">"), "{html}");
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
        assert!(!html.contains("<script>") && !html.contains("javascript:") && !html.contains('\u{202e}'), "{html}");
    }
    assert!(page.contains(&format!("href=\"/proposals/{rule}\"")) && page.contains("aria-current=\"page\""), "{page}");
    assert!(!file.contains("href=\"/") && !file.contains("<link") && file.contains("were not considered"), "{file}");
}

#[test]
fn a_part_of_it_is_shown_and_what_is_wrong_is_said() {
    let (mut imported, _token) = imported();
    imported.import(&[]);
    imported.world.decisions();
    let part = |query: &str| {
        let (status, body) = ask(&imported, &format!("/api/v1/demands?{query}"));
        assert_eq!(status, 200, "{body}");
        let found: Value = serde_json::from_str(&body).expect("JSON");
        (found["read"]["reviews"].as_u64().expect("a number"), found["patterns"].as_array().expect("a list").len())
    };
    assert_eq!(part("repository=team/shop"), (8, 1), "as the forge writes it, or else");
    assert_eq!(part("repository=team/other"), (0, 0));
    assert_eq!(part("agent=codex"), (8, 1));
    assert_eq!(part("agent=nobody"), (0, 0));
    assert_eq!(part("since=2025-01-25T00:00:00Z"), (6, 1));
    assert_eq!(part("until=2025-01-20T00:00:00Z"), (1, 1));
    let (_, page) = ask(&imported, "/demands?since=2025-01-25&agent=codex");
    assert!(page.contains("Only reviews of codex&#39;s work, since 2025-01-25 00:00 UTC are counted."), "{page}");
    for (path, status) in [
        ("/demands?since=soon", 400),
        ("/demands?agent=nobody&limit=x", 200),
        ("/api/v1/demands?limit=101", 400),
        ("/api/v1/demands?since=soon", 400),
    ] {
        assert_eq!(ask(&imported, path).0, status, "{path}");
    }
    let said = imported.world.site.run(&["demands", "--no-questions", "--since", "2030-01-01"]);
    assert_eq!(
        (said.code, said.out.trim()),
        (Some(0), "No reviews have been read yet. Only reviews since 2030-01-01 00:00 UTC are\ncounted.")
    );
    // A page without a dry run, and a missing daemon.
    let said =
        imported.world.site.run(&["import", "forge", "github", REPOSITORY, "--since", "2025-01-01", "--page", "x"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    imported.world.site.set("HTTP__LISTEN", "127.0.0.1:1");
    let said = imported.import(&[]);
    assert!(said.out.contains("No daemon answers at 127.0.0.1:1: submitted reviews stay in"), "{said:?}");
}
