//! `clusters review` as people and scripts see it: questions, answers, and what remains to be asked.

use crate::harness::cli;
use crate::harness::run::{Run, decision};
use feedbackd::cli::Exit;
use feedbackd::domain::intake::submission::ReviewAction;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::ReviewRecord;
use serde_json::Value;

/// Creates three demands for error handling that share few words, and something else.
pub fn store() -> Run {
    let mut run = Run::new();
    // Only similar comments are joined automatically: the rest must be asked about.
    run.config.evaluator.group_threshold = 0.95;
    run.restart();
    run.approvers(&["cleo"]);
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
        decision("e1", "ann", "REJECTED", Some("Add a retry when the call to the API fails")),
        decision("e2", "cem", "REJECTED", Some("Please add a retry for failed API calls")),
        decision("f1", "cem", "REJECTED", Some("The call in the API handler may fail")),
    ]);
    // The store is free for the command line.
    run.pipeline = None;
    run
}

fn say(run: &Run, answers: Option<&'static str>, line: &str) -> (Exit, String, String) {
    cli::answer(&run.config, answers, line.split(' '))
}

fn listed(run: &Run) -> Vec<Value> {
    let (exit, out, err) = say(run, None, "clusters review --json");
    assert_eq!((exit, err.as_str()), (Exit::Ok, ""));
    serde_json::from_str(&out).unwrap()
}

fn reviews(run: &mut Run) -> Vec<ReviewAction> {
    run.restart();
    let paths = run.paths(layout::REVIEWS);
    let actions = paths.iter().map(|path| run.read::<ReviewRecord>(path).action).collect();
    run.pipeline = None;
    actions
}

#[test]
fn without_a_terminal_the_questions_are_listed_with_their_answers() {
    let run = store();
    let questions = listed(&run);
    assert!(questions.len() >= 2, "{questions:#?}");
    let (exit, out, err) = say(&run, None, "clusters review");
    assert_eq!((exit, err.as_str()), (Exit::Ok, ""));
    for question in &questions {
        // A list has one command, a pair two.
        for command in ["same", "different", "sort"].into_iter().filter_map(|word| question[word].as_str()) {
            assert!(out.contains(&format!("   {command}\n")), "{command} in {out}");
        }
    }
    assert!(out.contains("“Missing error handling in API handler”"), "{out}");
    assert!(out.contains("2 comments by ann (1), bob (1)"), "{out}");
    // A list works the same on a terminal.
    assert_eq!(say(&run, Some("s\n"), "clusters review --list"), (exit, out, err));
    assert_eq!(say(&run, None, "clusters review --agent nobody").1, "Nothing to ask.\n");
}

#[test]
fn the_printed_commands_answer_the_questions() {
    let mut run = store();
    let pairs = |run: &Run| listed(run).into_iter().filter(|q| q["a"].is_object()).collect::<Vec<_>>();
    let questions = pairs(&run);
    let command = |question: &Value, word: &str| question[word].as_str().unwrap().replace("YOU", "cleo");
    for (question, word) in questions.iter().zip(["different", "same"]) {
        let line = command(question, word);
        let (exit, _, err) = say(&run, None, line.strip_prefix("feedbackd ").unwrap());
        assert_eq!((exit, err.as_str()), (Exit::Ok, ""), "{line}");
    }
    let kinds: Vec<&str> = reviews(&mut run).iter().map(ReviewAction::word).collect();
    assert_eq!(kinds.len(), 2);
    assert!(kinds.contains(&"distinction") && kinds.contains(&"union"), "{kinds:?}");
    let sides = |q: &Value| (q["a"]["id"].clone(), q["b"]["id"].clone());
    let left: Vec<_> = pairs(&run).iter().map(sides).collect();
    for question in &questions[..2] {
        assert!(!left.contains(&sides(question)), "{left:?}");
    }
}

#[test]
fn a_person_is_asked_one_question_after_the_other() {
    let mut run = store();
    let answers = "what?\nn\nS\nd\nd\nd\nd\nd\nd\nd\nd\nd\n";
    let (exit, out, err) = say(&run, Some(answers), "clusters review --as cleo");
    assert_eq!((exit, err.as_str()), (Exit::Ok, ""), "{out}");
    assert!(out.contains("recorded."), "{out}");
    let kinds: Vec<&str> = reviews(&mut run).iter().map(ReviewAction::word).collect();
    assert!(kinds.iter().any(|kind| ["union", "sorting"].contains(kind)), "{kinds:?} {out}");
    // Only open questions are asked again.
    assert!(listed(&run).len() <= 1, "{:#?}", listed(&run));
}

#[test]
fn whoever_quits_or_says_nothing_leaves_the_rest_open() {
    let mut run = store();
    for says in ["q\n", ""] {
        let (exit, out, _) = say(&run, Some(says), "clusters review --as cleo");
        assert_eq!(exit, Exit::Ok);
        assert!(out.ends_with("0 answers recorded.\n"), "{out}");
    }
    assert_eq!(reviews(&mut run), []);
    let (exit, _, err) = say(&run, Some("s\n"), "clusters review");
    assert_eq!(exit, Exit::Usage, "{err}");
    let (exit, _, err) = say(&run, Some("s\n"), "clusters review --as mallory");
    assert_eq!(exit, Exit::Failure);
    assert!(err.contains("not on the roster"), "{err}");
}
