//! `inbox` as people and scripts see it: what is pending for whom, and why.

use super::clusters_review;
use crate::app::rules::{RULE, approve, review, with_proposal};
use crate::harness::cli;
use crate::harness::run::{Run, decision};
use feedbackd::cli::Exit;
use feedbackd::domain::records::layout;
use serde_json::{Value, json};

/// Creates a proposal by ann and bob, and a comment that contradicts both.
fn store() -> Run {
    let mut run = with_proposal();
    run.send(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    run
}

/// Returns the output of `inbox --json`; the store is free for the command line meanwhile.
fn inbox(run: &mut Run, args: &str) -> Value {
    run.pipeline = None;
    let line = format!("inbox --json {args}");
    let (exit, out, err) = cli::say(&run.config, line.split_whitespace());
    assert_eq!(exit, Exit::Ok, "{err}");
    run.restart();
    serde_json::from_str(&out).unwrap()
}

fn item<'a>(inbox: &'a Value, kind: &str) -> Option<&'a Value> {
    inbox["items"].as_array().unwrap().iter().find(|item| item["kind"] == kind)
}

#[test]
fn it_lists_what_waits_for_this_person_and_counts_the_rest() {
    let mut run = store();
    let all = inbox(&mut run, "--no-questions");
    assert_eq!((item(&all, "proposal").unwrap()["id"].as_str(), all["others"].as_u64()), (Some(RULE), Some(0)));
    assert_eq!(item(&all, "contradiction").unwrap()["id"], "d9");
    assert_eq!(all["questions"], false);

    let cleo = inbox(&mut run, "--as cleo --no-questions");
    let waits = item(&cleo, "proposal").unwrap();
    assert_eq!(waits["progress"], json!({"have": 0, "needed": 2}));
    assert!(waits["worth"].as_f64().unwrap() > 0.0 && waits["content_hash"].as_str().unwrap().starts_with("v2:"));

    approve(&mut run, RULE, "cleo");
    let cleo = inbox(&mut run, "--as cleo --no-questions");
    assert_eq!((item(&cleo, "proposal"), cleo["others"].as_u64()), (None, Some(1)));
    let ann = inbox(&mut run, "--as ann --no-questions");
    let waits = item(&ann, "proposal").unwrap();
    assert_eq!((waits["progress"]["have"].as_u64(), waits["completes"].as_bool()), (Some(1), Some(true)));
    assert_eq!(waits["wrote_evidence"], true);

    let mallory = inbox(&mut run, "--as mallory --no-questions");
    assert_eq!(mallory["items"], json!([]));
    assert!(mallory["note"].as_str().unwrap().contains("not on the roster"));
    assert_eq!(inbox(&mut run, "--agent nobody --no-questions")["items"], json!([]));
}

#[test]
fn a_void_approval_and_a_change_of_the_roster_are_in_it() {
    let mut run = store();
    approve(&mut run, RULE, "cleo");
    let before = inbox(&mut run, "--as dora --no-questions");
    run.review(&review(
        "rev-m",
        "dora",
        "MODIFY",
        json!({
            "modified_content": "Give every handler of the API an explicit branch for errors, and a test for it."
        }),
    ));
    run.commit_file(layout::ROSTER, |text| text + "  - {id: eve, roles: [approver]}\n");
    run.tick();
    let cleo = inbox(&mut run, "--as cleo --no-questions");
    let changed = &item(&cleo, "proposal").unwrap()["changed_since_approved"];
    assert_eq!(changed["approved_hash"], item(&before, "proposal").unwrap()["content_hash"]);
    assert_eq!(changed["content_hash"], item(&cleo, "proposal").unwrap()["content_hash"]);
    assert_eq!((changed["approved_version"].as_u64(), changed["version"].as_u64()), (Some(1), Some(2)));
    let roster = &cleo["items"][0];
    assert_eq!((roster["kind"].as_str(), roster["id"].as_str()), (Some("roster_change"), Some("ROSTER")));
    assert_eq!(roster["progress"], json!({"have": 0, "needed": 2}));
    assert!(roster["title"].as_str().unwrap().contains("eve"), "{roster}");
}

#[test]
fn questions_come_with_what_is_asked() {
    let mut run = clusters_review::store();
    let all = inbox(&mut run, "--as cleo");
    assert_eq!(all["questions"], true);
    let question = item(&all, "question").unwrap();
    assert!(question["question"].is_object() && question["id"].as_str().unwrap().starts_with("ASK-"), "{question}");
    assert_eq!(item(&inbox(&mut run, "--as cleo"), "question").unwrap()["id"], question["id"], "the id stays");
    let worths: Vec<f64> = all["items"].as_array().unwrap().iter().map(|i| i["worth"].as_f64().unwrap()).collect();
    assert!(worths.is_sorted_by(|a, b| a >= b), "{worths:?}");
}
