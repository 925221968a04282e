//! The commands for the channels next to gate decisions, as people, CI and scripts see them.

use crate::harness::run::Run;
use feedbackd::domain::channels::iteration::SCHEMA;
use feedbackd::domain::intake::event::StreamKind;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of files, and the program run in it.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Desk {
        Desk(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, "")
    }

    fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    fn says(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", err(&output));
        out(&output)
    }

    /// Returns what `detect` prints if it finds a failure.
    fn detects(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!((output.status.code(), err(&output).as_str()), (Some(6), ""), "{args:?}");
        out(&output)
    }

    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.says(&args)).unwrap()
    }
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns the specification's example with a valid id.
fn review() -> Value {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut review = schema["examples"][0].clone();
    review["id"] = json!("3f2b8c1e-7d4a-4e09-9b56-0c1d2e3f4a5b");
    review
}

fn vague() -> Value {
    let mut review = review();
    review["feedback_items"][0]["issue"] = json!("Code could be better");
    review
}

/// specification, "Review documents: Validation": rejected with the place and what would pass; one bad document of
/// several decides.
#[test]
fn documents_are_validated_for_ci() {
    let desk = Desk::new();
    desk.file("good.json", &review().to_string());
    desk.file("bad.json", &format!("{:#}", vague()));
    desk.file("broken.yaml", "id: [1\nx: \"\n");
    let good = desk.run(&["validate", "good.json", "--config", "no such file"]);
    assert_eq!((good.status.code(), err(&good).as_str()), (Some(0), ""));
    assert!(out(&good).ends_with("1 document, 0 refused: 0 errors, 0 warnings\n"), "{}", out(&good));
    let bad = desk.run(&["validate", "good.json", "bad.json", "broken.yaml"]);
    assert_eq!(bad.status.code(), Some(1));
    let told = out(&bad);
    let line = told.lines().find(|line| line.contains("[issue.vague]")).unwrap();
    let at = format!("{:#}", vague()).lines().position(|l| l.contains("could be better")).unwrap() + 1;
    assert!(line.starts_with(&format!("bad.json:{at}: error: /feedback_items/0/issue: ")), "{line}");
    assert!(told.lines().any(|l| l.starts_with("broken.yaml:") && l.contains(": error: ")), "{told}");
    assert!(told.contains("3 documents, 2 refused: "), "{told}");
}

#[test]
fn several_documents_come_from_standard_input() {
    let text = format!("---\n{}\n---\n{}\n", review(), vague());
    let output = Desk::new().run_with(&["validate", "-", "--json"], &text);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let list: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(
        (&list[0]["valid"], &list[1]["valid"], &list[1]["file"]),
        (&json!(true), &json!(false), &json!("<stdin>"))
    );
    assert_eq!(list.as_array().unwrap().len(), 2);
}

#[test]
fn findings_go_to_code_scanning() {
    let desk = Desk::new();
    desk.file("bad.json", &vague().to_string());
    desk.file("broken.yaml", "id: [1\nx: \"\n");
    let output = desk.run(&["validate", "bad.json", "broken.yaml", "--format", "sarif"]);
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|r| r["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["issue.vague", "document.unreadable"]);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64(), "{result}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_the_others_are_validated() {
    let desk = Desk::new();
    desk.file("bad.json", &vague().to_string());
    let output = desk.run(&["validate", "gone.json", "bad.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).starts_with("error: there is no file gone.json\nhint: "), "{}", err(&output));
    assert!(out(&output).contains("[issue.vague]"), "{}", out(&output));
    assert_eq!(desk.run(&["validate"]).status.code(), Some(2));
}

const PYTEST: &str = "\
============================= test session starts ==============================
tests/test_api.py::test_login FAILED
E   AssertionError: assert 401 == 200
=========================== short test summary info ============================
FAILED tests/test_api.py::test_login - AssertionError: assert 401 == 200
========================= 1 failed, 3 passed in 0.12s ==========================
";

/// specification, "Refinement: Failure signals": facts of the report accompany the verdict; no output without a
/// failure.
#[test]
fn signals_are_detected_with_their_facts() {
    let desk = Desk::new();
    desk.file("out.txt", PYTEST);
    let args = ["detect", "out.txt", "--exit-code", "1", "--tool", "pytest", "--json"];
    let answer: Value = serde_json::from_str(&desk.detects(&args)).unwrap();
    let signal = &answer["signal"];
    assert_eq!(signal["kind"], "verification_failure");
    assert_eq!((&signal["facts"]["failed"], &signal["facts"]["passed"]), (&json!(1), &json!(3)));
    assert_eq!(signal["facts"]["failing_tests"], json!(["tests/test_api.py::test_login"]));
    let failures = json!(["tests/test_api.py::test_login: AssertionError: assert 401 == 200"]);
    assert_eq!(signal["facts"]["failures"], failures);
    let page = desk.detects(&["detect", "out.txt"]);
    assert!(page.starts_with("verification_failure, ") && page.contains("1 failed"), "{page}");
    // A person's statement, and a negative exit code of a killed program.
    let said = desk.run_with(&["detect", "-", "--user", "--json"], "No, that is wrong, I wanted a table.");
    assert!(out(&said).contains("\"user_rejection\""), "{}", out(&said));
    let killed = desk.run_with(&["detect", "--exit-code", "-9", "--json"], "working\n");
    assert!(out(&killed).contains("\"runtime_error\""), "{}", out(&killed));
    assert_eq!(desk.run(&["detect", "missing.txt"]).status.code(), Some(1), "not the code of a failure that was seen");
    let none = desk.run_with(&["detect"], "12 passed, 0 failed\n");
    assert_eq!((none.status.code(), err(&none).as_str()), (Some(0), ""));
    assert!(out(&none).starts_with("No signal"), "{}", out(&none));
    let none = desk.run_with(&["detect", "--json"], "12 passed, 0 failed\n");
    assert_eq!(serde_json::from_str::<Value>(&out(&none)).unwrap(), json!({ "signal": null }));
}

/// The text as stored goes to standard output, what was masked to standard error; nothing if nothing was masked.
#[test]
fn what_is_masked_of_a_text_is_shown() {
    let desk = Desk::new();
    let said = desk.run_with(&["redact", "-"], "first\nuse password=q7Wq4LKw2 here\n");
    assert_eq!(out(&said), "first\nuse password=[REDACTED:password] here\n");
    assert_eq!(err(&said), "note: line 2, column 14: password (9 characters)\n");
    assert_eq!(said.status.code(), Some(0));
    desk.file("log.txt", "token=0a1b2c3d-0a1b-4c2d-8e3f-0123456789ab\n");
    let answer = desk.json(&["redact", "log.txt"]);
    assert_eq!(answer["text"], "token=[REDACTED:token]\n");
    assert_eq!(answer["masked"], json!([{ "kind": "token", "line": 1, "column": 7, "length": 36 }]));
    let plain = desk.run_with(&["redact"], "see commit da39a3ee5e6b4b0d3255bfef95601890afd80709\n");
    assert_eq!(
        (out(&plain).as_str(), err(&plain).as_str()),
        ("see commit da39a3ee5e6b4b0d3255bfef95601890afd80709\n", "")
    );
    assert_eq!(desk.run_with(&["redact", "missing.txt"], "").status.code(), Some(1));
}

/// specification, "Refinement: The loop": only the prompt on standard output, the actions on standard error; unchanged
/// without a signal.
#[test]
fn prompts_are_refined() {
    let desk = Desk::new();
    desk.file("out.txt", PYTEST);
    desk.file("prompt.txt", "Write a login endpoint.\n");
    let file = desk.run(&["refine", "--prompt", "prompt.txt", "--feedback", "out.txt"]);
    let text = desk.run(&["refine", "--prompt", "Write a login endpoint.\n", "--feedback", "out.txt"]);
    assert_eq!((file.status.code(), &file.stdout), (Some(0), &text.stdout), "{}", err(&file));
    let refined = out(&file);
    assert!(refined.starts_with("Write a login endpoint.\n") && refined.contains("test_login"), "{refined}");
    assert!(err(&file).contains("note: iteration 1: ") && err(&file).contains(" of 10: "), "{}", err(&file));
    assert!(err(&file).contains("only a new run shows"), "{}", err(&file));
    let answer = desk.json(&["refine", "--prompt", "prompt.txt", "--feedback", "out.txt", "--max-iterations", "1"]);
    assert_eq!(answer["iterations"].as_array().unwrap().len(), 1);
    assert_eq!(answer["refined_prompt"].as_str().unwrap(), answer["iterations"][0]["refined_prompt"].as_str().unwrap());
    // Earlier iterations count against the limit.
    let args = ["refine", "--prompt", "prompt.txt", "--feedback", "out.txt", "--iteration", "4"];
    assert_eq!(out(&desk.run(&args)), "Write a login endpoint.\n");
    let fine = desk.run_with(&["refine", "--prompt", "prompt.txt", "--feedback", "-"], "4 passed in 0.1s\n");
    assert_eq!(out(&fine), "Write a login endpoint.\n");
    assert!(err(&fine).contains("signals no failure"), "{}", err(&fine));
    assert_eq!(desk.run(&["refine", "--prompt", "-", "--feedback", "-"]).status.code(), Some(2));
    assert_eq!(desk.run(&["refine", "--prompt", "x"]).status.code(), Some(2));
    // A misspelled name is no prompt.
    let typo = desk.run(&["refine", "--prompt", "promt.txt", "--feedback", "out.txt"]);
    assert_eq!((typo.status.code(), out(&typo).as_str()), (Some(1), ""));
    assert!(err(&typo).starts_with("error: there is no file promt.txt\nhint: "), "{}", err(&typo));
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn a_task_is_scored_and_predicted() {
    let desk = Desk::new();
    let line = |id: &str, text: &str, label: Value, source: &str| json!({ "id": id, "text": text, "label": label, "source": source });
    desk.file(
        "failure.jsonl",
        &lines(&[
            line("1", PYTEST, json!("verification_failure"), "tool"),
            line("2", "all good, 0 errors", json!("none"), "tool"),
            line(
                "3",
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'",
                json!("runtime_error"),
                "tool",
            ),
            // The label is wrong, so that there is an error.
            line("4", "all good, 0 errors", json!("runtime_error"), "log"),
            line("5", "all good, 0 errors", Value::Null, "log"),
        ]),
    );
    let page = desk.says(&["eval", "--task", "failure", "--data", "failure.jsonl", "--predictions", "out.jsonl"]);
    assert!(page.starts_with("all: 4 scored, macro-F1 0.778, accuracy 0.750, ECE "), "{page}");
    assert!(page.contains("source log: 1 scored, macro-F1 0.000") && page.contains("1 without a label"), "{page}");
    assert!(page.contains("runtime_error as none: 1"), "{page}");
    let written = std::fs::read_to_string(desk.0.path().join("out.jsonl")).unwrap();
    let written: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let given: Vec<&str> = written.iter().map(|line| line["label"].as_str().unwrap()).collect();
    assert_eq!(given, ["verification_failure", "none", "runtime_error", "none", "none"]);
    assert_eq!(written[4]["id"], "5");
    let answer = desk.json(&["eval", "--task", "failure", "--data", "failure.jsonl", "--by", "label"]);
    assert_eq!((&answer["predicted"], &answer["all"]["items"]), (&json!(5), &json!(4)));
    // The confidence is that of the predicted label; its error is computed by hand.
    let error: f64 = [(0, 1.0), (1, 1.0), (2, 1.0), (3, 0.0)]
        .map(|(at, right)| (written[at]["confidence"].as_f64().unwrap() - right).powi(2))
        .iter()
        .sum();
    let brier = answer["all"]["confidence"]["brier"].as_f64().unwrap();
    assert!((brier - error / 4.0).abs() < 1e-9, "{brier} {error}");
}

#[test]
fn tasks_on_two_queries_use_the_similarity() {
    let desk = Desk::new();
    let pair = |id: &str, before: &str, text: &str, label: &str| json!({ "id": id, "previous_query": before, "previous_response": "", "text": text, "label": label });
    desk.file(
        "pairs.jsonl",
        &lines(&[
            pair("1", "How do I cancel my order?", "How can I cancel the order I placed?", "rephrased"),
            pair("2", "How do I cancel my order?", "What is the weather in Rome?", "different"),
            pair("3", "Book a table for two", "Book a table for three", "different"),
        ]),
    );
    let answer = desk.json(&["eval", "--task", "rephrase", "--data", "pairs.jsonl"]);
    assert_eq!(answer["all"]["macro_f1"], 1.0, "{answer}");
    desk.file(
        "turns.jsonl",
        &lines(&[pair("1", "Show me laptops", "No, that is wrong, I meant desktops", "rejected")]),
    );
    let answer = desk.json(&["eval", "--task", "next-turn", "--data", "turns.jsonl"]);
    assert_eq!(answer["all"]["accuracy"], 1.0, "{answer}");
    desk.file(
        "stance.jsonl",
        &lines(&[json!({ "id": "1", "text": "Looks good to me, thanks!", "label": "accepted" })]),
    );
    assert_eq!(desk.json(&["eval", "--task", "stance", "--data", "stance.jsonl"])["all"]["accuracy"], 1.0);
}

#[test]
fn what_cannot_be_scored_is_told() {
    let desk = Desk::new();
    desk.file("one.jsonl", "\n{\"id\": \"1\", \"text\": \"x\"}\n");
    let output = desk.run(&["eval", "--task", "rephrase", "--data", "one.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).starts_with("error: one.jsonl: line 2 has no `previous_query`\nhint: "), "{}", err(&output));
    for args in
        [["eval", "--task", "failure"].as_slice(), &["eval"], &["eval", "--task", "failure", "hitl", "--data", "x"]]
    {
        assert_eq!(desk.run(args).status.code(), Some(2), "{args:?}");
    }
}

/// Creates a store with events of each channel, and the program on it.
fn heard() -> (Run, Desk, String) {
    let mut run = Run::new();
    run.now = "2026-01-31T12:00:00Z".parse().unwrap();
    let turn = |n: u32, text: &str, outcome: &str, quality: f64| {
        json!({
            "turn_id": format!("turn_{n:04}"), "session_id": "chat-1", "timestamp": format!("2026-01-12T10:{n:02}:00Z"),
            "user_message": text, "response": "Here are the results of the search.", "agent": "shop-agent",
            "strategy": { "name": format!("search_{n}"), "query": text }, "validation_outcome": outcome,
            "quality_score": quality,
        })
    };
    let action = |n: u32, kind: &str, action: &str, task: &str| {
        json!({
            "action_id": format!("act-{n}"), "timestamp": format!("2026-01-12T11:{n:02}:00Z"), "session_id": "run-1",
            "agent": "doc-agent", "type": kind, "task_id": task, "inference": "unresolved_document_ids",
            "action": action, "reason": (kind == "action_failed").then_some("document id not found in the registry"),
        })
    };
    let refine = |n: u32, feedback: &str| {
        json!({
            "refinement_id": format!("ref-{n}"), "timestamp": format!("2026-01-12T12:{n:02}:00Z"), "task_id": "T-9",
            "session_id": "run-2", "agent": "coding-agent", "iteration": n, "original_prompt": "Write a login endpoint.",
            "feedback": feedback,
        })
    };
    let mut followed = review();
    followed["id"] = json!("3f2b8c1e-7d4a-4e09-9b56-0c1d2e3f4a5c");
    followed["timestamp"] = json!("2026-01-26T10:00:00Z");
    let events = [
        (StreamKind::Turns, "turns", turn(1, "Find red running shoes", "APPROVE", 0.9)),
        (StreamKind::Turns, "turns", turn(2, "Thanks, that is great! Now find blue jackets", "REVISE", 0.5)),
        (StreamKind::Turns, "turns", turn(3, "No, that is wrong, I meant coats", "FAIL", 0.2)),
        (StreamKind::ActionResults, "action_results", action(1, "action_failed", "direct_path", "T-1")),
        (StreamKind::ActionResults, "action_results", action(2, "action", "search_registry", "T-1")),
        (StreamKind::ActionResults, "action_results", action(3, "action_failed", "direct_path", "T-2")),
        (StreamKind::Refinements, "refinements", refine(1, PYTEST)),
        (StreamKind::Refinements, "refinements", refine(2, "4 passed in 0.1s")),
        (StreamKind::IterationFeedback, "iteration_feedback", review()),
        (StreamKind::IterationFeedback, "iteration_feedback", followed),
    ];
    for (kind, name, event) in events {
        let mut entry = run.entry(&event);
        (entry.kind, entry.stream) = (kind, format!("asdlc:events:{name}"));
        run.process(&[entry]);
    }
    let desk = Desk::new();
    let [store, state] = [&run.config.store.path, &run.config.state.dir].map(|path| path.display().to_string());
    let config = desk.file("config.toml", &format!("[store]\npath = {store:?}\n[state]\ndir = {state:?}\n"));
    run.pipeline = None;
    (run, desk, path_text(&config))
}

fn path_text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Turns: verdicts with their reasons, and strategies to reuse without the rejected ones.
#[test]
fn turns_are_listed_shown_and_searched() {
    let (_run, desk, config) = heard();
    let with = |args: &[&str]| -> Vec<String> {
        args.iter().copied().chain(["--config", &config]).map(str::to_owned).collect()
    };
    let json = |args: &[&str]| desk.json(&with(args).iter().map(String::as_str).collect::<Vec<_>>());
    let says = |args: &[&str]| desk.says(&with(args).iter().map(String::as_str).collect::<Vec<_>>());
    let ids = |rows: &Value| -> Vec<String> {
        let id = |row: &Value| {
            row.get("turn_id").or_else(|| row["row"].get("turn_id")).unwrap().as_str().unwrap().to_owned()
        };
        rows.as_array().unwrap().iter().map(id).collect()
    };
    assert_eq!(ids(&json(&["turns", "list"])), ["turn_0003", "turn_0002", "turn_0001"]);
    assert_eq!(ids(&json(&["turns", "list", "--status", "rejected"])), ["turn_0002"]);
    assert_eq!(ids(&json(&["turns", "list", "--session", "chat-1", "--limit", "1"])), ["turn_0003"]);
    assert_eq!(says(&["turns", "list", "--session", "other"]), "No turns.\n");
    let page = says(&["turns", "show", "chat-1", "turn_0002"]);
    assert!(page.starts_with("turn_0002 of chat-1: rejected, "), "{page}");
    assert!(page.contains("turn_0003, 2026-01-12 10:03 UTC") && page.contains("explicit_correction"), "{page}");
    assert!(page.contains("Context for the next answer:") && page.contains("I meant coats"), "{page}");
    assert!(says(&["turns", "show", "chat-1", "turn_0003"]).contains("not judged yet"));
    // The rejected one matches but is left out; the accepted one shows its formula.
    let found = json(&["turns", "search", "jackets", "or", "shoes", "for", "running"]);
    assert_eq!(ids(&found), ["turn_0001"]);
    assert_eq!(found[0]["formula"], "0.90 * 0.6 + 0.5 * 0.4 = 0.74");
    assert!(found[0]["shared"].as_array().unwrap().contains(&json!("shoe")), "{found}");
    assert!(says(&["turns", "search", "shoes"]).contains("0.90 * 0.6 + 0.5 * 0.4 = 0.74"));
    assert!(says(&["turns", "search", "parliament"]).starts_with("No similar turns"));
    let gone = |session: &str, turn: &str| {
        let args = with(&["turns", "show", session, turn]);
        let output = desk.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        (output.status.code(), err(&output).lines().collect::<Vec<_>>().join("; "))
    };
    let hint = "`feedbackd turns list` shows the ids";
    let told =
        format!("error: there is no turn `turn_0009`; hint: did you mean turn_0001 or turn_0002 or turn_0003? {hint}");
    assert_eq!(gone("chat-1", "turn_0009"), (Some(3), told));
    let told = format!("error: there is no session `chat-2`; hint: did you mean chat-1? {hint}");
    assert_eq!(gone("chat-2", "turn_0001"), (Some(3), told));
}

/// Actions: history, suggestions with their counts, and what was learned, all from the store's records.
#[test]
fn actions_are_told_and_suggested() {
    let (_run, desk, config) = heard();
    let json = |args: &[&str]| desk.json(&[args, &["--config", &config]].concat());
    let says = |args: &[&str]| desk.says(&[args, &["--config", &config]].concat());
    let history = json(&["actions", "history", "--session", "run-1"]);
    let ids: Vec<&str> =
        history.as_array().unwrap().iter().map(|r| r["result"]["action_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["act-3", "act-2", "act-1"]);
    assert_eq!(json(&["actions", "history", "--agent", "doc-agent", "--limit", "1"]).as_array().unwrap().len(), 1);
    assert_eq!(says(&["actions", "history", "--agent", "nobody"]), "No actions.\n");
    assert!(says(&["actions", "history"]).contains("direct_path"));
    let reason = "document id not found in the registry";
    let ask = ["actions", "suggest", "--inference", "unresolved_document_ids", "--reason", reason];
    let answer = json(&ask);
    assert_eq!((&answer["occurrences"], &answer["signature"]["agent"]), (&json!(2), &json!("doc-agent")));
    let suggestions = answer["suggestions"].as_array().unwrap();
    let worked = suggestions.iter().find(|s| s["action"] == "search_registry").expect("what worked is suggested");
    assert_eq!((&worked["tried"], &worked["succeeded"]), (&json!(1), &json!(1)));
    let page = says(&ask);
    assert!(page.contains("2 failures known") && page.contains("worked 1 of 1 time in this situation"), "{page}");
    // Another agent never met it; an unavailable tool is not suggested.
    assert_eq!(json(&[&ask[..], &["--agent", "mail-agent"]].concat())["occurrences"], 0);
    let other = json(&[&ask[..], &["--tools", "list_documents,search_registry"]].concat());
    assert_eq!(other["suggestions"][0]["tool"], "search_registry");
    let learned = says(&["actions", "learned"]);
    assert!(learned.contains("search_registry") && learned.contains("1 of 1 time"), "{learned}");
}

/// specification, "Refinement: The log", and specification, "Review documents: Tracking quality": what helped, as a
/// table and in the report.
#[test]
fn what_helped_is_shown() {
    let (_run, desk, config) = heard();
    let table = desk.says(&["refine", "--effectiveness", "--config", &config]);
    let line = table.lines().find(|line| line.contains("verification_failure") && line.contains("100 %")).unwrap();
    assert!(line.split_whitespace().collect::<Vec<_>>()[2..5] == ["1", "1", "1"], "{table}");
    let report = ["report", "--at", "2026-02-01", "--config", &config];
    let answer = desk.json(&report);
    assert_eq!(
        (&answer["iterations"]["documents"], &answer["iterations"]["follow_rate"]["of"]),
        (&json!(2), &json!(1))
    );
    assert!(answer["iterations"]["repeat_rate"]["count"].as_u64().unwrap() > 0, "{answer}");
    assert!(!answer["refinements"].as_array().unwrap().is_empty());
    let text = desk.says(&report);
    assert!(text.contains("Reviews of iterations\n  2 documents.") && text.contains("Refined prompts\n"), "{text}");
    // Before the channels' events there is nothing to report.
    let before = desk.json(&["report", "--at", "2026-01-01", "--config", &config]);
    assert!(before.get("iterations").is_none() && before.get("refinements").is_none(), "{before}");
}
