//! `redact`: a text as it would be stored, and what is masked in it, by kind and place. It stores nothing.

use super::exit::{CliError, Exit};
use super::files;
use super::output::Output;
use crate::domain::redact::{clean_text, find, redact};
use serde::Serialize;
use std::path::PathBuf;

/// What to read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file with the text; - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    file: PathBuf,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    /// The text as it would be stored.
    text: String,
    masked: Vec<Masked>,
}

/// One place that is masked.
#[derive(Debug, Serialize)]
struct Masked {
    kind: &'static str,
    /// The line it begins on, counted from 1.
    line: usize,
    /// The character of the line, counted from 1.
    column: usize,
    /// How many characters are masked.
    length: usize,
}

/// Runs it.
pub fn run(args: &Args, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let clean = clean_text(&files::read_output(&args.file)?);
    let masked: Vec<Masked> = find(&clean)
        .into_iter()
        .map(|secret| {
            let before = &clean[..secret.start];
            Masked {
                kind: secret.kind,
                line: before.matches('\n').count() + 1,
                column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
                length: clean[secret.start..secret.end].chars().count(),
            }
        })
        .collect();
    let answer = Answer { text: redact(&clean).text, masked };
    out.answer(&answer, |_| answer.text.trim_end_matches('\n').to_owned())?;
    // With --json they are in the answer.
    for one in answer.masked.iter().filter(|_| !out.is_json()).collect::<Vec<_>>() {
        out.notice(&format!("line {}, column {}: {} ({} characters)", one.line, one.column, one.kind, one.length));
    }
    Ok(Exit::Ok)
}
