//! Gerrit's REST API: event and import of one review give one decision, whichever comes first, and nothing is lost on
//! an unreliable network.

use super::kinds::shown;
use super::replayed::{Hurried, trouble};
use super::shop::ids;
use crate::harness::daemon::Site;
use crate::harness::forge::{Answered, ForgeServer};
use crate::harness::gerrit::{Gerrit, Posted};
use crate::harness::redis::RedisServer;
use crate::http::hooks::{World, recorded, signed};
use feedbackd::app::forges::history::{HistoryError, Span, Tally};
use feedbackd::config;
use feedbackd::wiring;
use jiff::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};

/// 1 March 2025.
const BEGIN: i64 = 1_740_787_200;
const PASSWORD: &str = "bot:s3cret-of-the-bot";
const PROJECT: &str = "plugins/demo/shop";

pub(super) fn serve(gerrit: &Arc<Mutex<Gerrit>>) -> ForgeServer {
    let answering = Arc::clone(gerrit);
    ForgeServer::start(move |_, asked| answering.lock().expect("no thread panicked").answer(asked))
}

/// A Gerrit with its reviews, and what is needed to read it.
struct Review {
    gerrit: Arc<Mutex<Gerrit>>,
    world: World,
    server: ForgeServer,
    _token: tempfile::NamedTempFile,
}

impl Review {
    fn start() -> Review {
        let gerrit = Arc::new(Mutex::new(Gerrit::new(PROJECT, Some(PASSWORD))));
        let server = serve(&gerrit);
        let token = tempfile::NamedTempFile::new().expect("a file");
        fs::write(token.path(), format!("{PASSWORD}\n")).expect("a token");
        let more = format!("api_url = \"{}\"\ntoken_file = \"{}\"\n", server.url(), token.path().display());
        Review { gerrit, world: World::with("gerrit", &more), server, _token: token }
    }

    fn upload(&self) -> u64 {
        self.gerrit.lock().unwrap().upload("eva", BEGIN)
    }

    fn post(&self, number: u64, posted: &Posted<'_>) -> Value {
        self.gerrit.lock().unwrap().post(number, posted)
    }

    fn import(&self) -> Value {
        let said = self.world.site.run(&["import", "forge", "gerrit", PROJECT, "--since", "2025-01-01", "--json"]);
        assert!(!said.out.contains("s3cret") && !said.err.contains("s3cret"), "{said:?}");
        assert_eq!(said.code, Some(0), "{said:?}");
        serde_json::from_str(&said.out).expect("JSON")
    }

    fn forget(&self) {
        fs::remove_dir_all(self.world.site.state().join("forges")).expect("the notes go");
    }
}

/// One of each: votes and words, on lines and on the whole, sent directly and drafted before.
const POSTED: [Posted<'_>; 6] = [
    Posted { vote: Some(2), ..EMPTY },
    Posted { message: "Write a test for it.", ..EMPTY },
    Posted { vote: Some(-1), message: "See below.", inline: &[("src/api.rs", 7, "Handle the error.")], ..EMPTY },
    Posted { vote: Some(-1), level: "Split this change.", inline: &[("/COMMIT_MSG", 9, "Say why.")], ..EMPTY },
    Posted { vote: Some(-2), level: "Do not merge this.", was_draft: true, ..EMPTY },
    Posted { inline: &[("src/api.rs", 3, "Rename it."), ("src/api.rs", 1, "Add a licence.")], ..EMPTY },
];
const EMPTY: Posted<'_> =
    Posted { by: "zoe", at: BEGIN + 60, vote: None, message: "", level: "", was_draft: false, inline: &[], tag: "" };

#[test]
fn what_is_imported_first_is_known_when_its_events_come() {
    let review = Review::start();
    let events: Vec<Value> = POSTED.iter().map(|posted| review.post(review.upload(), posted)).collect();
    let tally = review.import();
    // The list, and the comments of changes that have some.
    assert_eq!((&tally["handed_over"], &tally["requests"]), (&json!(6), &json!(5)), "{tally}");
    assert!(review.server.asked().iter().all(|asked| asked.path.starts_with("/a/")));
    let before = shown(&review.world.decisions());
    insta::assert_snapshot!(before, @r#"
    gerrit-plugins-demo-shop-100-said-37a468f1d372 zoe APPROVED: -
    gerrit-plugins-demo-shop-101-said-d05181718ee2 zoe APPROVED_WITH_CHANGES: Write a test for it.
    gerrit-plugins-demo-shop-102-said-aa02890a2725 zoe REJECTED: See below. "Handle the error." "src/api.rs":7 "@@ -6,2 +6,2 @@\n line 6 of src/api.rs\n line 7 of src/api.rs"
    gerrit-plugins-demo-shop-103-said-aa02890a2725 zoe REJECTED: Split this change. "Say why." "/COMMIT_MSG":9 "@@ -8,2 +8,2 @@\n line 8 of /COMMIT_MSG\n line 9 of /COMMIT_MSG"
    gerrit-plugins-demo-shop-104-said-9c495fc2b135 zoe REJECTED: Do not merge this.
    gerrit-plugins-demo-shop-105-message-37290d22807d zoe APPROVED_WITH_CHANGES: - "Add a licence." "src/api.rs":1 "@@ -1,1 +1,1 @@\n line 1 of src/api.rs", "Rename it." "src/api.rs":3 "@@ -2,2 +2,2 @@\n line 2 of src/api.rs\n line 3 of src/api.rs"
    "#);
    for event in &events {
        review.world.taken(&signed("gerrit", "", event));
    }
    assert_eq!(shown(&review.world.decisions()), before);
    // Also when they are imported again without a note.
    review.forget();
    let tally = review.import();
    assert_eq!((&tally["handed_over"], &tally["known"]), (&json!(0), &json!(6)), "{tally}");
}

#[test]
fn what_events_did_not_say_is_imported_beside_them() {
    let review = Review::start();
    for posted in &POSTED {
        let event = review.post(review.upload(), posted);
        review.world.taken(&signed("gerrit", "", &event));
    }
    // The last one has no words of its own.
    assert_eq!(review.world.decisions().len(), 5);
    let tally = review.import();
    assert_eq!((&tally["handed_over"], &tally["known"]), (&json!(4), &json!(2)), "{tally}");
    let decisions = review.world.decisions();
    insta::assert_snapshot!(shown(&decisions), @r#"
    gerrit-plugins-demo-shop-100-said-37a468f1d372 zoe APPROVED: -
    gerrit-plugins-demo-shop-101-said-d05181718ee2 zoe APPROVED_WITH_CHANGES: Write a test for it.
    gerrit-plugins-demo-shop-102-said-aa02890a2725 zoe REJECTED: See below.
    gerrit-plugins-demo-shop-102-said-aa02890a2725-late-45f8758d9d01 zoe APPROVED_WITH_CHANGES: - "Handle the error." "src/api.rs":7 "@@ -6,2 +6,2 @@\n line 6 of src/api.rs\n line 7 of src/api.rs"
    gerrit-plugins-demo-shop-103-said-aa02890a2725 zoe REJECTED: Split this change.
    gerrit-plugins-demo-shop-103-said-aa02890a2725-late-a263511c0dce zoe APPROVED_WITH_CHANGES: - "Say why." "/COMMIT_MSG":9 "@@ -8,2 +8,2 @@\n line 8 of /COMMIT_MSG\n line 9 of /COMMIT_MSG"
    gerrit-plugins-demo-shop-104-said-9c495fc2b135 zoe REJECTED: -
    gerrit-plugins-demo-shop-104-said-9c495fc2b135-late-ae0e74862fd1 zoe APPROVED_WITH_CHANGES: Do not merge this.
    gerrit-plugins-demo-shop-105-message-37290d22807d zoe APPROVED_WITH_CHANGES: - "Add a licence." "src/api.rs":1 "@@ -1,1 +1,1 @@\n line 1 of src/api.rs", "Rename it." "src/api.rs":3 "@@ -2,2 +2,2 @@\n line 2 of src/api.rs\n line 3 of src/api.rs"
    "#);
    let rejected = decisions.iter().filter(|decision| decision.decision.as_str() == "REJECTED").count();
    assert_eq!(rejected, 3, "each vote counts once");
    review.forget();
    assert_eq!(review.import()["handed_over"], json!(0));
}

#[test]
fn programs_authors_and_withdrawn_votes_teach_nothing() {
    let review = Review::start();
    let number = review.upload();
    let reply = Posted { by: "eva", at: BEGIN + 10, inline: &[("src/api.rs", 7, "Done.")], ..EMPTY };
    let robot = Posted { by: "ci", at: BEGIN + 20, vote: Some(-1), message: "It does not build.", ..EMPTY };
    let tagged = Posted { by: "bob", at: BEGIN + 30, tag: "autogenerated:lint", level: "Three findings.", ..EMPTY };
    let voted = Posted { at: BEGIN + 40, vote: Some(-1), message: "Handle the error.", ..EMPTY };
    for posted in [reply, robot, tagged, voted, Posted { at: BEGIN + 50, vote: Some(0), message: "", ..EMPTY }] {
        review.post(number, &posted);
    }
    // On the next patch set the vote counts again, and the same words are new ones.
    review.gerrit.lock().unwrap().amend(number);
    review.post(number, &Posted { at: BEGIN + 60, ..voted });
    let tally = review.import();
    assert_eq!(tally["skipped"], json!({ "author": 1, "bot": 3 }), "{tally}");
    insta::assert_snapshot!(shown(&review.world.decisions()), @r#"
    gerrit-plugins-demo-shop-100-said-aa02890a2725 zoe APPROVED_WITH_CHANGES: Handle the error.
    gerrit-plugins-demo-shop-100-said-eb234132d936 zoe REJECTED: Handle the error.
    "#);
    // What was omitted is requested, but in no record.
    let all = format!("{:?}", review.world.decisions());
    assert!(!all.contains("does not build") && !all.contains("Three findings") && !all.contains("Done."), "{all}");
}

#[test]
fn an_event_that_takes_a_vote_back_names_the_decision() {
    let review = Review::start();
    review.world.site.push_roster(&["zoe", "bob", "cleo"]);
    let number = review.upload();
    let voted = Posted { vote: Some(-1), message: "Handle the error of the API call.", ..EMPTY };
    review.world.taken(&signed("gerrit", "", &review.post(number, &voted)));
    assert_eq!(review.world.decisions().len(), 1);
    let back = Posted { at: BEGIN + 90, vote: Some(0), ..EMPTY };
    assert_eq!(review.world.taken(&signed("gerrit", "", &review.post(number, &back))), "told");
    let decisions = review.world.decisions();
    assert!(decisions[0].feedback.retracted_by.is_some(), "{:?}", decisions[0].evaluation);
}

#[test]
fn of_400_changes_nothing_is_lost_and_nothing_comes_twice() {
    let mut gerrit = Gerrit::new(PROJECT, None).paged(30);
    let mut expected = 0;
    for number in 0..400_i64 {
        // Three in a row change in the same second.
        let at = BEGIN + number / 3 * 3_600;
        let change = gerrit.upload("eva", at);
        for posted in POSTED.iter().cycle().skip(number as usize % 6).take(number as usize % 3) {
            expected += 1;
            gerrit.post(change, &Posted { at: at + 60, by: ["ann", "ben"][expected % 2], ..*posted });
        }
    }
    let (redis, gerrit) = (RedisServer::start(), Arc::new(Mutex::new(gerrit)));
    let mut site = Site::without_store(&redis.url());
    let (chance, answering) = (Mutex::new(ChaCha8Rng::seed_from_u64(5)), Arc::clone(&gerrit));
    let server = ForgeServer::start(move |_, asked| {
        let good = answering.lock().expect("no thread panicked").answer(asked);
        trouble(&mut chance.lock().expect("no thread panicked"), &good).unwrap_or(good)
    });
    let file = site.path("config.toml");
    let text = format!(
        "[redis]\nurl = \"{}\"\n[state]\ndir = \"{}\"\n[[forges.connected]]\nname = \"gerrit\"\nkind = \"gerrit\"\n\
         ssh = \"ssh://bot@localhost\"\ndefault_agent = \"coding-agent\"\napi_url = \"{}/\"\n",
        redis.url(),
        site.state().display(),
        server.url()
    );
    fs::write(&file, text).expect("a configuration");
    site.set_file(&file);
    let config = config::load(Some(&file), &config::Environment::default()).expect("it can be used");
    let span = Span { since: Timestamp::from_second(BEGIN - 86_400).expect("a time"), until: None };
    let (mut runs, mut all) = (0, Tally::default());
    loop {
        runs += 1;
        assert!(runs < 500, "it never ends");
        let history = wiring::history(&config, "gerrit", PROJECT, None).expect("it can be read");
        let (watcher, mut tally) = (Hurried { stops_every: 5, ..Hurried::default() }, Tally::default());
        let done = history.import(span, &watcher, &mut tally);
        all.handed_over += tally.handed_over;
        all.pull_requests += tally.pull_requests;
        all.requests += tally.requests;
        match done {
            Ok(()) => break,
            Err(HistoryError::Stopped) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let found = ids(&redis);
    let unique: BTreeSet<&String> = found.iter().collect();
    println!("400 changes, {} decisions: {runs} runs, {} requests", found.len(), all.requests);
    assert_eq!((found.len(), unique.len()), (expected, expected));
    assert_eq!((all.pull_requests, all.handed_over), (400, expected as u64));
    assert!(runs > 2, "it was interrupted: {runs}");
    assert!(server.asked().iter().all(|asked| asked.path.starts_with("/changes/")), "nobody logs in");
}

#[test]
fn recorded_comments_of_go_are_read_and_its_robots_left_out() {
    // The messages that the comments were published with, as that server returns them.
    let comments = recorded("gerrit_comments");
    let mut messages: Vec<Value> = Vec::new();
    for comment in comments.as_object().expect("files").values().flat_map(|list| list.as_array().expect("a list")) {
        messages.push(json!({
            "id": comment["change_message_id"], "author": comment["author"], "tag": comment["tag"],
            "date": comment["updated"], "message": "Patch Set 1:\n\n(1 comment)", "_revision_number": 1,
        }));
    }
    let change = json!({
        "id": "go~313711", "project": "go", "branch": "master", "_number": 313_711, "created": "2021-04-26 20:00:00.000000000",
        "updated": "2021-04-27 19:17:53.000000000", "owner": { "_account_id": 7, "name": "Eva" }, "messages": messages,
        "revisions": { "39ad506d874d4711015184f52585b4215c9b84cc": { "_number": 1 } },
        "current_revision": "39ad506d874d4711015184f52585b4215c9b84cc",
    });
    let server = ForgeServer::start(move |_, asked| match asked.path.split('?').next().unwrap_or_default() {
        "/changes/" => Answered { body: format!(")]}}'\n{}", json!([change])), ..Answered::status(200) },
        "/changes/go~313711/comments" => Answered { body: format!(")]}}'\n{comments}"), ..Answered::status(200) },
        _ => Answered::status(404),
    });
    let world = World::with("gerrit", &format!("api_url = \"{}\"\n", server.url()));
    let said = world.site.run(&["import", "forge", "gerrit", "go", "--since", "2021-01-01", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let tally: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(tally["skipped"], json!({ "bot": 5, "praise": 1 }), "{tally}");
    let decisions = world.decisions();
    insta::assert_snapshot!(shown(&decisions), @r#"
    gerrit-go-313711-said-4756921b405e ann@example.org APPROVED_WITH_CHANGES: TRY=longtest
    gerrit-go-313711-said-f0145ea869a9 ann@example.org APPROVED_WITH_CHANGES: #41863
    "#);
}

#[test]
fn a_check_and_an_import_say_what_is_wrong() {
    let review = Review::start();
    review.upload();
    let run = |arguments: &[&str]| {
        let said = review.world.site.run(arguments);
        format!("{:?}\n{}{}", said.code, said.out, said.err)
    };
    insta::assert_snapshot!(run(&["forge", "check", "gerrit", PROJECT]), @r"
    Some(0)
    ok       webhook            its secret is set; the address is /hooks/gerrit
    ok       heard              everyone who may comment
    ok       token              it is set
    ok       api                it answers
    ok       repository         the pull requests of plugins/demo/shop can be read
    ");
    insta::assert_snapshot!(run(&["forge", "check", "gerrit", "nothing"]), @r"
    Some(1)
    ok       webhook            its secret is set; the address is /hooks/gerrit
    ok       heard              everyone who may comment
    ok       token              it is set
    ok       api                it answers
    PROBLEM  repository         the forge has no such repository, or does not show it to this token (HTTP status 404)
                                -> check the repository's name, and what the token in token_file may read
    ");
    insta::assert_snapshot!(run(&["import", "forge", "gerrit", "nothing", "--since", "2025-01-01"]), @r#"
    Some(1)
    error: the forge has no such repository, or does not show it to this token (HTTP status 404)
    hint: check the repository's name, and what the token in token_file may read
    "#);
    insta::assert_snapshot!(run(&["import", "forge", "github", "shop", "--since", "2025-01-01"]), @r"
    Some(4)
    error: github: repositories of this forge have the form OWNER/NAME
    hint: check [[forges.connected]] in the configuration; docs/forges.md has an example
    ");
    fs::write(review._token.path(), "only-a-password").expect("a token");
    insta::assert_snapshot!(run(&["import", "forge", "gerrit", PROJECT, "--since", "2025-01-01"]), @r#"
    Some(4)
    error: gerrit: its `token_file` must contain USER:PASSWORD, with the HTTP password of Gerrit
    hint: check [[forges.connected]] in the configuration; docs/forges.md has an example
    "#);
    fs::write(review._token.path(), "bot:wrong").expect("a token");
    insta::assert_snapshot!(run(&["import", "forge", "gerrit", PROJECT, "--since", "2025-01-01"]), @r#"
    Some(1)
    error: the forge rejects the token (HTTP status 401)
    hint: put a valid token into the forge's token_file
    "#);
}
