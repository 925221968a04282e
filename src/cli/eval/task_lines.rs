//! The tasks of `eval --task`, and their labelled lines: one JSON object a line.

use crate::cli::exit::{CliError, Exit};
use crate::cli::files;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// What the next turn says about the one before: rejected, accepted or neutral
    NextTurn,
    /// What a program's output tells: runtime_error, verification_failure or none
    Failure,
    /// What a remark says of a piece of work: accepted, user_rejection, partial_success or none
    Stance,
    /// Whether the text asks the question before in other words: rephrased or different
    Rephrase,
}

impl Task {
    /// Whether two queries are compared.
    pub fn compares(self) -> bool {
        matches!(self, Task::NextTurn | Task::Rephrase)
    }
}

/// A line: what is looked at, and what is right.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// The output, the remark, or what the user said next.
    pub text: String,
    /// What is right; a line without it is predicted and not scored.
    #[serde(default)]
    pub label: Option<String>,
    /// What the user asked before.
    #[serde(default)]
    pub previous_query: Option<String>,
    /// What the assistant answered.
    #[serde(default)]
    pub previous_response: Option<String>,
    /// Every other field, to group by.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl Line {
    /// The value of a field as the name of a group.
    pub fn group(&self, field: &str) -> String {
        match self.others.get(field) {
            Some(Value::String(name)) => name.clone(),
            Some(value) if !value.is_null() => value.to_string(),
            _ => "-".to_owned(),
        }
    }
}

/// All lines that are not blank.
///
/// # Errors
/// Where the file cannot be read, or a line lacks what the task looks at.
pub fn read(path: &Path, task: Task) -> Result<Vec<Line>, CliError> {
    let text = files::read_existing(path)?;
    let mut lines = Vec::new();
    for (text, number) in text.lines().zip(1_u64..).filter(|(text, _)| !text.trim().is_empty()) {
        let line = parse(text, task).map_err(|why| wrong(path, number, &why))?;
        lines.push(line);
    }
    if lines.is_empty() {
        let message = format!("{} has no lines", path.display());
        return Err(CliError::new(Exit::Failure, message, "give a file with one JSON object a line"));
    }
    Ok(lines)
}

fn parse(text: &str, task: Task) -> Result<Line, String> {
    let line: Line = serde_json::from_str(text).map_err(|e| format!("is not understood: {e}"))?;
    if task.compares() && line.previous_query.is_none() {
        return Err("has no `previous_query`".to_owned());
    }
    Ok(line)
}

fn wrong(path: &Path, number: u64, why: &str) -> CliError {
    let hint = "each line is a JSON object with `id`, `text` and, where it is scored, `label`; next-turn and rephrase \
                look at `previous_query` too";
    CliError::new(Exit::Failure, format!("{}: line {number} {why}", path.display()), hint)
}
