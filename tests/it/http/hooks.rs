//! Webhooks of forges, from the socket to the store: what each kind becomes, and what is rejected.

use crate::harness::audit::records;
use crate::harness::daemon::{Daemon, Site};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, REVIEWS, entries, is_drained};
use crate::harness::wait_until;
use feedbackd::domain::intake::forge::ToldWhat;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{DecisionRecord, FollowUpRecord};
use feedbackd::text::redact::Fingerprint;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const KINDS: [&str; 5] = ["github", "gitlab", "gitea", "forgejo", "gerrit"];

/// A daemon with a forge of each kind, named after its kind.
pub(super) struct World {
    pub(super) redis: RedisServer,
    pub(super) daemon: Daemon,
    pub(super) site: Site,
}

/// A request to send.
#[derive(Clone)]
pub(super) struct Sent {
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl World {
    pub(super) fn start() -> World {
        World::with("", "")
    }

    /// Creates the same, with this in the table of the forge of that kind.
    pub(super) fn with(of: &str, more: &str) -> World {
        World::gathering(1, of, more)
    }

    /// Creates the same, with so many seconds of quiet before a review is submitted.
    pub(super) fn gathering(seconds: u64, of: &str, more: &str) -> World {
        let redis = RedisServer::start();
        let mut site = Site::new(&redis.url());
        let (secret, config) = (site.path("hook.key"), site.path("config.toml"));
        fs::write(&secret, format!("{SECRET}\n")).expect("a secret");
        let forge = |kind: &str| {
            format!(
                "[[forges.connected]]\nname = \"{kind}\"\nkind = \"{kind}\"\nsecret_files = [\"{}\"]\n\
                 agents = [{{ branch = \"codex/\", agent = \"codex\" }}]\ndefault_agent = \"coding-agent\"\n\
                 people = {{ zoe = \"zoe\" }}\n{}\n",
                secret.display(),
                if kind == of { more } else { "" }
            )
        };
        let forges: String = KINDS.iter().map(|kind| forge(kind)).collect();
        fs::write(&config, format!("[forges]\ngather_seconds = {seconds}\n{forges}")).expect("a configuration");
        site.set_file(&config);
        site.set("HTTP__ANONYMOUS_READING", "on");
        let daemon = site.start();
        daemon.wait_ready();
        World { redis, daemon, site }
    }

    /// Sends it; returns the status and the answer.
    fn send(&self, sent: &Sent) -> (u16, Value) {
        let port = self.daemon.port();
        let mut head = format!("POST {} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n", sent.path);
        for (name, value) in &sent.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", sent.body.len());
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        stream.write_all(head.as_bytes()).expect("sent");
        // If it is rejected for its length, the answer comes before all of it is sent.
        let _ = stream.write_all(sent.body.as_bytes());
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("an HTTP answer");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or_else(|_| panic!("no JSON: {body}")))
    }

    /// Returns what the answer to the forge reports as accepted.
    pub(super) fn taken(&self, sent: &Sent) -> String {
        let (status, body) = self.send(sent);
        assert_eq!(status, 202, "{body}");
        match body["reason"].as_str() {
            Some(reason) => format!("nothing: {reason}"),
            None => body["taken"].as_str().expect("what was taken").to_owned(),
        }
    }

    fn parts(&self) -> i64 {
        self.redis.cli(&["XLEN", "feedbackd:feedbackd:forges:parts"])
    }

    /// Waits until nothing is pending, and returns all decisions.
    pub(super) fn decisions(&self) -> Vec<DecisionRecord> {
        wait_until("all is handed over", || self.parts() == 0);
        wait_until("all is recorded", || is_drained(&self.redis, &self.site, ""));
        let found: Vec<(String, DecisionRecord)> = records(&self.site, layout::DECISIONS);
        found.into_iter().map(|(_, record)| record).collect()
    }
}

/// Returns a delivery signed as by a forge of this kind.
pub(super) fn signed(kind: &str, event: &str, body: &Value) -> Sent {
    let body = body.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    mac.update(body.as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut path = format!("/hooks/{kind}");
    let mut headers = vec![("content-type", "application/json".to_owned())];
    match kind {
        "github" => {
            headers.extend([("X-Hub-Signature-256", format!("sha256={hex}")), ("X-GitHub-Event", event.to_owned())])
        }
        "gitlab" => headers.extend([("X-Gitlab-Token", SECRET.to_owned()), ("X-Gitlab-Event", event.to_owned())]),
        "gitea" => headers.extend([("X-Gitea-Signature", hex), ("X-Gitea-Event-Type", event.to_owned())]),
        "forgejo" => headers.extend([("X-Forgejo-Signature", hex), ("X-Forgejo-Event-Type", event.to_owned())]),
        _ => path += &format!("/{SECRET}"),
    }
    let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Sent { path, headers, body }
}

pub(super) fn recorded(name: &str) -> Value {
    let path = format!("{}/tests/data/forges/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the same, written by a person other than the author.
pub(super) fn said_by(mut body: Value, who: &str) -> Value {
    for person in ["/review/user", "/comment/user", "/user", "/sender"] {
        let Some(found) = body.pointer_mut(person) else { continue };
        for name in ["login", "username"] {
            if found.get(name).is_some() {
                found[name] = json!(who);
            }
        }
        found["id"] = json!(4_711);
    }
    body
}

#[test]
fn recorded_payloads_become_what_the_table_says() {
    let world = World::start();
    // The author's own comments teach nothing; from another person, the same ones count.
    let table: [(&str, &str, &str, &str, &str); 18] = [
        ("github", "pull_request_review", "github_review_submitted", "nothing: empty", "nothing: empty"),
        ("github", "pull_request_review", "github_review_approved", "review", "review"),
        ("github", "pull_request_review", "github_review_dismissed", "told", "told"),
        ("github", "pull_request_review_comment", "github_comment_created", "nothing: author", "review"),
        ("github", "pull_request_review_comment", "github_comment_edited", "told", "told"),
        ("github", "pull_request_review_comment", "github_comment_deleted", "told", "told"),
        ("github", "pull_request_review_thread", "github_thread_resolved", "told", "told"),
        ("github", "pull_request_review_thread", "github_thread_unresolved", "told", "told"),
        ("github", "issue_comment", "github_issue_comment", "nothing: other_event", "nothing: other_event"),
        ("github", "ping", "github_ping", "nothing: other_event", "nothing: other_event"),
        ("github", "push", "github_push", "nothing: other_event", "nothing: other_event"),
        ("gitlab", "Note Hook", "gitlab_note_diff", "nothing: author", "review"),
        ("gitlab", "Note Hook", "gitlab_note_plain", "nothing: author", "nothing: praise"),
        ("gitlab", "Merge Request Hook", "gitlab_approved", "review", "review"),
        ("gitea", "pull_request_review_approved", "gitea_review_approved", "nothing: author", "review"),
        ("forgejo", "pull_request_review_approved", "gitea_review_approved", "nothing: author", "review"),
        ("gitea", "pull_request_comment", "gitea_comment_created", "nothing: author", "review"),
        ("gerrit", "", "gerrit_comment_added", "review", "before"),
    ];
    let mut wrong = Vec::new();
    println!("| forge | payload | expected | seen | by another, expected | seen |");
    for (kind, event, name, expected, by_another) in table {
        // Events about the comment take effect when it is submitted.
        if name == "github_comment_edited" {
            world.decisions();
        }
        let body = recorded(name);
        let seen = world.taken(&signed(kind, event, &body));
        let another = if kind == "gerrit" { body } else { said_by(body, "zoe") };
        let seen_by_another = world.taken(&signed(kind, event, &another));
        println!("| {kind} | {name} | {expected} | {seen} | {by_another} | {seen_by_another} |");
        if (seen.as_str(), seen_by_another.as_str()) != (expected, by_another) {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut found: Vec<String> = world
        .decisions()
        .iter()
        .map(|record| {
            let mut said = vec![record.reviewer_comment.as_deref().unwrap_or("-")];
            said.extend(record.comments.iter().map(|said| said.comment.body.as_str()));
            let said = said.join(" / ");
            format!(
                "{} {} {}: {said}",
                record.extra["forge"]["kind"].as_str().unwrap_or_default(),
                record.reviewer_id,
                record.decision.as_str()
            )
        })
        .collect();
    found.sort();
    insta::assert_snapshot!(found.join("\n"), @r"
    forgejo zoe APPROVED: I approve
    gerrit ann REJECTED: Please handle the error of the API call.
    gitea zoe APPROVED: I approve
    gitea zoe APPROVED_WITH_CHANGES: run gofmt
    github zoe APPROVED: approve comment
    github zoe APPROVED_WITH_CHANGES: - / Maybe you should use more emoji on this line.
    gitlab ann-example APPROVED: -
    gitlab zoe APPROVED: -
    gitlab zoe APPROVED_WITH_CHANGES: - / check spelling
    ");
}

/// Returns a review of pull request 2, by Zoe, and a comment of it.
fn review(state: &str, body: Option<&str>) -> Sent {
    let mut payload = said_by(recorded("github_review_submitted"), "zoe");
    payload["review"]["state"] = json!(state);
    payload["review"]["body"] = json!(body);
    signed("github", "pull_request_review", &payload)
}

fn remark(id: u64, text: &str) -> Sent {
    signed("github", "pull_request_review_comment", &of_remark("github_comment_created", id, text))
}

fn of_remark(recording: &str, id: u64, text: &str) -> Value {
    let review = recorded("github_review_submitted")["review"]["id"].clone();
    let mut payload = said_by(recorded(recording), "zoe");
    payload["comment"]["id"] = json!(id);
    payload["comment"]["body"] = json!(text);
    payload["comment"]["pull_request_review_id"] = review;
    payload
}

#[test]
fn a_review_of_several_remarks_is_one_decision_in_whatever_order_they_come() {
    let world = World::start();
    let deleted = of_remark("github_comment_deleted", 13, "Rename this variable.");
    let edited = of_remark("github_comment_edited", 12, "Add a test for the error.");
    for sent in [
        remark(12, "Add a test"),
        remark(11, "Handle the error of the API call."),
        review("changes_requested", Some("Two things are missing:")),
        remark(13, "Rename this variable."),
        signed("github", "pull_request_review_comment", &edited),
        signed("github", "pull_request_review_comment", &deleted),
    ] {
        world.taken(&sent);
    }
    let decisions = world.decisions();
    assert_eq!(decisions.len(), 1, "{decisions:#?}");
    let decision = &decisions[0];
    assert_eq!((decision.decision.as_str(), decision.reviewer_id.as_str()), ("REJECTED", "zoe"));
    assert_eq!(decision.reviewer_comment.as_deref(), Some("Two things are missing:"));
    let said: Vec<&str> = decision.comments.iter().map(|said| said.comment.body.as_str()).collect();
    assert_eq!(said, ["Handle the error of the API call.", "Add a test for the error."]);
    let forge = &decision.extra["forge"];
    assert_eq!(forge["agent_claimed_by"], "default_agent", "{forge:#}");
    let first = &decision.comments[0].comment;
    assert_eq!(first.path.as_deref(), Some("README.md"));
    assert!(first.diff_hunk.as_deref().is_some_and(|hunk| hunk.starts_with("@@")), "{first:?}");

    // What arrives after the review was submitted is a separate decision; a repetition is none.
    assert_eq!(world.taken(&remark(14, "Write the type of this argument.")), "review");
    assert_eq!(world.taken(&remark(11, "Handle the error of the API call.")), "before");
    let decisions = world.decisions();
    assert_eq!(decisions.len(), 2, "{decisions:#?}");
    assert!(decisions.iter().any(|decision| decision.decision_id.contains("-late-")), "{decisions:#?}");
}

#[test]
fn what_is_told_later_is_kept_and_a_dismissal_asks_to_withdraw() {
    let world = World::start();
    world.site.push_roster(&["zoe", "bob", "cleo"]);
    world.taken(&review("changes_requested", Some("Handle the error of the API call.")));
    let before = world.decisions();
    let mut dismissed = said_by(recorded("github_review_dismissed"), "zoe");
    dismissed["review"]["id"] = recorded("github_review_submitted")["review"]["id"].clone();
    assert_eq!(world.taken(&signed("github", "pull_request_review", &dismissed)), "told");
    let after = world.decisions();
    let told = entries(&world.redis, "asdlc:events:forge_told");
    assert_eq!((before.len(), after.len(), told.len()), (1, 1, 1));
    assert_eq!(told[0].data()["what"], "dismissed");
    assert_eq!(told[0].data()["decision_id"], before[0].decision_id.as_str());
    let headers = ["schema", "idempotency_key", "tenant_id", "timestamp"].map(|name| told[0].fields.contains_key(name));
    assert_eq!(headers, [true; 4], "{told:?}");
    // Zoe is an approver.
    assert_eq!(after[0].reviewer_comment, before[0].reviewer_comment, "it is never rewritten");
    assert!(after[0].feedback.retracted_by.is_some(), "{:?}", after[0].evaluation);
}

#[test]
fn what_is_edited_and_deleted_later_stands_in_the_store_beside_the_decision() {
    let world = World::start();
    assert_eq!(world.taken(&remark(11, "Handle the error of the API call.")), "review");
    let before = world.decisions();
    for recording in ["github_comment_edited", "github_comment_deleted"] {
        let said = of_remark(recording, 11, "Handle the error of the API call, and of the database.");
        assert_eq!(world.taken(&signed("github", "pull_request_review_comment", &said)), "told", "{recording}");
        assert_eq!(world.decisions(), before, "it is never rewritten");
    }
    let found: Vec<(String, FollowUpRecord)> = records(&world.site, layout::FOLLOW_UPS);
    let mut whats: Vec<ToldWhat> = found.iter().map(|(_, record)| record.what).collect();
    whats.sort_by_key(|what| format!("{what:?}"));
    assert_eq!(whats, [ToldWhat::Deleted, ToldWhat::Edited]);
    assert!(found.iter().all(|(_, record)| record.decision_id == before[0].decision_id), "{found:#?}");
    assert_eq!(entries(&world.redis, "asdlc:events:forge_told").len(), 2);
    let shown = world.site.run(&["feedback", "show", &before[0].feedback.feedback_id]);
    assert!(shown.out.contains("edited the comment 11") && shown.out.contains("and of the database"), "{}", shown.out);
    let why = world.site.run(&["lineage", &before[0].feedback.feedback_id]);
    assert!(why.out.contains("deleted the comment 11"), "{}", why.out);
}

#[test]
fn an_approval_of_gitlab_that_is_taken_back_asks_to_withdraw_it() {
    let world = World::start();
    world.site.push_roster(&["zoe", "bob", "cleo"]);
    let said = |action: &str| {
        let mut body = said_by(recorded("gitlab_approved"), "zoe");
        body["object_attributes"]["action"] = json!(action);
        signed("gitlab", "Merge Request Hook", &body)
    };
    assert_eq!(world.taken(&said("approval")), "review");
    assert_eq!(world.decisions().len(), 1);
    assert_eq!(world.taken(&said("unapproval")), "told");
    let after = world.decisions();
    let told = entries(&world.redis, "asdlc:events:forge_told");
    assert_eq!((after.len(), told.len()), (1, 1));
    assert_eq!(told[0].data()["decision_id"], after[0].decision_id.as_str());
    assert!(after[0].feedback.retracted_by.is_some(), "{:?}", after[0].evaluation);
}

#[test]
fn nothing_is_recorded_of_what_is_forged_replayed_unsigned_oversized_or_of_another_type() {
    let world = World::start();
    let good = remark(11, "Handle the error of the API call.");
    let without = |name: &str| {
        let headers = good.headers.iter().filter(|(header, _)| header != name).cloned().collect();
        Sent { headers, ..good.clone() }
    };
    let with = |name: &str, value: &str| {
        let mut sent = without(name);
        sent.headers.push((name.to_owned(), value.to_owned()));
        sent
    };
    let refused = [
        ("forged", Sent { body: good.body.replace("Handle", "Forget"), ..good.clone() }, 403),
        ("unsigned", without("X-Hub-Signature-256"), 403),
        ("signed for another", Sent { path: "/hooks/gitea".to_owned(), ..good.clone() }, 403),
        ("unknown", Sent { path: "/hooks/else".to_owned(), ..good.clone() }, 404),
        ("a form", with("content-type", "application/x-www-form-urlencoded"), 415),
        ("another type", with("content-type", "text/xml"), 415),
        ("oversized", signed("github", "pull_request_review", &json!({ "text": "x".repeat(1 << 20) })), 413),
        ("no object", signed("github", "pull_request_review", &json!([])), 400),
        ("no secret in the path", Sent { path: "/hooks/gerrit".to_owned(), ..signed("gerrit", "", &json!({})) }, 403),
        ("a page of another origin", with("Origin", "https://evil.example"), 403),
    ];
    for (what, sent, status) in refused {
        let (seen, answer) = world.send(&sent);
        assert_eq!(seen, status, "{what}: {answer}");
        assert!(!answer.to_string().contains(SECRET), "{what}: {answer}");
    }
    assert_eq!((world.parts(), entries(&world.redis, DECISIONS).len()), (0, 0));
    assert_eq!(world.decisions().len(), 0);

    // As through a proxy without a login.
    let passed_on = with("X-Forwarded-For", "192.0.2.9");
    assert_eq!(world.taken(&passed_on), "review");
    assert_eq!(world.taken(&good), "before");
    let renamed = with("X-GitHub-Delivery", "another");
    assert_eq!(world.taken(&renamed), "before");
    assert_eq!(world.decisions().len(), 1);
    assert_eq!(world.taken(&good), "before");
    assert_eq!((world.decisions().len(), entries(&world.redis, REVIEWS).len()), (1, 0));
    assert!(world.daemon.metric("feedbackd_forge_deliveries_total{outcome=\"refused\"}") >= 9.0);
    assert!(world.daemon.metric("feedbackd_forge_deliveries_total{outcome=\"replayed\"}") >= 3.0);
}

#[test]
fn a_forge_without_a_secret_is_refused_with_the_configuration_unless_it_is_polled() {
    let mut site = Site::without_store("redis://127.0.0.1:1/0");
    let config = site.path("config.toml");
    let forge = "[[forges.connected]]\nname = \"github\"\nkind = \"github\"\n";
    fs::write(&config, format!("{forge}poll_minutes = 10\nrepositories = [\"octo/shop\"]\n")).expect("a configuration");
    site.set_file(&config);
    let said = site.run(&["config", "check"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    fs::write(&config, forge).expect("a configuration");
    let said = site.run(&["config", "check"]);
    assert_ne!(said.code, Some(0), "{said:?}");
    let all = format!("{}{}", said.out, said.err);
    assert!(all.contains("github: `secret_files` must name one or two files"), "{all}");
}

#[test]
fn a_purged_secret_is_in_no_part_that_waits_and_in_no_key_of_ours() {
    const PASTED: &str = "blaue-elefanten-tanzen";
    let world = World::gathering(600, "", "");
    for (id, text) in [(1, format!("Do not paste {PASTED} here")), (2, "Name the units".to_owned())] {
        let mut body = said_by(recorded("github_comment_created"), "zoe");
        body["comment"]["id"] = json!(id);
        body["comment"]["body"] = json!(text);
        assert_eq!(world.taken(&signed("github", "pull_request_review_comment", &body)), "review");
    }
    let World { redis, daemon, site } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    // Whatever the daemon may store there in future.
    let _: i64 = redis.cli(&["SADD", "feedbackd:a-set", PASTED, "another"]);
    let _: i64 = redis.cli(&["ZADD", "feedbackd:a-list", "1", PASTED, "2", "another"]);
    let _: String = redis.cli(&["SET", "feedbackd:a-text", PASTED]);
    let _: String = redis.cli(&["SET", &format!("feedbackd:named:{PASTED}"), "1"]);
    let fingerprint = Fingerprint::of(PASTED).expect("long enough").to_string();
    let said = site.run(&[
        "purge",
        "--secret-fingerprint",
        &fingerprint,
        "--yes",
        "--as",
        "ann",
        "--reason",
        "It was pasted",
        "--json",
    ]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let done: Value = serde_json::from_str(&said.out).expect("an answer");
    assert_eq!((&done["entries_removed"], &done["left"]), (&json!(5), &json!([])), "{done}");
    let left: Vec<String> = redis.cli(&["KEYS", "feedbackd:*"]);
    assert!(!left.join(" ").contains(PASTED) && !left.contains(&"feedbackd:a-text".to_owned()), "{left:?}");
    let members: (Vec<String>, Vec<String>) =
        (redis.cli(&["SMEMBERS", "feedbackd:a-set"]), redis.cli(&["ZRANGE", "feedbackd:a-list", "0", "-1"]));
    assert_eq!(members, (vec!["another".to_owned()], vec!["another".to_owned()]));
    // What else is pending is submitted.
    let config = site.path("config.toml");
    let text =
        fs::read_to_string(&config).expect("a configuration").replace("gather_seconds = 600", "gather_seconds = 1");
    fs::write(&config, text).expect("a configuration");
    let daemon = site.start();
    daemon.wait_ready();
    let world = World { redis, daemon, site };
    let found = world.decisions();
    let said: Vec<&str> =
        found.iter().flat_map(|record| &record.comments).map(|said| said.comment.body.as_str()).collect();
    assert_eq!(said, ["Name the units"]);
}
