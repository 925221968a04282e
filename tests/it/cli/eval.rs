//! `eval hitl` as people and scripts see it: the figures of a small labelled stream, lists, JSON and errors.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Runs it in a separate directory, without a stray configuration.
fn eval(data: &Path, more: &[&str]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
        .args(["eval", "hitl", "--data"])
        .arg(data)
        .args(more)
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing is written");
    output
}

fn says(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json_of(data: &Path, more: &[&str]) -> Value {
    let more: Vec<&str> = more.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&says(&eval(data, &more))).unwrap()
}

fn data_of(lines: &[Value]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(file.path(), text.concat()).unwrap();
    file
}

fn small() -> Vec<Value> {
    let text = std::fs::read_to_string(file("hitl_small.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_small_stream_is_scored() {
    let truth = file("hitl_small_truth.json");
    let output = eval(&file("hitl_small.jsonl"), &["--truth", truth.to_str().unwrap(), "--list", "themes"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.starts_with("note: evaluated in ") && stderr.ends_with("; not a benchmark\n"), "{stderr}");
    insta::assert_snapshot!(says(&output), @r"
    39 decisions: 24 corrections with a theme, 5 without, 10 positive
    1 redelivery, 0 lines left out

    Clusters (B3)
      over             precision  recall  F
      with a theme     1.000      0.743   0.852
      all corrections  1.000      0.743   0.852

    Patterns
         pure            recurring demands found  falsely called one
         3 of 3 (1.000)  3 of 3 (1.000)           0 of 21 (0.000)

    Proposals and themes
      pure clusters with a proposal: 4 of 4 (1.000) (4 proposals)
      pure clusters of two or more: 5 of 5 (1.000)
      themes of 5 or more found: 2 of 2 (1.000)
      share in the largest cluster: 0.723
      proposals per found theme: 1.500
      corrections without a theme lost in clusters: 0 of 3 (0.000)
      near-miss retries and units: apart

    Classes
      class               right  given  precision  recall  F1
      GENERALIZABLE_HIGH  18     16     1.000      0.889   0.941
      GENERALIZABLE_LOW   4      4      1.000      1.000   1.000
      EDGE_CASE           5      8      0.625      1.000   0.769
      AMBIGUOUS           2      1      1.000      0.500   0.667
      POSITIVE            10     10     1.000      1.000   1.000
      right: 36 of 39 (0.923)
      macro-F1: 0.875
      macro-F1 against the file's labels: 0.758 (where corrections that say nothing are labelled ambiguous)

    Correct class by row, predicted class by column
                          HIGH  LOW  EDGE  AMB  POS
      GENERALIZABLE_HIGH  16    0    2     0    0
      GENERALIZABLE_LOW   0     4    0     0    0
      EDGE_CASE           0     0    5     0    0
      AMBIGUOUS           0     0    1     1    0
      POSITIVE            0     0    0     0    10

    Contradictions
      log-less against log-more: 1 of 5 flagged, 1 citing the other side
      false AMBIGUOUS elsewhere: 0
      one reviewer, dead-code: 4 LOW, 0 HIGH, 0 EDGE of 4

    Confidence
      given               items  mean   right  ECE    Brier
      all                 39     0.896  0.923  0.069  0.050
      GENERALIZABLE_HIGH  16     0.945  1.000  0.055  0.003
      GENERALIZABLE_LOW   4      0.950  1.000  0.050  0.003
      EDGE_CASE           8      0.701  0.625  0.326  0.227
      AMBIGUOUS           1      0.873  1.000  0.127  0.016
      POSITIVE            10     0.954  1.000  0.046  0.004

    Abstention
      at least  covered           in a cluster of its theme
      0.5       20 of 29 (0.690)  20 of 20 (1.000)
      0.6       20 of 29 (0.690)  20 of 20 (1.000)
      0.7       20 of 29 (0.690)  20 of 20 (1.000)
      0.8       20 of 29 (0.690)  20 of 20 (1.000)
      0.9       20 of 29 (0.690)  20 of 20 (1.000)
      0.95      0 of 29 (0.000)   0 of 0 (-)

    Themes
      theme      items  remarks  reviewers  largest  clusters  alone  proposals  mixed clusters
      dead-code  4      3        1          1.00     1         0      0
      log-less   2      2        2          0.50     0         2      0
      log-more   3      3        3          1.00     1         0      1
      retries    8      5        4          0.88     1         1      1
      units      7      4        4          0.57     2         0      2
    ");
}

#[test]
fn clusters_are_listed_with_their_remarks() {
    let text = says(&eval(&file("hitl_small.jsonl"), &["--list", "clusters"]));
    let clusters = text.split_once("Clusters of three or more\n").unwrap().1;
    insta::assert_snapshot!(clusters, @r"
    CLUSTER-77d0b2040db0 coding-agent: 7 members: 7 retries
      proposal: Retry transient failures of idempotent calls at most a fixed number of times with exponential backoff and jitter.
      retries  Wrap the payment call in a retry with backoff
      retries  Please retry the payment call, with a backoff between attempts
      retries  The payment call needs a retry with backoff
      retries  Add a retry with backoff around the payment call

    CLUSTER-a001f8928caa coding-agent: 4 members: 4 dead-code
      dead-code  Remove the commented-out code before the merge
      dead-code  Please remove commented-out code before you merge
      dead-code  Remove commented-out code before the merge, as I said last week

    CLUSTER-a53d6717664c coding-agent: 4 members: 4 units
      proposal: End the name of each constant, field or parameter that holds a duration, size or other quantity with its unit, such as TIMEOUT_MS or sizeBytes.
      units  Put the unit into the variable name, timeout_ms instead of timeout
      units  The variable name must say its unit, timeout_ms and not timeout

    CLUSTER-470864ddca57 coding-agent: 3 members: 3 log-more
      proposal: Log the start, outcome and every rejection or failure of each operation with its identifiers and correlation id as structured fields.
      log-more  Add a log line when a job is skipped
      log-more  Log a line whenever a job is skipped
      log-more  Please add a log line when a job is skipped, I cannot see it otherwise

    CLUSTER-52b53ee9ad48 coding-agent: 3 members: 3 units
      proposal: Name the unit in the variable: timeout_ms, not timeout.
      units  Name the unit in the variable: timeout_ms, not timeout
      units  Is delay in seconds or in minutes? The name does not tell
    ");
}

/// The program must not see the labels: other labels change what is right, not the behaviour.
#[test]
fn labels_change_nothing_that_is_done() {
    let mut lines = small();
    for line in &mut lines {
        line["theme_id"] = json!("all the same");
        line["expected_class_when_final"] = json!("POSITIVE");
    }
    let other = data_of(&lines);
    let (one, other) =
        (json_of(&file("hitl_small.jsonl"), &["--list", "clusters"]), json_of(other.path(), &["--list", "clusters"]));
    let done = |answer: &Value| {
        let clusters = answer["cluster_list"].as_array().unwrap().iter();
        let held = clusters.map(|c| {
            let texts: Vec<&Value> = c["remarks"].as_array().unwrap().iter().map(|r| &r["text"]).collect();
            json!([c["cluster"], c["members"], c["proposal"], texts])
        });
        let given = answer["classes"]["by_class"].as_array().unwrap().iter().map(|c| c["given"].clone());
        held.chain(given).collect::<Vec<_>>()
    };
    assert!(!one["cluster_list"].as_array().unwrap().is_empty());
    assert_eq!(done(&one), done(&other));
    assert_ne!(one["classes"]["right"], other["classes"]["right"]);
}

#[test]
fn the_same_as_json() {
    let answer = json_of(&file("hitl_small.jsonl"), &[]);
    assert_eq!(
        (&answer["lines"], &answer["redeliveries"], &answer["counts"]["items"]),
        (&json!(40), &json!(1), &json!(39))
    );
    assert!(answer["timing"]["remarks_per_second"].as_f64().unwrap() > 0.0);
    assert!(answer["b3"]["f"].is_f64() && answer.get("theme_list").is_none(), "{answer}");
}

#[test]
fn what_cannot_be_scored_is_told() {
    let refusal = |data: &Path, more: &[&str]| {
        let output = eval(data, more);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        String::from_utf8(output.stderr).unwrap().lines().next().unwrap().replace(data.to_str().unwrap(), "DATA")
    };
    let missing = file("no such file");
    assert!(refusal(&missing, &[]).starts_with("error: cannot read DATA: "));
    let mut lines = small();
    lines[2].as_object_mut().unwrap().remove("theme_id");
    assert_eq!(refusal(data_of(&lines).path(), &[]), "error: DATA: line 3 has no `theme_id`");
    for line in &mut lines {
        line["theme_id"] = Value::Null;
    }
    let nothing = "error: DATA: no line has a theme; there is nothing to compare with";
    assert_eq!(refusal(data_of(&lines).path(), &[]), nothing);
    let truth = data_of(&[json!({"near_misses": [["one"]]})]);
    let told = refusal(&file("hitl_small.jsonl"), &["--truth", truth.path().to_str().unwrap()]);
    assert!(told.contains("error: cannot parse ") && told.contains(": invalid length 1"), "{told}");
}

#[test]
fn a_line_that_is_no_decision_is_left_out_and_named() {
    let mut lines = small();
    lines[0].as_object_mut().unwrap().remove("reviewer_id");
    let data = data_of(&lines);
    let output = eval(data.path(), &[]);
    let text = says(&output);
    assert!(text.contains("38 decisions") && text.contains("1 line left out"), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("note: line 1 is left out: "));
}

#[test]
fn places_are_held_against_what_remarks_ask_for() {
    let line = |n: usize, theme: &str, reviewer: &str, file: &str| {
        json!({
            "decision_id": format!("d{n}"), "gate_id": "HITL-4", "decision": "REJECTED", "reviewer_id": reviewer,
            "timestamp": "2026-01-12T10:00:00Z", "reviewer_comment": "Name it.", "theme_id": theme, "file": file,
        })
    };
    let mut lines: Vec<Value> = (0..12).map(|n| line(n, &format!("one-{n}"), "ann", &format!("src/f{n}.go"))).collect();
    for (n, (reviewer, file)) in
        [("ann", "a_test.go"), ("ben", "b_test.go"), ("ann", "c_test.go"), ("eva", "d_test.go"), ("ben", "e_test.go")]
            .into_iter()
            .enumerate()
    {
        lines.push(line(20 + n, "name-cases", reviewer, file));
    }
    lines.push(json!({ "theme_id": null, "decision_id": "x" }));
    let file = data_of(&lines);
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("reviews.jsonl");
    std::fs::copy(file.path(), &data).unwrap();
    let run = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
            .args(["eval", "places", "--data"])
            .arg(&data)
            .args(more)
            .current_dir(directory.path())
            .output()
            .unwrap();
        says(&output)
    };
    insta::assert_snapshot!(run(&[]), @r"
    of             remarks  same: file  others  same: kind  others  same: language  others
    reviews.jsonl  17       0.000       0.000   1.000       0.524   1.000           1.000

    1 pattern, 1 scope proposed
    of             theme       scope      after  then inside  outside
    reviews.jsonl  name-cases  *_test.go  4      1            0
    ");
    let answer: Value = serde_json::from_str(&run(&["--json"])).unwrap();
    assert_eq!(
        answer[0]["scopes"][0],
        json!({
            "theme": "name-cases", "after": 4, "paths": ["*_test.go"], "inside": 1, "outside": 0,
        })
    );
}
