//! Findings as people and programs read them.

use super::*;

const YAML: &str = "id: 3f2b8c1e-7d4a-4e09-9b56-0c1d2e3f4a5b
timestamp: 2026-01-25T15:00:00Z
iteration: {number: 2, max: 5, phase: refinement}
target: {type: code, path: src/auth/validate.ts}
feedback_items:
  - aspect: security
    severity: Critical
    issue: Code could be better
    location:
      type: function
      reference: 42
    suggestion:
      action: Consider improving this
overall_assessment:
  score: 1.4
  verdict: accept
  summary: Too short.
";

const TEXT: &str = "\
review.yaml:7: error: /feedback_items/0/severity: `severity` of item 1 is not one of the allowed values (found “Critical”; would pass: `critical`, spelled like this) [schema.enum]
review.yaml:8: error: /feedback_items/0/issue: “could be better” does not say what is wrong (found “Code could be better”; would pass: the problem and its effect: “Function lacks input validation for null parameters”) [issue.vague]
review.yaml:11: error: /feedback_items/0/location/reference: `location.reference` of item 1 is a number, not text (found 42; would pass: the same in quotes, \"42\") [schema.type]
review.yaml:12: error: /feedback_items/0/suggestion: `suggestion` of item 1 has no `rationale`: Why this action will improve the artifact (found only action; would pass: 20 to 500 characters of text) [schema.required]
review.yaml:13: error: /feedback_items/0/suggestion/action: “Consider” is advice; it cannot be checked whether it was followed (found “Consider improving this”; would pass: an instruction: “Replace the for loop with Array.map() for better readability”) [suggestion.advisory]
review.yaml:15: error: /overall_assessment/score: `overall_assessment.score` is above 1 (found 1.4; would pass: a number from 0 to 1) [schema.range]
review.yaml:17: error: /overall_assessment/summary: `overall_assessment.summary` is shorter than 50 characters (found 10 characters, “Too short.”; would pass: 50 to 500 characters of text) [schema.length]
";

fn judged(text: &str) -> (Vec<Diagnostic>, Lines) {
    let parsed = read(text).unwrap().remove(0);
    (check(&parsed.value), parsed.lines)
}

#[test]
fn findings_as_text() {
    let (findings, lines) = judged(YAML);
    let reports = [Report { file: "review.yaml", findings: &findings, lines: Some(&lines) }];
    assert_eq!(text(&reports), TEXT);
    let without = [Report { file: "a\nb", findings: &findings[..1], lines: None }];
    assert!(text(&without).starts_with("a\u{fffd}b: error: /feedback_items/0/severity: "));
    assert_eq!(text(&[Report { file: "x", findings: &[], lines: None }]), "");
}

#[test]
fn the_document_as_a_whole_has_a_name() {
    let findings = check(&json!("hello"));
    let reports = [Report { file: "x.json", findings: &findings, lines: None }];
    assert_eq!(
        text(&reports),
        "x.json: error: document: the document is text, not an object (found “hello”; would pass: an object with id, \
         timestamp, iteration, target, feedback_items, overall_assessment) [schema.type]\n"
    );
}

#[test]
fn findings_as_sarif() {
    let (findings, lines) = judged(YAML);
    let log = sarif("1.2.3", &[Report { file: "my reviews/a.yaml", findings: &findings, lines: Some(&lines) }]);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "feedbackd");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), DocumentRule::ALL.len());
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(&findings) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["ruleId"], finding.rule.id());
        assert_eq!(result["level"], finding.level.as_str());
        let place = &result["locations"][0];
        assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "my%20reviews/a.yaml");
        assert_eq!(place["physicalLocation"]["region"]["startLine"], lines.of(&finding.path).unwrap());
        assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], finding.path);
        assert!(result["message"]["text"].as_str().unwrap().contains("would pass: "));
    }
    let unplaced = sarif("1", &[Report { file: "a", findings: &findings[..1], lines: None }]);
    assert!(unplaced["runs"][0]["results"][0]["locations"][0]["physicalLocation"].get("region").is_none());
    let none = sarif("1", &[]);
    assert_eq!(none["runs"][0]["results"], json!([]));
}

#[test]
fn a_text_that_cannot_be_read_is_a_finding() {
    let (finding, lines) = read("id: [1\nx: \"").unwrap_err().finding();
    let findings = [finding];
    let reports = [Report { file: "x.yaml", findings: &findings, lines: Some(&lines) }];
    let said = text(&reports);
    assert!(said.starts_with("x.yaml:") && said.contains(": error: document: invalid YAML: "), "{said}");
    assert!(said.ends_with(" [document.unreadable]\n") && !said.contains("would pass"), "{said}");
    assert_eq!(json(&reports)[0]["valid"], false);
    let result = &sarif("1", &reports)["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "document.unreadable");
    assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64(), "{result}");
}

#[test]
fn findings_as_json() {
    let (findings, lines) = judged(YAML);
    let list = json(&[
        Report { file: "a.yaml", findings: &findings, lines: Some(&lines) },
        Report { file: "b.yaml", findings: &[], lines: None },
    ]);
    assert_eq!(list[1], json!({ "file": "b.yaml", "valid": true, "findings": [] }));
    assert_eq!(list[0]["valid"], false);
    assert_eq!(
        list[0]["findings"][0],
        json!({
            "path": "/feedback_items/0/severity", "rule": "schema.enum", "level": "error",
            "message": "`severity` of item 1 is not one of the allowed values", "found": "“Critical”",
            "would_pass": "`critical`, spelled like this", "line": 7,
        })
    );
    let back: Vec<Diagnostic> = serde_json::from_value(list[0]["findings"].clone()).unwrap();
    assert_eq!(back, findings);
}
