//! The command and the daemon: their output, their records, and what they request again.

use super::shop::{BEGIN, REPOSITORY, Shop, TOKEN, github, ids, time};
use crate::harness::daemon::Said;
use crate::harness::forge::ForgeServer;
use crate::harness::wait_until;
use crate::http::hooks::{World, recorded, said_by, signed};
use feedbackd::wiring;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs;
use std::sync::{Arc, Mutex};

/// The command line in a world with a readable shop history.
pub(super) struct Imported {
    pub(super) world: World,
    server: ForgeServer,
    shop: Arc<Mutex<Shop>>,
    _token: tempfile::NamedTempFile,
}

impl Imported {
    fn start(shop: Shop) -> Imported {
        Imported::with(shop, "")
    }

    /// Creates the same, with this in the forge's table.
    pub(super) fn with(shop: Shop, more: &str) -> Imported {
        let shop = Arc::new(Mutex::new(shop));
        let answering = Arc::clone(&shop);
        let server =
            ForgeServer::start(move |port, asked| answering.lock().expect("no thread panicked").answer(port, asked));
        let token = tempfile::NamedTempFile::new().expect("a file");
        fs::write(token.path(), TOKEN).expect("a token");
        let world = World::with("github", &(github(&server, &token.path().display().to_string()) + more));
        Imported { world, server, shop, _token: token }
    }

    pub(super) fn import(&self, options: &[&str]) -> Said {
        let said = self
            .world
            .site
            .run(&[&["import", "forge", "github", REPOSITORY, "--since", "2024-12-01"], options].concat());
        assert!(!said.out.contains(TOKEN) && !said.err.contains(TOKEN), "{said:?}");
        said
    }

    /// Returns the number of requests since the last call.
    fn requests(&self, seen: &Cell<usize>) -> usize {
        let now = self.server.asked().len();
        now - seen.replace(now)
    }
}

#[test]
fn what_comes_by_webhook_and_by_import_is_recorded_once() {
    // One review of pull request 2 with two comments, as GitHub's API and its webhooks report it.
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

    // The webhook of the second comment is lost.
    imported.world.taken(&signed("github", "pull_request_review", &submitted));
    imported.world.taken(&signed("github", "pull_request_review_comment", &first));
    assert_eq!(imported.world.decisions().len(), 1);
    let since = &["import", "forge", "github", REPOSITORY, "--since", "2019-01-01"];
    let said = imported.world.site.run(since);
    assert_eq!(said.code, Some(0), "{said:?}");
    let decisions = imported.world.decisions();
    let told: Vec<(&str, &str)> = decisions
        .iter()
        .flat_map(|one| one.comments.iter().map(|said| (one.decision_id.as_str(), said.comment.body.as_str())))
        .collect();
    assert_eq!(decisions.len(), 2, "{told:?} {said:?}");
    assert!(told.iter().any(|(id, text)| id.contains("-late-") && *text == "Add a test."), "{told:?}");
    assert!(told.iter().any(|(id, text)| !id.contains("-late-") && text.contains("Handle the error.")), "{told:?}");
    let hunk = decisions[0].comments[0].comment.diff_hunk.as_deref();
    assert!(hunk.is_some_and(|hunk| hunk.starts_with("@@")), "{hunk:?}");

    // What was imported is recognised when its webhooks arrive, and when it is imported again without a note.
    imported.world.taken(&signed("github", "pull_request_review_comment", &second));
    fs::remove_dir_all(imported.world.site.state().join("forges")).expect("the notes go");
    let said = imported.world.site.run(since);
    assert!(said.out.contains("0 submitted, 1 already known"), "{said:?}");
    assert_eq!(imported.world.decisions().len(), 2);
}

#[test]
fn a_dry_run_says_what_would_be_learned_and_a_second_run_asks_nothing_again() {
    let imported = Imported::start(Shop::with(30));
    let seen = Cell::new(0);
    let said = imported.import(&["--dry-run"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    insta::assert_snapshot!(said.out.lines().take(5).collect::<Vec<_>>().join("\n"), @r"
    Dry run, nothing was written. 30 pull requests, 87 requests
      32 reviews (5 approve, 24 ask for changes), 36 comments on lines
      from 2024-12-31 23:50 to 2025-01-01 09:59 UTC
      by: ann 27, ben 5
      about: codex 32
    ");
    assert!(said.out.contains("1. Handle the error of call 0."), "{said:?}");
    assert!(said.out.contains("36 comments by 1 person on 18 pull requests"), "{said:?}");
    assert!(said.out.contains("      8  a program wrote it"), "{said:?}");
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

    // A pull request gets another review.
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
    // What was said before the daemon existed is left to an import.
    let found: Vec<&str> = decisions.iter().map(|one| one.decision_id.as_str()).collect();
    assert_eq!(found, ["github-Team-Shop-2-review-209"]);
    let since = time(BEGIN);
    let said = imported.world.site.run(&["import", "forge", "github", REPOSITORY, "--since", &since, "--json"]);
    let tally: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&tally["handed_over"], &tally["known"]), (&json!(1), &json!(1)), "{said:?}");
}

#[test]
fn a_part_of_the_time_and_a_repository_that_was_renamed_are_read() {
    let imported = Imported::start(Shop::with(30));
    let look = |repository: &str, options: &[&str]| -> Value {
        let arguments =
            [&["import", "forge", "github", repository, "--since", "2025-01-01T03:00:00Z", "--json"], options];
        let said = imported.world.site.run(&arguments.concat());
        assert_eq!(said.code, Some(0), "{said:?}");
        serde_json::from_str(&said.out).expect("JSON")
    };
    let until = ["--until", "2025-01-01T05:00:00Z"];
    let part = look(REPOSITORY, &until);
    let times = (part["first"].as_str().expect("a time"), part["last"].as_str().expect("a time"));
    assert!(times.0 >= "2025-01-01T03:00:00Z" && times.1 < "2025-01-01T05:00:00Z", "{part}");
    let handed = part["handed_over"].as_u64().expect("a number");
    assert_eq!(handed, ids(&imported.world.redis).len() as u64);
    // Reading up to a time leaves the rest for later.
    let all = look(REPOSITORY, &[]);
    assert_eq!(all["known"].as_u64(), Some(handed));
    assert!(all["handed_over"].as_u64().expect("a number") > handed, "{all}");
    let before = ids(&imported.world.redis).len();
    let renamed = look("team/old", &[]);
    assert_eq!((&renamed["handed_over"], &renamed["reviews"]), (&json!(0), &all["reviews"]), "{renamed}");
    assert_eq!(ids(&imported.world.redis).len(), before);
}

#[test]
fn a_check_says_whether_a_forge_can_be_used() {
    let imported = Imported::start(Shop::with(1));
    let check = |arguments: &[&str]| {
        let said = imported.world.site.run(&[&["forge", "check"], arguments].concat());
        assert!(!said.out.contains(TOKEN) && !said.err.contains(TOKEN), "{said:?}");
        format!("{:?}\n{}{}", said.code, said.out, said.err)
    };
    insta::assert_snapshot!(check(&["github", REPOSITORY]), @r"
    Some(0)
    ok       webhook            its secret is set; the address is /hooks/github
    ok       heard              owner, member, collaborator; the API reports who that is
    ok       token              it is set
    ok       api                it answers; 4987 requests are left
    ok       repository         the pull requests of team/shop can be read
    ");
    insta::assert_snapshot!(check(&["github", "team/other"]), @r"
    Some(1)
    ok       webhook            its secret is set; the address is /hooks/github
    ok       heard              owner, member, collaborator; the API reports who that is
    ok       token              it is set
    ok       api                it answers; 4987 requests are left
    PROBLEM  repository         the forge has no such repository, or does not show it to this token (HTTP status 404)
                                -> check the repository's name, and what the token in token_file may read
    ");
    insta::assert_snapshot!(check(&["else"]), @r"
    Some(4)
    error: no forge named `else` is connected; connected: github, gitlab, gitea, forgejo, gerrit
    hint: check [[forges.connected]] in the configuration; docs/forges.md has an example
    ");
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
    hint: check the repository's name, and what the token in token_file may read
    ");
    insta::assert_snapshot!(say(&["github", "team/gone"]), @r"
    Some(5) error: the forge's API answers with HTTP status 301
    hint: it redirects to another server: check api_url and the repository's name
    ");
    let asked = imported.server.asked();
    assert_eq!(
        asked.iter().filter(|asked| asked.header("host").is_some_and(|host| host.starts_with("local"))).count(),
        0
    );
    insta::assert_snapshot!(say(&["gitea", REPOSITORY]), @r"
    Some(4) error: gitea: its `api_url` is missing; set it, for example to https://git.example.org/api/v1
    hint: check [[forges.connected]] in the configuration; docs/forges.md has an example
    ");
    insta::assert_snapshot!(say(&["else", REPOSITORY]), @r"
    Some(4) error: no forge named `else` is connected; connected: github, gitlab, gitea, forgejo, gerrit
    hint: check [[forges.connected]] in the configuration; docs/forges.md has an example
    ");
    insta::assert_snapshot!(say(&["github", "../admin"]), @r"
    Some(2) error: invalid value '../admin' for '<REPOSITORY>': it must be OWNER/NAME

    For more information, try '--help'.
    ");
}
