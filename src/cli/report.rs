//! `report`: how well learning works, in figures.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::{feedback, page, plots};
use crate::app::reports::report::report;
use crate::domain::reporting::report::{Document, Report, Scope, document};
use crate::wiring;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// What to report, and how.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only events at or after this date or time (UTC if it has no offset)
    #[arg(long, value_name = "DATE", value_parser = feedback::since)]
    since: Option<Timestamp>,
    /// The time of the report, by default now: later events do not count
    #[arg(long, value_name = "DATE", value_parser = feedback::since)]
    at: Option<Timestamp>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Also write plots into this directory: correction-rate.svg, acceptance.svg, edge-cases.svg
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
}

/// A report's output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a terminal
    Text,
    /// For a wiki or a pull request
    Markdown,
    /// For programs; the same as --json
    Json,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let reading = context.reading(out)?;
    let at = args.at.unwrap_or_else(wiring::now);
    if args.since.is_some_and(|since| since > at) {
        return Err(CliError::new(Exit::Usage, "--since is after the time of the report", "give an earlier date"));
    }
    let scope = Scope { agent: args.agent.clone(), since: args.since, at, week_from: None };
    let report = report(reading.queries().index, scope, context.limits()?)?;
    if let Some(directory) = &args.svg {
        write_plots(&report, directory, out)?;
    }
    if args.format == Format::Json {
        out.set_json(true);
    }
    out.answer(&report, |o| match args.format {
        Format::Markdown => document(&report).markdown(),
        _ => text(&document(&report), o.list_width()),
    })?;
    Ok(Exit::Ok)
}

/// Formats sections under their titles; tables have one line per row.
fn text(document: &Document, width: Option<usize>) -> String {
    let wide = width.unwrap_or(80).clamp(40, 120);
    let mut text = format!("{}\n", document.title);
    for section in &document.sections {
        text.push_str(&format!("\n{}\n", section.title));
        for line in &section.lines {
            text.push_str(&page::paragraph(line, wide, 2));
        }
        if !section.rows.is_empty() {
            let table = page::list(&section.header, section.rows.clone(), width.map(|w| w.saturating_sub(2)));
            table.lines().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        for line in &section.notes {
            text.push_str(&page::paragraph(line, wide, 2));
        }
    }
    text
}

fn write_plots(report: &Report, directory: &Path, out: &mut Output<'_>) -> Result<(), CliError> {
    let failed = |path: &Path, e: &dyn std::fmt::Display| {
        CliError::new(
            Exit::Failure,
            format!("cannot write {}: {e}", path.display()),
            "give a writable directory with --svg",
        )
    };
    std::fs::create_dir_all(directory).map_err(|e| failed(directory, &e))?;
    for (name, plot) in plots::all(report) {
        let path = directory.join(name);
        match plot.map_err(|e| failed(&path, &e))? {
            Some(svg) => std::fs::write(&path, svg).map_err(|e| failed(&path, &e))?,
            None => out.notice(&format!("{name} was not written: too few cases for a rate")),
        }
    }
    Ok(())
}
