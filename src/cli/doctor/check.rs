//! Check results and their display. Checks nothing itself.

use crate::cli::page::paragraph;
use serde::Serialize;

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Ok,
    Warning,
    Problem,
}

/// The result of one check.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub name: &'static str,
    pub verdict: Verdict,
    pub finding: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    /// How to fix it.
    pub hint: String,
}

pub(crate) fn ok(name: &'static str, finding: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Ok, finding: finding.into(), hint: String::new() }
}

pub(crate) fn warning(name: &'static str, finding: impl Into<String>, hint: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Warning, finding: finding.into(), hint: hint.into() }
}

pub(crate) fn problem(name: &'static str, finding: impl Into<String>, hint: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Problem, finding: finding.into(), hint: hint.into() }
}

/// Renders checks as text, wrapped to the width.
pub(crate) fn describe(checks: &[Check], width: usize) -> String {
    const INDENT: usize = 28;
    let mut text = String::new();
    for check in checks {
        let mark = match check.verdict {
            Verdict::Ok => "ok     ",
            Verdict::Warning => "warning",
            Verdict::Problem => "PROBLEM",
        };
        let finding = paragraph(&check.finding, width, INDENT);
        text += &format!("{mark}  {:17}  {}", check.name, finding.trim_start());
        if !check.hint.is_empty() {
            let hint = paragraph(&check.hint, width, INDENT + 3);
            text += &format!("{:INDENT$}-> {}", "", hint.trim_start());
        }
    }
    text
}
