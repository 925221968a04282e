//! `rules import`: records rules in force elsewhere, so that no proposal repeats them; also lists earlier imports and
//! undoes them.

use crate::app::queries::RecordLocation;
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::files;
use crate::cli::output::Output;
use crate::cli::page::{self, Page, count, when};
use crate::cli::submit::{self, Reviewer};
use crate::domain::intake::submission::ImportedRule;
use crate::domain::records::record::ImportRecord;
use crate::domain::rules::draft::proposal::content_hash;
use crate::domain::rules::in_force::import::{MAX_RULES, read};
use crate::wiring;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What to import, and for which agents.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A Markdown file with rules, e.g. AGENTS.md; its list items and short demands are imported
    #[arg(required_unless_present_any = ["list", "undo"], conflicts_with_all = ["list", "undo"])]
    file: Option<PathBuf>,
    /// List earlier imports, and what became of each
    #[arg(long, conflicts_with = "undo")]
    list: bool,
    /// Undo an import, by its name: its rules may be proposed again. What people decided since is kept
    #[arg(long, value_name = "NAME")]
    undo: Option<String>,
    /// Who imports it, or undoes the import
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER", required_unless_present = "list")]
    by: Option<String>,
    /// Why it is undone
    #[arg(long, value_name = "TEXT", requires = "undo")]
    reason: Option<String>,
    /// Sign the undo with this SSH key, whose public half is on the roster; requires `ssh-keygen`
    #[arg(long, value_name = "KEY", env = "FEEDBACKD_SIGNING_KEY")]
    sign: Option<PathBuf>,
    /// The agents for which it is in force; default: all
    #[arg(long)]
    agent: Vec<String>,
    /// The import's name; importing again under the same name replaces the earlier import. Default: the file's name
    #[arg(long)]
    name: Option<String>,
    /// Only show what would be imported
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let by = args.by.as_deref().unwrap_or_default();
    if let Some(name) = &args.undo {
        let reviewer = Reviewer { who: by.to_owned(), reason: args.reason.clone(), sign: args.sign.clone() };
        let action = json!({"decision": "WITHDRAW_IMPORT", "import": name});
        return submit::review(&context.config()?, &reviewer, action, out);
    }
    let reading = context.reading(out)?;
    let Some(file) = &args.file else {
        let all = reading.queries().imports()?;
        out.answer(&all, |o| listed(&all, o.page_width(), o.list_width()))?;
        return Ok(Exit::Ok);
    };
    // The daemon checks as well, but its answer is not awaited here.
    if !args.dry_run && reading.queries().rosters(&wiring::asked(&context.config()?))?.in_force.find(by).is_none() {
        let message = format!("{by} is not on the roster");
        return Err(CliError::new(Exit::Failure, message, "add this person to reviewers.yaml and commit it"));
    }
    let text = files::read_existing(file)?;
    let found = read(&text);
    let file = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let name = args.name.clone().unwrap_or_else(|| file.into_owned());
    let import = json!({ "import": {
        "name": name,
        "agents": args.agent,
        "imported_by": by,
        "imported_at": wiring::now(),
        "file_hash": content_hash(&text),
        "rules": found.rules,
    }});
    if found.left_out > 0 {
        out.notice(&format!(
            "{} more were left out: a file may contain at most {MAX_RULES}",
            count(found.left_out as u64, "rule")
        ));
    }
    // A file without rules removes its earlier ones, so it is submitted as well.
    let done = if args.dry_run { "not submitted".to_owned() } else { submit(context, &import)? };
    out.answer(&import["import"], |o| {
        let rules = count(found.rules.len() as u64, "rule");
        let said = format!("{rules} as the import `{name}`: {done}.");
        if found.rules.is_empty() {
            return said;
        }
        format!("{}\n{said}", rules_of(&found.rules, o.list_width()))
    })?;
    Ok(Exit::Ok)
}

fn rules_of(rules: &[ImportedRule], width: Option<usize>) -> String {
    let rows = rules.iter().map(|r| vec![r.line.to_string(), r.section.clone().unwrap_or_default(), r.text.clone()]);
    page::list(&["line", "section", "rule"], rows.collect(), width)
}

fn listed(all: &[RecordLocation<ImportRecord>], width: usize, list_width: Option<usize>) -> String {
    if all.is_empty() {
        return "Nothing was imported.".to_owned();
    }
    let one = |RecordLocation { record: r, .. }: &RecordLocation<ImportRecord>| {
        let mut page = Page::new(&r.name, width);
        page.line("state", r.state());
        page.line("imported", format!("{} by {}", when(r.imported_at), r.imported_by));
        page.line("agents", if r.agents.is_empty() { "all".to_owned() } else { r.agents.join(", ") });
        page.line("rules", r.rules.len().to_string());
        let head = page.finish();
        if r.rules.is_empty() { head } else { format!("{}\n\n{}", head.trim_end(), rules_of(&r.rules, list_width)) }
    };
    all.iter().map(one).collect::<Vec<_>>().join("\n")
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
