//! `redact`: a text as it would be stored, with what is masked in it, by kind and position; or the fingerprint of a
//! secret. Stores nothing.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::files;
use super::output::Output;
use crate::text::redact::{Fingerprint, clean_text, find, redact};
use crate::wiring;
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// What to read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file with the text; - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    file: PathBuf,
    /// Treat the text as a secret and print its fingerprint, for `feedbackd purge`
    #[arg(long)]
    fingerprint: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    /// The text as it would be stored.
    text: String,
    masked: Vec<MaskedPlace>,
}

/// A masked place.
#[derive(Debug, Serialize)]
struct MaskedPlace {
    kind: &'static str,
    /// The line where it begins, counted from 1.
    line: usize,
    /// Its first character within the line, counted from 1.
    column: usize,
    /// The number of masked characters.
    length: usize,
}

/// Runs the command.
pub fn run(args: &Args, context: Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let text = files::read_output(&args.file)?;
    if args.fingerprint {
        let fingerprint = Fingerprint::of(&text).ok_or_else(|| {
            let (least, most) = (Fingerprint::SHORTEST, Fingerprint::LONGEST);
            CliError::new(Exit::Usage, format!("a secret must have {least} to {most} bytes"), "blanks do not count")
        })?;
        let fingerprint = fingerprint.to_string();
        out.answer(&json!({ "fingerprint": fingerprint }), |_| fingerprint.clone())?;
        return Ok(Exit::Ok);
    }
    let personal = wiring::personal(&context.config()?)?;
    let clean = clean_text(&text);
    let secrets = find(&clean).into_iter().map(|secret| (secret.start, secret.end, secret.kind));
    let others = personal.find(&clean).into_iter().map(|datum| (datum.start, datum.end, datum.kind.name()));
    let mut places: Vec<(usize, usize, &'static str)> = secrets.chain(others).collect();
    places.sort_unstable();
    let masked: Vec<MaskedPlace> = places
        .into_iter()
        .map(|(start, end, kind)| {
            let before = &clean[..start];
            MaskedPlace {
                kind,
                line: before.matches('\n').count() + 1,
                column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
                length: clean[start..end].chars().count(),
            }
        })
        .collect();
    let answer = Answer { text: redact(&personal.clean(&clean)).text, masked };
    out.answer(&answer, |_| answer.text.trim_end_matches('\n').to_owned())?;
    // With --json they are part of the answer.
    for one in answer.masked.iter().filter(|_| !out.is_json()).collect::<Vec<_>>() {
        out.notice(&format!("line {}, column {}: {} ({} characters)", one.line, one.column, one.kind, one.length));
    }
    Ok(Exit::Ok)
}
