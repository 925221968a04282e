//! `rules import`: rules that are in force elsewhere, so that no proposal repeats them.

use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::files;
use crate::cli::output::Output;
use crate::cli::page::{self, count};
use crate::domain::rules::drafting::proposal::content_hash;
use crate::domain::rules::in_force::import::{MAX_RULES, read};
use crate::wiring;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What to read, and for whom.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A Markdown file with rules, e.g. AGENTS.md; its list items and short demands are taken
    file: PathBuf,
    /// Who imports it
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
    by: String,
    /// The agents it is in force for; all where none is named
    #[arg(long)]
    agent: Vec<String>,
    /// What to call it; importing under the same name replaces what was there. The file's name where this is missing
    #[arg(long)]
    name: Option<String>,
    /// Only show what would be imported
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let reading = context.reading(out)?;
    // The daemon looks as well; but nobody waits here for its answer.
    if !args.dry_run && reading.queries().rosters(&wiring::asked(&context.config()?))?.in_force.find(&args.by).is_none()
    {
        let message = format!("{} is not on the roster", args.by);
        return Err(CliError::new(Exit::Failure, message, "add this person to reviewers.yaml and commit it"));
    }
    let text = files::read_existing(&args.file)?;
    let found = read(&text);
    let file = args.file.file_name().unwrap_or(args.file.as_os_str()).to_string_lossy();
    let name = args.name.clone().unwrap_or_else(|| file.into_owned());
    let import = json!({ "import": {
        "name": name,
        "agents": args.agent,
        "imported_by": args.by,
        "imported_at": wiring::now(),
        "file_hash": content_hash(&text),
        "rules": found.rules,
    }});
    if found.left_out > 0 {
        out.notice(&format!(
            "{} more were left out: a file gives at most {MAX_RULES}",
            count(found.left_out as u64, "rule")
        ));
    }
    // A file that has no rules any more takes its earlier ones away, so it is submitted as well.
    let done = if args.dry_run { "not submitted".to_owned() } else { submit(context, &import)? };
    out.answer(&import["import"], |o| {
        let rules = count(found.rules.len() as u64, "rule");
        let said = format!("{rules} as the import `{name}`: {done}.");
        if found.rules.is_empty() {
            return said;
        }
        let rows =
            found.rules.iter().map(|r| vec![r.line.to_string(), r.section.clone().unwrap_or_default(), r.text.clone()]);
        format!("{}\n{said}", page::list(&["line", "section", "rule"], rows.collect(), o.list_width()))
    })?;
    Ok(Exit::Ok)
}

fn submit(context: &Context<'_>, import: &Value) -> Result<String, CliError> {
    let submitted = context.submit(import)?;
    match submitted.refusal {
        Some(refusal) => {
            let hint = format!("nothing changed ({})", refusal.code.as_str());
            Err(CliError::new(Exit::Failure, refusal.message, hint))
        }
        None => Ok(submitted.effect),
    }
}
