//! The specification's rules and defaults ("Review documents") as cases, and what it leaves open.

mod items;
mod judged;
mod limits;
mod output;
mod read;
mod track;

use super::check::MOST_ITEMS;
use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

const UUID: &str = "3f2b8c1e-7d4a-4e09-9b56-0c1d2e3f4a5b";

/// specification, "Review documents: The schema": its only example, verbatim.
fn specified() -> Value {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    schema["examples"][0].clone()
}

/// Returns the same with a UUID.
fn example() -> Value {
    let mut value = specified();
    value["id"] = json!(UUID);
    value
}

/// Returns the example after a change.
fn with(path: &str, new: Value) -> Value {
    let mut value = example();
    *value.pointer_mut(path).unwrap() = new;
    value
}

fn rules_of(value: &Value) -> Vec<&'static str> {
    check(value).iter().map(|f| f.rule.id()).collect()
}

/// Returns the example with one such item.
fn item(issue: &str, action: &str, rationale: &str) -> Value {
    let mut value = example();
    let mut item = value["feedback_items"][1].clone();
    item["issue"] = json!(issue);
    item["suggestion"] = json!({ "action": action, "rationale": rationale });
    value["feedback_items"] = json!([item]);
    value
}

const ISSUE: &str = "Function lacks input validation for null parameters";
const ACTION: &str = "Replace the for loop with Array.map() for better readability";
const RATIONALE: &str = "Prevents exponential backtracking in regex engine on malicious input";

#[test]
fn the_schema_is_a_schema_with_its_own_name() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["$id"], "https://aiwg.io/schemas/actionable-feedback/v1");
    for other in ["validation_rules", "ralph_integration", "references"] {
        assert!(schema.get(other).is_none(), "{other} is no keyword");
    }
}

#[test]
fn the_types_have_a_schema_that_the_example_follows() {
    let generated = json!(schemars::schema_for!(Document));
    assert!(jsonschema::validator_for(&generated).unwrap().is_valid(&example()));
    assert!(json!(schemars::schema_for!(TrackingResult)).to_string().contains("alerts"));
    assert!(json!(schemars::schema_for!(Diagnostic)).to_string().contains("issue.vague"));
}

#[test]
fn more_than_anybody_reads_is_refused_and_not_listed() {
    let mut value = example();
    let item = value["feedback_items"][0].clone();
    value["feedback_items"] = Value::Array(vec![item; MOST_ITEMS + 1]);
    assert_eq!(rules_of(&value), vec!["schema.more"]);
    value["feedback_items"] = Value::Array(vec![json!(1); 5_000]);
    assert_eq!(check(&value).len(), 1_002);
}

#[test]
fn the_specified_example_fails_by_its_id_alone() {
    let found = check(&specified());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].path.as_str(), found[0].rule), ("/id", DocumentRule::SchemaFormat));
    assert_eq!(found[0].message, "`id` is not a UUID");
    assert_eq!(found[0].found, "“fb-001-example”");
    assert_eq!(check(&example()), vec![]);
}

#[test]
fn the_example_is_understood_and_written_as_it_was() {
    let document = Document::of(&example()).unwrap();
    assert_eq!(document.feedback_items.len(), 2);
    assert_eq!(document.overall_assessment.verdict, ReviewVerdict::Refine);
    assert_eq!(serde_json::to_value(&document).unwrap(), example());
    assert_eq!(Document::of(&specified()).unwrap_err().len(), 1);
}

#[test]
fn unknown_fields_are_kept_wherever_they_stand() {
    let mut value = example();
    for at in ["", "/iteration", "/target", "/feedback_items/0", "/feedback_items/0/location"] {
        value.pointer_mut(at).unwrap()["x_team"] = json!({ "name": "blue", "size": 3 });
    }
    for at in ["/feedback_items/0/suggestion", "/overall_assessment"] {
        value.pointer_mut(at).unwrap()["x_team"] = json!([1, 2.5, null]);
    }
    value["quality_tracking"] = json!({ "feedback_followed": true, "x": 1 });
    assert_eq!(check(&value), vec![]);
    let document = Document::of(&value).unwrap();
    assert_eq!(serde_json::to_value(&document).unwrap(), value);
}

#[test]
fn a_whole_number_may_be_written_as_a_float() {
    let value = with("/iteration/number", json!(2.0));
    assert_eq!(check(&value), vec![]);
    assert_eq!(Document::of(&value).unwrap().iteration.number, 2);
}

#[test]
fn demands_are_what_binds() {
    let mut value = example();
    value["feedback_items"][1]["severity"] = json!("suggestion");
    let asked = demands(&Document::of(&value).unwrap());
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].item, asked[0].severity, asked[0].aspect), (0, ItemSeverity::Critical, Aspect::Security));
    assert_eq!(
        asked[0].text,
        "Function validateToken() does not sanitize input before regex evaluation, creating potential ReDoS \
         vulnerability. Add input length check (max 1000 chars) and use linear-time validation instead of regex."
    );
    for (verdict, score, count) in [("reject", 0.2, 1), ("escalate", 0.2, 1), ("accept", 0.9, 0)] {
        value["overall_assessment"]["verdict"] = json!(verdict);
        value["overall_assessment"]["score"] = json!(score);
        value["feedback_items"][0]["severity"] = json!("major");
        assert_eq!(demands(&Document::of(&value).unwrap()).len(), count, "{verdict}");
    }
}

#[test]
fn every_rule_has_an_id_of_its_own_and_says_what_it_demands() {
    let ids: std::collections::BTreeSet<&str> = DocumentRule::ALL.iter().map(|rule| rule.id()).collect();
    assert_eq!(ids.len(), DocumentRule::ALL.len());
    for rule in DocumentRule::ALL {
        assert_eq!(json!(rule), json!(rule.id()));
        assert!(rule.short().ends_with('.') && rule.help().len() > 10, "{}", rule.id());
    }
}

/// Generates any JSON with the names and words of the schema, so that it is not rejected immediately.
fn any_json() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "id",
        "timestamp",
        "iteration",
        "number",
        "max",
        "phase",
        "target",
        "type",
        "path",
        "feedback_items",
        "aspect",
        "severity",
        "issue",
        "location",
        "reference",
        "suggestion",
        "action",
        "rationale",
        "overall_assessment",
        "score",
        "verdict",
        "summary",
        "confidence",
        "priority",
        "a/b~c",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|f| json!(f)),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec!["critical", "accept", "line", "9-3", "consider", "0-", "2026-02-30T00:00:00Z"])
            .prop_map(Value::from),
        "(?s)[\\PC\n`'\"“”]{0,90}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..7)
                .prop_map(|fields| fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_value_is_judged(value in any_json()) {
        let found = check(&value);
        prop_assert_eq!(&found, &check(&value));
        prop_assert!(is_refused(&found));
        for finding in &found {
            prop_assert!(!finding.message.is_empty() && !finding.found.is_empty() && !finding.would_pass.is_empty());
            prop_assert!(value.pointer(&finding.path).is_some(), "{}", finding.path);
        }
    }

    #[test]
    fn a_document_with_anything_in_one_place_is_judged_and_what_passes_is_read(
        at in prop::sample::select(vec![
            "/id", "/timestamp", "/iteration", "/iteration/number", "/iteration/max", "/target", "/feedback_items",
            "/feedback_items/0", "/feedback_items/0/issue", "/feedback_items/0/location",
            "/feedback_items/0/location/reference", "/feedback_items/0/suggestion",
            "/feedback_items/0/suggestion/action", "/feedback_items/0/suggestion/rationale",
            "/overall_assessment/score", "/overall_assessment/confidence", "/overall_assessment/summary",
        ]),
        new in any_json(),
    ) {
        let value = with(at, new);
        let found = check(&value);
        prop_assert_eq!(Document::of(&value).is_ok(), !is_refused(&found), "{:#?}", found);
    }

    #[test]
    fn any_text_is_judged(issue in "(?s)[\\PC\n`'\"“” ]{20,160}", action in "(?s)[\\PC\n`'\"“” ]{20,160}", reference in "(?s)[\\PC0-9:# -]{0,30}") {
        let mut value = item(&issue, &action, &issue);
        value["feedback_items"][0]["location"]["reference"] = json!(reference);
        for kind in ["line", "range", "function", "section", "element", "path"] {
            value["feedback_items"][0]["location"]["type"] = json!(kind);
            check(&value);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s)[\\PC\n\t{}\\[\\]:,\"'&*|>#-]{0,120}") {
        match read(&text) {
            Ok(all) => for parsed in all {
                for finding in check(&parsed.value) {
                    prop_assert!(parsed.lines.of(&finding.path).is_some_and(|l| l <= text.lines().count().max(1) + 1));
                }
            },
            Err(e) => prop_assert!(!e.message.is_empty() && !e.hint.is_empty()),
        }
    }
}
