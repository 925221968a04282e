//! Authors of forge comments, and whether they demand anything: what counts, what is omitted and why, and under whose
//! name.

use crate::harness::forge::{Answered, ForgeServer};
use crate::harness::wait_until;
use crate::http::hooks::{Sent, World, signed};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns a comment on a GitHub pull request.
fn comment(id: u64, by: &Value, part: &str, text: &str) -> Value {
    let mut body = json!({
        "action": "created",
        "issue": { "number": 7, "pull_request": {}, "user": { "login": "eva", "id": 1 } },
        "comment": { "id": id, "user": by, "body": text, "created_at": "2026-01-12T10:00:00Z" },
        "repository": { "full_name": "octo/shop" },
    });
    if !part.is_empty() {
        body["comment"]["author_association"] = json!(part);
    }
    body
}

fn on_github(body: &Value) -> Sent {
    signed("github", "issue_comment", body)
}

fn user(login: &str) -> Value {
    let id = login.bytes().fold(4_000_u64, |id, byte| id * 31 % 1_000_003 + u64::from(byte));
    json!({ "login": login, "id": id, "type": "User" })
}

/// Returns a note on a GitLab merge request.
fn note(id: u64, by: &str, text: &str, more: &Value) -> Sent {
    let mut attributes = json!({ "id": id, "note": text, "noteable_type": "MergeRequest", "action": "create" });
    for (name, value) in more.as_object().expect("an object") {
        attributes[name] = value.clone();
    }
    let body = json!({
        "object_kind": "note",
        "user": { "id": 7, "username": by },
        "project": { "path_with_namespace": "octo/shop" },
        "object_attributes": attributes,
        "merge_request": { "iid": 9, "author_id": 50 },
    });
    signed("gitlab", "Note Hook", &body)
}

/// Returns who said what, of all decisions.
fn said(world: &World) -> Vec<String> {
    let all = world.decisions();
    let remarks = |record: &feedbackd::domain::records::record::DecisionRecord| {
        let comments = record.comments.iter().map(|said| said.comment.body.clone());
        record.reviewer_comment.clone().into_iter().chain(comments).collect::<Vec<_>>().join(" / ")
    };
    let mut all: Vec<String> = all.iter().map(|record| format!("{}: {}", record.said_by(), remarks(record))).collect();
    all.sort();
    all
}

#[test]
fn outsiders_and_whoever_is_gone_teach_nothing() {
    let world = World::start();
    let table = [
        ("MEMBER", user("ann"), "review"),
        ("OWNER", user("ben"), "review"),
        ("COLLABORATOR", user("cleo"), "review"),
        ("CONTRIBUTOR", user("mallory"), "nothing: no_standing"),
        ("FIRST_TIME_CONTRIBUTOR", user("mallory2"), "nothing: no_standing"),
        ("MANNEQUIN", user("mallory3"), "nothing: no_standing"),
        ("NONE", user("mallory4"), "nothing: no_standing"),
        // A person named in the configuration counts, whatever the account's role and the forge's spelling.
        ("NONE", user("Zoe"), "review"),
        // An old server does not report it.
        ("", user("dora"), "review"),
        ("NONE", Value::Null, "nothing: account_deleted"),
        ("", json!({ "login": "ghost", "id": 10_137 }), "nothing: account_deleted"),
        ("MEMBER", json!({ "login": "DEPENDABOT[BOT]", "id": 9 }), "nothing: bot"),
        ("MEMBER", json!({ "login": "Helper", "id": 9, "type": "Bot" }), "nothing: bot"),
    ];
    for (at, (part, by, expected)) in (100..).zip(&table) {
        let seen = world.taken(&on_github(&comment(at, by, part, "Handle the error of the API call.")));
        assert_eq!(seen, *expected, "{part} {by}");
    }
    let mut hidden = comment(200, &user("ann"), "MEMBER", "Buy this.");
    hidden["comment"]["minimized"] = json!({ "reason": "spam" });
    assert_eq!(world.taken(&on_github(&hidden)), "nothing: hidden");
    hidden["comment"]["minimized"] = json!({ "reason": "resolved" });
    hidden["comment"]["id"] = json!(201);
    assert_eq!(world.taken(&on_github(&hidden)), "review");
    let said = said(&world);
    assert_eq!(said.iter().filter(|one| one.contains("mallory")).count(), 0, "{said:#?}");
    for expected in
        ["ann (github: member)", "cleo (github: collaborator)", "dora (github: role unknown)", "zoe (github: none)"]
    {
        assert!(said.iter().any(|one| one.starts_with(expected)), "{expected}: {said:#?}");
    }
    let ann = world.decisions().into_iter().find(|record| record.reviewer_id == "ann").expect("one of Ann's");
    let (status, page) = world.daemon.get(&format!("/feedback/{}", ann.feedback.feedback_id));
    assert!(status == 200 && page.contains("ann (github: member)"), "{page}");
    assert!(world.daemon.metric("feedbackd_forge_ignored_total{reason=\"no_standing\"}") >= 4.0);
}

#[test]
fn people_say_whose_words_count() {
    let world = World::with("github", "heard_from = [\"contributor\", \"deleted\"]\n");
    for (id, part, by, expected) in [
        (1, "CONTRIBUTOR", user("ann"), "review"),
        (2, "MEMBER", user("ben"), "nothing: no_standing"),
        (3, "", user("ben"), "nothing: no_standing"),
        (4, "", Value::Null, "review"),
    ] {
        let seen = world.taken(&on_github(&comment(id, &by, part, "Handle the error of the API call.")));
        assert_eq!(seen, expected, "{part} {by}");
    }
    let said = said(&world);
    assert!(said.iter().any(|one| one.starts_with("ghost ")), "{said:#?}");
}

#[test]
fn an_account_that_is_called_like_somebody_on_the_roster_speaks_for_nobody_on_it() {
    let world = World::start();
    let early = comment(9, &user("octo-ann"), "MEMBER", "Add a test.");
    assert_eq!(world.taken(&on_github(&early)), "review");
    assert_eq!(world.decisions().len(), 1);
    world.site.push_roster(&["ana", "zoe", "bob", "octo-ann"]);
    for (id, login) in (1..).zip(["ana", "ANA", "\u{430}na", "zoe", "octo-ann"]) {
        let body = comment(id, &user(login), "MEMBER", "Handle the error of the API call.");
        assert_eq!(world.taken(&on_github(&body)), "review", "{login}");
    }
    let mut names: Vec<String> = world.decisions().into_iter().map(|record| record.reviewer_id).collect();
    names.sort();
    // Zoe is mapped. The account keeps its comments from before its name was on the roster.
    assert_eq!(names, ["github:ANA", "github:ana", "github:octo-ann", "github:\u{430}na", "octo-ann", "zoe"]);
    // On another forge, a different person has the same name as one in the configuration.
    assert_eq!(world.taken(&note(5, "bob", "Add a test.", &json!({}))), "review");
    let names: Vec<String> = world.decisions().into_iter().map(|record| record.reviewer_id).collect();
    assert!(names.contains(&"gitlab:bob".to_owned()), "{names:?}");
}

#[test]
fn what_is_internal_and_what_programs_of_gitlab_say_is_left_out() {
    let world = World::start();
    let text = "Add a test for the empty list.";
    for (id, by, more, expected) in [
        (1, "ann", json!({}), "review"),
        (2, "ann", json!({ "internal": true }), "nothing: internal"),
        (3, "ann", json!({ "confidential": true }), "nothing: internal"),
        (4, "ann", json!({ "internal": true, "action": "update" }), "nothing: internal"),
        (5, "ann", json!({ "system": true }), "nothing: bot"),
        (6, "project_3_bot_ab", json!({}), "nothing: bot"),
        (7, "group_3_bot_ab", json!({}), "nothing: bot"),
        (8, "service_account_ab", json!({}), "nothing: bot"),
        (9, "service_account_group_5_ab", json!({}), "nothing: bot"),
        (10, "GitLabDuo", json!({}), "nothing: bot"),
        (11, "alert-bot", json!({}), "nothing: bot"),
        (12, "ghost", json!({}), "nothing: account_deleted"),
        (13, "ghost1", json!({}), "nothing: account_deleted"),
        (14, "ghostwriter", json!({}), "review"),
    ] {
        assert_eq!(world.taken(&note(id, by, text, &more)), expected, "{by} {more}");
    }
    let mut private = json!({
        "type": "comment-added", "author": { "username": "ann" }, "comment": "Patch Set 1:\n\nAdd a test.",
        "change": { "project": "shop", "number": 3, "owner": { "username": "eva" } }, "patchSet": { "number": 1 },
    });
    assert_eq!(world.taken(&signed("gerrit", "", &private)), "review");
    private["change"]["private"] = json!(true);
    assert_eq!(world.taken(&signed("gerrit", "", &private)), "nothing: internal");
}

#[test]
fn praise_and_orders_to_programs_are_no_corrections() {
    let world = World::start();
    let texts = [
        "LGTM",
        "Thanks!",
        "looks good to me",
        "+1",
        "Nice work",
        "/retest",
        "/lgtm",
        "/approve",
        "@bors r+",
        "/test all",
    ];
    for (id, text) in (1..).zip(texts) {
        let expected = if text.starts_with(['/', '@']) { "nothing: command" } else { "nothing: praise" };
        let seen = world.taken(&on_github(&comment(id, &user("ann"), "MEMBER", text)));
        assert_eq!(seen, expected, "{text}");
    }
    let review = |id: u64, state: &str, text: &str| {
        let body = json!({
            "action": "submitted",
            "review": {
                "id": id, "user": user("ann"), "author_association": "MEMBER", "state": state, "body": text,
                "submitted_at": "2026-01-12T10:00:00Z",
            },
            "pull_request": { "number": 8, "user": user("eva") },
            "repository": { "full_name": "octo/shop" },
        });
        signed("github", "pull_request_review", &body)
    };
    assert_eq!(world.taken(&review(1, "approved", "LGTM, thanks!")), "review");
    assert_eq!(world.taken(&review(2, "commented", "LGTM, thanks!")), "nothing: praise");
    assert_eq!(world.taken(&review(3, "changes_requested", "/hold")), "review");
    assert_eq!(world.taken(&review(4, "commented", "LGTM, but add a test.")), "review");
    // What becomes praise before submission does not count either.
    assert_eq!(world.taken(&on_github(&comment(50, &user("ann"), "MEMBER", "Add a test."))), "review");
    let mut edited = comment(50, &user("ann"), "MEMBER", "Thanks!");
    (edited["action"], edited["sender"]) = (json!("edited"), user("ann"));
    assert_eq!(world.taken(&on_github(&edited)), "told");
    let mut found: Vec<String> = world
        .decisions()
        .iter()
        .map(|record| format!("{} {}", record.decision.as_str(), record.reviewer_comment.as_deref().unwrap_or("-")))
        .collect();
    found.sort();
    insta::assert_snapshot!(found.join("\n"), @r"
    APPROVED LGTM, thanks!
    APPROVED_WITH_CHANGES LGTM, but add a test.
    REJECTED -
    ");
}

#[test]
fn the_forge_is_asked_who_belongs_to_a_repository_and_what_was_said_waits_for_its_answer() {
    let token = tempfile::NamedTempFile::new().expect("a file");
    fs::write(token.path(), "0123456789").expect("a token");
    let answers = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&answers);
    let server = ForgeServer::start(move |_, request| {
        // At first it is unreachable.
        if asked.fetch_add(1, Ordering::SeqCst) == 0 {
            return Answered::status(502);
        }
        match request.path.as_str() {
            "/api/v4/projects/octo%2Fshop/members/all/7" => Answered::json(&json!({ "access_level": 30 })),
            "/api/v4/projects/octo%2Fshop" => Answered::json(&json!({})),
            _ => Answered::status(404),
        }
    });
    let more = format!("api_url = \"{}/api/v4\"\ntoken_file = \"{}\"\n", server.url(), token.path().display());
    let world = World::with("gitlab", &more);
    assert_eq!(world.taken(&note(1, "ann", "Handle the error of the API call.", &json!({}))), "review");
    wait_until("the forge was asked in vain", || answers.load(Ordering::SeqCst) > 0);
    let stranger = json!({
        "object_kind": "note", "user": { "id": 8, "username": "mallory" },
        "project": { "path_with_namespace": "octo/shop" },
        "object_attributes": { "id": 2, "note": "Run my script.", "noteable_type": "MergeRequest", "action": "create" },
        "merge_request": { "iid": 9, "author_id": 50 },
    });
    assert_eq!(world.taken(&signed("gitlab", "Note Hook", &stranger)), "review");
    assert_eq!(said(&world), ["ann (gitlab: developer): Handle the error of the API call."]);
    assert!(world.daemon.metric("feedbackd_forge_ignored_total{reason=\"no_standing\"}") >= 1.0);
}
