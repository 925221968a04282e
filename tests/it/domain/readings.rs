//! The accuracy of reading comments and finding secrets on a labelled stream. The data is not part of the project: the
//! test is ignored, and run if `FEEDBACKD_HITL_DATA` names the data's directory.

use feedbackd::domain::intake::capture::{CaptureContext, CorrectionInput, capture};
use feedbackd::domain::intake::decode::Decoded;
use feedbackd::domain::intake::decode::{DecodeLimits, decode, from_json_line};
use feedbackd::domain::intake::feedback::Feedback;
use feedbackd::text::language::direction::Direction;
use feedbackd::text::verdict::Verdict;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

#[test]
#[ignore = "needs the labelled stream in the directory that FEEDBACKD_HITL_DATA names"]
fn remarks_of_the_labelled_stream_are_read() {
    let dir = PathBuf::from(std::env::var_os("FEEDBACKD_HITL_DATA").expect("FEEDBACKD_HITL_DATA names the data"));
    let lines = std::fs::read_to_string(dir.join("hitl_stream_visible.jsonl")).unwrap();
    let truth: Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("hitl_truth_visible.json")).unwrap()).unwrap();
    let rows: Vec<(Value, Feedback)> = lines.lines().zip(1..).map(|(line, number)| read(line, number)).collect();

    let verbose = std::env::var_os("FEEDBACKD_VERBOSE").is_some();
    let share = |what: &str, wanted: &dyn Fn(&Value, &Feedback) -> Option<bool>| {
        let judged: Vec<bool> = rows
            .iter()
            .filter_map(|(row, feedback)| {
                let right = wanted(row, feedback)?;
                if verbose && !right {
                    let comment: String = feedback.text().unwrap_or_default().chars().take(160).collect();
                    println!("  wrong: {} {:?} {comment}", feedback.decision.verdict.as_str(), feedback.stance);
                }
                Some(right)
            })
            .collect();
        let right = judged.iter().filter(|r| **r).count();
        println!("{what}: {right} of {}", judged.len());
        right as f64 / judged.len().max(1) as f64
    };
    let class = |row: &Value| row["expected_class_when_final"].as_str().unwrap_or_default().to_owned();
    let approved = |f: &Feedback| f.decision.verdict == Verdict::Approved;
    let theme = |row: &Value, name: &str| row["theme_id"] == name;

    let praise = share("approvals that ask for nothing", &|row, f| {
        (approved(f) && class(row) == "positive").then_some(!f.stance.demand)
    });
    let asks = share("approvals that ask for something", &|row, f| {
        (approved(f) && class(row) != "positive").then_some(f.stance.demand)
    });
    let themed = share("corrections with a theme", &|row, f| {
        (!approved(f) && row["theme_id"].is_string()).then_some(f.stance.demand)
    });
    let empty = share("corrections without content", &|row, f| {
        (!approved(f) && row["theme_id"].is_null() && class(row) == "ambiguous").then_some(!f.stance.demand)
    });
    let more = share("wants more comments", &|row, f| {
        theme(row, "v32-comments-more").then_some(f.stance.direction == Direction::More)
    });
    let less = share("wants fewer comments", &|row, f| {
        theme(row, "v33-comments-less").then_some(f.stance.direction == Direction::Less)
    });
    let wrong_way = share("themes that do not point both ways", &|row, f| {
        let less = theme(row, "v33-comments-less");
        row["theme_id"].is_string().then_some(less || f.stance.direction != Direction::Less)
    });
    println!("(of all themes but v33 the share that does not point to less: {wrong_way:.3})");

    let expected: BTreeSet<&str> = truth["with_secret"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (_, feedback) in rows.iter().filter(|(_, f)| !f.redacted.is_empty()) {
        kinds.entry(feedback.id.as_str()).or_default().extend(feedback.redacted.clone());
    }
    println!("secrets: {kinds:?}");
    assert_eq!(kinds.keys().copied().collect::<BTreeSet<_>>(), expected);
    for (what, share, least) in [
        ("praise", praise, 0.98),
        ("asks", asks, 0.95),
        ("themed", themed, 0.98),
        ("empty", empty, 0.98),
        ("more", more, 0.8),
        ("less", less, 0.8),
    ] {
        assert!(share >= least, "{what}: {share}");
    }
}

fn read(line: &str, number: u64) -> (Value, Feedback) {
    let limits = DecodeLimits::default();
    match decode(&from_json_line(line, number, &limits), &limits, jiff::Timestamp::MAX) {
        Decoded::Decision(decision) => {
            (serde_json::from_str(line).unwrap(), capture(*decision, CorrectionInput::None, &CaptureContext::default()))
        }
        other => panic!("line {number}: {other:?}"),
    }
}
