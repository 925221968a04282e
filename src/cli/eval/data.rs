//! Labelled decisions from a file; the labels are removed before anything else sees them.

use crate::cli::exit::{CliError, Exit};
use crate::cli::files;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::reporting::score::Truth;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{BufRead, BufReader, Error};
use std::path::Path;

/// The labels of a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Its demand.
    pub theme: Option<String>,
    /// Its class.
    pub class: Option<Classification>,
}

/// A line of the file.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// The event without its labels, as JSON.
    pub event: String,
    /// The labels.
    pub labels: Labels,
}

/// Reads all non-blank lines.
///
/// # Errors
/// If the file cannot be read, a line is not a labelled decision, or none has a theme.
pub fn read(path: &Path) -> Result<Vec<Line>, CliError> {
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let mut lines = Vec::new();
    for (text, number) in BufReader::new(file).lines().zip(1_u64..) {
        let text = text.map_err(|e| unreadable(path, &e))?;
        if !text.trim().is_empty() {
            let line = parse(text.trim(), number).map_err(|why| wrong(path, number, &why))?;
            lines.push(line);
        }
    }
    if lines.iter().all(|line| line.labels.theme.is_none()) {
        let message = format!("{}: no line has a theme; there is nothing to compare with", path.display());
        return Err(CliError::new(Exit::Failure, message, "`theme_id` names what a decision's comment asks for"));
    }
    Ok(lines)
}

/// Reads the ground truth beyond the lines.
///
/// # Errors
/// If the file cannot be read or has another shape.
pub fn read_truth(path: &Path) -> Result<Truth, CliError> {
    let text = files::read_existing(path)?;
    let hint = "`contradictory_pair` is a list of two themes, `near_misses` a list of such lists, \
                `single_reviewer_theme` a theme; all are optional";
    serde_json::from_str(&text)
        .map_err(|e| CliError::new(Exit::Failure, format!("cannot parse {}: {e}", path.display()), hint))
}

fn parse(text: &str, number: u64) -> Result<Line, String> {
    let mut event: Map<String, Value> = serde_json::from_str(text).map_err(|e| format!("is not a JSON object: {e}"))?;
    let theme = match event.shift_remove("theme_id") {
        Some(Value::Null) => None,
        Some(Value::String(theme)) if !theme.is_empty() => Some(theme),
        Some(_) => return Err("has a `theme_id` that is neither a name nor null".into()),
        None => return Err("has no `theme_id`".into()),
    };
    let class = match event.shift_remove("expected_class_when_final") {
        None | Some(Value::Null) => None,
        Some(Value::String(class)) => Some(named(&class).ok_or_else(|| format!("has the unknown class `{class}`"))?),
        Some(_) => return Err("has an `expected_class_when_final` that is not a name".into()),
    };
    Ok(Line { number, event: Value::Object(event).to_string(), labels: Labels { theme, class } })
}

fn named(class: &str) -> Option<Classification> {
    Classification::ALL.into_iter().find(|c| c.as_str().eq_ignore_ascii_case(class))
}

fn unreadable(path: &Path, e: &Error) -> CliError {
    let message = format!("cannot read {}: {e}", path.display());
    CliError::new(Exit::Failure, message, "give a file with one labelled decision per line, as JSON")
}

fn wrong(path: &Path, number: u64, why: &str) -> CliError {
    let hint = "each line is a decision with `theme_id` (a name or null) and `expected_class_when_final`";
    CliError::new(Exit::Failure, format!("{}: line {number} {why}", path.display()), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_taken_out() {
        let line = parse(r#"{"a":1,"theme_id":"t","expected_class_when_final":"edge_case","b":[2.5]}"#, 1).unwrap();
        assert_eq!(line.event, r#"{"a":1,"b":[2.5]}"#);
        assert_eq!(line.labels, Labels { theme: Some("t".into()), class: Some(Classification::EdgeCase) });
        assert_eq!(parse(r#"{"theme_id":null}"#, 1).unwrap().labels, Labels::default());
    }

    #[test]
    fn what_is_no_labelled_decision_is_told() {
        let why = |text| parse(text, 1).unwrap_err();
        assert_eq!(why(r#"{"a":1}"#), "has no `theme_id`");
        assert_eq!(why(r#"{"theme_id":7}"#), "has a `theme_id` that is neither a name nor null");
        let class = r#"{"theme_id":null,"expected_class_when_final":"good"}"#;
        assert_eq!(why(class), "has the unknown class `good`");
        assert!(why("[1]").starts_with("is not a JSON object: "));
    }
}
