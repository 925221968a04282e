//! Findings as compiler-style text, as SARIF 2.1.0 and as JSON. The caller writes them.

use super::DocumentRule;
use super::diagnostic::{Diagnostic, visible};
use super::parsed::Lines;
use serde_json::{Value, json};

/// The findings in one document of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<'a> {
    /// The file's name as given.
    pub file: &'a str,
    /// The findings, in order.
    pub findings: &'a [Diagnostic],
    /// The lines of the document's places in the file, if known.
    pub lines: Option<&'a Lines>,
}

impl Report<'_> {
    fn line(&self, finding: &Diagnostic) -> Option<usize> {
        self.lines.and_then(|lines| lines.of(&finding.path))
    }
}

/// Formats one line per finding: `file:line: level: path: message (found …; would pass: …) [rule]`. Ends with a line
/// break unless empty.
pub fn text(reports: &[Report<'_>]) -> String {
    let mut out = String::new();
    for report in reports {
        for finding in report.findings {
            let line = report.line(finding).map(|line| format!(":{line}")).unwrap_or_default();
            out.push_str(&format!("{}{line}: {}: {finding}\n", visible(report.file), finding.level.as_str()));
        }
    }
    out
}

/// Returns the findings as a JSON list, one object per file and document.
pub fn json(reports: &[Report<'_>]) -> Value {
    let finding = |report: &Report<'_>, finding: &Diagnostic| {
        let mut value = json!(finding);
        if let Some(line) = report.line(finding) {
            value["line"] = json!(line);
        }
        value
    };
    reports
        .iter()
        .map(|report| {
            let findings: Vec<Value> = report.findings.iter().map(|f| finding(report, f)).collect();
            json!({ "file": report.file, "valid": !crate::channels::iteration::diagnostic::is_refused(report.findings), "findings": findings })
        })
        .collect()
}

/// Returns the findings as a SARIF 2.1.0 log with one run. `version` is the program's.
pub fn sarif(version: &str, reports: &[Report<'_>]) -> Value {
    let results: Vec<Value> =
        reports.iter().flat_map(|report| report.findings.iter().map(|finding| result(report, finding))).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "feedbackd",
                "version": version,
                "rules": DocumentRule::ALL.iter().map(|rule| descriptor(*rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn descriptor(rule: DocumentRule) -> Value {
    json!({
        "id": rule.id(),
        "name": rule.id(),
        "shortDescription": { "text": rule.short() },
        "help": { "text": rule.help() },
        "defaultConfiguration": { "level": rule.level().as_str() },
    })
}

fn result(report: &Report<'_>, finding: &Diagnostic) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(report.file) } });
    if let Some(line) = report.line(finding) {
        physical["region"] = json!({ "startLine": line });
    }
    let Diagnostic { path, rule, level, found, would_pass, .. } = finding;
    json!({
        "ruleId": rule.id(),
        "ruleIndex": DocumentRule::ALL.iter().position(|r| r == rule),
        "level": level.as_str(),
        "message": { "text": finding.sentence() },
        "locations": [{
            "physicalLocation": physical,
            "logicalLocations": [{ "fullyQualifiedName": path, "kind": "value" }],
        }],
        "properties": { "found": found, "wouldPass": would_pass },
    })
}

/// Returns a file name as a URI reference, percent-encoded as needed.
fn uri(file: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~' | b'/');
    let mut out = String::with_capacity(file.len());
    for byte in file.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
