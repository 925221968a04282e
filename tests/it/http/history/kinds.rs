//! The APIs of Gitea, Forgejo and GitLab: the same review by webhook and by import is one decision.

use crate::harness::forge::{Answered, ForgeServer};
use crate::http::hooks::{World, recorded, said_by, signed};
use feedbackd::domain::records::record::DecisionRecord;
use serde_json::{Value, json};

/// Creates a world with a forge of this kind, whose API answers these places; its token is accepted everywhere.
fn world(kind: &str, base: &str, places: Vec<(String, Value)>) -> (World, ForgeServer) {
    let prefix = base.to_owned();
    let server = ForgeServer::start(move |_, asked| {
        let place = asked.path.split('?').next().unwrap_or_default();
        let place = place.strip_prefix(&prefix).unwrap_or_else(|| panic!("{place} lies outside of the API"));
        places.iter().find(|(known, _)| known == place).map_or(Answered::status(404), |(_, body)| Answered::json(body))
    });
    (World::with(kind, &format!("api_url = \"{}{base}\"\n", server.url())), server)
}

fn import(world: &World, kind: &str, repository: &str) -> Value {
    let said = world.site.run(&["import", "forge", kind, repository, "--since", "2017-01-01", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.out).expect("JSON")
}

pub(super) fn shown(decisions: &[DecisionRecord]) -> String {
    let one = |record: &DecisionRecord| {
        let said = record.reviewer_comment.as_deref().unwrap_or("-");
        let remarks: Vec<String> = record
            .comments
            .iter()
            .map(|said| {
                let comment = json!(said.comment);
                format!("{} {}:{} {}", comment["body"], comment["path"], comment["line"], comment["diff_hunk"])
            })
            .collect();
        let (who, what) = (&record.reviewer_id, record.decision.as_str());
        let places = record.feedback.places.iter().map(|place| place.told());
        let remarks: Vec<String> = remarks.into_iter().chain(places).collect();
        let line = format!("{} {who} {what}: {} {}", record.decision_id, said.replace('\n', " "), remarks.join(", "));
        line.trim_end().to_owned()
    };
    let mut all: Vec<String> = decisions.iter().map(one).collect();
    all.sort();
    all.join("\n")
}

#[test]
fn reviews_of_gitea_and_forgejo_have_their_remarks_by_the_api() {
    for kind in ["gitea", "forgejo"] {
        let delivered = said_by(recorded("gitea_review_approved"), "zoe");
        let (mut pull, number, repository) =
            (delivered["pull_request"].clone(), "1", delivered["repository"]["full_name"].as_str().expect("a name"));
        pull["comments"] = json!(1);
        let zoe = delivered["sender"].clone();
        let reviews = json!([
            {
                "id": 8, "user": zoe, "state": "APPROVED", "body": "I approve", "comments_count": 2,
                "commit_id": pull["head"]["sha"], "submitted_at": "2018-07-06T02:00:00Z",
            },
            { "id": 9, "user": zoe, "state": "REQUEST_REVIEW", "body": "", "comments_count": 0 },
        ]);
        let remarks = json!([
            {
                "id": 21, "user": zoe, "body": "Handle the error.", "path": "main.go", "position": 7,
                "original_position": 0, "diff_hunk": "@@ -1 +1 @@", "created_at": "2018-07-06T02:00:00Z",
            },
            {
                "id": 22, "user": zoe, "body": "Why is that gone?", "path": "main.go", "position": 0,
                "original_position": 3, "diff_hunk": "@@ -3 +3 @@", "created_at": "2018-07-06T02:00:00Z",
            },
        ]);
        let talk = json!([{
            "id": 31, "user": zoe, "body": "Write a test for it.", "created_at": "2018-07-06T03:00:00Z",
        }]);
        let of = format!("/repos/{repository}/pulls");
        let places = vec![
            (of.clone(), json!([pull])),
            (format!("{of}/{number}/reviews"), reviews),
            (format!("{of}/{number}/reviews/8/comments"), remarks),
            (format!("/repos/{repository}/issues/{number}/comments"), talk),
        ];
        let (world, _server) = world(kind, "/api/v1", places);
        world.taken(&signed(kind, "pull_request_review_approved", &delivered));
        assert_eq!(world.decisions().len(), 1);
        let tally = import(&world, kind, repository);
        assert_eq!((&tally["handed_over"], &tally["known"], &tally["requests"]), (&json!(2), &json!(1), &json!(4)));
        let decisions = shown(&world.decisions()).replace(kind, "KIND");
        insta::allow_duplicates! { insta::assert_snapshot!(decisions, @r#"
        KIND-cem-example-my-repo-1-comment-31 zoe APPROVED_WITH_CHANGES: Write a test for it.
        KIND-cem-example-my-repo-1-review-8 zoe APPROVED_WITH_CHANGES: - "Handle the error." "main.go":7 "@@ -1 +1 @@", "Why is that gone?" "main.go":3 "@@ -3 +3 @@"
        KIND-cem-example-my-repo-1-said-3684b4eaa0bf zoe APPROVED: I approve
        "#); }
    }
}

#[test]
fn notes_and_approvals_of_gitlab_are_gathered_as_its_webhooks_are() {
    let (first, plain) = (recorded("gitlab_note_diff"), recorded("gitlab_note_plain"));
    let zoe = json!({ "id": 4_711, "username": "zoe", "name": "Zoe" });
    let eva = json!({ "id": 51_764, "username": "ann-example", "name": "Ann Example" });
    let mut noted = first["object_attributes"].clone();
    (noted["author"], noted["body"]) = (zoe.clone(), noted["note"].clone());
    noted["created_at"] = json!("2017-12-10T17:05:56.123Z");
    let note =
        |id: u64, by: &Value, at: &str, body: &str| json!({ "id": id, "author": by, "body": body, "created_at": at });
    let mut system = note(50_772_700, &zoe, "2017-12-10T18:00:00Z", "approved this merge request");
    system["system"] = json!(true);
    let mut pushed = note(50_772_701, &zoe, "2017-12-10T18:00:00Z", "added 1 commit");
    pushed["system"] = json!(true);
    let discussions = json!([
        { "id": first["object_attributes"]["discussion_id"], "notes": [noted] },
        { "id": "b", "notes": [
            note(50_772_640, &zoe, "2017-12-10T17:05:56.500Z", "Handle the error."),
            note(50_772_641, &eva, "2017-12-10T17:06:00Z", "I will."),
        ] },
        { "id": "c", "notes": [system, pushed] },
    ]);
    let (repository, of) = ("gitlab-org/hello-world", "/projects/gitlab%2Dorg%2Fhello%2Dworld/merge_requests");
    let list = json!([{
        "iid": 1, "author": eva, "source_branch": "feature", "description": "", "sha": first["merge_request"]["last_commit"]["id"],
        "web_url": "https://gitlab.com/gitlab-org/hello-world/-/merge_requests/1",
        "references": { "full": "gitlab-org/hello-world!1" }, "updated_at": "2017-12-11T00:00:00Z",
    }]);
    let diffs = json!([
        { "old_path": "a.md", "new_path": "a.md", "diff": "@@ -1 +1 @@\n-a\n+b\n" },
        { "old_path": "README.md", "new_path": "README.md", "diff": "@@ -1,2 +1,2 @@\n-# helo\n+# hello wrld\n text\n" },
    ]);
    let places =
        vec![(of.to_owned(), list), (format!("{of}/1/discussions"), discussions), (format!("{of}/1/diffs"), diffs)];
    let (world, _server) = world("gitlab", "/api/v4", places);
    world.taken(&signed("gitlab", "Note Hook", &said_by(first, "zoe")));
    let mut second = said_by(plain, "zoe");
    second["object_attributes"]["id"] = json!(50_772_640);
    second["object_attributes"]["note"] = json!("Handle the error.");
    world.taken(&signed("gitlab", "Note Hook", &second));
    assert_eq!(world.decisions().len(), 1);
    // It was approved before another commit was added.
    let mut approved = said_by(recorded("gitlab_approved"), "zoe");
    (approved["object_attributes"]["action"], approved["object_attributes"]["iid"]) = (json!("approval"), json!(1));
    approved["project"]["path_with_namespace"] = json!(repository);
    assert_eq!(world.taken(&signed("gitlab", "Merge Request Hook", &approved)), "review");
    assert_eq!(world.decisions().len(), 2);
    let tally = import(&world, "gitlab", repository);
    assert_eq!(
        (&tally["handed_over"], &tally["known"], &tally["requests"]),
        (&json!(0), &json!(2), &json!(3)),
        "{tally}"
    );
    insta::assert_snapshot!(shown(&world.decisions()), @r#"
    gitlab-gitlab-org-hello-world-1-by-zoe-50772639 zoe APPROVED_WITH_CHANGES: - "check spelling" "README.md":1 null, "Handle the error." null:null null
    gitlab-gitlab-org-hello-world-1-by-zoe-approved zoe APPROVED: -
    "#);
}
