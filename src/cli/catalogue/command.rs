//! `catalogue`: its subcommands and their output.

use super::learn;
use crate::app::comments::analyzer::Analyzer;
use crate::app::comments::catalogue_lint;
use crate::app::comments::explanation;
use crate::app::comments::explanation::{Among, Explanation};
use crate::app::queries::reader::CompareAccess;
use crate::app::queries::{Comparisons, not_found};
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::explain::reading_lines;
use crate::cli::files;
use crate::cli::output::Output;
use crate::cli::page::{Page, count, list};
use crate::text::ids::Gate;
use crate::text::language::catalogue::{Check, Concern, Layers, LintIssue, Severity, Work, lint};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Check the catalogue: shipped files, the store's own, and files to be added. Exit code 1 if there are errors
    Lint(Lint),
    /// All concerns
    List {
        /// Only those that apply to this work: HITL-4 or code
        #[arg(long, value_parser = work)]
        gate: Option<Work>,
    },
    /// Everything about one concern, and its source file
    Show {
        /// Its id, `area.name`
        id: String,
    },
    /// Why a comment is assigned as it is, and what would have changed that
    Test(Test),
    /// Add what people confirmed to the store's catalogue (catalogue/learned.yaml); not while the daemon runs
    Learn(learn::Learn),
}

/// What to check.
#[derive(Debug, clap::Args)]
pub struct Lint {
    /// Files to be added to the store's catalogue; then only findings about them are reported
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also read every phrasing as a comment, and compare concerns with each other: takes a minute
    #[arg(long)]
    deep: bool,
    /// Print errors only
    #[arg(long)]
    errors: bool,
    /// If the store has its own catalogue, also report findings about the shipped one
    #[arg(long)]
    all: bool,
}

/// What to read.
#[derive(Debug, clap::Args)]
pub struct Test {
    /// The comment
    #[arg(required = true)]
    text: Vec<String>,
    /// Where it was made: HITL-4 or code
    #[arg(long, value_parser = work)]
    gate: Option<Work>,
}

/// The findings of `lint`.
#[derive(Serialize)]
struct LintAnswer {
    concerns: usize,
    phrasings: usize,
    errors: usize,
    warnings: usize,
    findings: Vec<LintIssue>,
}

/// A concern with its origin.
#[derive(Serialize)]
struct ConcernAnswer<'a> {
    #[serde(flatten)]
    concern: &'a Concern,
    /// The files that define it; the last one wins.
    origins: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    title: &'a str,
    gates: &'a [Work],
    direction: crate::text::language::catalogue::Towards,
    phrasings: usize,
    origin: &'a str,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let own = context.catalogue_files()?;
    match command {
        Command::Lint(args) => look(args, own, context, out),
        Command::List { gate } => {
            let layers = layers(&own, out);
            let wanted = layers.catalogue().concerns().filter(|c| gate.is_none_or(|work| c.gates.contains(&work)));
            let rows: Vec<Row<'_>> = wanted.map(|c| row(c, &layers)).collect();
            out.answer(&rows, |o| table(&rows, o.list_width()))?;
            Ok(Exit::Ok)
        }
        Command::Show { id } => {
            let layers = layers(&own, out);
            let ids = || layers.catalogue().concerns().map(|c| c.id.as_str());
            let concern = layers.catalogue().get(id).ok_or_else(|| not_found("concern", id, ids()))?;
            let shown = ConcernAnswer { concern, origins: layers.origins(id) };
            out.answer(&shown, |o| page(&shown, o.page_width()))?;
            Ok(Exit::Ok)
        }
        Command::Test(args) => test(args, &layers(&own, out), context, out),
        Command::Learn(args) => learn::run(args, context, out),
    }
}

/// Returns the shipped and the store's files. Unreadable files of the store are reported and skipped.
fn layers(own: &[(String, String)], out: &mut Output<'_>) -> Layers {
    let layers = Layers::over_shipped(own);
    for error in layers.errors() {
        out.notice(&format!("left out: {error}"));
    }
    layers
}

fn look(
    args: &Lint,
    mut own: Vec<(String, String)>,
    context: &Context<'_>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    for path in &args.files {
        own.push((path.display().to_string(), files::read_existing(path)?));
    }
    let layers = Layers::over_shipped(&own);
    let mut findings: Vec<LintIssue> = layers.findings().chain(lint(layers.catalogue())).collect();
    if args.deep {
        let understanding = context.understanding(layers.catalogue().clone())?;
        findings.extend(catalogue_lint::lint_deeply(&understanding)?);
    }
    findings.sort();
    // Operators cannot fix warnings in shipped files.
    if !args.files.is_empty() || (!own.is_empty() && !args.all) {
        let named = args.files.iter().map(|path| path.display().to_string());
        let given: Vec<String> =
            if args.files.is_empty() { own.iter().map(|(path, _)| path.clone()).collect() } else { named.collect() };
        let is_given = |id: &str| layers.origins(id).last().is_some_and(|origin| given.contains(origin));
        let named: Vec<&str> = layers.catalogue().concerns().map(|c| c.id.as_str()).filter(|id| is_given(id)).collect();
        let about = |f: &LintIssue| named.iter().any(|id| f.concern == **id || mentions(&f.message, id));
        findings.retain(|f| f.check == Check::Unreadable || about(f));
    }
    let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
    let warnings = findings.len() - errors;
    if args.errors {
        findings.retain(|f| f.severity == Severity::Error);
    }
    let looked = LintAnswer {
        concerns: layers.catalogue().concerns().len(),
        phrasings: layers.catalogue().concerns().map(|c| c.phrasings.len()).sum(),
        errors,
        warnings,
        findings,
    };
    out.answer(&looked, |_| {
        let mut text = String::new();
        for finding in &looked.findings {
            let word = if finding.severity == Severity::Error { "error" } else { "warning" };
            let whom = if finding.concern.is_empty() { String::new() } else { format!("{} ", finding.concern) };
            text += &format!("{word}: {whom}{}\n", finding.message);
        }
        let all = (count(looked.concerns as u64, "concern"), count(looked.phrasings as u64, "phrasing"));
        let found = (count(errors as u64, "error"), count(warnings as u64, "warning"));
        text + &format!("{}, {}: {}, {}\n", all.0, all.1, found.0, found.1)
    })?;
    Ok(if errors > 0 { Exit::Failure } else { Exit::Ok })
}

/// Reports whether a sentence names a concern.
fn mentions(message: &str, id: &str) -> bool {
    message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').any(|w| w.trim_end_matches('.') == id)
}

fn row<'a>(c: &'a Concern, layers: &'a Layers) -> Row<'a> {
    let origin = layers.origins(&c.id).last().map_or("", String::as_str);
    Row { id: &c.id, title: &c.title, gates: &c.gates, direction: c.direction, phrasings: c.phrasings.len(), origin }
}

fn table(rows: &[Row<'_>], width: Option<usize>) -> String {
    if rows.is_empty() {
        return "No concerns.".to_owned();
    }
    let cells = rows.iter().map(|r| vec![r.id.to_owned(), gates(r.gates), r.origin.to_owned(), r.title.to_owned()]);
    list(&["concern", "asked of", "from", "title"], cells.collect(), width)
}

fn page(shown: &ConcernAnswer<'_>, width: usize) -> String {
    let c = shown.concern;
    let mut page = Page::new(&format!("{}: {}", c.id, c.title), width);
    page.line("demand", &c.description).line("asked of", gates(&c.gates)).line("direction", c.direction.as_str());
    page.line("opposite", c.opposite.as_deref().unwrap_or_default()).line("related", c.related.join(", "));
    page.line("rule", &c.rule).line("why", &c.why);
    match shown.origins {
        [earlier @ .., last] if !earlier.is_empty() => {
            page.line("from", format!("{last}, replacing {}", earlier.join(", ")));
        }
        origins => {
            page.line("from", origins.join(", "));
        }
    }
    page.chapter("Matching terms");
    for (language, terms) in &c.terms {
        page.line(language, terms.join(", "));
    }
    page.line("not", c.against.join(", "));
    page.chapter("What people say");
    c.phrasings.iter().for_each(|phrasing| {
        page.line("", phrasing);
    });
    page.finish()
}

fn gates(gates: &[Work]) -> String {
    gates.iter().map(|work| work.as_str()).collect::<Vec<_>>().join(", ")
}

fn test(args: &Test, layers: &Layers, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let text = args.text.join(" ");
    let gate = args.gate.map(Work::gate);
    let config = context.config()?;
    let agent = gate.and_then(|gate| config.intake.gate_agents.get(&gate)).map(String::as_str);
    let comparing = match context.comparing_silently() {
        Ok(comparing) => Some(comparing),
        Err(error) if error.exit == Exit::Unavailable => {
            out.notice(&format!("{}; earlier comments are not included", error.message));
            None
        }
        Err(error) => return Err(error),
    };
    let understanding = understanding(layers, comparing.as_ref(), context)?;
    let same = |c: &Comparisons<'_>| c.understanding.id() == understanding.id();
    let among = comparing.as_ref().map(CompareAccess::comparisons).filter(same);
    let among = among.map(|comparisons| Among { comparisons, agent });
    let found = explanation::text(&understanding, &text, gate, among)?;
    let Some(found) = found else {
        let hint = "the embedder works best with English words; write a sentence";
        return Err(CliError::new(Exit::Failure, "the text has no word that can be compared", hint));
    };
    out.answer(&found, |o| test_page(&text, &found, o.page_width()))?;
    Ok(Exit::Ok)
}

/// Returns the store's understanding if it uses this catalogue, otherwise a separate one.
fn understanding(
    layers: &Layers,
    comparing: Option<&CompareAccess>,
    context: &Context<'_>,
) -> Result<Arc<Analyzer>, CliError> {
    let fits = |u: &&Arc<Analyzer>| u.catalogue().fingerprint() == layers.catalogue().fingerprint();
    match comparing.map(CompareAccess::understanding).filter(fits) {
        Some(understanding) => Ok(Arc::clone(understanding)),
        None => context.understanding(layers.catalogue().clone()),
    }
}

fn test_page(text: &str, found: &Explanation, width: usize) -> String {
    let mut page = Page::new(&format!("“{text}”"), width);
    reading_lines(&mut page, found);
    page.finish()
}

fn work(text: &str) -> Result<Work, String> {
    let named = |work: &Work| work.as_str() == text.to_lowercase();
    let found = Work::ALL.into_iter().find(named).or_else(|| Work::at(Gate::parse(text)?));
    let all = Work::ALL.map(Work::as_str).join(", ");
    found.ok_or_else(|| format!("give a gate as HITL-1 to HITL-6, or by its work: {all}"))
}
