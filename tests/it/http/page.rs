//! The pages as a browser receives them, without one: headers, escaping, missing pages, and no decisions by unknown
//! people.

use crate::harness::daemon::{Daemon, Site};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{REVIEWS, decide, decision, drain};
use std::io::{Read, Write};
use std::net::TcpStream;

const POLICY: &str = "content-security-policy: default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
const HOSTILE: &str = "Handle <script>alert(1)</script> errors in API handlers \"properly\"";

struct World {
    site: Site,
    daemon: Daemon,
    redis: RedisServer,
}

impl World {
    /// Creates three people's demands for the same, in words that are markup.
    fn new() -> World {
        let redis = RedisServer::start();
        let mut site = Site::new(&redis.url());
        site.set("STORE__WEB_URL", "https://forge.example.org/store");
        site.push_roster(&["ana", "ben"]);
        let daemon = site.start();
        daemon.wait_ready();
        for (id, who) in [("dec-1", "ana"), ("dec-2", "ben"), ("dec-3", "cem")] {
            decide(&redis, &decision(id, who, "REJECTED", Some(HOSTILE)));
        }
        drain(&redis, &site);
        World { site, daemon, redis }
    }

    fn ask(&self, request: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.daemon.port())).expect("it listens");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    fn rule(&self) -> String {
        let files = self.site.files("feedback/rules/proposed/");
        let (path, _) = files.first().expect("a proposal");
        path.rsplit('/').next().and_then(|name| name.strip_suffix(".yaml")).expect("a name").to_owned()
    }
}

/// Every page is served, complete and secured, and no comment becomes markup.
#[test]
fn every_page_is_served_and_no_remark_becomes_markup() {
    let world = World::new();
    let rule = world.rule();
    let mut group = String::new();
    for (path, _) in world.site.files("feedback/clusters/") {
        group = path.rsplit('/').next().and_then(|name| name.strip_suffix(".yaml")).expect("a name").to_owned();
    }
    let pages = [
        "/".to_owned(),
        "/demands".into(),
        "/proposals".into(),
        format!("/proposals/{rule}"),
        "/rules".into(),
        format!("/rules/{rule}"),
        "/contradictions".into(),
        "/groups".into(),
        "/groups/map".into(),
        format!("/groups/{group}"),
        "/search?q=errors".into(),
        "/search?how=like&q=handle+errors".into(),
        "/feedback/dec-1".into(),
        format!("/lineage/{rule}"),
        "/edge-cases?all=1".into(),
        "/dead-letters".into(),
        "/imports".into(),
        "/roster".into(),
        "/report".into(),
    ];
    let head = world.site.git(&["rev-parse", "main"]);
    for page in &pages {
        let (status, headers, body) = world.get(page);
        assert_eq!(status, 200, "{page}: {body}");
        for header in [
            POLICY,
            "x-frame-options: deny",
            "x-content-type-options: nosniff",
            "referrer-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(headers.contains(header), "{page}: {header}: {headers}");
        }
        assert!(body.contains("<html lang=\"en\">") && body.contains("</html>") && body.contains("<h1>"), "{page}");
        assert!(!body.contains("<script>") && !body.contains(" style=") && !body.contains("onclick"), "{page}");
        assert!(body.contains(&format!("https://forge.example.org/store/commit/{}", head.trim())), "{page}");
        assert!(!body.contains("action=\"/decide\""), "{page}: nobody is known who could decide");
    }
    let (_, _, proposal) = world.get(&format!("/proposals/{rule}"));
    assert!(proposal.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{proposal}");
    assert_eq!(world.site.git(&["rev-parse", "main"]), head, "reading changes nothing");
    assert_eq!(world.redis.cli::<i64>(&["XLEN", REVIEWS]), 0);
}

/// Each cluster is drawn once, as a link, and listed in the table.
#[test]
fn the_map_shows_every_group() {
    let world = World::new();
    decide(&world.redis, &decision("dec-4", "ana", "REJECTED", Some("Do not log passwords or tokens")));
    decide(&world.redis, &decision("dec-5", "ben", "REJECTED", Some("Do not log passwords or tokens")));
    drain(&world.redis, &world.site);
    let files = world.site.files("feedback/clusters/");
    let groups: Vec<&str> =
        files.iter().filter_map(|(path, _)| path.rsplit('/').next()?.strip_suffix(".yaml")).collect();
    assert!(groups.len() >= 2, "{groups:?}");
    let (status, _, body) = world.get("/groups/map");
    assert_eq!(status, 200, "{body}");
    let (picture, table) = body.split_once("</svg>").expect("a picture");
    for group in &groups {
        let link = format!("href=\"/groups/{group}\"");
        assert!(picture.contains(&link) && table.contains(&link), "{group}: {body}");
    }
    assert_eq!(picture.matches("<circle").count(), groups.len(), "one agent, one shape: {picture}");
    assert!(
        picture.contains("role=\"group\" aria-labelledby=\"map-title map-desc\"") && !body.contains("NaN"),
        "{body}"
    );
    let (_, _, none) = world.get("/groups/map?agent=nobody");
    assert!(none.contains("No clusters."), "{none}");
}

#[test]
fn what_is_not_there_is_a_page_that_says_what_was_meant() {
    let world = World::new();
    let rule = world.rule();
    let wrong = format!("{}9", &rule[..rule.len() - 1]);
    let (status, headers, body) = world.get(&format!("/proposals/{wrong}"));
    assert_eq!(status, 404);
    assert!(headers.contains("text/html") && headers.contains(POLICY), "{headers}");
    assert!(body.contains(&format!("href=\"/proposals/{rule}\"")), "{body}");
    for path in ["/feedback/%3Cscript%3E", "/groups/none", "/contradictions/none", "/lineage/none"] {
        let (status, _, body) = world.get(path);
        assert_eq!(status, 404, "{path}");
        assert!(!body.contains("<script>"), "{path}: {body}");
    }
}

#[test]
fn style_and_script_are_tagged_by_their_content() {
    let world = World::new();
    let (_, _, page) = world.get("/");
    for asset in ["/assets/page.css", "/assets/page.js", "/assets/icon.svg"] {
        let at = page.find(&format!("\"{asset}?v=")).expect("it is linked") + 1;
        let address = page[at..].split('"').next().expect("an end");
        let (status, headers, body) = world.get(address);
        assert!(status == 200 && !body.is_empty(), "{address}");
        let tag = headers.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned();
        let again =
            format!("GET {address} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n");
        let (status, _, body) = world.ask(&again);
        assert_eq!((status, body.as_str()), (304, ""), "{address}");
    }
}

/// Unknown people cannot decide, and no page of another origin makes a browser decide.
#[test]
fn nobody_decides_unknown() {
    let world = World::new();
    let rule = world.rule();
    let body = format!("decision=reject&id={rule}&reason=no");
    let post = |more: &str| {
        let length = body.len();
        world.ask(&format!(
            "POST /decide HTTP/1.1\r\nHost: localhost\r\n{more}Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ))
    };
    let (status, _, answer) = post("");
    assert_eq!(status, 401, "{answer}");
    let (status, ..) = post("Origin: https://evil.example\r\n");
    assert_eq!(status, 403);
    assert_eq!(world.rule(), rule, "it still waits");
}
