//! The places that forge comments refer to, from the webhook to the record and from there to the rule.

use super::hooks::{World, recorded, said_by, signed};
use crate::harness::daemon::{Site, git};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{DecisionRecord, ProposalRecord};
use feedbackd::text::yaml;
use serde_json::{Value, json};
use std::fs;

const HUNK: &str = "@@ -8,2 +8,3 @@ def fetch(url):\n     started = now()\n+    page = get(url)";
const SUGGESTION: &str = "Set a timeout for this call to `get`\n```suggestion\n    page = get(url, timeout=5)\n```";

#[test]
fn a_suggestion_is_the_correction_and_the_place_is_known() {
    let world = World::start();
    let mut body = said_by(recorded("github_comment_created"), "ann");
    for (name, value) in [
        ("body", json!(SUGGESTION)),
        ("path", json!("shop/client.py")),
        ("diff_hunk", json!(HUNK)),
        ("line", json!(9)),
        ("original_line", json!(9)),
        ("start_line", Value::Null),
        ("original_start_line", Value::Null),
        ("side", json!("RIGHT")),
    ] {
        body["comment"][name] = value;
    }
    assert_eq!(world.taken(&signed("github", "pull_request_review_comment", &body)), "review");
    let decisions = world.decisions();
    let [record] = decisions.as_slice() else { panic!("{decisions:?}") };
    let [said] = record.comments.as_slice() else { panic!("{record:?}") };
    let told: Vec<String> = said.feedback.places.iter().map(|place| place.told()).collect();
    assert_eq!(told, ["shop/client.py:9 (Python, source, get)"]);
    let correction = record.feedback.correction.as_ref().expect("a correction");
    assert!(correction.suggested);
    let diff = git(&world.site.store(), &["show", &format!("main:{}", correction.path)]);
    insta::assert_snapshot!(diff, @r"
    --- a/shop/client.py
    +++ b/shop/client.py
    @@ -9,1 +9,1 @@
    -    page = get(url)
    +    page = get(url, timeout=5)
    ");
    let shown = world.site.run(&["feedback", "show", &record.decision_id]);
    assert!(shown.out.contains("shop/client.py:9 (Python, source, get)"), "{shown:?}");
}

/// Returns the decision that a forge's comment becomes.
fn decision(n: usize, reviewer: &str, file: &str, text: &str, hunk: Option<&str>) -> Value {
    let remark = json!({ "id": n.to_string(), "text": text, "file": file, "line": 9, "side": "right", "hunk": hunk });
    json!({
        "decision_id": format!("d{n}"), "gate_id": "hitl_4_code", "decision": "REJECTED", "reviewer_id": reviewer,
        "timestamp": format!("2026-01-12T10:{n:02}:00Z"), "agent": "coding-agent", "reviewer_comment": text,
        "forge": { "name": "github", "remarks": [remark] },
    })
}

/// Returns the rule made from four comments on these files, next to ten others on sources.
fn rule_of(files: [&str; 4]) -> ProposalRecord {
    let site = Site::new("redis://127.0.0.1:1");
    let others = [
        "Rename this to what it holds",
        "Catch the exception from the parser",
        "This import is not used",
        "Explain the constant in a comment",
        "Do not log the customer's name",
        "The loop can be a comprehension",
        "Return early instead of nesting",
        "Move this into the domain module",
        "Make the argument optional",
        "Use the project's own clock here",
    ];
    let mut events: Vec<Value> =
        (0..).zip(others).map(|(n, text)| decision(n, "zoe", &format!("shop/f{n}.py"), text, None)).collect();
    for (n, (reviewer, file)) in (20..).zip(["ann", "ben", "cem", "ann"].into_iter().zip(files)) {
        events.push(decision(n, reviewer, file, SUGGESTION, Some(HUNK)));
    }
    let path = site.path("events.jsonl");
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    fs::write(&path, lines.join("\n")).expect("events");
    let replayed = site.run(&["replay", path.to_str().expect("a path")]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let names = git(&site.store(), &["ls-tree", "-r", "--name-only", "main", layout::RULES]);
    let [name] = names.lines().filter(|name| name.ends_with(".yaml")).collect::<Vec<_>>()[..] else {
        panic!("{names}")
    };
    yaml::parse(&git(&site.store(), &["show", &format!("main:{name}")])).expect("a proposal")
}

#[test]
fn a_rule_has_its_example_and_its_scope_from_the_places() {
    let rule = rule_of(["db/migrations/1.py", "db/migrations/2.py", "db/migrations/3.py", "db/migrations/4.py"]);
    let example = rule.example.as_ref().expect("an example");
    assert_eq!((example.before.as_str(), example.after.as_str()), ("page = get(url)", "page = get(url, timeout=5)"));
    assert_eq!(rule.scope.paths, ["**/migrations/**"]);
    insta::assert_snapshot!(rule.scope_because.as_deref().expect("a reason"), @"All 4 comments, on 4 files, are about migration files; of the other files with comments on this agent's work, 0 % are such files. So it is proposed for **/migrations/** only.");
}

#[test]
fn remarks_on_several_kinds_of_files_make_a_rule_for_everywhere() {
    let rule = rule_of(["db/migrations/1.py", "shop/a.py", "shop/tests/test_a.py", "shop/b.py"]);
    assert!(rule.scope.is_everywhere() && rule.scope_because.is_none(), "{rule:?}");
}

#[test]
fn an_old_record_without_places_is_read() {
    let record = feedbackd::domain::testing::sample::decision(1);
    let text = serde_json::to_string(&record).expect("JSON");
    assert!(!text.contains("\"places\"") && !text.contains("suggested"), "{text}");
    assert_eq!(serde_json::from_str::<DecisionRecord>(&text).expect("a record"), record);
}
