//! `detect`: whether a text signals a failure, of which kind, and why (specification, "Refinement").

use super::exit::{CliError, Exit};
use super::files;
use super::output::Output;
use super::page::{Page, percent};
use crate::domain::channels::signal::{self, Facts, Observation, Signal};
use serde::Serialize;
use std::path::PathBuf;

/// What to read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits with 6 if the text signals a failure, with 0 if it does not, and with 1 or 2 if it cannot be \
                  read."
)]
pub struct Args {
    /// A file with program output or a comment; - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    seen: TextContext,
}

/// Context of the text.
#[derive(Debug, clap::Args)]
pub struct TextContext {
    /// The exit code of the command that printed it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    exit_code: Option<i32>,
    /// The tool or the command line, e.g. pytest
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// An accompanying report: JUnit XML or a runner's summary
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// A person wrote the text
    #[arg(long)]
    user: bool,
}

impl TextContext {
    /// Calls `look` with the complete observation.
    pub fn observe<T>(&self, text: &str, look: impl FnOnce(&Observation<'_>) -> T) -> Result<T, CliError> {
        let report = self.report.as_deref().map(files::read_output).transpose()?;
        Ok(look(&Observation {
            text,
            exit_code: self.exit_code,
            tool: self.tool.as_deref(),
            report: report.as_deref(),
            from_user: self.user.then_some(true),
        }))
    }
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    /// Null if nothing signals a failure.
    signal: Option<Signal>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let text = files::read_output(&args.file)?;
    let answer = Answer { signal: args.seen.observe(&text, signal::detect)? };
    out.answer(&answer, |o| match &answer.signal {
        Some(signal) => page(signal, o.page_width()),
        None => "No signal: the text mentions no failure, rejection or unfinished work.".to_owned(),
    })?;
    Ok(if answer.signal.is_some() { Exit::Signal } else { Exit::Ok })
}

fn page(signal: &Signal, width: usize) -> String {
    let mut page = Page::new(&format!("{}, {}", signal.kind.as_str(), percent(signal.confidence)), width);
    page.line("why", &signal.rationale);
    let mut label = "cues";
    for cue in &signal.cues {
        page.line(label, format!("{:.2} {}: {}", cue.weight, cue.rule, cue.words));
        label = "";
    }
    facts(&mut page, &signal.facts);
    page.finish()
}

fn facts(page: &mut Page, facts: &Facts) {
    let mut line = |label: &str, value: Option<String>| {
        page.line(label, value.unwrap_or_default());
    };
    line("exit code", facts.exit_code.map(|code| code.to_string()));
    line("framework", facts.framework.clone());
    line("language", facts.language.clone());
    let counts =
        [("passed", facts.passed), ("failed", facts.failed), ("errors", facts.errors), ("skipped", facts.skipped)];
    let told: Vec<String> = counts.iter().filter_map(|(what, n)| n.map(|n| format!("{n} {what}"))).collect();
    line("tests", Some(told.join(", ")));
    line("failing", Some(facts.failing_tests.join(", ")));
    line("exception", facts.exception.clone());
    line("message", facts.error_message.clone());
    line("expected", facts.expected.clone());
    line("actual", facts.actual.clone());
}
