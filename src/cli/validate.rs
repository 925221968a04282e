//! `validate`: checks whether iteration-feedback documents are actionable (specification, "Review documents"), for
//! people, CI and code scanning.
//!
//! It needs no configuration and no store.

use super::exit::{CliError, Exit};
use super::files;
use super::output::Output;
use super::page::count;
use crate::domain::channels::iteration::{self, Diagnostic, Level, Lines, Report};
use std::path::{Path, PathBuf};

/// What to validate, and how to report it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON or YAML files, each with one or more documents; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to report findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The output format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// One line per finding, in compiler style
    Text,
    /// For programs; the same as --json
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// The findings in one document.
struct DocumentFindings {
    file: String,
    findings: Vec<Diagnostic>,
    lines: Lines,
}

/// Runs the command. A file that cannot be read is reported, and the others are still validated.
pub fn run(args: &Args, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let (mut checked, mut unread) = (Vec::new(), false);
    for file in &args.files {
        match files::read_existing(file) {
            Ok(text) => check(file, &text, &mut checked),
            Err(e) => {
                out.failure(&e);
                unread = true;
            }
        }
    }
    let reports: Vec<Report<'_>> =
        checked.iter().map(|c| Report { file: &c.file, findings: &c.findings, lines: Some(&c.lines) }).collect();
    out.set_json(out.is_json() || args.format != Format::Text);
    match args.format {
        Format::Sarif => out.answer(&iteration::sarif(env!("CARGO_PKG_VERSION"), &reports), |_| String::new())?,
        _ => out.answer(&iteration::json(&reports), |_| iteration::text(&reports) + &summary(&reports))?,
    }
    Ok(match reports.iter().any(|report| iteration::is_refused(report.findings)) {
        _ if unread => Exit::Usage,
        true => Exit::Failure,
        false => Exit::Ok,
    })
}

fn check(path: &Path, text: &str, checked: &mut Vec<DocumentFindings>) {
    let file = if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() };
    match iteration::read(text) {
        Ok(documents) => checked.extend(documents.into_iter().map(|document| DocumentFindings {
            file: file.clone(),
            findings: iteration::check(&document.value),
            lines: document.lines,
        })),
        Err(error) => {
            let (finding, lines) = error.finding();
            checked.push(DocumentFindings { file, findings: vec![finding], lines });
        }
    }
}

/// Formats a summary: `2 documents, 1 refused: 3 errors, 1 warning`
fn summary(reports: &[Report<'_>]) -> String {
    let found = |level| reports.iter().flat_map(|r| r.findings).filter(|f| f.level == level).count() as u64;
    let refused = reports.iter().filter(|r| iteration::is_refused(r.findings)).count();
    let (errors, warnings) = (count(found(Level::Error), "error"), count(found(Level::Warning), "warning"));
    format!("{}, {refused} refused: {errors}, {warnings}\n", count(reports.len() as u64, "document"))
}
