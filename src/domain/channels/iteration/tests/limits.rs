//! Every limit, list and required field of the schema.

use super::*;

#[test]
fn every_limit_of_the_schema() {
    let text = |n: usize| {
        let words = "Return 404 for an unknown order id, so that a client sees it. ".repeat(20);
        words.chars().take(n).collect::<String>().replace(". R", ", r")
    };
    for (path, least, most) in [
        ("/feedback_items/0/issue", 20, 500),
        ("/feedback_items/0/suggestion/action", 20, 1000),
        ("/feedback_items/0/suggestion/rationale", 20, 500),
        ("/overall_assessment/summary", 50, 500),
    ] {
        let length = |n: usize| rules_of(&with(path, json!(text(n)))).contains(&"schema.length");
        assert!(length(least - 1) && !length(least) && !length(most) && length(most + 1), "{path}");
    }
    for (path, low, high) in [
        ("/overall_assessment/score", json!(-0.01), Some(json!(1.01))),
        ("/feedback_items/0/score", json!(-1), Some(json!(2))),
        ("/overall_assessment/confidence", json!(-1), Some(json!(1.5))),
        ("/iteration/number", json!(0), None),
        ("/iteration/max", json!(0), None),
        ("/feedback_items/0/suggestion/priority", json!(0), Some(json!(11))),
    ] {
        for value in [Some(low), high].into_iter().flatten() {
            let found = rules_of(&with(path, value));
            assert!(found.contains(&"schema.range"), "{path}: {found:?}");
        }
    }
    for path in [
        "/iteration/phase",
        "/target/type",
        "/feedback_items/0/aspect",
        "/feedback_items/0/severity",
        "/feedback_items/0/location/type",
        "/overall_assessment/verdict",
    ] {
        assert_eq!(rules_of(&with(path, json!("other"))), vec!["schema.enum"], "{path}");
    }
    assert_eq!(rules_of(&with("/feedback_items", json!([]))), vec!["schema.items"]);
    for bad in ["2026-01-25", "yesterday", "2026-01-25T15:00:00", "2026-13-01T00:00:00Z"] {
        assert_eq!(rules_of(&with("/timestamp", json!(bad))), vec!["schema.format"], "{bad}");
    }
    let mut tracked = example();
    tracked["quality_tracking"] =
        json!({ "feedback_followed": "yes", "improvement_delta": 0.2, "feedback_clarity_score": 1.1 });
    assert_eq!(rules_of(&tracked), vec!["schema.type", "schema.range"]);
}

#[test]
fn every_required_field_is_required() {
    let required = [
        ("", &["id", "timestamp", "iteration", "target", "feedback_items", "overall_assessment"][..]),
        ("/iteration", &["number", "max", "phase"]),
        ("/target", &["type", "path"]),
        ("/overall_assessment", &["score", "verdict", "summary"]),
        ("/feedback_items/0", &["aspect", "severity", "issue", "location", "suggestion"]),
        ("/feedback_items/0/location", &["type", "reference"]),
        ("/feedback_items/0/suggestion", &["action", "rationale"]),
    ];
    for (path, fields) in required {
        for field in fields {
            let mut value = example();
            value.pointer_mut(path).unwrap().as_object_mut().unwrap().remove(*field);
            let found = check(&value);
            let missing: Vec<&Diagnostic> = found.iter().filter(|f| f.rule == DocumentRule::SchemaRequired).collect();
            assert_eq!(missing.len(), 1, "{path} {field}");
            assert_eq!(missing[0].path, path);
            assert!(missing[0].message.contains(&format!("no `{field}`")), "{}", missing[0].message);
        }
    }
}

#[test]
fn a_number_in_quotes_and_a_text_without_are_told_how_to_be_written() {
    let pass = |path: &str, new: Value| check(&with(path, new)).remove(0).would_pass;
    assert_eq!(pass("/iteration/number", json!("2")), "the same without quotes, 2");
    assert_eq!(pass("/feedback_items/0/location/reference", json!(42)), "the same in quotes, \"42\"");
    assert_eq!(pass("/iteration/number", json!("two")), "a whole number of at least 1");
}
