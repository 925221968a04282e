//! The catalogue as its users see it: lookup, checks, trials on comments, explanations, and the self-test.

use crate::harness::cli;
use crate::harness::run::{Run, decision};
use feedbackd::app::pipeline::EntryOutcome;
use feedbackd::cli::Exit;
use feedbackd::config::Config;
use feedbackd::domain::intake::event::{RawEntry, StreamKind};
use feedbackd::domain::records::record::ProposalRecord;
use feedbackd::domain::testing::sample;
use serde_json::{Value, json};

fn say(config: &Config, args: &[&str]) -> (Exit, String, String) {
    cli::say(config, args.iter().copied())
}

fn json_of(config: &Config, args: &[&str]) -> Value {
    let (exit, out, err) = say(config, &[args, &["--json"]].concat());
    assert_eq!(exit, Exit::Ok, "{args:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

/// Returns a configuration whose store was never created.
fn without_store() -> (Config, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.path = dir.path().join("store.git");
    config.state.dir = dir.path().join("state");
    (config, dir)
}

const OURS: &str = r#"concerns:
  - id: ours.money_in_cents
    title: Money in whole cents
    description: An amount is kept as a floating-point number.
    gates: [code]
    direction: change
    terms: {en: ["cent*^2"], de: ["cent*"], fr: ["cent*"], es: ["cent*"], pt: ["cent*"], ja: ["円"], zh: ["分"]}
    phrasings: [amounts are integers, "a float for a price?", this rounds the invoice, a whole number of cents, "0.1 + 0.2", no doubles for money]
    rule: Keep amounts of money as whole cents, never as floating-point numbers.
    why: Floating-point amounts do not add up.
"#;

#[test]
fn the_shipped_catalogue_is_looked_up_without_a_store() {
    let (config, _dir) = without_store();
    let all = json_of(&config, &["catalogue", "list"]);
    let code = json_of(&config, &["catalogue", "list", "--gate", "HITL-4"]);
    assert!(code.as_array().unwrap().len() < all.as_array().unwrap().len());
    assert_eq!(code, json_of(&config, &["catalogue", "list", "--gate", "code"]));
    let shown = json_of(&config, &["catalogue", "show", "err.swallowed"]);
    assert_eq!((&shown["id"], &shown["origins"]), (&json!("err.swallowed"), &json!(["shipped code.yaml"])));
    let (exit, out, _) = say(&config, &["catalogue", "show", "err.swallowed"]);
    assert_eq!(exit, Exit::Ok);
    for part in ["Matching terms", "What people say", "asked of      code", "shipped code.yaml"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (exit, _, err) = say(&config, &["catalogue", "show", "err.swalowed"]);
    assert!(exit == Exit::NotFound && err.contains("err.swallowed"), "{err}");
    let (exit, _, err) = say(&config, &["catalogue", "list", "--gate", "HITL-9"]);
    assert!(exit == Exit::Usage && err.contains("HITL-1 to HITL-6"), "{err}");
}

#[test]
fn files_are_checked_before_they_are_added() {
    let (config, dir) = without_store();
    let file = dir.path().join("ours.yaml");
    let lint = |text: &str| {
        std::fs::write(&file, text).unwrap();
        say(&config, &["catalogue", "lint", file.to_str().unwrap(), "--errors"])
    };
    let (exit, out, _) = lint(OURS);
    assert_eq!(exit, Exit::Ok, "what is wrong with the shipped files is not their matter: {out}");
    let (exit, out, _) = lint(&OURS.replace("direction: change", "direction: change\n    opposite: err.swallowed"));
    assert_eq!(exit, Exit::Failure, "{out}");
    assert!(out.starts_with("error: ours.money_in_cents has the opposite err.swallowed, whose opposite"), "{out}");
    let (exit, out, _) = lint("concerns: 7");
    assert!(exit == Exit::Failure && out.contains("ours.yaml: "), "{out}");
    let (exit, _, err) = say(&config, &["catalogue", "lint", "/nowhere.yaml"]);
    assert!(exit == Exit::Failure && err.contains("there is no file"), "{err}");
}

#[test]
fn a_remark_is_tried_with_and_without_a_store() {
    let (config, _dir) = without_store();
    let remark = "nit: errors are swallowed in the catch block, log them. Thanks!";
    let (exit, out, err) = say(&config, &["catalogue", "test", remark, "--gate", "code"]);
    assert_eq!(exit, Exit::Ok, "{err}");
    assert!(err.contains("earlier comments are not included"), "{err}");
    for part in ["err.swallowed", "1. ", "3. ", "score", "phrasing", "What would have changed it", "runner-up"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let mut run = Run::new();
    run.send(&[decision("d1", "ann", "REJECTED", Some("Errors are swallowed in the catch block, log them"))]);
    run.pipeline = None;
    let found = json_of(&run.config, &["catalogue", "test", remark, "--gate", "HITL-4"]);
    assert_eq!((&found["work"], &found["gate"]), (&json!("code"), &json!("HITL-4")));
    assert!(!found["demand"].as_str().unwrap().contains("nit"), "{found}");
    assert_eq!(found["likeliest"].as_array().unwrap().len(), 3);
    assert_eq!(found["nearest"][0]["feedback_id"], "d1");
    let elsewhere = json_of(&run.config, &["catalogue", "test", remark, "--gate", "prd"]);
    assert_eq!(elsewhere["nearest"], json!([]), "another agent's work");
}

#[test]
fn a_concern_of_the_store_is_named_with_its_file() {
    let mut run = Run::new();
    run.commit_file("catalogue/ours.yaml", |_| OURS.to_owned());
    run.commit_file("catalogue/wrong.yaml", |_| "no catalogue\n".to_owned());
    run.pipeline = None;
    let (exit, out, err) = say(&run.config, &["catalogue", "show", "ours.money_in_cents"]);
    assert_eq!(exit, Exit::Ok, "{err}");
    assert!(out.contains("catalogue/ours.yaml"), "{out}");
    assert!(err.contains("left out: catalogue/wrong.yaml"), "{err}");
    let (exit, out, _) = say(&run.config, &["catalogue", "lint", "--errors"]);
    assert!(exit == Exit::Failure && out.contains("catalogue/wrong.yaml"), "{out}");
    let found = json_of(&run.config, &["catalogue", "test", "prices in whole cents, never a float", "--gate", "code"]);
    let best = &found["likeliest"][0];
    assert_eq!((&best["concern"], &best["read_by"]), (&json!("ours.money_in_cents"), &json!("store")));
}

#[test]
fn the_parts_of_each_score_add_up_to_it() {
    let mut run = Run::new();
    run.commit_file("catalogue/ours.yaml", |_| OURS.to_owned());
    run.pipeline = None;
    let mut readers = std::collections::BTreeSet::new();
    for remark in [
        "Errors are swallowed in the catch block, log them",
        "prices in whole cents, never a float",
        "the saga has no compensating step when the payment fails half-way",
        "Les erreurs sont avalées dans le bloc catch, journalisez-les",
    ] {
        let found = json_of(&run.config, &["catalogue", "test", remark, "--gate", "code"]);
        for parts in found["likeliest"].as_array().unwrap() {
            let of = |name: &str| parts[name].as_f64().unwrap();
            let sum: f64 = ["by_vector", "by_terms", "by_words", "by_letters", "by_gate"].map(of).iter().sum();
            assert!((sum - of("score")).abs() < 0.01, "{remark}: {parts}");
            readers.insert(parts["read_by"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(readers.into_iter().collect::<Vec<_>>(), ["nearness", "reader", "store"]);
}

/// Also for a concern that the reader was trained on: the store's phrasings then precede the known ones.
#[test]
fn a_phrasing_that_a_store_adds_is_named_where_it_is_the_nearest() {
    let mut run = Run::new();
    let ours = "the flange hides what the sprocket reported";
    let text = format!("concerns: []\nmore_phrasings:\n  err.swallowed:\n    - {ours}\n");
    run.commit_file("catalogue/ours.yaml", |_| text.clone());
    run.pipeline = None;
    let found = json_of(&run.config, &["catalogue", "test", ours, "--gate", "code"]);
    let all = found["likeliest"].as_array().unwrap();
    let swallowed = all.iter().find(|parts| parts["concern"] == "err.swallowed").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(swallowed["phrasings"][0]["text"], ours, "{swallowed}");
}

#[test]
fn a_feedback_is_explained() {
    let mut run = Run::new();
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("Empty catch block swallows the exception")),
        decision("d2", "bob", "REJECTED", Some("Empty catch block swallows the exception")),
        decision("d3", "bob", "APPROVED", Some("Looks good")),
    ]);
    run.pipeline = None;
    let found = json_of(&run.config, &["explain", "d2"]);
    assert_eq!(found["recorded"]["concern"], "err.swallowed");
    assert_eq!((&found["changed"], &found["not_compared"]), (&json!(false), &Value::Null));
    assert_eq!(found["reading"]["concern"], found["recorded"]);
    assert_eq!(found["reading"]["nearest"][0]["feedback_id"], "d1", "and not itself");
    let (exit, out, err) = say(&run.config, &["explain", "d2"]);
    assert_eq!((exit, err.as_str()), (Exit::Ok, ""));
    for part in ["recorded as", "What would have changed it", "The nearest earlier comments", "d1 by ann"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let praise = json_of(&run.config, &["explain", "d3"]);
    assert_eq!(praise["not_compared"], "it asks for nothing");
    assert_eq!(say(&run.config, &["explain", "d9"]).0, Exit::NotFound);
}

#[test]
fn the_self_test_holds_the_program_against_people() {
    let mut run = Run::new();
    run.approvers(&["cleo"]);
    run.send(&[
        decision("a1", "ann", "REJECTED", Some("Missing error handling in the upload handler")),
        decision("a2", "bob", "REJECTED", Some("The upload handler lacks error handling")),
        decision("b1", "ann", "REJECTED", Some("Rename the variable x to something that says what it holds")),
        decision("c1", "cem", "REJECTED", Some("Pin the version of the base image")),
    ]);
    run.pipeline = None;
    let before = json_of(&run.config, &["selftest"]);
    assert_eq!((&before["answers"], &before["enough_answers"]), (&json!(0), &json!(false)));
    assert_eq!(before["grouping"]["all"]["f"], 1.0, "what nobody changed is as the program made it");
    let cluster = feedbackd::text::ids::cluster_id("a1");
    for args in [["different", &cluster, "b1"], ["same", "b1", "c1"]] {
        let (exit, _, err) = say(&run.config, &[&["clusters"][..], &args[..], &["--as", "cleo"][..]].concat());
        assert_eq!(exit, Exit::Ok, "{err}");
    }
    let found = json_of(&run.config, &["selftest"]);
    assert_eq!((&found["answers"], &found["same"], &found["different"]), (&json!(2), &json!(1), &json!(1)));
    // The cluster had two comments when it was separated from the other one.
    assert_eq!(found["pairs"]["pairs"], 3);
    assert_eq!(found["pairs"]["different_found"]["share"], 1.0);
    assert_eq!(found["pairs"]["same_found"], json!({"part": 0, "of": 1, "share": 0.0}));
    // The program would not have joined b1 and c1 automatically.
    let grouping = &found["grouping"];
    assert_eq!((&grouping["taught_remarks"], &grouping["remarks"]), (&json!(2), &json!(4)));
    assert_eq!((&grouping["taught"]["precision"], &grouping["taught"]["recall"]), (&json!(1.0), &json!(0.5)));
    let (exit, out, err) = say(&run.config, &["selftest"]);
    assert_eq!((exit, err.as_str()), (Exit::Ok, ""));
    assert!(out.starts_with("2 answers of people: 1 the same, 1 different\n"), "{out}");
    assert!(out.contains("too little to go by"), "{out}");
    assert_eq!(found["proposals"]["recalibration"]["in_use"], false);
    assert!(out.contains("begins with 30 decided proposals, and there are 0"), "{out}");
}

/// Creates a store in which people rejected 32 of 36 confident proposals, each for its own agent.
fn disappointed() -> Run {
    let mut run = Run::new();
    run.approvers(&["cleo"]);
    let proposed = |n: u32| {
        let mut proposal = sample::proposal(n);
        proposal.rule_content = "Describe the retries of every component.".into();
        proposal.affected_agents = vec![format!("agent-{n}")];
        proposal.classification_confidence = 0.97;
        proposal
    };
    for proposal in (1..=36).map(proposed) {
        run.file_proposal(proposal);
    }
    let reviews: Vec<RawEntry> = (1..=36)
        .map(|n| {
            let mut entry = run.entry(&json!({
                "review_id": format!("rev-{n}"), "proposal_id": format!("RULE-2026-{n:04}"), "reviewer_id": "cleo",
                "decision": if n <= 4 { "APPROVE" } else { "REJECT" }, "reason": "not what we need",
                "timestamp": "2026-01-12T12:00:00Z",
            }));
            entry.stream = "asdlc:events:meta_hitl_decisions".into();
            entry.kind = StreamKind::MetaHitl;
            entry
        })
        .collect();
    let outcomes = run.process(&reviews).outcomes;
    assert!(outcomes.iter().all(|o| matches!(o, EntryOutcome::Submitted { .. })), "{outcomes:?}");
    run
}

#[test]
fn what_people_turned_down_lowers_the_confidence_of_what_is_proposed_next() {
    let mut run = disappointed();
    let asked = |agent: &str| {
        let mut events = [
            decision(&format!("{agent}-1"), "ann", "REJECTED", Some("Missing error handling in API handler")),
            decision(&format!("{agent}-2"), "bob", "REJECTED", Some("API handler lacks error handling")),
            decision(&format!("{agent}-3"), "cem", "REJECTED", Some("Please add error handling to the API handler")),
        ];
        events.iter_mut().for_each(|event| event["agent"] = agent.into());
        events
    };
    // Its comments alone would immediately make a proposal.
    assert_eq!(run.send(&asked("coding-agent")).counts.proposals, [""; 0]);
    let now = run.now;
    assert_eq!(run.pipeline.as_mut().unwrap().flush(now).unwrap().counts.proposals, ["RULE-2026-0037"]);
    let lowered: ProposalRecord = run.read("feedback/rules/proposed/RULE-2026-0037.yaml");
    let raw = lowered.raw_confidence.unwrap();
    assert!(raw >= 0.9 && lowered.classification_confidence < 0.6, "{raw} {}", lowered.classification_confidence);
    // What was learned follows from the records: a rebuilt index gives the same.
    run.pipeline = None;
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    run.restart();
    run.send(&asked("other-agent"));
    assert_eq!(run.pipeline.as_mut().unwrap().flush(now).unwrap().counts.proposals, ["RULE-2026-0038"]);
    let again: ProposalRecord = run.read("feedback/rules/proposed/RULE-2026-0038.yaml");
    let confidence = |r: &ProposalRecord| (r.classification_confidence, r.raw_confidence);
    assert_eq!(confidence(&again), confidence(&lowered));
    run.pipeline = None;
    let found = &json_of(&run.config, &["selftest"])["proposals"];
    assert_eq!((&found["approved"], &found["rejected"]), (&json!(4), &json!(32)));
    let learned = &found["recalibration"];
    assert_eq!((&learned["in_use"], &learned["decided"]), (&json!(true), &json!(36)));
    assert!(learned["a"].as_f64().unwrap() > 0.0 && learned["b"].as_f64().unwrap() < 0.0, "{learned}");
    let error = |when: &str| learned[when]["ece"].as_f64().unwrap();
    assert!(error("before") > 0.8 && error("after") < 0.2, "{learned}");
    let (_, page, _) = say(&run.config, &["selftest"]);
    assert!(page.contains("Recalibrated on these 36"), "{page}");
    let (_, page, _) = say(&run.config, &["proposals", "show", "RULE-2026-0037"]);
    assert!(page.contains("from its comments alone"), "{page}");
}
