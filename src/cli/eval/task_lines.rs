//! The tasks of `eval --task` and their labelled lines, one JSON object per line.

use crate::cli::exit::{CliError, Exit};
use crate::cli::files;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// A prediction task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// What the next turn expresses about the previous one: rejected, accepted or neutral
    NextTurn,
    /// What a program's output indicates: runtime_error, verification_failure or none
    Failure,
    /// What a comment expresses about a piece of work: accepted, user_rejection, partial_success or none
    Stance,
    /// Whether the text rephrases the previous question: rephrased or different
    Rephrase,
}

impl Task {
    /// Reports whether the task compares two queries.
    pub fn compares(self) -> bool {
        matches!(self, Task::NextTurn | Task::Rephrase)
    }
}

/// One line: the input and the expected result.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    /// The line's id.
    pub id: String,
    /// The output, the comment, or the user's next message.
    pub text: String,
    /// The expected label; a line without one is predicted but not scored.
    #[serde(default)]
    pub label: Option<String>,
    /// The user's previous query.
    #[serde(default)]
    pub previous_query: Option<String>,
    /// The assistant's previous response.
    #[serde(default)]
    pub previous_response: Option<String>,
    /// All other fields, for grouping.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl Line {
    /// Returns the value of a field as a group name.
    pub fn group(&self, field: &str) -> String {
        match self.others.get(field) {
            Some(Value::String(name)) => name.clone(),
            Some(value) if !value.is_null() => value.to_string(),
            _ => "-".to_owned(),
        }
    }
}

/// Returns all non-blank lines.
///
/// # Errors
/// If the file cannot be read, or a line lacks a field that the task needs.
pub fn read(path: &Path, task: Task) -> Result<Vec<Line>, CliError> {
    let text = files::read_existing(path)?;
    let mut lines = Vec::new();
    for (text, number) in text.lines().zip(1_u64..).filter(|(text, _)| !text.trim().is_empty()) {
        let line = parse(text, task).map_err(|why| wrong(path, number, &why))?;
        lines.push(line);
    }
    if lines.is_empty() {
        let message = format!("{} has no lines", path.display());
        return Err(CliError::new(Exit::Failure, message, "give a file with one JSON object per line"));
    }
    Ok(lines)
}

fn parse(text: &str, task: Task) -> Result<Line, String> {
    let line: Line = serde_json::from_str(text).map_err(|e| format!("cannot be parsed: {e}"))?;
    if task.compares() && line.previous_query.is_none() {
        return Err("has no `previous_query`".to_owned());
    }
    Ok(line)
}

fn wrong(path: &Path, number: u64, why: &str) -> CliError {
    let hint = "each line is a JSON object with `id`, `text` and, if it is scored, `label`; next-turn and rephrase \
                also need `previous_query`";
    CliError::new(Exit::Failure, format!("{}: line {number} {why}", path.display()), hint)
}
